import { execFile } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { createUserProject } from "./packed-package.ts";
import { PROCESS_LIFE_MS } from "./patience.ts";
import { readSnippets } from "./snippets/read-snippets.ts";
import { type StartedProcess, startProcess } from "./started-process.ts";

const run = promisify(execFile);
const ROOT = new URL("../..", import.meta.url).pathname;

/**
 * In addition to the example: both routers with an observed handler, correct and with the classic mistake; and pages
 * that run in the browser, one with only types of the package and one with its code.
 */
const ROUTES = {
	"app/observed/route.ts": `
		import { createObservedHandler } from "../../observed-handler";
		export const POST = createObservedHandler().fetch;
		export const PUT = POST;`,
	"app/mistaken/route.ts": `
		import { createObservedHandler } from "../../observed-handler";
		const webhooks = createObservedHandler();
		export async function POST(request: Request): Promise<Response> {
			await request.json();
			return webhooks.fetch(request);
		}`,
	"pages/api/observed.ts": `
		import { toNode } from "messaging-gateway/webhooks/node";
		import { createObservedHandler } from "../../observed-handler";
		export default toNode(createObservedHandler());
		export const config = { api: { bodyParser: false } };`,
	"pages/api/mistaken.ts": `
		import { toNode } from "messaging-gateway/webhooks/node";
		import { createObservedHandler } from "../../observed-handler";
		export default toNode(createObservedHandler());`,
	"app/layout.tsx": `
		export default function Layout({ children }: { children: React.ReactNode }) {
			return <html lang="en"><body>{children}</body></html>;
		}`,
	"app/types-only/page.tsx": `
		"use client";
		import type { MessageStatus } from "messaging-gateway";
		const status: MessageStatus = "delivered";
		export default function Page() { return <p>The message is {status}.</p>; }`,
	"app/with-code/page.tsx": `
		"use client";
		import { isMessagingGatewayError } from "messaging-gateway";
		export default function Page() {
			return <button onClick={(event) => alert(isMessagingGatewayError(event))}>Is it one?</button>;
		}`,
	// The real place of a linked package is outside the project.
	"next.config.ts": `export default { turbopack: { root: "/" } };`,
};

/** A project of Next.js that was built, and can be started several times. */
export interface NextProject {
	readonly folder: string;
	/** What the build printed. */
	readonly built: string;
	/** All scripts that a browser loads with a page, as one string. */
	readScripts(page: string): string;
	/** @param expectedErrors - the lines on its standard error that belong to the test. */
	start(environment: Record<string, string>, expectedErrors?: RegExp): Promise<StartedProcess>;
	remove(): void;
}

/**
 * Builds the example, below `/example`, and further routes against the packed package, without a secret in the
 * environment.
 * @param files - what else the project has, by path.
 * @param variables - of the build's environment.
 */
export async function buildNextProject(
	files: Readonly<Record<string, string>>,
	variables: Readonly<Record<string, string>> = {},
): Promise<NextProject> {
	const project = await createUserProject();
	cpSync(join(ROOT, "examples/webhooks-next/app"), join(project.folder, "app/example"), { recursive: true });
	cpSync(join(ROOT, "test/support/observed-handler.ts"), join(project.folder, "observed-handler.ts"));
	for (const [path, content] of Object.entries({ ...ROUTES, ...files })) project.write(path, content);
	const next = join(project.folder, "node_modules/next/dist/bin/next");
	const environment = { NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" } as const;
	const { stdout } = await run(process.execPath, [next, "build"], {
		cwd: project.folder,
		env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...environment, ...variables },
		timeout: PROCESS_LIFE_MS,
	});
	return {
		folder: project.folder,
		built: stdout,
		readScripts: (page) => readScripts(join(project.folder, ".next"), page),
		start: (more, expectedErrors) =>
			startProcess([next, "start", "-H", "127.0.0.1"], {
				cwd: project.folder,
				environment: { ...environment, ...more },
				ready: /Ready in/,
				expectedErrors,
			}),
		remove: project.remove,
	};
}

/** The blocks that the guide on frameworks has for Next.js under a heading, by the paths that they name. */
export function readNextBlocks(title = "Next.js"): Record<string, string> {
	const blocks = readSnippets().filter(
		({ document, heading }) => document === "docs/frameworks.md" && heading === title,
	);
	return Object.fromEntries(
		blocks.map(({ name, code }) => {
			const [, path] = /^\/\/ (\S+\.tsx?)\n/.exec(code) ?? [];
			if (path === undefined) throw new Error(`${name} does not name its file`);
			return [path, code];
		}),
	);
}

function readScripts(folder: string, page: string): string {
	const html = readFileSync(join(folder, `server/app/${page}.html`), "utf8");
	const paths = new Set(html.match(/static\/chunks\/[\w./~-]+\.js/g));
	return [...paths].map((path) => readFileSync(join(folder, path), "utf8")).join("\n");
}
