import { execFile } from "node:child_process";
import { existsSync, globSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { createUserProject, DEPENDENCIES, LINKED } from "../../support/packed-package.ts";
import { PROCESS_LIFE_MS } from "../../support/patience.ts";
import { readSnippets } from "../../support/read-snippets.ts";
import { type StartedProcess, startProcess } from "../../support/started-process.ts";

const run = promisify(execFile);
const ROOT = new URL("../../..", import.meta.url).pathname;

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
};

/** What each project has. */
const BASE = {
	"app/layout.tsx": `
		export default function Layout({ children }: { children: React.ReactNode }) {
			return <html lang="en"><body>{children}</body></html>;
		}`,
	// What create-next-app writes.
	"tsconfig.json": `{
		"compilerOptions": { "module": "esnext", "moduleResolution": "bundler", "strict": true, "skipLibCheck": true },
		"include": ["**/*.ts", "**/*.tsx"],
		"exclude": ["node_modules"]
	}`,
};

/** The packages of another release of Next.js, which only it needs. */
const NEXT_15 = join(ROOT, "test/next-15/node_modules");
const OF_RELEASE = ["next", "react", "react-dom", "typescript", "@types/react"];

/** How a project of Next.js is built. */
export interface NextOptions {
	/** @default 16 */
	readonly release?: 15 | 16;
	/** Members of the configuration. */
	readonly config?: object;
	/** The build's environment. */
	readonly variables?: Readonly<Record<string, string>>;
}

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
	const examples = globSync("**/*.ts*", { cwd: join(ROOT, "examples/webhooks-next/app") }).map((name) => [
		`app/example/${name}`,
		readFileSync(join(ROOT, "examples/webhooks-next/app", name), "utf8"),
	]);
	const observed = readFileSync(join(ROOT, "test/integration/support/observed-handler.ts"), "utf8");
	const all = { ...Object.fromEntries(examples), "observed-handler.ts": observed, ...ROUTES, ...files };
	return buildNextApp(all, { variables });
}

/** Builds an app with only these files against the packed package. Throws with what the build printed if it fails. */
export async function buildNextApp(
	files: Readonly<Record<string, string>>,
	{ release = 16, config = {}, variables = {} }: NextOptions = {},
): Promise<NextProject> {
	const project = await createUserProject(release === 16 ? LINKED : [...DEPENDENCIES, "@types/node"]);
	// The real place of a linked package is outside the project.
	const root = release === 16 ? { turbopack: { root: "/" } } : {};
	const settings = `export default ${JSON.stringify({ ...root, ...config })};`;
	if (release === 15) {
		if (!existsSync(NEXT_15))
			throw new Error(
				"Next.js 15 is missing: run `npm ci --prefix test/next-15`, as `npm run test:release` does.",
			);
		for (const name of OF_RELEASE)
			symlinkSync(join(NEXT_15, name), join(project.folder, "node_modules", name));
	}
	for (const [path, content] of Object.entries({ ...BASE, "next.config.ts": settings, ...files }))
		project.write(path, content);
	const next = join(project.folder, "node_modules/next/dist/bin/next");
	const environment = { NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" } as const;
	const building = run(process.execPath, [next, "build"], {
		cwd: project.folder,
		env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...environment, ...variables },
		timeout: PROCESS_LIFE_MS,
	});
	const { stdout } = await building.catch((error: { stdout: string; stderr: string }) => {
		project.remove();
		throw new Error(`${error.stdout}${error.stderr}`);
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

/** The blocks that the pages on Next.js have under headings, by the paths that they name. */
export function readNextBlocks(...headings: string[]): Record<string, string> {
	const blocks = readSnippets().filter(
		({ document, heading }) => document.startsWith("docs/frameworks/next") && headings.includes(heading),
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
