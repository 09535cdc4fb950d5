/** What a text is written in. */
export type Language = "json" | "typescript" | "bash" | "text";

/** What a piece of a text is; `plain` for everything without a colour of its own. */
export type TokenKind = "plain" | "name" | "string" | "number" | "keyword" | "comment";

/** A piece of a text. The pieces in order are the text. */
export interface Token {
	readonly kind: TokenKind;
	readonly text: string;
}

/** Beyond, colours cost more than they show. */
const MAX_LENGTH = 100_000;

type Rule = readonly [kind: Exclude<TokenKind, "plain">, pattern: string];

const RULES: Readonly<Record<Exclude<Language, "text">, readonly Rule[]>> = {
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

/** Cuts a text into pieces to be coloured. It is made for the texts of this page, not for every program. */
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
