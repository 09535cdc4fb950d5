import { execFile } from "node:child_process";
import { cpSync, existsSync, globSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { createUserProject, DEPENDENCIES, type UserProject } from "../../support/packed-package.ts";
import { PROCESS_LIFE_MS } from "../../support/patience.ts";
import { type StartedProcess, startProcess } from "../../support/started-process.ts";

const run = promisify(execFile);
const FRAMEWORKS = new URL("../../frameworks", import.meta.url).pathname;

export const OBSERVED_HANDLER = readFileSync(new URL("./observed-handler.ts", import.meta.url), "utf8");

/** The module that the routes import. */
export const HANDLER = `
import { createObservedHandler } from "./observed-handler.js";
export const webhooks = createObservedHandler();`;

/** An app of test/frameworks: as small as the framework allows, with one route. */
export interface FrameworkApp {
	/** Its folder. */
	readonly name: string;
	/** Where its sources are, and with them the handler. */
	readonly sources: string;
	/** What Node is given to build it for production. */
	readonly build: readonly string[];
	/** What Node is given to start what was built. */
	readonly start: readonly string[];
	/** Files that repeat the framework's usual mistake at `/mistaken`. */
	readonly mistake: Readonly<Record<string, string>>;
}

/** An app that was built for production with the packed package. */
export interface BuiltApp {
	start(environment: Record<string, string>): Promise<StartedProcess>;
	remove(): void;
}

/**
 * A user's project with every package of test/frameworks.
 * @param packages - those that are the project's own.
 */
export async function createFrameworkProject(
	packages: readonly string[] = DEPENDENCIES,
): Promise<UserProject> {
	const project = await createUserProject(packages);
	const modules = join(project.folder, "node_modules");
	const names = globSync("*", { cwd: join(FRAMEWORKS, "node_modules") });
	if (names.length === 0)
		throw new Error(
			"the frameworks are missing: install the packages of test/, as `npm run test:release` does.",
		);
	for (const name of names) {
		if (!existsSync(join(modules, name)))
			symlinkSync(join(FRAMEWORKS, "node_modules", name), join(modules, name));
	}
	// React Router installs it unless it is here.
	project.write("package.json", '{ "private": true, "type": "module", "dependencies": { "isbot": "*" } }');
	return project;
}

/** Builds an app as its framework does, without a secret in the environment. */
export async function buildFrameworkApp({
	name,
	sources,
	build,
	start,
	mistake,
}: FrameworkApp): Promise<BuiltApp> {
	const project = await createFrameworkProject();
	for (const entry of readdirSync(join(FRAMEWORKS, name)))
		cpSync(join(FRAMEWORKS, name, entry), join(project.folder, entry), { recursive: true });
	project.write(`${sources}/observed-handler.ts`, OBSERVED_HANDLER);
	project.write(`${sources}/webhooks.ts`, HANDLER);
	for (const [path, code] of Object.entries(mistake)) project.write(path, code);
	const cwd = project.folder;
	const environment = {
		NODE_ENV: "production",
		NO_COLOR: "1",
		HOST: "127.0.0.1",
		ASTRO_TELEMETRY_DISABLED: "1",
		NUXT_TELEMETRY_DISABLED: "1",
		// Vitest sets it, and srvx then does not print that it listens.
		TEST: "",
	} as const;
	await run(process.execPath, build, {
		cwd,
		env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...environment },
		timeout: PROCESS_LIFE_MS,
	});
	return {
		start: (more) =>
			startProcess(start, {
				cwd,
				environment: { ...environment, ...more },
				ready: READY,
				// srvx reports a sender that stops halfway.
				expectedErrors: /^(Error: aborted)?$/,
			}),
		remove: project.remove,
	};
}

/** What the servers of the frameworks print when they listen. */
const READY = /listening on|\[react-router-serve\]/i;
