import { beforeEach, describe, expect, test } from "vitest";
import { createWatchedGateway, type WatchedGateway } from "../../../support/controlled-gateway.ts";
import { ALICE } from "../../../support/signed-client.ts";

let world: WatchedGateway;

beforeEach(() => {
	world = createWatchedGateway();
});

/** The last request as a test. */
function testOfLast(): string {
	const last = world.control.requests({ limit: 1 }).items[0];
	return world.control.requestTest(last?.requestId ?? "");
}

/** The lines after the comment, which are the setup and what is expected. */
function endOfLast(): string[] {
	const [, end = ""] = testOfLast().split(/^ {2}\/\/.*\n/m);
	return end.split("\n  ").map((line) => line.replace(/;\n}\);\n$/, ";").trim());
}

const send = (text = "Hello"): Promise<unknown> =>
	world.gateway.messages.sendText({ to: ALICE, text }).catch(() => undefined);

test("a rejected request, word for word", async () => {
	await world.gateway
		.request("POST", "/message/text", { body: { to: ALICE, text: 1 } })
		.catch(() => undefined);
	expect(testOfLast()).toBe(`// A request to the local gateway, written down by its console.
import { MessagingGateway } from "messaging-gateway";
import { createLocalGateway } from "messaging-gateway/testing";
import { expect, onTestFinished, test } from "vitest";

test("POST /message/text ends with 400 VALIDATION_ERROR", async () => {
  const local = createLocalGateway();
  onTestFinished(() => local.close());
  const gateway = new MessagingGateway({ ...local.clientOptions, maxRetries: 0 });
  const call = () => gateway.request("POST", "/message/text", { body: { text: 1, to: "+15551234567" } });
  // The gateway is new: first set up what the result depends on, such as an agent or an earlier message.
  await expect(call()).rejects.toMatchObject({ gatewayCode: "VALIDATION_ERROR" });
  expect(local.requests.at(-1)?.status).toBe(400);
});
`);
});

test("a query", async () => {
	await world.gateway.agents.list({ status: "online", limit: 1 });
	expect(testOfLast()).toContain(
		`gateway.request("GET", "/agent", { query: { status: ["online"], limit: ["1"] } });`,
	);
});

describe("the result is expected as it was, after what makes it", () => {
	test("an accepted call", async () => {
		await send();
		expect(endOfLast()).toEqual(["await call();", "expect(local.requests.at(-1)?.status).toBe(202);"]);
	});

	test("a duplicate: the same call comes first", async () => {
		await send();
		await send();
		expect(endOfLast()).toEqual([
			"await call();",
			'await expect(call()).rejects.toMatchObject({ gatewayCode: "DUPLICATE_MESSAGE" });',
			"expect(local.requests.at(-1)?.status).toBe(409);",
		]);
	});

	test("a fault that responded: it is injected", async () => {
		world.local.faults.respond({ status: 503 });
		await send();
		expect(endOfLast()).toEqual([
			"local.faults.respond({ status: 503 });",
			'await expect(call()).rejects.toMatchObject({ gatewayCode: "SERVICE_UNAVAILABLE" });',
			"expect(local.requests.at(-1)?.status).toBe(503);",
		]);
	});

	test("a fault that responds as a duplicate does: no call comes before it", async () => {
		const error = { code: "DUPLICATE_MESSAGE", message: "no", requestId: crypto.randomUUID() };
		world.local.faults.respond({ status: 409, body: { ok: false, error } });
		await send();
		expect(endOfLast()).toEqual([
			"local.faults.respond({ status: 409 });",
			'await expect(call()).rejects.toMatchObject({ gatewayCode: "DUPLICATE_MESSAGE" });',
			"expect(local.requests.at(-1)?.status).toBe(409);",
		]);
	});

	test("a fault whose response has no error: the call is rejected all the same", async () => {
		world.local.faults.corrupt({ as: "html" });
		await send();
		expect(endOfLast()).toEqual([
			'local.faults.corrupt({ as: "html" }); // or "truncated", "empty"',
			"await expect(call()).rejects.toThrow();",
			"expect(local.requests.at(-1)?.status).toBe(202);",
		]);
	});

	test("a connection that broke: no response is expected", async () => {
		world.local.faults.dropConnection({ when: "after" });
		await send();
		expect(testOfLast()).toContain('test("POST /message/text ends with no response", async');
		expect(endOfLast()).toEqual([
			'local.faults.dropConnection({ when: "after" }); // or "before"',
			"await expect(call()).rejects.toThrow();",
			"expect(local.requests.at(-1)?.status).toBe(undefined);",
		]);
	});
});

describe("no test is written", () => {
	test.each([
		["whose signature was rejected", { headers: { authorization: "HMAC 00" } }, "its signature was rejected"],
		["with a method that no client has", { method: "QUERY" }, "the client has no such method"],
	])("of a request %s", async (_what, init, reason) => {
		await world.local.fetch(new Request(`${world.local.baseUrl}/agent`, init));
		expect(testOfLast).toThrow(reason);
	});

	test("of a body that is not JSON", async () => {
		world.local.faults.respond({ status: 503 });
		await world.local.fetch(
			new Request(`${world.local.baseUrl}/message/text`, { method: "POST", body: "text" }),
		);
		expect(testOfLast).toThrow("its body is not JSON");
	});

	test("of a response without an envelope", async () => {
		await world.gateway.health.check();
		expect(testOfLast).toThrow("its response has no envelope");
	});

	test("of a request that is not kept", () => {
		expect(() => world.control.requestTest("unknown")).toThrow("No request has this id");
	});
});
