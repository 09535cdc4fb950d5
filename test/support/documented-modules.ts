import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { createUserProject, FRAMEWORKS, LINKED, type UserProject } from "./packed-package.ts";
import { readSnippets, type Snippet } from "./read-snippets.ts";
import { type StartedProcess, startProcess } from "./started-process.ts";

const run = promisify(execFile);

/** Where each module is: the document and the heading above it, or its file. Its tests are named after what they run. */
const PLACES: Readonly<Record<string, Place | string>> = {
	proxy: { document: "docs/network.md", heading: "A proxy" },
	connections: { document: "docs/network.md", heading: "Connections" },
	"workers-d1": { document: "docs/frameworks/workers.md", heading: "Webhooks in Cloudflare Workers" },
	"workers-redis": "examples/modules/frameworks/workers-redis.ts",
	nest: "examples/modules/frameworks/nest.ts",
	koa: { document: "docs/frameworks/node.md", heading: "Koa" },
	lambda: { document: "docs/frameworks/lambda.md", heading: "Webhooks in AWS Lambda" },
	"server-actions": { document: "docs/frameworks/next-server.md", heading: "Server actions" },
	tunnel: { document: "docs/tunnels.md", heading: "A tunnel that removes a path prefix" },
	"send-once": "examples/modules/send-once.ts",
};

/** A heading of a document. */
type Place = Pick<Snippet, "document" | "heading">;

/** A user's project with every module in it, compiled. */
export interface ModuleProject extends UserProject {
	/** The compiler's errors. */
	readonly compilerErrors: string;
	/** Runs a script in the folder of the modules, in another process. @returns what it prints. */
	run(script: string, options?: ScriptOptions): Promise<string>;
	/** Starts a module that listens, on a free port instead of 3000. */
	start(
		name: string,
		environment: Record<string, string>,
		options?: { nodeOptions?: string[]; expectedErrors?: RegExp },
	): Promise<StartedProcess>;
}

/** How a script in the folder of the modules is run. */
export interface ScriptOptions {
	readonly environment?: Readonly<Record<string, string>>;
	/** The executable of another release. @default the Node that runs the tests */
	readonly node?: string;
}

/** The code of each module that tests of test/integration run, by name. */
export function readModules(): Record<string, string> {
	return Object.fromEntries(
		Object.entries(PLACES).map(([name, place]) => {
			const [code, ...more] =
				typeof place === "string" ? [readFileSync(place, "utf8")] : findBlocks(place, "ts");
			if (code === undefined || more.length > 0) throw new Error(`${name} is not in its place, once`);
			return [name, code];
		}),
	);
}

/** Whether a snippet is one of the modules. */
export function isModule({ document, heading }: Snippet): boolean {
	return Object.values(PLACES).some(
		(place) => typeof place === "object" && place.document === document && place.heading === heading,
	);
}

/** The command that a section shows first, without the line breaks in it. */
export function readCommand(document: string, heading: string): string {
	return (findBlocks({ document, heading }, "sh")[0] ?? "").replaceAll("\\\n", "").trim();
}

/** Compiles the modules against the packed package, each under its name. */
export async function createModuleProject(): Promise<ModuleProject> {
	const project = await createUserProject([...LINKED, ...FRAMEWORKS]);
	// The modules that others import, as the guides have them.
	for (const { code, document } of readSnippets()) {
		const [, name] = /^\/\/ ([\w-]+\.ts)\n/.exec(code) ?? [];
		// openapi-clients.release.test.ts compiles those with what they import.
		if (name !== undefined && document !== "docs/openapi.md") project.write(name, code);
	}
	for (const [name, code] of Object.entries(readModules())) project.write(`${name}.ts`, code);
	// Nest's decorators need it.
	const compilerErrors = await project.compile({ compilerOptions: { experimentalDecorators: true } });
	return {
		...project,
		compilerErrors,
		async run(script, { environment = {}, node = process.execPath } = {}) {
			const result = await run(node, ["--input-type=module", "--eval", script], {
				cwd: project.folder,
				env: { ...process.env, ...environment },
			});
			return result.stdout.trim();
		},
		async start(name, environment, { nodeOptions = [], expectedErrors } = {}) {
			const compiled = readFileSync(join(project.folder, `${name}.js`), "utf8");
			const [before, after, ...more] = compiled.split(".listen(3000)");
			if (after === undefined || more.length > 0)
				throw new Error(`${name} does not listen on port 3000 once`);
			const listening = '.listen(process.env.PORT, "127.0.0.1", () => console.log("ready"))';
			project.write(`${name}-started.js`, before + listening + after);
			const args = [...nodeOptions, `${name}-started.js`];
			return startProcess(args, { cwd: project.folder, environment, ready: /^ready$/, expectedErrors });
		},
	};
}

function findBlocks(place: Place, language: string): string[] {
	return readSnippets()
		.filter(
			(snippet) =>
				snippet.document === place.document &&
				snippet.heading === place.heading &&
				snippet.language === language,
		)
		.map(({ code }) => code);
}
