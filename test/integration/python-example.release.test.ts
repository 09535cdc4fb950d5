import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requireCommand } from "../../scripts/needed-commands.ts";
import { type RunningDevServer, startDev } from "../support/dev-server.ts";
import { type RunningServer, serve } from "../support/serve.ts";

const PROGRAM = fileURLToPath(new URL("../../examples/python/main.py", import.meta.url));
const TOKEN = "a-token-of-this-test";

let dev: RunningDevServer;
let receiver: RunningServer;

beforeAll(async () => {
	receiver = await serve((_request, response) => {
		response.statusCode = 422;
		response.end("a bug");
	});
	const env = { MESSAGING_GATEWAY_CONTROL_TOKEN: TOKEN };
	dev = await startDev(["--forward-to", receiver.url], { env });
});

afterAll(async () => {
	await dev.end("SIGINT");
	await receiver[Symbol.asyncDispose]();
});

interface Result {
	code: number | null;
	stdout: string;
	stderr: string;
}

function run(variables: Record<string, string> = {}): Promise<Result> {
	const env = {
		...process.env,
		MESSAGING_GATEWAY_BASE_URL: dev.baseUrl,
		MESSAGING_GATEWAY_CONTROL_TOKEN: TOKEN,
		...variables,
	};
	return new Promise((resolve) => {
		const child = execFile(requireCommand("python3"), [PROGRAM], { env }, (_error, stdout, stderr) =>
			resolve({ code: child.exitCode, stdout, stderr }),
		);
	});
}

test("the contact writes, and every attempt is shown with what the application responded", async () => {
	const { code, stdout, stderr } = await run();
	expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
	const [first = "", second = ""] = stdout.split("fault: next webhook: 1 min late\n");
	expect(first).toMatch(
		/^the contact writes: Is my table ready\?\n {2}its webhook is failed\n {2}attempt 1: 422 a bug\n/,
	);
	expect(second).toMatch(
		/^the contact writes: Hello\?\n {2}its webhook is pending\nthe clock moves forward by 60 s\n.*\n {2}attempt 1: 422 a bug\n/,
	);
});

test.each([
	[
		"another token",
		{ MESSAGING_GATEWAY_CONTROL_TOKEN: "another-token-of-16" },
		/^unauthorized: The token is/,
	],
	[
		"no gateway",
		{ MESSAGING_GATEWAY_BASE_URL: "http://127.0.0.1:1" },
		/^no gateway at http:\/\/127\.0\.0\.1:1/,
	],
])("%s is said in one line", async (_what, variables, message) => {
	const { code, stderr } = await run(variables);
	expect(code).toBe(1);
	expect(stderr).toMatch(message);
	expect(stderr.trim().split("\n")).toHaveLength(1);
	expect(stderr).not.toContain("another-token-of-16");
});

test("another version of the contract is not misread", async () => {
	await using other = await serve((_request, response) => {
		response.setHeader("Messaging-Gateway-Control", "2");
		response.end("{}");
	});
	const { code, stdout, stderr } = await run({ MESSAGING_GATEWAY_BASE_URL: other.url });
	expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
	expect(stderr).toBe("version 2 of the control, instead of 1\n");
});
