import { createWebhookHandler, memoryStore, type WebhookHandlerOptions } from "messaging-gateway/webhooks";
import { toExpress } from "messaging-gateway/webhooks/express";
import { toFastify } from "messaging-gateway/webhooks/fastify";
import { toHono } from "messaging-gateway/webhooks/hono";
import { toNode } from "messaging-gateway/webhooks/node";
import { describe, expect } from "vitest";
import { ConfigurationError } from "../../../../src/library/errors.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { createReceiver } from "../../../support/webhook-receiver.ts";

/** What a function makes, or the error's message: it is a ConfigurationError. */
function outcomeOf(make: () => unknown): string {
	try {
		return typeof make() === "function" ? "a function" : "an object";
	} catch (error) {
		expect(error).toBeInstanceOf(ConfigurationError);
		expect(error).toMatchObject({ code: "configuration" });
		return (error as Error).message;
	}
}

const { store } = createReceiver();
const on = { unknown: () => undefined };
const handle = () => undefined;
const inbox = { run: async () => ({ status: "ended" }) };
const clock = { now: () => 0, setTimer: () => () => undefined };
const STORE = "store must be what memoryStore(), redisStore(fromNodeRedis(client)) or another store returns";
const INBOX = "inbox must be what postgresInbox(pool) returns";

/** Options beside a store that is not in memory, and a handler of unknown events. */
const OPTIONS: Outcomes<object> = {
	"an object": {
		none: {},
		"each option that there is": {
			secret: "whsec-1",
			consumer: "notes",
			onError: handle,
			hooks: { aroundHandler: handle, onResponse: handle },
			clock,
			profile: { vendor: { headerPrefix: "Acme" } },
			leaseMs: 1,
			maxHandlerMs: 1,
			maxBodyBytes: 1,
			storeTimeoutMs: 1,
			retentionMs: 1e9,
			toleranceSeconds: 0,
		},
		"each option that there is, undefined": {
			...{ secret: undefined, consumer: undefined, onError: undefined, hooks: undefined, clock: undefined },
			...{ profile: undefined, leaseMs: undefined, maxHandlerMs: undefined, maxBodyBytes: undefined },
			...{ storeTimeoutMs: undefined, retentionMs: undefined, toleranceSeconds: undefined },
			...{ inbox: undefined, enqueue: undefined },
		},
		"an inbox instead of a store": { store: undefined, inbox },
		"a queue instead of handlers": { on: undefined, enqueue: handle },
		"a handler of each kind": {
			on: { inbound_message: handle, inbound_reaction: handle, status: handle, unknown: handle },
		},
		"a consumer of letters, digits, dots, underscores and hyphens": { consumer: "Chat_v1.2-eu" },
		"a consumer of 64 letters": { consumer: "a".repeat(64) },
		"a store in memory": { store: memoryStore() },
		"a tolerance of an hour in memory": { store: memoryStore(), toleranceSeconds: 3_600 },
		"a tolerance of an hour in a copy of memoryStore": {
			store: { ...memoryStore() },
			toleranceSeconds: 3_600,
		},
		"a tolerance above an hour elsewhere": { toleranceSeconds: 3_601 },
		"a tolerance of a day": { toleranceSeconds: 86_400 },
		"a tolerance of a day in an inbox": { store: undefined, inbox, toleranceSeconds: 86_400 },
		"the shortest retention": { retentionMs: 901_000 },
		"the shortest retention without a tolerance": { retentionMs: 315_000, toleranceSeconds: 0 },
		"the shortest retention with a tolerance of an hour": { retentionMs: 4_201_000, toleranceSeconds: 3_600 },
		"the shortest retention with long runs": { retentionMs: 1_000_001, maxHandlerMs: 1e6, leaseMs: 1 },
		"a secret in bytes": { secret: Buffer.from("whsec-1") },
		"a list of secrets": { secret: ["whsec-1"] },
		"a secret that is null, which the first delivery reports": { secret: null },
		"a function that finds a secret": { secret: handle },
		"a secret of the platform": { secret: { fromPlatform: handle } },
	},
	"store is required. Use memoryStore() in development, and redisStore, postgresStore, … in production": {
		"no store": { store: undefined },
	},
	[STORE]: {
		"a store with claim alone": { store: { claim: handle } },
		"a store without release": { store: { ...memoryStore(), release: undefined } },
	},
	[`${STORE}. You passed null`]: { "a store that is null": { store: null } },
	"Give either store or inbox, not both": { "both a store and an inbox": { inbox } },
	"leaseMs is for a store: an inbox holds an event for maxHandlerMs at most": {
		"an inbox with a lease": { store: undefined, inbox, leaseMs: 1_000 },
	},
	[INBOX]: { "an inbox that is a pool": { store: undefined, inbox: { query: handle } } },
	[`${INBOX}. You passed null`]: { "an inbox that is null": { store: undefined, inbox: null } },
	"onError must be a function": {
		"onError that is a number": { onError: 5 },
		"onError that is an object": { onError: {} },
	},
	"clock must be an object with the functions now, setTimer": {
		"a clock without setTimer": { clock: { now: () => 0 } },
		"a clock without now": { clock: { setTimer: () => handle } },
		"a clock that is a number": { clock: 5 },
	},
	"hooks.aroundHandler must be a function": {
		"aroundHandler that is a string": { hooks: { aroundHandler: "span" } },
	},
	"hooks.onResponse must be a function": { "onResponse that is a string": { hooks: { onResponse: "log" } } },
	'Unknown option "aroundHandle" of hooks. Did you mean "aroundHandler"?': {
		"a misspelt hook": { hooks: { aroundHandle: handle } },
	},
	"profile.events.decode must be a function": {
		"a decoder that is no function": { profile: { events: { decode: "decode" } } },
	},
	"enqueue must be a function": { "a queue that is a string": { on: undefined, enqueue: "queue" } },
	"Add on, or enqueue: without it every event would be acknowledged unseen": {
		"neither handlers nor a queue": { on: undefined },
	},
	"Give either on or enqueue, not both": { "both handlers and a queue": { enqueue: handle } },
	'Unknown option "tolerance". Did you mean "toleranceSeconds"?': { "a misspelt option": { tolerance: 5 } },
	'Unknown option "colour": remove it, or use secret, store, inbox, consumer, on, enqueue, onError, hooks, toleranceSeconds, maxBodyBytes, leaseMs, maxHandlerMs, retentionMs, storeTimeoutMs, clock, profile':
		{
			"an option of nothing here": { colour: "blue" },
		},
	'Unknown option "bindDelivery": every delivery is bound to the first event id that comes with it, so leave it out':
		{ "an option that is gone": { bindDelivery: false } },
	'Unknown option "methods": the handler accepts every method whose requests have a body; to accept fewer, check the method in your route':
		{ "methods, which are checked elsewhere": { methods: ["POST"] } },
	'Unknown option "inbound_mesage" of on. Did you mean "inbound_message"?': {
		"a misspelt kind of event": { on: { ...on, inbound_mesage: handle } },
	},
	"on.status must be a function": { "a handler that is no function": { on: { ...on, status: "log" } } },
	"on.unknown is missing: events that this version doesn't know would be acknowledged and lost. Add unknown: ({ eventId }, { readBody }) => …, and save what readBody() returns":
		{
			"no handlers": { on: {} },
			"handlers of other kinds": { on: { inbound_message: handle, status: handle } },
			"a handler of unknown events that is undefined, as a lookup may be": { on: { unknown: undefined } },
		},
	"consumer must be 1 to 64 letters, digits, dots, underscores or hyphens": {
		"an empty consumer": { consumer: "" },
		"a consumer with a colon": { consumer: "a:b" },
		"a consumer with a colon at its start": { consumer: ":b" },
		"a consumer with a newline": { consumer: "a\n" },
		"a consumer of 65 letters": { consumer: "a".repeat(65) },
	},
	"toleranceSeconds must be 0 to 3600 seconds with memoryStore, or 0 to 86400 with another store": {
		"a negative tolerance": { toleranceSeconds: -1 },
		"an endless tolerance": { toleranceSeconds: Number.POSITIVE_INFINITY },
		"a tolerance beyond a day": { toleranceSeconds: 86_401 },
		"a tolerance in milliseconds": { toleranceSeconds: 300_000, retentionMs: 1e13 },
	},
	"toleranceSeconds above 3600 needs a store other than memoryStore, which can't hold that many deliveries, and forgets them on a restart":
		{
			"a tolerance above an hour in memory": { store: memoryStore(), toleranceSeconds: 3_601 },
			"a tolerance above an hour in a copy of memoryStore": {
				store: { ...memoryStore() },
				toleranceSeconds: 3_601,
			},
		},
	"retentionMs must be at least 901000, because toleranceSeconds accepts a copy for that long": {
		"a retention shorter than the tolerance": { retentionMs: 900_999 },
	},
	"retentionMs must be at least 4201000, because toleranceSeconds accepts a copy for that long": {
		"a retention shorter than a tolerance of an hour": { retentionMs: 4_200_999, toleranceSeconds: 3_600 },
	},
	"retentionMs must be at least 315000, which is maxHandlerMs + leaseMs": {
		"a retention shorter than the longest run": { retentionMs: 314_999, toleranceSeconds: 0 },
	},
	"retentionMs must be at least 1000001, which is maxHandlerMs + leaseMs": {
		"a retention shorter than long runs": { retentionMs: 1_000_000, maxHandlerMs: 1e6, leaseMs: 1 },
	},
	"secret must be a string, bytes, a list, a function, or an object with the function fromPlatform": {
		"a secret in an object": { secret: { value: "whsec-1" } },
		"an empty object as a secret": { secret: {} },
		"a fromPlatform that is no function": { secret: { fromPlatform: "whsec-1" } },
		"a misspelt fromPlatform": { secret: { fromPlatfrom: handle } },
	},
	...Object.fromEntries(
		["maxBodyBytes", "leaseMs", "maxHandlerMs", "retentionMs", "storeTimeoutMs"].map((name) => [
			`${name} must be a number above 0`,
			Object.fromEntries(
				[0, -1, Number.NaN, Number.POSITIVE_INFINITY, "5"].map((value) => [
					`${name} of ${JSON.stringify(value)}, ${value}`,
					{ [name]: value },
				]),
			),
		]),
	),
};

describe("createWebhookHandler with", () => {
	testOutcomes(OPTIONS, (options) =>
		outcomeOf(() => createWebhookHandler({ store, on, ...options } as WebhookHandlerOptions)),
	);
});

describe("createWebhookHandler of", () => {
	const NEEDS = "createWebhookHandler needs options: createWebhookHandler({ store, on }). You passed";
	const GIVEN: Outcomes<unknown> = {
		[`${NEEDS} undefined`]: { nothing: undefined },
		[`${NEEDS} null`]: { null: null },
		[`${NEEDS} a string`]: { "a secret": "whsec-1" },
		[`${NEEDS} a number`]: { "a number": 5 },
	};
	testOutcomes(GIVEN, (given) => outcomeOf(() => createWebhookHandler(given as WebhookHandlerOptions)));
});

describe.each(Object.entries({ toExpress, toFastify, toHono, toNode }))("%s of", (name, adapt) => {
	const { handler } = createReceiver();
	const NEEDS = `${name} needs a webhook handler: ${name}(createWebhookHandler({ … }))`;
	const GIVEN: Outcomes<unknown> = {
		"a function": {
			"a handler": handler,
			"something that handles as one does": { ...handler, handle: async () => ({}) },
		},
		[NEEDS]: {
			nothing: undefined,
			null: null,
			"the options": { store: memoryStore() },
			"a function": handle,
			"a promise of a handler": Promise.resolve(handler),
		},
	};
	testOutcomes(GIVEN, (given) => outcomeOf(() => adapt(given as typeof handler)));
});
