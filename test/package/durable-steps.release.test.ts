import { execFile } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { createLocalGateway } from "messaging-gateway/testing";
import { listen } from "messaging-gateway/testing/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createUserProject, DEPENDENCIES, type UserProject } from "../support/packed-package.ts";
import { PROCESS_LIFE_MS, WAIT_MS } from "../support/patience.ts";
import { share } from "../support/shared/shared.ts";

const run = promisify(execFile);
const ENGINES = join(import.meta.dirname, "../durable-engines");

const LINKED = [...DEPENDENCIES, "typescript", "@types/node", "undici-types", "pg", "@types/pg"];

/** What a reader of docs/durable-steps.md copies. */
const EXAMPLE = join(import.meta.dirname, "../../examples/modules/durable-steps");

let project: UserProject;

beforeAll(async () => {
	project = await createUserProject(LINKED);
	for (const name of readEngines()) {
		const target = join(project.folder, "node_modules", name);
		mkdirSync(dirname(target), { recursive: true });
		symlinkSync(join(ENGINES, "node_modules", name), target);
	}
	cpSync(EXAMPLE, join(project.folder, "src"), { recursive: true });
});

afterAll(() => project?.remove());

test("each engine of the guide has its function, and each compiles", async () => {
	const guide = readFileSync("docs/durable-steps.md", "utf8");
	const engines = Array.from(
		guide.matchAll(/^\| ([A-Z]\w+) \|/gm),
		([, name = ""]) => `${name.toLowerCase()}.ts`,
	);
	expect(engines).toHaveLength(3);
	expect(globSync("*.ts", { cwd: EXAMPLE }).sort()).toEqual([...engines, "step-sender.ts"].sort());
	const compilerOptions = { allowImportingTsExtensions: true, noEmit: true };
	expect(await project.compile({ compilerOptions, include: ["src"] })).toBe("");
});

test("a step of Workflow that dies after its send is run again, and its message goes out once", async () => {
	await using local = createLocalGateway();
	await using server = await listen(local);
	const { url } = await share("postgres");
	// Beside the engines: the bundler of Workflow does not follow links to packages.
	await using folder = await mkdtempDisposable(join(ENGINES, "run-"));
	cpSync(join(project.folder, "src"), join(folder.path, "src"), { recursive: true });
	const installed = "node_modules/messaging-gateway";
	cpSync(join(project.folder, installed), join(folder.path, installed), { recursive: true });
	const write = (name: string, content: string) => writeFileSync(join(folder.path, name), content);
	const snippet = readFileSync(join(project.folder, "src/workflow.ts"), "utf8");
	expect(snippet).toContain("return sendInStep(");
	write("package.json", `{ "type": "module" }`);
	write(
		"src/workflow.ts",
		`import { dieOnce } from "./die-once.js";\n${snippet.replace("return sendInStep(", "return dieOnce(sendInStep)(")}`,
	);
	write(
		"src/die-once.ts",
		`import { appendFileSync, readFileSync } from "node:fs";
		export const dieOnce = <Input extends unknown[], Result>(send: (...input: Input) => Promise<Result>) =>
			async (...input: Input): Promise<Result> => {
				const result = await send(...input);
				appendFileSync(process.env.RUNS_FILE ?? "", result + "\\n");
				if (readFileSync(process.env.RUNS_FILE ?? "", "utf8").split("\\n").length === 2) throw new Error("it died");
				return result;
			};`,
	);
	write(
		"src/workflow.test.ts",
		`import { expect, test } from "vitest";
		import { start } from "workflow/api";
		import { shipOrder } from "./workflow.js";
		test("it is accepted", async () => {
			const run = await start(shipOrder, ["4711", "+15551234567"]);
			expect(await run.returnValue).toBe("accepted");
		}, ${WAIT_MS});`,
	);
	write(
		"vitest.config.ts",
		`import { workflow } from "@workflow/vitest";
		import { defineConfig } from "vitest/config";
		export default defineConfig({ plugins: [workflow()] });`,
	);
	const { baseUrl, appId, appSecret } = server.clientOptions;
	const runs = join(folder.path, "runs.txt");
	await run(process.execPath, [join(ENGINES, "node_modules/vitest/vitest.mjs"), "run"], {
		cwd: folder.path,
		timeout: PROCESS_LIFE_MS,
		env: {
			...process.env,
			RUNS_FILE: runs,
			DATABASE_URL: url,
			MESSAGING_GATEWAY_BASE_URL: baseUrl,
			MESSAGING_GATEWAY_APP_ID: appId,
			MESSAGING_GATEWAY_APP_SECRET: appSecret,
			MESSAGING_GATEWAY_DIGEST_SECRET: "for digests",
		},
	});
	expect(readFileSync(runs, "utf8")).toBe("accepted\naccepted\n");
	expect(local.requests.map(({ operationId }) => operationId)).toEqual(["messages.sendText"]);
});

function readEngines(): readonly string[] {
	const { dependencies } = JSON.parse(readFileSync(join(ENGINES, "package.json"), "utf8"));
	return Object.keys(dependencies);
}
