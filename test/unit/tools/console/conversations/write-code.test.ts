import { afterEach, describe, expect, test, vi } from "vitest";
import {
	writeRequestCurl,
	writeRequestSdk,
	writeWebhookCurl,
	writeWebhookTest,
} from "../../../../../src/tools/console/conversations/drawer/write-code.ts";
import { openApiJson } from "../../../../support/api-console.ts";
import { requestDetails } from "../../../../support/console-views.ts";

const TARGET = { baseUrl: "http://localhost:4010/base", appId: "local-app" };

const REQUEST = requestDetails({
	method: "GET",
	path: "/base/agent",
	operationId: "agents.list",
	query: "?status=online&limit=1",
	body: "",
	signature: "accepted",
});

afterEach(() => {
	vi.unstubAllGlobals();
});

/** Serves the gateway's document where the page reads it. */
function serveDocument(): void {
	vi.stubGlobal("fetch", async (url: string) => {
		expect(url).toBe("/openapi.json");
		return Response.json(openApiJson);
	});
}

describe("a request", () => {
	test("without a signature gets none as curl", () => {
		const { signature: _, ...unsigned } = REQUEST;
		expect(writeRequestCurl({ ...unsigned, headers: {} }, TARGET)).not.toContain("Authorization");
	});

	test("as SDK code calls the typed method with values of their types", async () => {
		serveDocument();
		const program = await writeRequestSdk(REQUEST, TARGET);
		expect(program.replace(/\s+/g, " ")).toContain('gateway.agents.list({ status: "online", limit: 1, })');
	});

	test("of a path parameter decodes it", async () => {
		serveDocument();
		const place = { path: "/base/agent/%2B15550000001", operationId: "agents.get", query: "" } as const;
		expect(await writeRequestSdk({ ...REQUEST, ...place }, TARGET)).toContain(
			'gateway.agents.get("+15550000001")',
		);
	});

	test.each([
		[{ body: "{" }, "The body isn't JSON"],
		[{ path: "/base/nothing" }, "The SDK has no such operation"],
	])("with %j is not written as SDK code", async (fields, problem) => {
		const { operationId: _, ...unknown } = REQUEST;
		await expect(writeRequestSdk({ ...unknown, ...fields }, TARGET)).rejects.toThrow(problem);
	});
});

describe("a webhook", () => {
	const SENT = {
		kind: "status",
		url: "http://localhost:3000/it's",
		headers: { "X-A": "b" },
		body: "it's",
	} as const;

	test("as curl is sent as it was, in the shell's quotes", () => {
		const command = writeWebhookCurl(SENT);
		expect(command).toContain(String.raw`printf '%s' 'it'\''s' | curl`);
		expect(command).toContain(String.raw`'http://localhost:3000/it'\''s'`);
		expect(command).toContain("--header 'X-A: b'");
	});

	test.each([
		["it's", "String.raw`it's`"],
		[String.raw`{ "a": "\u0065\n"}`, 'String.raw`{ "a": "\\u0065\\n"}`'],
		["`", '"`"'],
		[`$${"{a}"}`, `"$${"{a}"}"`],
		["a\r\n", String.raw`"a\r\n"`],
		["\\", String.raw`"\\"`],
	])("as a test has the same bytes: %j", (body, literal) => {
		expect(writeWebhookTest({ ...SENT, body })).toContain(`const body = ${literal};`);
		expect(new Function(`return ${literal}`)()).toBe(body);
	});
});
