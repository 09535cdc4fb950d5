import { execFile } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { createUserProject, type UserProject } from "./packed-package.ts";
import { type StartedProcess, startProcess } from "./started-process.ts";

const run = promisify(execFile);
const ROOT = new URL("../..", import.meta.url).pathname;

/** Beside the example: both routers with an observed handler, as they should be and with the classic mistake. */
const ROUTES = {
	"app/observed/route.ts": `
		import { createObservedHandler } from "../../observed-handler";
		export const POST = createObservedHandler().fetch;`,
	"app/mistaken/route.ts": `
		import { createObservedHandler } from "../../observed-handler";
		const webhooks = createObservedHandler();
		export async function POST(request: Request): Promise<Response> {
			await request.json();
			return webhooks.fetch(request);
		}`,
	"pages/api/observed.ts": `
		import { toNextPages } from "messaging-gateway/webhooks/next";
		import { createObservedHandler } from "../../observed-handler";
		export default toNextPages(createObservedHandler());
		export const config = { api: { bodyParser: false } };`,
	"pages/api/mistaken.ts": `
		import { toNextPages } from "messaging-gateway/webhooks/next";
		import { createObservedHandler } from "../../observed-handler";
		export default toNextPages(createObservedHandler());`,
	// Of what is linked, the real place is outside of the project.
	"next.config.ts": `export default { turbopack: { root: "/" } };`,
};

/** A project of Next.js that was built, and can be started several times. */
export interface NextProject {
	/** What the build printed. */
	readonly built: string;
	start(environment: Record<string, string>): Promise<StartedProcess>;
	remove(): void;
}

/** Builds the example and further routes against the packed package, without a secret in the environment. */
export async function buildNextProject(): Promise<NextProject> {
	const project = createUserProject();
	cpSync(join(ROOT, "examples/webhooks-next/app"), join(project.folder, "app"), { recursive: true });
	cpSync(join(ROOT, "test/support/observed-handler.ts"), join(project.folder, "observed-handler.ts"));
	for (const [path, content] of Object.entries(ROUTES)) writeInFolder(project, path, content);
	const next = join(project.folder, "node_modules/next/dist/bin/next");
	const environment = { NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" } as const;
	const { stdout } = await run(process.execPath, [next, "build"], {
		cwd: project.folder,
		env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...environment },
		timeout: 170_000,
	});
	return {
		built: stdout,
		start: (more) =>
			startProcess([next, "start", "-H", "127.0.0.1"], {
				cwd: project.folder,
				environment: { ...environment, ...more },
				ready: /Ready in/,
			}),
		remove: project.remove,
	};
}

function writeInFolder(project: UserProject, path: string, content: string): void {
	mkdirSync(join(project.folder, dirname(path)), { recursive: true });
	project.write(path, content);
}
