import { createLocalGateway } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import type { OperationId } from "../../../../../src/library/catalogue/index.ts";
import { describeFailure, findRequestId } from "../../../../../src/tools/console/api/call/describe-call.ts";
import { createCaller, type FinishedCall } from "../../../../../src/tools/console/api/call/make-call.ts";
import { isSignatureOf } from "../../../../../src/tools/console/api/call/signing-steps.ts";
import { formatDuration } from "../../../../../src/tools/console/parts/format-time.ts";
import { apiOperation, sampleContent } from "../../../../support/api-console.ts";

const never = new AbortController().signal;

/** A page whose requests go to a gateway in process. */
function openPage(local: ReturnType<typeof createLocalGateway>) {
	const makeCall = createCaller((url, init) => local.clientOptions.fetch(url, init));
	const { baseUrl, appId, appSecret } = local;
	const connection = { baseUrl, appId, appSecret };
	return {
		call: (id: OperationId, changes: Partial<typeof connection> = {}, content = sampleContent(id)) =>
			makeCall(apiOperation(id), content, { ...connection, ...changes }, never),
		describe: (id: OperationId, call: FinishedCall) => describeFailure(call.failure?.error, apiOperation(id)),
	};
}

describe("a call", () => {
	test("records the request and the response", async () => {
		await using local = createLocalGateway();
		const { exchanges, failure, connection } = await openPage(local).call("messages.sendText");
		expect(failure).toBeUndefined();
		expect(exchanges).toHaveLength(1);
		const [{ sent, response } = {}] = exchanges;
		expect(sent?.method).toBe("POST");
		expect(new TextDecoder().decode(sent?.body)).toBe('{"text":"Hello","to":"+15551234567"}');
		expect(sent && isSignatureOf(sent, connection.appSecret)).toBe(true);
		expect(response?.status).toBe(202);
		expect(response && findRequestId(response)).toMatch(/^[0-9a-f-]{36}$/);
		expect(JSON.parse(response?.text ?? "")).toMatchObject({ ok: true });
		expect(local.sent.map(({ text }) => text)).toEqual(["Hello"]);
	});

	test("needs no secret if the operation is not signed", async () => {
		await using local = createLocalGateway();
		const { exchanges, failure } = await openPage(local).call("health.check", { appSecret: "" });
		expect(failure).toBeUndefined();
		expect(exchanges[0]?.sent.headers).not.toHaveProperty("Authorization");
	});

	test("is made once, even if it fails", async () => {
		await using local = createLocalGateway();
		local.faults.respond({ status: 503, times: 5 });
		const page = openPage(local);
		const call = await page.call("mappings.get");
		expect(call.exchanges).toHaveLength(1);
		expect(page.describe("mappings.get", call).className).toBe("ServerError");
	});

	test("records each attempt if the clock was corrected", async () => {
		await using local = createLocalGateway({ baseUrl: "http://localhost:8080" });
		local.faults.skewClock(3_600_000);
		const page = openPage(local);
		const first = await page.call("queue.getStatus");
		expect(first.exchanges.map(({ response }) => response?.status)).toEqual([401, 200]);
		// The clock offset is kept for the next call.
		expect((await page.call("queue.getStatus")).exchanges).toHaveLength(1);
	});

	test("uses a changed secret", async () => {
		await using local = createLocalGateway();
		const page = openPage(local);
		const rejected = await page.call("queue.getStatus", { appSecret: "wrong" });
		expect(page.describe("queue.getStatus", rejected)).toMatchObject({
			className: "AuthenticationError",
			properties: [
				{ name: "code", value: "authentication_failed" },
				{ name: "gatewayCode", value: "UNAUTHORIZED", about: expect.stringContaining("signature") },
				{ name: "outcome", value: "rejected", about: expect.stringContaining("nothing was done") },
			],
			advice: expect.stringContaining("string to sign"),
		});
		expect((await page.call("queue.getStatus")).failure).toBeUndefined();
	});

	test("lists the fields if it is rejected", async () => {
		await using local = createLocalGateway();
		const page = openPage(local);
		const content = { params: {}, query: {}, body: { to: "1", text: "" } };
		const call = await page.call("messages.sendText", {}, content);
		const { properties, className } = page.describe("messages.sendText", call);
		expect(className).toBe("BadRequestError");
		expect(properties.map(({ name }) => name)).toEqual(expect.arrayContaining(["text", "to"]));
	});

	test("reports a request that was not sent", async () => {
		await using local = createLocalGateway();
		const page = openPage(local);
		const call = await page.call("queue.getStatus", { appSecret: "secret " });
		expect(call.exchanges).toEqual([]);
		expect(page.describe("queue.getStatus", call)).toMatchObject({
			className: "ConfigurationError",
			properties: expect.arrayContaining([expect.objectContaining({ name: "outcome", value: "not_sent" })]),
		});
	});

	const operation = apiOperation("messages.sendText");
	const elsewhere = { baseUrl: "http://localhost:1", appId: "a", appSecret: "b" };

	test("is recorded without a response if the connection breaks", async () => {
		const makeCall = createCaller(() => Promise.reject(new TypeError("Failed to fetch")));
		const call = await makeCall(operation, sampleContent("messages.sendText"), elsewhere, never);
		expect(call.exchanges).toMatchObject([{ response: undefined }]);
		expect(describeFailure(call.failure?.error, operation)).toMatchObject({
			className: "ConnectionError",
			properties: expect.arrayContaining([expect.objectContaining({ name: "outcome", value: "unknown" })]),
		});
	});

	test("can be cancelled", async () => {
		const controller = new AbortController();
		const makeCall = createCaller((_, { signal }) => {
			controller.abort();
			return Promise.reject(signal?.reason);
		});
		const content = sampleContent("messages.sendText");
		const call = await makeCall(operation, content, elsewhere, controller.signal);
		expect(describeFailure(call.failure?.error, operation)).toMatchObject({
			className: "AbortError",
			message: expect.stringContaining("cancelled"),
		});
	});
});

test("a thrown value that is no error is described as one", () => {
	expect(describeFailure("x", apiOperation("health.check"))).toMatchObject({ className: "Error" });
});

describe("a response", () => {
	const response = { status: 200, statusText: "OK", text: "", headers: [] };

	test("has its request id in the envelope or in a header", () => {
		expect(findRequestId({ ...response, text: '{"meta":{"requestId":"a"}}' })).toBe("a");
		expect(findRequestId({ ...response, text: '{"error":{"requestId":"b"}}' })).toBe("b");
		expect(findRequestId({ ...response, text: "<html>", headers: [["x-request-id", "c"]] })).toBe("c");
		expect(findRequestId(response)).toBeUndefined();
	});

	test.each([
		[0.2, "1 ms"],
		[38.4, "38 ms"],
		[1234, "1.23 s"],
		[12_345, "12 s"],
		[255_360, "4 min 15 s"],
	])("took %d ms", (ms, text) => {
		expect(formatDuration(ms)).toBe(text);
	});
});
