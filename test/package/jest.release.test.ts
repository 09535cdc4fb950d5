import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createUserProject, DEPENDENCIES, type UserProject } from "../support/packed-package.ts";
import { TEST_TIMEOUT_MS } from "../support/patience.ts";
import { readSnippets } from "../support/read-snippets.ts";
import { requireVersion } from "../support/versions.ts";

const run = promisify(execFile);

const NODES = [
	{ name: "Node 22", find: () => requireVersion("node-22"), canRequire: false },
	{ name: "Node 24", find: () => process.execPath, canRequire: true },
];

/** The examples of the guide that use nothing but what both runners have. */
const EXAMPLES = ["Test a webhook route alone", "Test code whose client you can't change"];

const REQUIRED = `
const { InputError, MessagingGateway } = require("messaging-gateway");
const { createLocalGateway } = require("messaging-gateway/testing");
const { gatewayHandlers } = require("messaging-gateway/testing/msw");
const { setupServer } = require("msw/node");
const local = createLocalGateway({ baseUrl: "https://gateway.example" });
const server = setupServer(...gatewayHandlers(local));
beforeAll(() => server.listen());
afterAll(() => server.close());
test("a required client sends", async () => {
	const { baseUrl, appId, appSecret } = local;
	const gateway = new MessagingGateway({ baseUrl, appId, appSecret });
	await gateway.messages.sendText({ to: "+15551234567", text: "Hello" });
	expect(local.sent).toHaveLength(1);
	await expect(gateway.messages.sendText({ to: "me", text: "Hello" })).rejects.toBeInstanceOf(InputError);
});`;

const IMPORTED = `
test("an imported client sends", async () => {
	const { MessagingGateway } = await import("messaging-gateway");
	const { createLocalGateway } = await import("messaging-gateway/testing");
	const local = createLocalGateway();
	await new MessagingGateway(local.clientOptions).messages.sendText({ to: "+15551234567", text: "Hello" });
	expect(local.sent).toHaveLength(1);
});`;

let project: UserProject;

beforeAll(async () => {
	project = await createUserProject([...DEPENDENCIES, "msw", "jest", "@jest/globals"]);
	for (const kind of ["modules", "commonjs"]) mkdirSync(join(project.folder, kind));
	project.write("modules/package.json", `{ "type": "module" }`);
	project.write("commonjs/package.json", `{ "type": "commonjs" }`);
	for (const [index, { code }] of readExamples().entries()) {
		project.write(`modules/example-${index}.test.js`, forJest(code));
	}
	project.write("commonjs/required.test.js", REQUIRED);
	project.write("commonjs/imported.test.js", IMPORTED);
});

afterAll(() => project?.remove());

describe.each(NODES)("Jest on $name", ({ find, canRequire }) => {
	test("runs the guide's examples as ES modules", async () => {
		const { passed, output } = await runJest(find(), "modules");
		expect(output).toContain("Tests:       2 passed, 2 total");
		expect(passed).toBe(true);
	});

	test("imports the package in CommonJS", async () => {
		expect((await runJest(find(), "commonjs", "imported")).output).toContain("1 passed, 1 total");
	});

	test(canRequire ? "requires the package in CommonJS" : "cannot require it, as the guide says", async () => {
		const { passed, output } = await runJest(find(), "commonjs", "required");
		expect(passed).toBe(canRequire);
		expect(output).toContain(canRequire ? "1 passed, 1 total" : "Must use import to load ES Module");
	});
});

function readExamples() {
	const examples = readSnippets().filter(
		({ document, heading, code }) =>
			document === "docs/testing.md" && EXAMPLES.includes(heading) && code.includes("test("),
	);
	expect(examples).toHaveLength(EXAMPLES.length);
	return examples;
}

/** The example with the changes that the guide names. */
function forJest(code: string): string {
	return code
		.replace('from "vitest"', 'from "@jest/globals"')
		.replace(/\bvi\b(?=[ ,}])/, "jest")
		.replaceAll("vi.fn(", "jest.fn(");
}

async function runJest(node: string, folder: string, name = "") {
	const jest = join(project.folder, "node_modules/jest/bin/jest.js");
	const env = { ...process.env, NODE_OPTIONS: "--experimental-vm-modules" };
	const options = { cwd: join(project.folder, folder), env };
	const args = ["--rootDir", ".", `--testTimeout=${TEST_TIMEOUT_MS}`, name];
	return run(node, [jest, ...args], options).then(
		({ stderr }) => ({ passed: true, output: stderr }),
		(error: { stderr: string }) => ({ passed: false, output: error.stderr }),
	);
}
