export type Language = "json" | "typescript" | "bash" | "text";

/** The kind of a token; `plain` has no colour. */
export type TokenKind = "plain" | "name" | "string" | "number" | "keyword" | "comment";

/** A part of the code. All tokens in order give the whole code. */
export interface Token {
	readonly kind: TokenKind;
	readonly text: string;
}

/** Longer code is not highlighted, for speed. */
const MAX_LENGTH = 100_000;

type TokenRule = readonly [kind: Exclude<TokenKind, "plain">, pattern: string];

const RULES: Readonly<Record<Exclude<Language, "text">, readonly TokenRule[]>> = {
	json: [
		["name", String.raw`"(?:[^"\\]|\\.)*"(?=\s*:)`],
		["string", String.raw`"(?:[^"\\]|\\.)*"`],
		["number", String.raw`-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?`],
		["keyword", String.raw`\b(?:true|false|null)\b`],
	],
	typescript: [
		["comment", "//.*"],
		["string", String.raw`"(?:[^"\\]|\\.)*"`],
		["number", String.raw`-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b`],
		["keyword", String.raw`\b(?:import|from|const|new|await|true|false|null|undefined)\b`],
	],
	bash: [
		["comment", String.raw`(?<=^|\s)#.*`],
		["string", String.raw`'[^']*'|\\'|"(?:[^"\\$]|\\.|\$(?!\())*"`],
		["keyword", String.raw`(?<=^|[\s(|])(?:set|printf|curl|openssl|date|sed)(?=\s)`],
		["name", String.raw`(?<=^|\s)\w+(?==)`],
	],
};

/** Splits code into tokens. It covers the code on these pages, not every program. */
export function highlight(text: string, language: Language): Token[] {
	if (language === "text" || text.length > MAX_LENGTH) return [{ kind: "plain", text }];
	const rules = RULES[language];
	const pattern = new RegExp(rules.map(([, source]) => `(${source})`).join("|"), "gm");
	const tokens: Token[] = [];
	let end = 0;
	for (const match of text.matchAll(pattern)) {
		const kind = rules.find((_, at) => match[at + 1] !== undefined)?.[0] ?? "plain";
		if (match.index > end) tokens.push({ kind: "plain", text: text.slice(end, match.index) });
		tokens.push({ kind, text: match[0] });
		end = match.index + match[0].length;
	}
	if (end < text.length) tokens.push({ kind: "plain", text: text.slice(end) });
	return tokens;
}
