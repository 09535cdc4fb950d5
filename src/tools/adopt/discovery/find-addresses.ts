import { isJsonObject } from "../../../library/is-object.ts";

/** What a page or a script says of documents. */
export interface PageContent {
	/** Objects in it that may be a document. */
	readonly inline: readonly unknown[];
	/** Addresses of documents, as they are written. */
	readonly addresses: readonly string[];
	/** Addresses of scripts that may name documents. */
	readonly scripts: readonly string[];
}

/** Where documents usually are. */
export const USUAL_PATHS: readonly string[] = [
	"/openapi.json /openapi.yaml /swagger.json /docs-json /docs/json /docs/openapi.json /docs/swagger.json /api-docs",
	"/v3/api-docs /v2/api-docs /swagger/v1/swagger.json /swagger/doc.json /docs/doc.json /openapi/v1.json",
	"/api-docs.json /docs/api-docs.json /api-json /openapi.yml /swagger.yaml /docs/openapi.yaml /docs.json",
].flatMap((row) => row.split(" "));

/** Libraries of such pages, which name no document. */
const LIBRARIES =
	/swagger-ui(-es)?-(bundle|standalone)|redoc\.standalone|rapidoc|web-components|standalone\.js|api-reference|jquery|polyfill/i;

/** What an address of a document looks like: another GET might change something. */
const DOCUMENT_ADDRESS =
	/(^|[/._?=-])(open-?api|swagger([-_]?config)?|api-?docs?|docs?|specs?|specification|schema|reference|json|ya?ml|redoc|scalar|contract|definition)s?($|[/._?&=-])/i;

const ATTRIBUTE =
	/\b(?:spec-url|data-url|data-spec-url|apidescriptionurl|api-description-url|data-configuration)\s*=\s*("[^"]*"|'[^']*')/gi;
const PROPERTY =
	/["']?\b(?:url|configUrl|specUrl|spec-url|apiDescriptionUrl|openapiUrl|openApiUrl|definitionUrl|swaggerUrl)["']?\s*[:=]\s*["'`]([^"'`\n]{1,500})["'`]/g;
const FILE_NAME = /["'`]([^"'`\s<>]{1,500}\.(?:json|ya?ml)(?:\?[^"'`\s]*)?)["'`]/g;
const SERVICE_LINK = /<link\b[^>]*\brel\s*=\s*["']?service-desc["']?[^>]*\bhref\s*=\s*("[^"]*"|'[^']*')/gi;
const OBJECT = /["']?\b(?:swaggerDoc|spec|content|definition)["']?\s*[:=]\s*(?=\{)/g;

/** Reads a page, or a script of it. Nothing of it is run. */
export function readDocsPage(text: string): PageContent {
	const scripts = [...text.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script>/gi)];
	const inline = scripts.map(([, , body = ""]) => parseJson(body.trim()));
	const objects = [...text.matchAll(OBJECT)].map(({ index, 0: found }) =>
		objectAt(text, index + found.length),
	);
	const attributes = [...text.matchAll(ATTRIBUTE)].map(([, value = ""]) => unescapeHtml(value.slice(1, -1)));
	const configured = attributes.map(parseJson).filter(isJsonObject);
	const given = [
		...attributes.filter((value) => parseJson(value) === undefined),
		...[...text.matchAll(SERVICE_LINK)].map(([, value = ""]) => unescapeHtml(value.slice(1, -1))),
		...[...unescapeHtml(text).matchAll(PROPERTY)].map(([, value = ""]) => value),
		...[...text.matchAll(FILE_NAME)].map(([, value = ""]) => value),
		...[...configured, ...inline].flatMap(addressesIn),
	];
	const sources = scripts.flatMap(([, attributes = ""]) => {
		const [, value = ""] = /\bsrc\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)/i.exec(attributes) ?? [];
		return value === "" ? [] : [unescapeHtml(value.replace(/^["']|["']$/g, ""))];
	});
	const members = [...inline, ...configured].flatMap((value) =>
		isJsonObject(value) ? [value, value["spec"], value["content"], value["swaggerDoc"]] : [],
	);
	return {
		inline: [...members, ...objects]
			.map((value) => (typeof value === "string" ? parseJson(value) : value))
			.filter(isJsonObject),
		addresses: [...new Set(given)].filter(isDocumentAddress),
		scripts: [...new Set(sources)].filter((source) => !LIBRARIES.test(source)),
	};
}

/** The addresses in a configuration: `url`, `urls` and `configUrl`, also inside of it. */
export function addressesIn(value: unknown, depth = 0): string[] {
	if (depth > 3) return [];
	if (Array.isArray(value)) return value.flatMap((item) => addressesIn(item, depth + 1));
	if (!isJsonObject(value)) return [];
	return Object.entries(value).flatMap(([name, member]) => {
		if (typeof member === "string")
			return /^(url|configUrl|specUrl|apiDescriptionUrl)$/.test(name) ? [member] : [];
		return /^(urls|spec|sources|config|customOptions|swaggerOptions)$/.test(name)
			? addressesIn(member, depth + 1)
			: [];
	});
}

function isDocumentAddress(address: string): boolean {
	return DOCUMENT_ADDRESS.test(address) && !/(package|manifest|tsconfig)\.json$/.test(address);
}

/** The object that begins at a place in a script, if it is JSON. */
function objectAt(text: string, start: number): unknown {
	let depth = 0;
	let isString = false;
	for (let at = start; at < text.length; at++) {
		const character = text[at];
		if (isString) {
			if (character === "\\") at++;
			else if (character === '"') isString = false;
		} else if (character === '"') isString = true;
		else if (character === "{") depth++;
		else if (character === "}" && --depth === 0) return parseJson(text.slice(start, at + 1));
	}
	return undefined;
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

function unescapeHtml(text: string): string {
	return text
		.replaceAll("&quot;", '"')
		.replace(/&#(39|x27);/g, "'")
		.replaceAll("&amp;", "&");
}
