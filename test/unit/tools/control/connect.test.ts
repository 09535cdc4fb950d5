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
import { catchRejection } from "../../../support/catch-error.ts";
import { createWatchedGateway, type WatchedGateway } from "../../../support/controlled-gateway.ts";
import { testOutcomes } from "../../../support/outcomes.ts";
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

const foreign = (response: Response) =>
	connect({ baseUrl: BASE_URL, token: TOKEN, fetch: async () => response });

describe("what fails is an error:", () => {
	const control = (version: string) => ({ headers: { "Messaging-Gateway-Control": version } });

	testOutcomes<() => Promise<unknown>>(
		{
			"invalid_action: from must be an e-mail address, a short code of 3 to 6 digits, or a number in E.164: + and 7 to 15 digits, such as +15551234567.":
				{ "a contact that is none": () => local.contact("55").read() },
			"invalid_query: limit must be an integer from 1 to 500.": {
				"a page of none": () => local.messages({ limit: 0 }),
			},
			"not_found: No delivery has this event id; the oldest ones are dropped.": {
				"an unknown event": () => local.redeliver("evt_none"),
			},
			"rejected: No message has reached this contact yet. Send one, and wait until it arrives: settled() in a test, `npx messaging-gateway wait` beside the command":
				{
					"a reaction to nothing": () => local.contact(ALICE).react("love"),
				},
			"unauthorized: The control token isn't that of this gateway: give the same one to both, with MESSAGING_GATEWAY_CONTROL_TOKEN or --control-token.":
				{
					"another token": () => connect({ baseUrl: BASE_URL, token: "my-own-token", fetch: reach }),
				},
			"unreachable: No local gateway responded at http://localhost:8080: start one with `npx messaging-gateway dev`, or give the baseUrl of another one (--base-url, MESSAGING_GATEWAY_BASE_URL).":
				{
					"nothing that responds": () =>
						connect({
							baseUrl: BASE_URL,
							token: TOKEN,
							fetch: () => Promise.reject(new TypeError("fetch failed")),
						}),
				},
			"unexpected_response: What responds at http://localhost:8080 isn't a local gateway that can be controlled: name the address of `npx messaging-gateway dev`.":
				{ "another server": () => foreign(new Response("<html>")) },
			"unexpected_response: The gateway at http://localhost:8080 has version 2 of the control, and this package version 1: use the same version of messaging-gateway.":
				{ "another version of the control": () => foreign(Response.json({}, control("2"))) },
			"unexpected_response: The gateway responded with something other than JSON.": {
				"a response that breaks off": () => foreign(new Response('{"items":[', control("1"))),
			},
		},
		async (call) => {
			const error = await failureOf(call());
			expect(error.code).toBe("local_control");
			expect(inspect(error, { depth: 9 })).not.toContain("my-own-token");
			return `${error.reason}: ${error.message}`;
		},
	);
});

describe("the options", () => {
	testOutcomes<object>(
		{
			"token is missing: pass it to connect({ token }) and to `npx messaging-gateway dev --control-token`, or set MESSAGING_GATEWAY_CONTROL_TOKEN for both":
				{ "an empty token": { token: "" } },
			"token must be visible ASCII characters": { "a token of two words": { token: "two words" } },
			"baseUrl must be an absolute http or https URL": {
				"a base URL without a scheme": { token: TOKEN, baseUrl: "localhost:8080" },
			},
			"fetch must be a function": { "a fetch that is none": { token: TOKEN, fetch: 1 } },
			'Unknown option "tokens" of connect(). Did you mean "token"?': {
				"a misspelt option": { token: TOKEN, tokens: "" },
			},
		},
		async (options) => {
			const error = await catchRejection(connect(options));
			expect(error).toBeInstanceOf(ConfigurationError);
			return (error as Error).message;
		},
	);

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
