import { inspect } from "node:util";
import { MessagingGateway } from "messaging-gateway";
import {
	ConfigurationError,
	type ConnectedGateway,
	type ConnectOptions,
	connect,
	LocalControlError,
} from "messaging-gateway/testing";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { createControlRoutes } from "../../../../src/tools/control/http/create-control-routes.ts";
import { LOOPBACK_HOSTS } from "../../../../src/tools/control/http/hosts.ts";
import { createWatchedGateway, type WatchedGateway } from "../../../support/controlled-gateway.ts";
import { AGENT, ALICE } from "../../../support/signed-client.ts";

const TOKEN = "token-of-this-test";
const BASE_URL = "http://localhost:8080";

let world: WatchedGateway;
let local: ConnectedGateway;

/** Reaches the control routes in process. */
const reach: ConnectOptions["fetch"] = async (url, init) => {
	const routes = createControlRoutes(world.control, { token: TOKEN, hosts: LOOPBACK_HOSTS });
	return (await routes(new Request(url, init))) ?? new Response("<html>", { status: 404 });
};

const failureOf = async (action: Promise<unknown>): Promise<LocalControlError> => {
	const error = await action.catch((thrown: unknown) => thrown);
	if (error instanceof LocalControlError) return error;
	throw new Error("no LocalControlError", { cause: error });
};

beforeEach(async () => {
	world = createWatchedGateway({ baseUrl: BASE_URL, rules: "off" });
	local = await connect({ baseUrl: `${BASE_URL}/`, token: TOKEN, fetch: reach });
});

describe("a connected gateway", () => {
	test("has what a client needs", async () => {
		expect(local.baseUrl).toBe(BASE_URL);
		const { baseUrl, appId, appSecret, webhookSecret } = world.local;
		expect(local.clientOptions).toEqual({ baseUrl, appId, appSecret });
		expect(local.webhookSecret).toBe(webhookSecret);
	});

	test("plays the contact", async () => {
		const { messageGuid } = (await world.gateway.messages.sendText({ to: ALICE, text: "Hello" })).message;
		expect(messageGuid).toBeNull();
		await local.settled();
		const contact = local.contact(ALICE);
		expect(await contact.reply("Hi", { to: AGENT })).toMatchObject({ from: ALICE, to: AGENT, text: "Hi" });
		await contact.react("love");
		await contact.read();
		const { items } = await local.messages({ conversation: ALICE });
		expect(items).toMatchObject([
			{ text: "Hello", status: "read", tapbacks: [{ by: ALICE, reaction: "love" }] },
			{ text: "Hi" },
		]);
		await contact.react("love", { action: "remove" });
		expect(await local.messages({ conversation: ALICE })).toMatchObject({
			items: [{ text: "Hello", tapbacks: [] }, { text: "Hi" }],
		});
	});

	test("attaches files", async () => {
		const data = btoa("a picture");
		const attachments = [{ name: "a.png", mimeType: "image/png", data }];
		const message = await local.contact(ALICE).reply("", { attachments });
		expect(message.attachments).toHaveLength(1);
	});

	test("shows requests, their details, and deliveries", async () => {
		await world.gateway.messages.sendText({ to: ALICE, text: "Hello" });
		await world.gateway.agents.get("+15550009999").catch(() => undefined);
		await local.settled();
		const failed = await local.requests({ failed: true, limit: 10 });
		expect(failed).toMatchObject({ items: [{ status: 404 }], older: 0 });
		expect(await local.request(failed.items[0]?.requestId ?? "")).toMatchObject({ body: "", query: "" });
		const { items } = await local.deliveries({ search: "delivered" });
		expect(items).toMatchObject([{ kind: "status", attempts: [{ status: 200 }] }]);
		const [delivery] = items;
		await local.redeliver(delivery?.eventId ?? "");
		await local.settled();
		expect((await local.deliveries({ search: delivery?.eventId })).items[0]?.attempts).toHaveLength(2);
	});

	test("moves the clock", async () => {
		const before = await local.clock.now();
		await local.clock.advance(60_000);
		expect(await local.clock.now()).toBe(before + 60_000);
	});

	test("takes an agent off the network", async () => {
		const agents = () => world.control.snapshot().agents.map(({ status }) => status);
		await local.agent(AGENT).goOffline();
		expect(agents()).toEqual(["offline"]);
		await local.agent(AGENT).goOnline();
		expect(agents()).toEqual(["online"]);
	});

	test("rejects an argument or a field of a fault that would have no effect", async () => {
		const { respond, webhooks } = local.faults;
		const calls: [(...given: never[]) => Promise<void>, unknown[]][] = [
			[respond, [{ status: 503 }, { times: 2 }]],
			[respond, [{ status: 503, time: 2 }]],
			[webhooks.tamper, [{ operationId: "agents.list" }]],
		];
		for (const [method, given] of calls) {
			await expect(Reflect.apply(method, undefined, given)).rejects.toMatchObject({ code: "configuration" });
		}
		expect(await local.faults.active()).toEqual([]);
	});

	test("injects every fault", async () => {
		const { faults } = local;
		await faults.delay(5, { times: 2 });
		await faults.respond({ status: 503, retryAfterSeconds: 1, operationId: "agents.list" });
		await faults.dropConnection({ when: "after", times: Number.POSITIVE_INFINITY });
		await faults.dropConnection({ when: "before" });
		await faults.corrupt({ as: "html" });
		await faults.corrupt({ as: "truncated" });
		await faults.repeatRequest({ response: "first" });
		await faults.skewClock(-1_000);
		await faults.webhooks.repeat({ times: 2 });
		await faults.webhooks.repeatAttempt();
		await faults.webhooks.repeatAttempt({ response: "first", delayMs: 60_000, times: 2 });
		await faults.webhooks.delay(7);
		await faults.webhooks.outOfOrder();
		await faults.webhooks.tamper();
		await faults.webhooks.stale();
		await faults.webhooks.wrongSignature();
		expect(await faults.active()).toEqual([
			"next 2 requests: delayed by 5 ms",
			"next request of agents.list: response with status 503",
			"all requests: the connection breaks after it is processed",
			"next request: the connection breaks before it is processed",
			"next request: processed, and the response is an HTML page",
			"next request: processed, and the response is truncated",
			"next request: repeated by the network, with the response to the first",
			"all requests: the clock is 1 s behind",
			"next webhook: repeated 2 times",
			"next attempt: repeated by the network, with the response to the copy",
			"next 2 attempts: repeated by the network 1 min later, with the response to the first",
			"next webhook: 7 ms late",
			"next message: its first two webhooks change places",
			"next attempt: the body is changed after signing",
			"next attempt: signed with a timestamp of two days ago",
			"next attempt: signed with another secret",
		]);
		await faults.clear();
		expect(world.control.snapshot().faults).toEqual([]);
	});

	test("sets webhook URLs, and is reset", async () => {
		await local.setDestinations({ inboundWebhookUrl: "http://localhost:3000/in" });
		expect(world.control.snapshot().destinations.inboundWebhookUrl).toBe("http://localhost:3000/in");
		await local.reset();
		expect((await local.messages()).items).toEqual([]);
	});
});

describe("what fails", () => {
	test("has the gateway's reason and sentence", async () => {
		expect(await failureOf(local.contact("nobody").read())).toMatchObject({ reason: "invalid_action" });
		expect(await failureOf(local.redeliver("evt_none"))).toMatchObject({
			code: "local_control",
			reason: "not_found",
			message: "No delivery has this event id; the oldest ones are dropped.",
		});
		expect(await failureOf(local.contact(ALICE).react("love"))).toMatchObject({ reason: "rejected" });
		expect(await failureOf(local.messages({ limit: 0 }))).toMatchObject({ reason: "invalid_query" });
	});

	test("says that the token is another one, without showing it", async () => {
		const error = await failureOf(connect({ baseUrl: BASE_URL, token: "my-own-token", fetch: reach }));
		expect(error.reason).toBe("unauthorized");
		expect(inspect(error, { depth: 9 })).not.toContain("my-own-token");
	});

	test("says that nothing responds there", async () => {
		const refuse = () => Promise.reject(new TypeError("fetch failed"));
		const error = await failureOf(connect({ baseUrl: BASE_URL, token: TOKEN, fetch: refuse }));
		expect(error).toMatchObject({ reason: "unreachable" });
		expect(error.message).toMatch(/^No local gateway responded at http:\/\/localhost:8080: start one with/);
	});

	test.each([
		["is another server", new Response("<html>"), /is not a local gateway that can be controlled/],
		[
			"has another version of the control",
			Response.json({}, { headers: { "Messaging-Gateway-Control": "2" } }),
			/version 2 of the control, and this package version 1/,
		],
		[
			"breaks off",
			new Response('{"items":[', { headers: { "Messaging-Gateway-Control": "1" } }),
			/responded with something other than JSON/,
		],
	])("says that what responds %s", async (_what, response, message) => {
		const respond = async () => response;
		const error = await failureOf(connect({ baseUrl: BASE_URL, token: TOKEN, fetch: respond }));
		expect(error).toMatchObject({ reason: "unexpected_response" });
		expect(error.message).toMatch(message);
	});
});

describe("the options", () => {
	test.each([
		[{ token: "" }, "token is missing"],
		[{ token: "two words" }, "token must be visible ASCII characters"],
		[{ token: TOKEN, baseUrl: "localhost:8080" }, "baseUrl must be an absolute http or https URL"],
		[{ token: TOKEN, fetch: 1 }, "fetch must be a function"],
		[{ token: TOKEN, tokens: "" }, 'Unknown option "tokens" of connect(). Did you mean "token"?'],
	])("%j are rejected", async (options, message) => {
		const error = await connect(options as ConnectOptions).catch((thrown: unknown) => thrown);
		expect(error).toBeInstanceOf(ConfigurationError);
		expect(String(error)).toContain(message);
	});

	test("come from the environment", async () => {
		vi.stubEnv("MESSAGING_GATEWAY_BASE_URL", BASE_URL);
		vi.stubEnv("MESSAGING_GATEWAY_CONTROL_TOKEN", TOKEN);
		expect((await connect({ fetch: reach })).baseUrl).toBe(BASE_URL);
		vi.unstubAllEnvs();
	});
});

test("a client made with its options reaches it", async () => {
	const gateway = new MessagingGateway({ ...local.clientOptions, fetch: world.local.clientOptions.fetch });
	await gateway.messages.sendText({ to: ALICE, text: "Hello" });
	expect((await local.requests()).items).toMatchObject([{ operationId: "messages.sendText", status: 202 }]);
});
