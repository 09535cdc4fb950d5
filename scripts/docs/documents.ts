/** The documents for users: their reading order, titles and summaries. */
import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";

/** A guide is read in this order; one that is not named comes after them. */
const READING_ORDER = [
	"quickstart",
	"concepts",
	"production",
	"migration",
	"sending",
	"errors",
	"retries",
	"operations",
	"sends",
	"durable-steps",
	"webhooks",
	"frameworks",
	"browsers",
	"stores",
	"queues",
	"chat",
	"scaling",
	"testing",
	"local-gateway",
	"readings",
	"command",
	"control",
	"openapi",
	"languages",
	"profile",
	"first-hour",
	"observability",
	"incidents",
	"reliability",
	"ky",
	"recipes",
	"performance",
	"entries",
	"limits",
];

/** The table of the guides. */
const INDEX = "docs/guides.md";

/** Written by tools, for reviewers. */
const REPORTS = ["docs/api-report.md"];

/** A document, as its own heading and first sentence have it. */
export interface Document {
	/** Its path from the root of the repository. */
	readonly path: string;
	readonly title: string;
	/** Its first sentence. */
	readonly summary: string;
	readonly markdown: string;
}

/** The guides in reading order. The threat model is one of them, in the folder where readers look for it. */
export function readGuides(): Document[] {
	const guides = globSync("docs/*.md", { exclude: [INDEX, ...REPORTS] }).sort(
		(left, right) => placeOf(left) - placeOf(right) || (left < right ? -1 : 1),
	);
	return [...guides, "SECURITY.md", "VERSIONING.md"].map(readDocument);
}

/** Every document of the site but its home page, which is the README. */
export function readDocuments(): Document[] {
	return [readDocument(INDEX), ...readGuides(), readDocument("CONTRIBUTING.md")];
}

/** The first sentence of a text; a dot within a name, a number or "e.g." does not end one. */
export function firstSentence(text: string): string {
	return /^[\s\S]*?(?<!\be\.g)\.(?=\s|$)/.exec(text)?.[0] ?? text;
}

function placeOf(path: string): number {
	const at = READING_ORDER.indexOf(basename(path, ".md"));
	return at === -1 ? READING_ORDER.length : at;
}

function readDocument(path: string): Document {
	const markdown = readFileSync(path, "utf8");
	const [, title, start] = /^# (.+)\n\n([A-Z`].+\..*)/.exec(markdown) ?? [];
	if (title === undefined || start === undefined) {
		throw new Error(`${path} must begin with a heading, and right below it a sentence on what it is about`);
	}
	return { path, title, summary: firstSentence(start), markdown };
}
