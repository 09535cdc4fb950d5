import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { requireCommand } from "../../scripts/needed-commands.ts";
import type { ControlDocument } from "../../src/tools/control/openapi/create-control-document.ts";
import { type RunningDevServer, startDev } from "../support/dev-server.ts";
import { createSchemaChecker, jsonSchemaOf, resolveReference } from "../support/openapi-schemas.ts";
import { runCli } from "../support/run-cli.ts";
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

test("its Python plays the contact without an SDK", async () => {
	expect(await run("python", requireCommand("python3"), ["-c"])).toBe("inbound_message [204]\n");
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

describe("the routes as OpenAPI", () => {
	test("the command writes what the gateway serves", async () => {
		const response = await dev.control("openapi.json");
		const written = await runCli(["openapi", "--control", "--base-url", dev.baseUrl]);
		expect({ ...written, stdout: JSON.parse(written.stdout) }).toEqual({
			code: 0,
			stdout: await response.json(),
			stderr: "",
		});
	});

	test("they need the token, and no profile", async () => {
		expect((await fetch(`${dev.baseUrl}/_local/openapi.json`)).status).toBe(401);
		const refused = await runCli(["openapi", "--control", "--profile", "profile.json"]);
		expect(refused).toMatchObject({ code: 2, stdout: "" });
	});

	test("responses of the running gateway fit", async () => {
		await dev.act({ type: "reply", from: ALICE, text: "Fits" });
		await dev.act({ type: "settle" });
		const document: ControlDocument = await (await dev.control("openapi.json")).json();
		const check = createSchemaChecker(document);
		const paths = Object.keys(document.paths).filter((path) => !/[{]|stream|test|actions/.test(path));
		expect(paths.length).toBeGreaterThan(6);
		for (const path of paths) {
			const described = document.paths[path]?.get?.responses[200];
			const { content } = resolveReference(document, described ?? { $ref: "none" });
			const body = await (await dev.control(path.replace("/_local/", ""))).json();
			expect([path, check(jsonSchemaOf(content) ?? { not: {} }, body)]).toEqual([path, []]);
		}
	});
});

test("its actions are all that there are", async () => {
	const rejected = await dev.control("actions", { method: "POST", body: '{"type":"none"}' });
	const { error } = await rejected.json();
	const known = /one of (.+)\.$/.exec(error.message)?.[1]?.split(", ");
	const table = GUIDE.slice(GUIDE.indexOf("| action |"));
	const documented = Array.from(table.matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm), ([, names = ""]) =>
		Array.from(names.matchAll(/`(\w+)`/g), ([, name]) => name),
	);
	expect(documented.flat().sort()).toEqual(known?.sort());
});

test("what a contact writes arrives under its number", async () => {
	await dev.act({ type: "reply", from: ALICE, text: "Hello" });
	const query = new URLSearchParams({ conversation: ALICE, search: "hello" });
	const { items } = await (await dev.control(`messages?${query}`)).json();
	expect(items).toMatchObject([{ from: ALICE, text: "Hello" }]);
});
