export interface ConsolePage {
	readonly title: string;
	/** The base name of its script and its styles in `dist/console`. */
	readonly name: string;
}

export const CONSOLE_PAGES: Readonly<Record<string, ConsolePage>> = {
	"/": { title: "Conversations", name: "conversations" },
	"/docs": { title: "API", name: "docs" },
};

/** Two speech bubbles: both sides of a conversation. */
const ICON =
	'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="20" height="14" x="1" y="4" rx="5" fill="#868fa0"/><rect width="20" height="14" x="11" y="14" rx="5" fill="#2456d6" stroke="#fff" stroke-width="2"/></svg>';

export const CONSOLE_FILES_PATH = "/_console/";

/** The Content-Security-Policy of the pages: no other origins, no inline scripts or styles, no framing. */
export const PAGE_POLICY = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self'",
	"img-src 'self' data: blob:",
	"media-src 'self' blob:",
	"connect-src 'self'",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
].join("; ");

export function renderPage({ title, name }: ConsolePage): string {
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · messaging-gateway</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}">
<link rel="stylesheet" href="${CONSOLE_FILES_PATH}parts.css">
<link rel="stylesheet" href="${CONSOLE_FILES_PATH}${name}.css">
<script type="module" src="${CONSOLE_FILES_PATH}${name}.js"></script>
</head>
<body><div id="app"></div></body>
</html>
`;
}
