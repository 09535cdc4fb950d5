import { beforeEach, describe, expect, test } from "vitest";
import type { ControlRejection } from "../../../../src/tools/control/control-rejection.ts";
import { catchError } from "../../../support/catch-error.ts";
import { createWatchedGateway, type WatchedGateway } from "../../../support/controlled-gateway.ts";
import { testOutcomes } from "../../../support/outcomes.ts";
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

/** A request of the client, whose rejection is expected. */
const requests = (method: string, path: string, options?: object) => () =>
	Reflect.apply(world.gateway.request, world.gateway, [method, path, options]).catch(() => undefined);
const responds = (response: Parameters<WatchedGateway["local"]["faults"]["respond"]>[0]) => () =>
	world.local.faults.respond(response);
/** An unsigned request, such as no client makes. */
const asks = (path: string, init: RequestInit) => () =>
	world.local.fetch(new Request(world.local.baseUrl + path, init));
const sends = () => send();

type Steps = readonly (() => unknown)[];
const play = async (steps: Steps): Promise<void> => {
	for (const step of steps) await step();
};

/** The call, as the test of the last request makes it. */
describe("the call of a test is", () =>
	testOutcomes<Steps>(
		{
			'gateway.request("GET", "/agent")': { "a path alone": [requests("GET", "/agent")] },
			'gateway.request("PUT", "/agent")': {
				"with a method that the path has not": [requests("PUT", "/agent")],
			},
			'gateway.request("GET", "/agent", { query: { status: ["online"], limit: ["1"] } })': {
				"with its query": [() => world.gateway.agents.list({ status: "online", limit: 1 })],
			},
			'gateway.request("PATCH", "/mapping/%2B15551234567", { body: { maxConsecutiveMessages: 3 } })': {
				"with its body": [sends, () => world.gateway.mappings.update(ALICE, { maxConsecutiveMessages: 3 })],
			},
			'gateway.request("DELETE", "/mapping/%2B15551234567")': {
				"without one": [sends, () => world.gateway.mappings.delete(ALICE)],
			},
			'gateway.request("GET", "/agent", { query: { limit: ["1"] } })': {
				"below the base URL": [
					() => (world = createWatchedGateway({ baseUrl: "https://gateway.example/api" })),
					() => world.gateway.agents.list({ limit: 1 }),
				],
			},
		},
		async (steps) => {
			await play(steps);
			return /const call = \(\) => (.*);/.exec(testOfLast())?.[1] ?? "none";
		},
	));

/** The result in the title, what makes it, and what is expected as it was. */
describe("the result of a test is", () =>
	testOutcomes<Steps>(
		{
			"202: await call(); expect(local.requests.at(-1)?.status).toBe(202);": { "an accepted call": [sends] },
			'409 DUPLICATE_MESSAGE: await call(); await expect(call()).rejects.toMatchObject({ gatewayCode: "DUPLICATE_MESSAGE" }); expect(local.requests.at(-1)?.status).toBe(409);':
				{ "a duplicate, after the same call": [sends, sends] },
			'503 SERVICE_UNAVAILABLE: local.faults.respond({ status: 503 }); await expect(call()).rejects.toMatchObject({ gatewayCode: "SERVICE_UNAVAILABLE" }); expect(local.requests.at(-1)?.status).toBe(503);':
				{ "a fault that responds, which is injected": [responds({ status: 503 }), sends] },
			'409 DUPLICATE_MESSAGE: local.faults.respond({ status: 409 }); await expect(call()).rejects.toMatchObject({ gatewayCode: "DUPLICATE_MESSAGE" }); expect(local.requests.at(-1)?.status).toBe(409);':
				{
					"a fault that responds as a duplicate does, with no call before it": [
						responds({
							status: 409,
							body: {
								ok: false,
								error: { code: "DUPLICATE_MESSAGE", message: "no", requestId: crypto.randomUUID() },
							},
						}),
						sends,
					],
				},
			'202: local.faults.corrupt({ as: "html" }); // or "truncated", "empty" await expect(call()).rejects.toThrow(); expect(local.requests.at(-1)?.status).toBe(202);':
				{
					"a corrupt response, which is rejected all the same": [
						() => world.local.faults.corrupt({ as: "html" }),
						sends,
					],
				},
			'no response: local.faults.dropConnection({ when: "after" }); // or "before" await expect(call()).rejects.toThrow(); expect(local.requests.at(-1)?.status).toBe(undefined);':
				{
					"a connection that broke, of which no response is expected": [
						() => world.local.faults.dropConnection({ when: "after" }),
						sends,
					],
				},
		},
		async (steps) => {
			await play(steps);
			const title = / ends with (.*)", async/.exec(testOfLast())?.[1];
			return `${title}: ${endOfLast().join(" ")}`;
		},
	));

describe("no test is written", () => {
	testOutcomes<Steps>(
		{
			"rejected: A test can't make this call again: its signature was rejected, and a client signs correctly.":
				{
					"of a rejected signature": [asks("/agent", { headers: { authorization: "HMAC 00" } })],
				},
			"rejected: A test can't make this call again: the client has no such method.": {
				"of a method that no client has": [asks("/agent", { method: "QUERY" })],
			},
			"rejected: A test can't make this call again: its body isn't JSON, which a client always sends.": {
				"of a body that is not JSON": [
					responds({ status: 503 }),
					asks("/message/text", { method: "POST", body: "text" }),
				],
			},
			"rejected: A test can't make this call again: its response has no envelope, which `request()` needs.": {
				"of a response without an envelope": [() => world.gateway.health.check()],
			},
			"not_found: No request has this id; the oldest are dropped.": { "of a request that is not kept": [] },
		},
		async (steps) => {
			await play(steps);
			const { code, message } = catchError(testOfLast) as ControlRejection;
			return `${code}: ${message}`;
		},
	);
});
