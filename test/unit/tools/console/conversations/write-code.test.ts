import { afterEach, describe, expect, test, vi } from "vitest";
import {
	writeRequestCurl,
	writeRequestSdk,
	writeWebhookCurl,
	writeWebhookTest,
} from "../../../../../src/tools/console/conversations/requests/write-code.ts";
import { readSent, toExplain } from "../../../../../src/tools/console/conversations/state/sent-webhook.ts";
import type { AttemptView, RequestDetails } from "../../../../../src/tools/control/contract.ts";
import { openApiJson } from "../../../../support/api-console.ts";
import { deliveryView } from "./views.ts";

const TARGET = { baseUrl: "http://localhost:4010/base", appId: "local-app" };

const REQUEST: RequestDetails = {
	requestId: "req-1",
	sequence: 1,
	at: 0,
	method: "GET",
	path: "/base/agent",
	operationId: "agents.list",
	status: 200,
	durationMs: 3,
	query: "?status=online&limit=1",
	headers: { authorization: "HMAC ***" },
	body: "",
	responseBody: null,
	signature: "accepted",
};

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
		const request = {
			...REQUEST,
			path: "/base/agent/%2B15550000001",
			operationId: "agents.get",
			query: "",
		} as const;
		expect(await writeRequestSdk(request, TARGET)).toContain('gateway.agents.get("+15550000001")');
	});

	test("that no operation has is made unchecked", async () => {
		const { operationId: _, ...unknown } = REQUEST;
		const program = await writeRequestSdk({ ...unknown, method: "POST", query: "", body: '{"a":1}' }, TARGET);
		expect(program.replace(/\s+/g, " ")).toContain('gateway.request("POST", "/agent", { body: { a: 1 }, })');
	});

	test.each([
		[{ body: "{" }, "The body is not JSON"],
		[{ method: "QUERY" }, "The SDK has no such method"],
	])("with %j is not written as SDK code", async (fields, problem) => {
		const { operationId: _, ...unknown } = REQUEST;
		await expect(writeRequestSdk({ ...unknown, ...fields }, TARGET)).rejects.toThrow(problem);
	});
});

const attempt = (fields: Partial<AttemptView> = {}): AttemptView => ({
	at: 5_000,
	timestamp: 7,
	headers: { "X-SVC-Signature": "v1=00" },
	...fields,
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

	test("as a test has the same bytes, though its JSON is not compact", () => {
		expect(writeWebhookTest(SENT)).toContain('const body = "it\'s";');
		expect(writeWebhookTest({ ...SENT, body: '{"a": 1}' })).toContain(String.raw`const body = "{\"a\": 1}";`);
		expect(writeWebhookTest({ ...SENT, body: '{"a":1}' })).toContain(
			"const body = JSON.stringify({ a: 1 });",
		);
	});

	test("is what was sent last", () => {
		expect(readSent(deliveryView())).toBeUndefined();
		const attempts = [attempt(), attempt({ sentBody: "edited" })];
		expect(readSent(deliveryView({ attempts }))).toMatchObject({ body: "edited" });
		expect(readSent(deliveryView({ attempts: [attempt()] }))).toMatchObject({ body: deliveryView().body });
	});

	test("is explained at the time of its timestamp, unless that is why it was rejected", () => {
		const at = (check: AttemptView["check"]) =>
			toExplain(deliveryView({ attempts: [attempt(check && { check })] })).now;
		expect(at({ isValid: true })).toBe("1970-01-01T00:00:07.000Z");
		expect(at({ isValid: false, code: "signature_mismatch", message: "" })).toBe("1970-01-01T00:00:07.000Z");
		expect(at({ isValid: false, code: "timestamp_out_of_tolerance", message: "" })).toBe("");
	});
});
