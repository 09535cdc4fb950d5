import type { LocalGateway, LocalGatewayOptions, ReadingName } from "messaging-gateway/testing";
import { verifyWebhook } from "messaging-gateway/webhooks";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { ALICE, call, createFrozenGateway, START_MS, sendText } from "../../../support/signed-client.ts";
import { createReceivingGateway, statusIn } from "./receiving-gateway.ts";
import { read } from "./steps.ts";

/** A response of a receiver: its status, perhaps with a Retry-After, or what it throws. */
type Answer = number | readonly [status: number, retryAfter: string] | Error;

const setWebhooks = (local: LocalGateway, body: object) => call(local, "POST", "/settings/webhooks", body);

afterEach(() => {
	vi.unstubAllGlobals();
});

/** When each attempt at a message was made, and what became of it; the receiver's last answer stays. */
async function attemptsAt([options, ...answers]: readonly [
	LocalGatewayOptions,
	...Answer[],
]): Promise<string> {
	const left = [...answers];
	const local = createFrozenGateway({
		...options,
		deliverTo() {
			const answer = (left.length > 1 ? left.shift() : left[0]) ?? 200;
			if (answer instanceof Error) throw answer;
			const [status, retryAfter] = typeof answer === "number" ? [answer] : answer;
			return new Response(null, {
				status,
				headers: retryAfter === undefined ? {} : { "Retry-After": retryAfter },
			});
		},
	});
	await local.contact(ALICE).reply("Hi");
	await local.settled();
	const { state, attempts = [] } = local.deliveries[0] ?? {};
	return `${state} after ${attempts.map(({ at }) => (at - START_MS) / 1_000).join(", ")} s`;
}

const HONOURED = read("a retry waits for Retry-After");

const ATTEMPTS: Outcomes<readonly [LocalGatewayOptions, ...Answer[]]> = {
	"delivered after 0 s": {
		"200 acknowledges": [{}, 200],
		"204 acknowledges": [{}, 204],
		"299 acknowledges": [{}, 299],
	},
	"delivered after 0, 1 s": {
		"302 is retried": [{}, 302, 200],
		"404 is retried": [{}, 404, 200],
		"500 is retried": [{}, 500, 200],
		"a receiver that throws is one that does not respond": [{}, new Error("not ready"), 200],
		"reading: a 4xx ends the retries, but a 408 does not": [read("a 4xx ends the retries"), 408, 200],
		"reading: a 4xx ends the retries, but a 429 does not": [read("a 4xx ends the retries"), 429, 200],
		"reading: a 4xx ends the retries, but a 399 does not": [read("a 4xx ends the retries"), 399, 200],
		"reading: a 4xx ends the retries, but a 500 does not": [read("a 4xx ends the retries"), 500, 200],
		"reading: a 4xx ends the retries, but no response does not": [
			read("a 4xx ends the retries"),
			new Error("gone"),
			200,
		],
	},
	"delivered after 0, 1, 3 s": {
		"a Retry-After is ignored": [{}, [503, "5"], [503, "5"], 200],
		"reading: a Retry-After that is shorter": [HONOURED, [503, "1"], [503, "1"], 200],
		"reading: a negative Retry-After": [HONOURED, [503, "-5"], [503, "-5"], 200],
		"reading: a Retry-After in words": [HONOURED, [503, "soon"], [503, "soon"], 200],
		"reading: a Retry-After with more than a number": [HONOURED, [503, "50 s"], [503, "x50"], 200],
	},
	"delivered after 0, 5, 10 s": {
		"reading: a retry waits for Retry-After": [HONOURED, [503, "5"], [503, "5"], 200],
	},
	"delivered after 0, 60, 120 s": {
		"reading: a retry waits for Retry-After, a minute at most": [
			HONOURED,
			[503, "86400"],
			[503, "86400"],
			200,
		],
	},
	"delivered after 0, 1, 3, 7 s": { "retries have growing delays": [{}, 500, 302, 404, 204] },
	"failed after 0, 1, 3, 7, 15, 31 s": { "after five retries it fails": [{}, 503] },
	"failed after 0, 57, 114, 171, 228, 285 s": {
		"reading: a Retry-After delays retries, and adds none": [HONOURED, [503, "57"]],
	},
	"failed after 0 s": {
		"without retries": [{ webhooks: { retryDelaysMs: [] } }, 500],
		"reading: webhooks are not retried": [read("webhooks are not retried"), 500],
		"reading: a 400 ends the retries": [read("a 4xx ends the retries"), 400],
		"reading: a 499 ends the retries": [read("a 4xx ends the retries"), 499],
	},
	"delivered after 1 s": {
		"without an order, the first is a second late": [{ webhooks: { order: "none" } }, 200],
	},
	"delivered after 0, 0 s": { "two copies": [{ webhooks: { copies: 2 } }, 200] },
	"delivered after 0, 0, 1, 1 s": {
		"two copies, until all are acknowledged": [{ webhooks: { copies: 2 } }, 200, 503, 200],
		"two copies, if one is rejected and the other is not": [{ webhooks: { copies: 2 } }, 503, 200],
	},
	"delivered after 0, 0, 5, 5 s": {
		"two copies, and the longest Retry-After": [
			{ ...HONOURED, webhooks: { copies: 2 } },
			[503, "5"],
			[503, "2"],
			200,
		],
	},
};

describe("a message is", () => testOutcomes(ATTEMPTS, attemptsAt));

test("an attempt has its status, or why there was no response", async () => {
	const receive = [() => new Response(null, { status: 404 }), () => Promise.reject(new Error("not ready"))];
	const local = createFrozenGateway({ deliverTo: () => receive.shift()?.() ?? new Response() });
	await local.contact(ALICE).reply("Hi");
	await local.settled();
	const ends = local.deliveries[0]?.attempts.map(({ status, error }) => status ?? error);
	expect(ends).toEqual([404, "not ready", 200]);
});

test("a receiver has ten seconds, and its request is then aborted", async () => {
	const signals: AbortSignal[] = [];
	const local = createFrozenGateway({
		deliverTo({ signal }) {
			signals.push(signal);
			return signals.length === 1 ? new Promise(() => {}) : new Response();
		},
		webhooks: { retryDelaysMs: [500] },
	});
	await local.contact(ALICE).reply("Hi");
	await local.clock.advance(9_999);
	expect(local.deliveries[0]?.attempts).toEqual([]);
	await local.clock.advance(1);
	expect(signals[0]?.aborted).toBe(true);
	await local.settled();
	expect(local.deliveries[0]?.attempts).toMatchObject([
		{ at: START_MS, error: "no complete response within 10 s" },
		{ at: START_MS + 10_500, status: 200 },
	]);
});

describe("every event", () => {
	test("verifies, is of its documented kind, has an id of its own, and is recorded as it was delivered", async () => {
		const { local, received } = createReceivingGateway({ webhookSecret: "another-secret" });
		const verify = (delivery: Parameters<typeof verifyWebhook>[0]) =>
			verifyWebhook(delivery, { secret: "another-secret", clock: local.clock });
		await sendText(local, ALICE);
		await local.settled();
		await local.contact(ALICE).reply("Hi");
		await local.contact(ALICE).react("love");
		await local.settled();
		const events = received.map(verify);
		expect(events.map(({ kind }) => kind)).toEqual([
			...["status", "status", "status"],
			...["inbound_message", "inbound_reaction"],
		]);
		expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(5);
		expect(local.deliveries.map(({ body, eventId }) => [body, eventId])).toEqual(
			received.map(({ body }, at) => [body, events[at]?.eventId]),
		);
		for (const { body, headers } of local.deliveries) expect(verify({ body, headers })).toBeDefined();
		for (const { headers } of received) expect(headers.get("X-SVC-Event-Id")).toMatch(/^evt_[\w-]+$/);
		expect(JSON.parse(received[0]?.body ?? "")).not.toHaveProperty("type");
	});

	test("has the vendor's names", async () => {
		const profile = { vendor: { headerPrefix: "Acme", messageNumberField: "acmeNumber" } };
		const { local, received } = createReceivingGateway({ profile });
		await local.contact(ALICE).reply("Hi");
		await local.settled();
		const [delivery = { body: "", headers: {} }] = received;
		expect(JSON.parse(delivery.body)).toHaveProperty("acmeNumber");
		expect(JSON.parse(delivery.body)).not.toHaveProperty("nativeMessageNumber");
		const options = { secret: local.webhookSecret, clock: local.clock, profile };
		expect(verifyWebhook(delivery, options).kind).toBe("inbound_message");
	});
});

/** The ids, signatures and age of the three attempts at an event. */
const RETRIES: Outcomes<readonly ReadingName[]> = {
	"1 id, 3 signatures, the last one 3 s younger": { "each attempt is signed again": [] },
	"1 id, 1 signatures, the last one 0 s younger": {
		"reading: retries have the first timestamp": ["retries have the first timestamp"],
	},
	"3 id, 3 signatures, the last one 3 s younger": {
		"reading: each retry has a new event id": ["each retry has a new event id"],
	},
};

describe("an event that fails twice has", () =>
	testOutcomes(RETRIES, async (readings) => {
		const { local, received } = createReceivingGateway({ readings }, 500, 500);
		await local.contact(ALICE).reply("Hi");
		await local.settled();
		const [ids = [], times = [], signatures] = ["Event-Id", "Timestamp", "Signature"].map((name) =>
			received.map(({ headers }) => headers.get(`X-SVC-${name}`)),
		);
		expect(local.deliveries).toMatchObject([{ eventId: ids[0] }]);
		const { headers = {}, body = "" } = local.deliveries[0] ?? {};
		const options = { secret: local.webhookSecret, clock: local.clock };
		expect(verifyWebhook({ headers, body }, options)).toMatchObject({ eventId: ids[2] });
		const younger = Number(times[2]) - Number(times[0]);
		return `${new Set(ids).size} id, ${new Set(signatures).size} signatures, the last one ${younger} s younger`;
	}));

test("copies of a retry have one id, also under the reading that gives each retry a new one", async () => {
	const readings = ["each retry has a new event id", "webhooks arrive twice at once"] as const;
	const { local, received } = createReceivingGateway({ readings }, 500);
	await local.contact(ALICE).reply("Hi");
	await local.settled();
	const ids = received.map(({ headers }) => headers.get("X-SVC-Event-Id"));
	expect(ids).toEqual([ids[0], ids[0], ids[2], ids[2]]);
	expect(ids[2]).not.toBe(ids[0]);
});

/** The statuses of a message as they arrive, each with its second. */
const ORDERS: Outcomes<readonly [LocalGatewayOptions, ...number[]]> = {
	"sent 0.02, delivered 0.04, read 0.06": {
		"in the order of the message": [{}],
		"reading: events of a message share an id": [read("events of a message share an id")],
	},
	"sent 0.02, sent 1.02, sent 3.02, delivered 3.02, delivered 4.02, read 4.02": {
		"in the order of the message, also with retries": [{}, 500, 500, 200, 500],
	},
	"delivered 0.04, sent 1.02, read 1.06": { "without an order": [{ webhooks: { order: "none" } }] },
	"delivered 0.04, sent 1.02, delivered 1.04, read 1.06": {
		"without an order, a retry does not hold up the next one": [{ webhooks: { order: "none" } }, 500],
	},
};

describe("the statuses of a message arrive as", () =>
	testOutcomes(ORDERS, async ([options, ...answers]) => {
		const { local, received } = createReceivingGateway(options, ...answers);
		await sendText(local, ALICE);
		await local.settled();
		return received.map((delivery) => `${statusIn(delivery)} ${delivery.at / 1_000}`).join(", ");
	}));

test("under a reading the events of a message share an id", async () => {
	const { local, received } = createReceivingGateway({ readings: ["events of a message share an id"] });
	await sendText(local, ALICE);
	await local.settled();
	const ids = received.map(({ headers }) => headers.get("X-SVC-Event-Id"));
	expect(ids).toEqual(Array(3).fill(`evt_${local.sent[0]?.messageId}`));
});

test("another message does not wait for one that is retried", async () => {
	const { local } = createReceivingGateway({}, 500);
	await local.contact(ALICE).reply("first");
	await local.contact(ALICE).reply("second");
	await local.clock.advance(10);
	expect(local.deliveries.map(({ state }) => state)).toEqual(["pending", "delivered"]);
});

describe("encode", () => {
	test("turns a payload into any number of events, each with its id", async () => {
		const kinds: string[] = [];
		const { local, received } = createReceivingGateway({
			webhooks: {
				encode(payload, kind) {
					kinds.push(kind);
					if (payload["status"] === "sent") return [];
					return kind === "status" ? [payload] : [{ type: "contact_seen" }, { ...payload, accountId: 7 }];
				},
			},
		});
		await sendText(local, ALICE);
		await local.settled();
		await local.contact(ALICE).reply("Hi");
		await local.settled();
		expect(kinds).toEqual(["status", "status", "status", "inbound_message"]);
		expect(received.map(({ body }) => JSON.parse(body))).toMatchObject([
			{ status: "delivered" },
			{ status: "read" },
			{ type: "contact_seen" },
			{ type: "inbound_message", accountId: 7, text: "Hi" },
		]);
		expect(new Set(received.map(({ headers }) => headers.get("X-SVC-Event-Id"))).size).toBe(4);
	});

	test("is given the wire's names", async () => {
		const { local, received } = createReceivingGateway({
			profile: { vendor: { messageNumberField: "acmeNumber" } },
			webhooks: { encode: ({ acmeNumber }) => [{ acmeNumber }] },
		});
		await local.contact(ALICE).reply("Hi");
		await local.settled();
		expect(JSON.parse(received[0]?.body ?? "")).toEqual({ acmeNumber: "+15550000001" });
	});
});

/** The reactions that arrive after a tapback on a text of ours, and one that is added to the contact's text and removed. */
const TAPBACKS: Outcomes<readonly ReadingName[]> = {
	"": { "own tapbacks are not delivered": [] },
	'love from +15550000001 to +15551234567 on "Hello", love from +15550000001 to +15551234567 on "Hi"': {
		"reading: own tapbacks are delivered": ["own tapbacks are delivered"],
	},
};

describe("the reactions are", () =>
	testOutcomes(TAPBACKS, async (readings) => {
		const { local, received } = createReceivingGateway({ readings });
		const tapback = (messageGuid: string | null | undefined, action = "add") =>
			call(local, "POST", "/message/tapback", { messageGuid, action, reaction: "love" });
		await sendText(local, ALICE);
		await local.settled();
		await tapback(local.sent[0]?.messageGuid);
		const { messageGuid } = await local.contact(ALICE).reply("Hi");
		await tapback(messageGuid);
		await tapback(messageGuid, "remove");
		await local.settled();
		const reactions = received
			.map(({ body }) => JSON.parse(body))
			.filter(({ type }) => type === "inbound_reaction");
		expect(reactions.every(({ outbound }) => outbound)).toBe(true);
		expect(reactions.map(({ originalMessageGuid }) => originalMessageGuid)).toEqual(
			[local.sent[0]?.messageGuid, messageGuid].slice(0, reactions.length),
		);
		return reactions
			.map(({ reaction, from, to, originalText }) => `${reaction} from ${from} to ${to} on "${originalText}"`)
			.join(", ");
	}));

describe("a destination", () => {
	const inboundWebhookUrl = "https://a.example/inbound";
	const statusWebhookUrl = "http://localhost:3000/status";

	testOutcomes<readonly object[]>(
		{
			"no inbound, no status": {
				"is not set at first": [],
				"is unset by null": [
					{ inboundWebhookUrl, statusWebhookUrl },
					{ inboundWebhookUrl: null, statusWebhookUrl: null },
				],
			},
			[`${inboundWebhookUrl}, no status`]: { "of messages is set": [{ inboundWebhookUrl }] },
			[`${inboundWebhookUrl}, ${statusWebhookUrl}`]: {
				"stays if its field is absent": [{ inboundWebhookUrl }, { statusWebhookUrl }, {}],
			},
			[`no inbound, ${statusWebhookUrl}`]: {
				"is unset by an empty string": [{ inboundWebhookUrl, statusWebhookUrl }, { inboundWebhookUrl: "" }],
			},
		},
		async (bodies) => {
			const local = createFrozenGateway();
			let set = (await call(local, "GET", "/settings/webhooks")).body.data;
			for (const body of bodies) set = (await setWebhooks(local, body)).body.data;
			expect((await call(local, "GET", "/settings/webhooks")).body.data).toEqual(set);
			return `${set.inboundWebhookUrl ?? "no inbound"}, ${set.statusWebhookUrl ?? "no status"}`;
		},
	);

	testOutcomes<string>(
		{
			200: {
				"of https": "https://a.example",
				"on localhost": "http://localhost:8080/x",
				"on a subdomain of localhost": "http://app.localhost/x",
				"on a loopback address": "http://127.0.0.1:1/x",
				"on another loopback address": "http://127.1.2.3/x",
				"on the loopback address of IPv6": "http://[::1]:1/x",
			},
			"400 statusWebhookUrl must be an https URL without credentials; http is for localhost, *.localhost and loopback addresses":
				{
					"of http elsewhere": "http://a.example",
					"that begins like localhost": "http://localhost.example",
					"that begins like a loopback address": "http://127.0.0.1.example",
					"that ends like localhost": "http://notlocalhost",
					"in a private network": "http://10.0.0.1",
					"of http with a name": "http://user@localhost",
					"of https with a name": "https://user@a.example",
					"of https with a password": "https://:password@a.example",
				},
			"400 statusWebhookUrl must be an absolute http or https URL, or empty to unset it": {
				"of ftp": "ftp://a.example",
				"that is no URL": "nonsense",
			},
		},
		async (statusWebhookUrl) => {
			const local = createFrozenGateway();
			const { status, body } = await setWebhooks(local, { statusWebhookUrl, inboundWebhookUrl });
			if (status === 200) return "200";
			expect((await call(local, "GET", "/settings/webhooks")).body.data.inboundWebhookUrl).toBeNull();
			const [{ field, message }] = body.error.details;
			return `${status} ${field} ${message}`;
		},
	);

	test("that is not set gets nothing", async () => {
		const local = createFrozenGateway();
		await sendText(local, ALICE);
		await local.contact(ALICE).reply("Hi");
		await local.settled();
		expect(local.deliveries).toEqual([]);
	});

	test("is read at delivery", async () => {
		const { local, received } = createReceivingGateway({}, 500);
		await sendText(local, ALICE);
		await local.clock.advance(20);
		await setWebhooks(local, { statusWebhookUrl: "https://moved.example" });
		await local.clock.advance(1_000);
		expect(received.slice(0, 2).map(({ url }) => url)).toEqual([
			"http://receiver.localhost/webhooks",
			"https://moved.example/",
		]);
		expect(local.deliveries[0]?.url).toBe("https://moved.example");
	});

	test("that is unset meanwhile gets no further delivery", async () => {
		const { local, received } = createReceivingGateway({}, 500);
		await local.contact(ALICE).reply("Hi");
		await local.clock.advance(10);
		await setWebhooks(local, { inboundWebhookUrl: "" });
		await local.settled();
		expect(received).toHaveLength(1);
		expect(local.deliveries[0]).toMatchObject({ state: "failed" });
		expect(local.deliveries[0]?.attempts[1]).toMatchObject({ error: "the destination was unset" });
	});

	test("in deliverTo receives over the network, and a redirect is not followed", async () => {
		const posts: [string, string | undefined][] = [];
		vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
			posts.push([url, init.redirect]);
			return new Response();
		});
		const local = createFrozenGateway({ deliverTo: "https://app.example/hooks" });
		await local.contact(ALICE).reply("Hi");
		await local.settled();
		expect(posts).toEqual([["https://app.example/hooks", "manual"]]);
	});
});

describe("a message's own status_callback", () => {
	const status_callback = "https://callback.example/status";
	const statusWebhookUrl = "https://app.example/statuses";
	const ADDITIONAL: LocalGatewayOptions = { webhooks: { statusCallback: "additional" } };

	/** Where the last status of a message goes. */
	testOutcomes<readonly [LocalGatewayOptions, registered: object]>(
		{
			[status_callback]: {
				"wins over the registered one": [{}, { statusWebhookUrl }],
				"is where its statuses go without a registered one": [{}, {}],
				"additional, without a registered one, gets them alone": [ADDITIONAL, {}],
			},
			[`${status_callback} ${statusWebhookUrl}`]: {
				"additional, shares them with the registered one": [ADDITIONAL, { statusWebhookUrl }],
				"reading: a status goes to both URLs": [read("a status goes to both URLs"), { statusWebhookUrl }],
			},
		},
		async ([options, registered]) => {
			const own = { statusWebhookUrl: "", inboundWebhookUrl: "", ...registered };
			const local = createFrozenGateway({ deliverTo: () => new Response(), ...options });
			await setWebhooks(local, own);
			await sendText(local, ALICE, "Hello", { status_callback });
			await local.settled();
			const deliveries = local.deliveries.filter(({ body }) => JSON.parse(body).status === "read");
			expect(new Set(deliveries.map(({ eventId }) => eventId)).size).toBe(deliveries.length);
			return deliveries.map(({ url }) => url).join(" ");
		},
	);

	test("is fixed at send time, is for its message alone, and leaves the inbound URL alone", async () => {
		const { local, received } = createReceivingGateway();
		await sendText(local, ALICE, "Hello", { status_callback });
		await setWebhooks(local, { statusWebhookUrl: "https://later.example/status" });
		await sendText(local, ALICE, "Another");
		await local.settled();
		await local.contact(ALICE).reply("Hi");
		await local.settled();
		const urlsOf = (text: string) =>
			new Set(received.flatMap(({ url, body }) => (JSON.parse(body).text === text ? [url] : [])));
		expect([urlsOf("Hello"), urlsOf("Another"), urlsOf("Hi")]).toEqual([
			new Set([status_callback]),
			new Set(["https://later.example/status"]),
			new Set(["http://receiver.localhost/webhooks"]),
		]);
	});
});
