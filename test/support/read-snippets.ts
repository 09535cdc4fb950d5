import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { readDocuments } from "../../scripts/docs/documents.ts";

/** A block of code in a document. */
export interface Snippet {
	/** A unique name: the document's name and the block's place in it. */
	readonly name: string;
	/** The document's path. */
	readonly document: string;
	/** The heading above it. */
	readonly heading: string;
	readonly language: string;
	readonly code: string;
}

/** What users read outside the site. */
const OTHERS = ["README.md", "skills/messaging-gateway/SKILL.md"];

/** Every block of code in the README, in what a coding agent reads, and in the documents of the site. */
export function readSnippets(): Snippet[] {
	const others = OTHERS.map((path) => ({ path, markdown: readFileSync(path, "utf8") }));
	return [...others, ...readDocuments()].flatMap(({ path, markdown }) =>
		Array.from(markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm), ([, language = "", code = ""], at) => {
			const before = markdown.slice(0, markdown.indexOf(code));
			const heading = Array.from(before.matchAll(/^#+ (.+)$/gm)).at(-1)?.[1] ?? "";
			return {
				name: `${basename(path, ".md").toLowerCase()}-${at + 1}`,
				document: path,
				heading,
				language,
				code,
			};
		}),
	);
}
