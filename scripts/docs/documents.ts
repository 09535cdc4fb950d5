/** The documents for users: their reading order, titles and summaries. */
import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";

/** The guides by what a reader wants, in reading order; one that is not named comes last. */
export const GROUPS: Readonly<Record<string, readonly string[]>> = {
	Start: ["quickstart", "concepts", "production", "migration"],
	Send: ["sending", "credentials", "errors", "sends", "network"],
	Receive: ["webhooks", "frameworks", "unknown-events", "tenants", "stores", "inbox", "queues"],
	"Test and debug": ["testing", "local-gateway", "command", "tunnels", "readings"],
	"Go live": [
		"assumed",
		"first-hour",
		"profile",
		"doctor",
		"troubleshooting",
		"captures",
		"rotation",
		"observability",
	],
	Integrations: ["chat", "durable-steps", "openapi"],
	Reference: ["options", "profile-reference", "environment", "entries", "control", "guides"],
	Trust: ["security", "reliability", "performance", "versioning", "contributing"],
};

/** The table of the guides. */
const INDEX = "docs/guides.md";

/** Written by tools, for reviewers. */
const REPORTS = ["docs/api-report.md"];

/** A document, as its own heading and first sentence have it. */
export interface Document {
	/** Its path from the root of the repository. */
	readonly path: string;
	/** What a reader wants of it: one of {@link GROUPS}. */
	readonly group: string;
	readonly title: string;
	/** Its first sentence. */
	readonly summary: string;
	readonly markdown: string;
}

/** The guides in reading order. The threat model and the versions are two of them, in the folder where readers look for them. */
export function readGuides(): Document[] {
	const paths = globSync("docs/{*,frameworks/*}.md", { exclude: [INDEX, ...REPORTS] });
	return [...paths, "SECURITY.md", "VERSIONING.md"].map(readDocument).sort(inReadingOrder);
}

/** Every document of the site but its home page, which is the README. */
export function readDocuments(): Document[] {
	return [...readGuides(), readDocument(INDEX), readDocument("CONTRIBUTING.md")].sort(inReadingOrder);
}

/** The home page of the site. */
export function readHomePage(): Document {
	return readDocument("README.md");
}

/** The first sentence of a text; a dot within a name, a number or "e.g." does not end one. */
export function firstSentence(text: string): string {
	return /^[\s\S]*?(?<!\be\.g)\.(?=\s|$)/.exec(text)?.[0] ?? text;
}

const NAMES = Object.values(GROUPS).flat();

function inReadingOrder(left: Document, right: Document): number {
	return placeOf(left) - placeOf(right) || (left.path < right.path ? -1 : 1);
}

function placeOf({ path }: Document): number {
	const at = NAMES.indexOf(nameOf(path));
	return at === -1 ? NAMES.length : at;
}

/** A page of a folder stands beside the page of the folder's name. */
function nameOf(path: string): string {
	const [, folder] = /^docs\/(\w+)\//.exec(path) ?? [];
	return folder ?? basename(path, ".md").toLowerCase();
}

function groupOf(path: string): string {
	const found = Object.entries(GROUPS).find(([, names]) => names.includes(nameOf(path)));
	return found?.[0] ?? "Reference";
}

function readDocument(path: string): Document {
	const markdown = readFileSync(path, "utf8");
	const [, title, start] = /^# (.+)\n\n([A-Z`].+\..*)/.exec(markdown) ?? [];
	if (title === undefined || start === undefined) {
		throw new Error(`${path} must begin with a heading, and right below it a sentence on what it is about`);
	}
	return { path, group: groupOf(path), title, summary: firstSentence(start), markdown };
}
