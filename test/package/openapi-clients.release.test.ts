import { execFile } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { listen } from "messaging-gateway/testing/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Compiler, RELEASES } from "../support/compile.ts";
import { requireOpenApiTool } from "../support/openapi-tools.ts";
import { createUserProject, type UserProject } from "../support/packed-package.ts";
import { PROCESS_LIFE_MS } from "../support/patience.ts";

const run = promisify(execFile);
const GUIDE = readFileSync("docs/openapi.md", "utf8");

/** The programs of the guide that call the gateway. */
const PROGRAMS = [
	{ name: "with-openapi-fetch", exactOptionalPropertyTypes: true },
	// What @hey-api/openapi-ts generates for every document, not for ours, does not compile with it.
	{ name: "with-hey-api", exactOptionalPropertyTypes: false },
];
const CELLS = RELEASES.slice(1).flatMap((release) => PROGRAMS.map((program) => ({ ...program, release })));

let compiler: Compiler;
let project: UserProject;

beforeAll(async () => {
	compiler = new Compiler();
	project = await createUserProject();
	symlinkSync(requireOpenApiTool("openapi-fetch"), join(project.folder, "node_modules/openapi-fetch"));
	for (const [, name = "", code = ""] of GUIDE.matchAll(
		/Save this as `([\w-]+\.ts)`:\n\n```ts\n([\s\S]*?)```/g,
	)) {
		project.write(name, code);
	}
	for (const line of blocksOf("sh")) await runLine(line.trim());
});

afterAll(() => {
	compiler[Symbol.dispose]();
	project.remove();
});

test("every program of the guide is saved", () => {
	expect(blocksOf("ts")).toHaveLength(GUIDE.match(/Save this as/g)?.length ?? 0);
	expect(blocksOf("ts")).toHaveLength(PROGRAMS.length + 1);
});

test.each(CELLS)(
	"$name compiles with strict TypeScript $release",
	async ({ release, name, ...strictness }) => {
		const problems = await compiler.compile({
			release,
			folder: project.folder,
			files: [`${name}.ts`],
			options: {
				...strictness,
				lib: ["es2022", "dom", "dom.iterable"],
				types: ["node"],
				module: "esnext",
				moduleResolution: "bundler",
			},
		});
		expect(problems).toEqual([]);
	},
);

test.each(PROGRAMS)("$name makes signed calls to the local gateway", async ({ name }) => {
	await using server = await listen();
	const { stdout } = await runProgram(name, server.url, server.local.appSecret);
	expect(stdout.trim().split("\n")).toEqual(printedBy(name));
	expect(server.local.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
		"POST /message/text",
		"GET /mapping/%2B15551234567",
	]);

	const wrong = await runProgram(name, server.url, "another-secret");
	expect(wrong.stdout.trim().split("\n")).toEqual(["UNAUTHORIZED", "UNAUTHORIZED"]);
});

function blocksOf(language: string): string[] {
	return Array.from(
		GUIDE.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm")),
		([, block = ""]) => block,
	);
}

/** What the comments of a program say that it prints. */
function printedBy(name: string): string[] {
	const code = readFileSync(join(project.folder, `${name}.ts`), "utf8");
	return Array.from(code.matchAll(/console\.log\(.*\); \/\/ (.+)$/gm), ([, printed = ""]) => printed);
}

/** Runs a line of the guide with the installed commands. */
async function runLine(line: string): Promise<void> {
	const [npx, command = "", ...args] = line.split(" ");
	expect(npx).toBe("npx");
	const file =
		command === "messaging-gateway"
			? join(project.folder, "node_modules/messaging-gateway/dist/cli/messaging-gateway.js")
			: requireOpenApiTool(`.bin/${command}`);
	await run(process.execPath, [file, ...args], { cwd: project.folder, timeout: PROCESS_LIFE_MS });
}

/** Bundles a program, as its users do, and runs it. */
async function runProgram(name: string, baseUrl: string, appSecret: string): Promise<{ stdout: string }> {
	const outfile = join(project.folder, `${name}.mjs`);
	await build({
		entryPoints: [join(project.folder, `${name}.ts`)],
		outfile,
		bundle: true,
		format: "esm",
		platform: "node",
	});
	return run(process.execPath, [outfile], {
		timeout: PROCESS_LIFE_MS,
		env: {
			...process.env,
			MESSAGING_GATEWAY_BASE_URL: baseUrl,
			MESSAGING_GATEWAY_APP_ID: "local-app",
			MESSAGING_GATEWAY_APP_SECRET: appSecret,
		},
	});
}
