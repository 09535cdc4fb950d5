import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const EXAMPLES = fileURLToPath(new URL("../../examples", import.meta.url));

/** The files that a build or a run leaves in an example's folder. */
const NOT_SOURCES = ["**/node_modules", "**/dist", "**/.next", "**/*.d.ts"];

/** Modules to copy, which are no programs. */
const MODULES = "modules";

/** One folder of `examples/`, but that of the modules. */
export interface Example {
	readonly name: string;
	readonly folder: string;
	/** What it shows: the first sentence of the docstring that one of its files begins with. */
	readonly sentence: string;
	/** Whether it needs the URL of a Redis. */
	readonly needsRedis: boolean;
	/** Whether it needs the URL of a PostgreSQL. */
	readonly needsPostgres: boolean;
	/** Whether it creates its own local gateway. */
	readonly bringsGateway: boolean;
	/** Whether it plays the contact: it controls the gateway from its own process. */
	readonly controlsGateway: boolean;
	/** Whether it drives a browser. */
	readonly needsBrowser: boolean;
	/** Whether it listens for webhooks, under `/webhooks` of the port that PORT names. */
	readonly receivesWebhooks: boolean;
	/** Whether it replies to several lines at once, some time after the last one. */
	readonly repliesInTurns: boolean;
	/** Whether a user writes to it in the gateway's page. */
	readonly isBot: boolean;
	/** Whether it accepts orders under `/orders`, and sends a notice for each of them once. */
	readonly acceptsOrders: boolean;
	/** Whether it sends nothing to a contact who wrote STOP. */
	readonly takesStops: boolean;
}

/** Every example, by name. */
export function listExamples(): Example[] {
	return readdirSync(EXAMPLES, { withFileTypes: true })
		.filter((entry) => entry.isDirectory() && entry.name !== MODULES)
		.map(({ name }) => describeExample(name))
		.sort((a, b) => a.name.localeCompare(b.name, "en"));
}

function describeExample(name: string): Example {
	const folder = join(EXAMPLES, name);
	const sources = readSources(folder);
	const sentence = sources.map(readFirstSentence).find((found) => found !== undefined);
	if (sentence === undefined) {
		throw new Error(`examples/${name}: no file begins with a docstring that says what it shows`);
	}
	const mentions = (text: string): boolean => sources.some((source) => source.includes(text));
	return {
		name,
		folder,
		sentence,
		needsRedis: mentions("REDIS_URL"),
		needsPostgres: mentions("DATABASE_URL"),
		bringsGateway: mentions("createLocalGateway("),
		controlsGateway: mentions("MESSAGING_GATEWAY_CONTROL_TOKEN"),
		needsBrowser: mentions("playwright-core"),
		receivesWebhooks: mentions("createWebhookHandler("),
		repliesInTurns: mentions("QUIET_SECONDS"),
		isBot: mentions("messaging-gateway/chat"),
		acceptsOrders: mentions("/orders"),
		takesStops: mentions("UNSUBSCRIBE"),
	};
}

/** The files where an application begins, whose docstring says what all of it shows. */
const BEGINNINGS = ["main.ts", "receiver.ts"];

/** The sources of a folder: where it begins first, and the others by name. The tests of a program do not run with it. */
function readSources(folder: string): string[] {
	const all = globSync("**/*.{ts,py}", { cwd: folder, exclude: NOT_SOURCES }).sort();
	const files = all.includes("main.ts") ? all.filter((file) => !file.endsWith(".test.ts")) : all;
	const ordered = [
		...BEGINNINGS.filter((file) => files.includes(file)),
		...files.filter((file) => !BEGINNINGS.includes(file)),
	];
	return ordered.map((file) => readFileSync(join(folder, file), "utf8"));
}

function readFirstSentence(source: string): string | undefined {
	const [, comment, docstring = comment] = /^\/\*\*([\s\S]*?)\*\/|^"""([\s\S]*?)"""/.exec(source) ?? [];
	const text = (docstring ?? "")
		.replace(/^\s*\*/gm, "")
		.replace(/\s+/g, " ")
		.trim();
	return /^.+?\.(?=\s|$)/.exec(text)?.[0];
}
