import { beforeEach, describe, expect, test } from "vitest";
import { createWatchedGateway, type WatchedGateway } from "../../../support/controlled-gateway.ts";
import { ALICE } from "../../../support/signed-client.ts";

let world: WatchedGateway;

beforeEach(() => {
	world = createWatchedGateway();
});

/** The last request as a test. */
function testOfLast(): Promise<string> {
	const last = world.control.requests({ limit: 1 }).items[0];
	return world.control.requestTest(last?.requestId ?? "");
}

test("a rejected request, word for word", async () => {
	await world.gateway.agents.get("+15550009999").catch(() => undefined);
	expect(await testOfLast()).toBe(`// A request to the local gateway, written down by its console.
import { MessagingGateway } from "messaging-gateway";
import { createAdjustableClock, createLocalGateway } from "messaging-gateway/testing";
import { expect, test } from "vitest";

test("GET /agent/%2B15550009999 ends with 404 AGENT_NOT_FOUND", async () => {
	const local = createLocalGateway({
		clock: createAdjustableClock({ frozen: true }),
	});
	const gateway = new MessagingGateway({ ...local.clientOptions, maxRetries: 0 });
	const call = () => gateway.request("GET", "/agent/%2B15550009999");
	await expect(call()).rejects.toMatchObject({ gatewayCode: "AGENT_NOT_FOUND" });
	expect(local.requests.at(-1)?.status).toBe(404);
});
`);
});

describe("no test is written", () => {
	test("of a request that depends on what happened before", async () => {
		await world.gateway.messages.sendText({ to: ALICE, text: "Hello" });
		await world.gateway.messages.get(world.local.sent[0]?.messageId ?? "");
		await expect(testOfLast()).rejects.toThrow(
			"On a new gateway this call ends with 404 MESSAGE_NOT_FOUND instead of 200: it depends on what happened before.",
		);
	});

	test("of a response that a fault made", async () => {
		world.local.faults.respond({ status: 500 });
		await world.gateway.messages.sendText({ to: ALICE, text: "Hello" }).catch(() => undefined);
		await expect(testOfLast()).rejects.toThrow("ends with 202 instead of 500");
	});

	test.each([
		["whose signature was rejected", { headers: { authorization: "HMAC 00" } }, "its signature was rejected"],
		["with a method that no client has", { method: "QUERY" }, "the client has no such method"],
	])("of a request %s", async (_what, init, reason) => {
		await world.local.fetch(new Request(`${world.local.baseUrl}/agent`, init));
		await expect(testOfLast()).rejects.toThrow(reason);
	});

	test("of a response without an envelope", async () => {
		await world.gateway.health.check();
		await expect(testOfLast()).rejects.toThrow("its response has no envelope");
	});

	test("of a request that is not kept", async () => {
		await expect(world.control.requestTest("unknown")).rejects.toThrow("No request has this id");
	});
});
