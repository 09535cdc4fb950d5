import { MessagingGateway } from "messaging-gateway";
import {
	type Clock,
	createAdjustableClock,
	createLocalGateway,
	type LocalGateway,
	systemClock,
} from "messaging-gateway/testing";
import { afterEach, describe, expect, test, vi } from "vitest";
import { nextTask } from "../../../../src/tools/local-gateway/next-task.ts";
import { catchError } from "../../../support/catch-error.ts";
import { PAGE, stubHost } from "../../../support/hosts.ts";
import { testOutcomes } from "../../../support/outcomes.ts";
import {
	AGENT,
	ALICE,
	BOB,
	call,
	createFrozenGateway,
	getMapping,
	pathOf,
	sendText,
} from "../../../support/signed-client.ts";
import { createReceivingGateway } from "./receiving-gateway.ts";

describe("options", () => {
	testOutcomes<object>(
		{
			"baseUrl must be an absolute http or https URL without a query": {
				"a base URL without a scheme": { baseUrl: "gateway.example" },
				"a base URL of another scheme": { baseUrl: "ftp://gateway.example" },
				"a base URL with a query": { baseUrl: "https://gateway.example?x" },
				"a base URL with a fragment": { baseUrl: "https://gateway.example#x" },
			},
			"appId must be 1 to 256 visible ASCII characters": {
				"an app id with a space": { appId: "my app" },
				"an app id of apps with a letter beyond ASCII": { apps: { é: "secret" } },
			},
			"appSecret has whitespace or an invisible character around it: remove it": {
				"a secret with spaces around it": { appSecret: " secret " },
			},
			"a secret of apps is empty": { "an empty secret of another app": { apps: { other: "" } } },
			'webhookSecret is the string "undefined": set the variable it comes from': {
				"a webhook secret of a missing variable": { webhookSecret: "undefined" },
			},
			"agents[1] must be a number in E.164, such as +15551234567": {
				"an agent that is none": { agents: ["+15550000001", "555"] },
			},
			"deliverTo must be an absolute http or https URL without credentials, or a function": {
				"a receiver without a scheme": { deliverTo: "localhost:3000" },
				"a receiver with a name": { deliverTo: "https://user@a.example" },
			},
			'rules must be "on", "off" or an object of rules. Did you mean "off"?': {
				"rules in a word that is none": { rules: "of" },
			},
			"rules.duplicateWindowSeconds.contact must be 0 or more": {
				"a window that is no number": { rules: { duplicateWindowSeconds: { contact: Number.NaN } } },
			},
			"rules.duplicateWindowSeconds.agent must be 0 or more": {
				"a negative window": { rules: { duplicateWindowSeconds: { agent: -1 } } },
			},
			"rules.duplicateWindowSeconds.account must be 0 or more": {
				"an endless window": { rules: { duplicateWindowSeconds: { account: Number.POSITIVE_INFINITY } } },
			},
			'Unknown option "contacts" of rules.duplicateWindowSeconds. Did you mean "contact"?': {
				"a misspelt window": { rules: { duplicateWindowSeconds: { contacts: 0 } } },
			},
			'Unknown option "duplicateWindowsSeconds" of rules. Did you mean "duplicateWindowSeconds"?': {
				"misspelt windows": { rules: { duplicateWindowsSeconds: { contact: 0 } } },
			},
			"rules.maxConsecutiveMessages must be an integer of at least 1": {
				"a threshold of none": { rules: { maxConsecutiveMessages: 0 } },
			},
			"rules.consecutive must be one of enforce, warn, off": {
				"a misspelt choice": { rules: { consecutive: "warning" } },
			},
			"delays.sentMs must be 0 or more": { "a delay that is no number": { delays: { sentMs: Number.NaN } } },
			"delays.deliveredMs must be 0 or more": {
				"a negative delay of delivery": { delays: { deliveredMs: -1 } },
			},
			"delays.readMs must be 0 or more": { "a negative delay of reading": { delays: { readMs: -1 } } },
			"delays.replyMs must be 0 or more": { "a negative delay of a reply": { delays: { replyMs: -1 } } },
			"delays.readLateMs must be 0 or more": {
				"a negative delay of late reading": { delays: { readLateMs: -1 } },
			},
			'Unknown option "sendMs" of delays. Did you mean "sentMs"?': {
				"a misspelt delay": { delays: { sendMs: 1 } },
			},
			"webhooks.retryDelaysMs must be 0 or more": {
				"a negative delay of a retry": { webhooks: { retryDelaysMs: [0, -1] } },
			},
			"webhooks.order must be one of by_message, none": {
				"another order": { webhooks: { order: "random" } },
			},
			"webhooks.copies must be an integer of at least 1": { "no copies": { webhooks: { copies: 0 } } },
			"webhooks.statusCallback must be one of instead, additional": {
				"another status callback": { webhooks: { statusCallback: "both" } },
			},
			"webhooks.encode must be a function": { "an encoder that is none": { webhooks: { encode: {} } } },
			'Unknown option "retries" of webhooks: remove it, or use retryDelaysMs, order, copies, statusCallback, encode':
				{
					"a webhook option that is none": { webhooks: { retries: 3 } },
				},
			"maxEntries must be an integer of at least 1": { "half an entry": { maxEntries: 1.5 } },
			"nonceStore must be an object with the functions remember": {
				"a nonce store that is none": { nonceStore: {} },
			},
			'Unknown option "agent". Did you mean "agents"?': { "a misspelt option": { agent: ["+15550000001"] } },
			'The local gateway needs profile.operations["messages.sendText"].request.decode, the inverse of request.encode':
				{
					"a profile that only encodes a request": {
						profile: {
							operations: { "messages.sendText": { request: { encode: (input: object) => input } } },
						},
					},
				},
			'The local gateway needs profile.operations["messages.sendText"].response.encode, the inverse of response.decode':
				{
					"a profile that only decodes a response": {
						profile: {
							operations: { "messages.sendText": { response: { decode: (data: object) => data } } },
						},
					},
				},
		},
		(options) => {
			const error = catchError(() => createLocalGateway(options));
			expect(error).toMatchObject({ code: "configuration" });
			return (error as Error).message;
		},
	);

	test("that are undefined have their defaults", async () => {
		await using local = createLocalGateway({
			agents: undefined,
			rules: { duplicateWindowSeconds: { contact: undefined }, consecutive: undefined },
			delays: { sentMs: undefined },
		});
		await local.contact(ALICE).reply("Hello");
		await local.settled();
		expect(local.deliveries).toEqual([]);
	});

	test("of a client", async () => {
		const profile = { vendor: { headerPrefix: "Acme" } };
		const local = createLocalGateway({ baseUrl: "https://gateway.example/api/", profile });
		expect(local.clientOptions).toEqual({
			baseUrl: "https://gateway.example/api",
			appId: "local-app",
			appSecret: "local-app-secret",
			fetch: expect.any(Function),
			dangerouslyAllowBrowser: true,
			clock: local.clock,
			profile,
		});
		const { fetch } = local.clientOptions;
		expect((await fetch("https://gateway.example/api/health", { method: "GET" })).status).toBe(200);
		expect(createLocalGateway().clientOptions).not.toHaveProperty("profile");
	});

	test("a clock that cannot be moved gets an adjustable one on top", async () => {
		const clock: Clock = { now: () => 5_000, setTimer: systemClock.setTimer };
		const local = createLocalGateway({ clock });
		await local.clock.advance(1_000);
		expect(local.clock.now()).toBe(6_000);
		const own = createAdjustableClock();
		expect(createLocalGateway({ clock: own }).clock).toBe(own);
	});
});

describe("settled", () => {
	test("waits for a receiver that needs real time", async () => {
		let isDone = false;
		const local = createLocalGateway({
			async deliverTo() {
				await nextTask();
				isDone = true;
				return new Response();
			},
		});
		await local.contact(ALICE).reply("Hi");
		await local.settled();
		expect(isDone).toBe(true);
		expect(local.deliveries[0]?.state).toBe("delivered");
	});

	test("waits for work that follows", async () => {
		const local = createLocalGateway({
			async deliverTo(request) {
				const event: { type?: string } = await request.json();
				if (event.type === "inbound_message") await sendText(local, BOB, "Alice wrote");
				return new Response();
			},
		});
		await sendText(local, "+15550001004");
		await local.settled();
		expect(local.sent.map(({ status }) => status)).toEqual(["read", "read"]);
		expect(local.deliveries.every(({ state }) => state === "delivered")).toBe(true);
	});

	test("resolves at once when there is nothing to do", async () => {
		await expect(createLocalGateway().settled()).resolves.toBeUndefined();
	});

	test("moves a running clock, so that no test waits for retries", async () => {
		const startMs = 1_767_225_600_000;
		const source: Clock = { now: () => startMs, setTimer: () => () => undefined };
		const clock = createAdjustableClock({ source });
		const local = createLocalGateway({ clock, deliverTo: () => new Response(null, { status: 500 }) });
		await local.contact(ALICE).reply("Hi");
		await local.settled();
		expect(local.deliveries[0]?.attempts).toHaveLength(6);
		expect(local.clock.now() - startMs).toBe(31_000);
	});
});

test("a delivery leaves no timer behind that would keep a process alive", async () => {
	let active = 0;
	const source: Clock = {
		now: () => 0,
		setTimer: () => {
			active += 1;
			return () => {
				active -= 1;
			};
		},
	};
	const local = createLocalGateway({ clock: source, deliverTo: () => new Response() });
	await local.contact(ALICE).reply("Hi");
	expect(active).toBe(1);
	await local.settled();
	expect(active).toBe(0);
});

test("time also passes by itself", async () => {
	const local = createLocalGateway({ delays: { sentMs: 1, deliveredMs: 2, readMs: 3 } });
	await sendText(local, ALICE);
	await expect.poll(() => local.sent[0]?.status).toBe("read");
});

describe("reset", () => {
	test("resets everything except the time", async () => {
		const local = createFrozenGateway({ deliverTo: () => new Response() });
		const alice = local.contact(ALICE);
		const agent = local.agent(AGENT);
		agent.goOffline();
		await alice.reply("Hi").catch(() => {});
		await sendText(local, ALICE, "Hello", { from: AGENT });
		await call(local, "POST", "/settings/webhooks", { statusWebhookUrl: "" });
		local.faults.respond({ status: 500 });
		local.faults.skewClock(1_000_000);
		const before = local.clock.now();
		local.reset();
		expect([local.sent, local.requests, local.deliveries]).toEqual([[], [], []]);
		expect(local.clock.now()).toBe(before);
		expect(await getMapping(local, ALICE)).toBeUndefined();
		expect((await call(local, "GET", "/settings/webhooks")).body.data.statusWebhookUrl).not.toBeNull();
		expect((await sendText(local, ALICE)).status).toBe(202);
		await local.settled();
		await alice.react("love");
		agent.goOffline();
		expect((await call(local, "GET", pathOf("/agent", AGENT))).body.data.agent.status).toBe("offline");
	});

	test("cancels pending work", async () => {
		const { local, received } = createReceivingGateway({}, 500);
		await sendText(local, ALICE);
		await local.contact(ALICE).reply("Hi");
		await local.clock.advance(1);
		local.reset();
		await local.clock.advance(60_000);
		expect(received).toHaveLength(1);
	});

	test("aborts a delivery that is in flight, and the ones behind it never start", async () => {
		const signals: AbortSignal[] = [];
		const local = createFrozenGateway({
			webhooks: { retryDelaysMs: [0, 0] },
			deliverTo: ({ signal }) => {
				signals.push(signal);
				return signals.length === 1 ? new Promise(() => {}) : new Response();
			},
		});
		await sendText(local, ALICE);
		await local.clock.advance(60);
		local.reset();
		const resetAt = local.clock.now();
		local.faults.webhooks.delay(1_000);
		await local.settled();
		expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
		await local.contact(ALICE).reply("Hi");
		await local.settled();
		expect(local.deliveries[0]?.attempts[0]?.at).toBe(resetAt + 1_000);
	});
});

test.each<[string, (local: LocalGateway) => PromiseLike<void>]>([
	["closed", (local) => local.close()],
	["disposed of", (local) => local[Symbol.asyncDispose]()],
])("%s, it does not act or respond", async (_how, end) => {
	const { local, received } = createReceivingGateway();
	await sendText(local, ALICE);
	await end(local);
	await local.clock.advance(60_000);
	await local.settled();
	expect(received).toEqual([]);
	await expect(sendText(local, ALICE)).rejects.toThrow(TypeError);
});

describe("in a test that fakes timers", () => {
	afterEach(() => vi.useRealTimers());

	const send = async (local: LocalGateway) => {
		const gateway = new MessagingGateway(local.clientOptions);
		await gateway.messages.sendText({ to: ALICE, text: "Hello" });
		await local.settled();
		return local.sent.map(({ status }) => status);
	};

	test("a message is sent, and everything settles", async () => {
		vi.useFakeTimers();
		await using local = createLocalGateway();
		expect(await send(local)).toEqual(["read"]);
	});

	test("the clock is the test's: what is due happens when the test moves it", async () => {
		vi.useFakeTimers();
		await using local = createLocalGateway();
		await new MessagingGateway(local.clientOptions).messages.sendText({ to: ALICE, text: "Hello" });
		const before = local.clock.now();
		await vi.advanceTimersByTimeAsync(60_000);
		expect(local.clock.now() - before).toBe(60_000);
		expect(local.sent[0]?.status).toBe("read");
	});

	test("also if they were fake before the import", async () => {
		vi.useFakeTimers();
		vi.resetModules();
		const { nextTask } = await import("../../../../src/tools/local-gateway/next-task.ts");
		await nextTask();
	});
});

test("the secret may be in a page: it is no secret", async () => {
	stubHost(PAGE);
	await using local = createLocalGateway();
	expect(new MessagingGateway(local.clientOptions)).toBeInstanceOf(MessagingGateway);
	vi.unstubAllGlobals();
});

test.each(["Request", "Response", "Headers"])("a host without %s is named at once", (name) => {
	vi.stubGlobal(name, undefined);
	const error = catchError(() => createLocalGateway());
	vi.unstubAllGlobals();
	expect(error).toMatchObject({ code: "configuration", message: expect.stringContaining(`no ${name}: `) });
});
