import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { requireCommand } from "../../scripts/needed-commands.ts";
import { type RunningDevServer, startDev } from "../support/dev-server.ts";
import { serve } from "../support/serve.ts";

const GUIDE = readFileSync(new URL("../../docs/control.md", import.meta.url), "utf8");
const ALICE = "+15551234567";
const TOKEN = "a-token-of-this-test";

let dev: RunningDevServer;
let receiver: Awaited<ReturnType<typeof serve>>;
/** What the application responds. */
let status = 204;

beforeAll(async () => {
	receiver = await serve((_request, response) => {
		response.statusCode = status;
		response.end(status === 204 ? "" : "a bug");
	});
	const env = { MESSAGING_GATEWAY_CONTROL_TOKEN: TOKEN };
	dev = await startDev(["--forward-to", receiver.url], { env });
});

afterAll(async () => {
	await dev.end("SIGINT");
	await receiver[Symbol.asyncDispose]();
});

afterEach(async () => {
	status = 204;
	// A webhook that is on its way would get the status of the next test.
	await dev.act({ type: "settle" });
});

/** Runs a block of the guide. */
async function run(language: string, command: string, args: readonly string[]): Promise<string> {
	const [, source = ""] = new RegExp(`\`\`\`${language}\\n([\\s\\S]+?)\`\`\``).exec(GUIDE) ?? [];
	const env = {
		...process.env,
		MESSAGING_GATEWAY_BASE_URL: dev.baseUrl,
		MESSAGING_GATEWAY_CONTROL_TOKEN: TOKEN,
	};
	return (await promisify(execFile)(command, [...args, source], { env })).stdout;
}

test("its shell plays the contact without an SDK", async () => {
	expect(JSON.parse(await run("sh", "sh", ["-c"]))).toMatchObject({
		result: { message: { text: "Is anybody there?" } },
	});
});

test("its Python does the same", async () => {
	expect(await run("python", requireCommand("python3"), ["-c"])).toBe("Is anybody there?\n");
});

test("its TypeScript shows what a failing handler responded", async () => {
	status = 500;
	const args = ["--input-type=module-typescript", "--eval"];
	expect(await run("ts", process.execPath, args)).toBe("inbound_message a bug\n");
});

describe("its routes respond", () => {
	const routes = Array.from(GUIDE.matchAll(/^\| `GET \/_local\/([^`]+)`/gm), ([, route = ""]) => route);

	test("all are listed", () => expect(routes.length).toBeGreaterThan(9));

	test.each(routes.filter((route) => !/[{=]|stream/.test(route)))("%s", async (route) => {
		const response = await dev.control(route);
		expect(response.status).toBe(200);
		expect(response.headers.get("Messaging-Gateway-Control")).toBe("1");
	});
});

test("what a contact writes arrives under its number", async () => {
	await dev.act({ type: "reply", from: ALICE, text: "Hello" });
	const query = new URLSearchParams({ conversation: ALICE, search: "hello" });
	const { items } = await (await dev.control(`messages?${query}`)).json();
	expect(items).toMatchObject([{ from: ALICE, text: "Hello" }]);
});
