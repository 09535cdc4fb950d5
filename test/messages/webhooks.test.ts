import { readFileSync } from "node:fs";
import { postgresStore } from "messaging-gateway/stores/postgres";
import { fromNodeRedis, redisStore } from "messaging-gateway/stores/redis";
import {
	createWebhookHandler,
	memoryStore,
	PermanentWebhookError,
	signWebhook,
	verifySignature,
	verifyWebhook,
	verifyWebhookRequest,
	type WebhookErrorContext,
	type WebhookHandlerOptions,
} from "messaging-gateway/webhooks";
import { captureFailures } from "messaging-gateway/webhooks/capture";
import { toExpress } from "messaging-gateway/webhooks/express";
import { toFastify } from "messaging-gateway/webhooks/fastify";
import { toHono } from "messaging-gateway/webhooks/hono";
import { toNode } from "messaging-gateway/webhooks/node";
import { expect, test } from "vitest";
import { settle } from "../support/counting-clock.ts";
import { throwing } from "../support/throwing.ts";
import { deliver, receiver, signedAt, webhookSecret } from "../support/webhook-delivery.ts";
import { createReceiver, type Delivery } from "../support/webhook-receiver.ts";
import { describeMessages } from "./message-table.ts";

/** What a user in plain JavaScript calls. */
type Untyped = (...given: readonly unknown[]) => unknown;

const on = { unknown: () => undefined };

function create(options: object): unknown {
	return (createWebhookHandler as Untyped)({ secret: webhookSecret, store: memoryStore(), on, ...options });
}

describeMessages("options of createWebhookHandler", [
	[
		"none",
		() => (createWebhookHandler as Untyped)(),
		"createWebhookHandler needs options: createWebhookHandler({ store, on }). You passed undefined",
	],
	[
		"no handlers",
		() => create({ on: undefined }),
		"Add on, or enqueue: without it every event would be acknowledged unseen",
	],
	[
		"no handler of unknown events",
		() => create({ on: {} }),
		"on.unknown is missing: events that this version doesn't know would be acknowledged and lost. Add unknown: ({ eventId }, { readBody }) => …, and save what readBody() returns",
	],
	["handlers and a queue", () => create({ enqueue: () => undefined }), "Give either on or enqueue, not both"],
	[
		"a handler that is no function",
		() => create({ on: { ...on, status: "log" } }),
		"on.status must be a function",
	],
	["a time in words", () => create({ maxHandlerMs: "5s" }), "maxHandlerMs must be a number above 0"],
	[
		"a retention of a second",
		() => create({ retentionMs: 1_000 }),
		"retentionMs must be at least 901000, because toleranceSeconds accepts a copy for that long",
	],
	[
		"a retention below the longest run",
		() => create({ retentionMs: 1_000, toleranceSeconds: 0 }),
		"retentionMs must be at least 315000, which is maxHandlerMs + leaseMs",
	],
	[
		"a tolerance in milliseconds",
		() => create({ toleranceSeconds: 300_000 }),
		"toleranceSeconds must be 0 to 3600 seconds with memoryStore, or 0 to 86400 with another store",
	],
	[
		"a tolerance of two hours in memory",
		() => create({ toleranceSeconds: 7_200 }),
		"toleranceSeconds above 3600 needs a store other than memoryStore, which can't hold that many deliveries, and forgets them on a restart",
	],
	[
		"a consumer with a colon",
		() => create({ consumer: "a:b" }),
		"consumer must be 1 to 64 letters, digits, dots, underscores or hyphens",
	],
	[
		"a misspelt option",
		() => create({ tolerance: 5 }),
		'Unknown option "tolerance". Did you mean "toleranceSeconds"?',
	],
	[
		"another case",
		() => create({ onerror: () => undefined }),
		'Unknown option "onerror". Did you mean "onError"?',
	],
	[
		"an option of nothing here",
		() => create({ colour: "blue" }),
		'Unknown option "colour": remove it, or use secret, store, inbox, consumer, on, enqueue, onError, hooks, toleranceSeconds, maxBodyBytes, leaseMs, maxHandlerMs, retentionMs, storeTimeoutMs, clock, profile',
	],
	[
		"a misspelt kind of event",
		() => create({ on: { ...on, inbound_mesage: () => undefined } }),
		'Unknown option "inbound_mesage" of on. Did you mean "inbound_message"?',
	],
	[
		"a misspelt hook",
		() => create({ hooks: { onresponse: () => undefined } }),
		'Unknown option "onresponse" of hooks. Did you mean "onResponse"?',
	],
	[
		"an option that is gone",
		() => create({ bindDelivery: false }),
		'Unknown option "bindDelivery": every delivery is bound to the first event id that comes with it, so leave it out',
	],
	[
		"several mistakes at once",
		() => create({ store: "redis://localhost", on: {}, maxHandlerMs: "5s", tolerance: 5 }),
		'Unknown option "tolerance". Did you mean "toleranceSeconds"?\nstore must be what memoryStore(), redisStore(fromNodeRedis(client)) or another store returns. You passed a string\non.unknown is missing: events that this version doesn\'t know would be acknowledged and lost. Add unknown: ({ eventId }, { readBody }) => …, and save what readBody() returns\nmaxHandlerMs must be a number above 0',
	],
	[
		"a secret in an object",
		() => create({ secret: { value: webhookSecret } }),
		"secret must be a string, bytes, a list, a function, or an object with the function fromPlatform",
	],
]);

const EXPLAIN =
	"Save the headers, an empty line and the raw body to a file: `npx messaging-gateway verify webhook FILE --explain` shows why.";
const AGAIN = "The event wasn't acknowledged: expect it again only if your gateway retries.";

/** What a person wrote, and what a database says of its user: both stay out of every line. */
const PRIVATE = "password of +15551234567";

interface Printed extends Delivery {
	/** How often it is delivered; all but the last time are not printed. */
	times?: number;
	/** What the adapter says about the body. */
	hint?: string;
}

/** What the documented `onError` prints of a delivery; an error that is printed after the line stands in a line of its own. */
async function print(options: object, { times = 1, hint, ...delivery }: Printed = {}): Promise<string> {
	let printed: string[] = [];
	const console = {
		error: (...shown: readonly unknown[]) => {
			printed.push(...shown.map(String));
		},
	};
	const { clock, sign } = createReceiver();
	const webhooks = createWebhookHandler({
		secret: webhookSecret,
		store: memoryStore({ clock }),
		clock,
		on,
		onError: (_, { line, thrown }) => console.error(line, ...thrown),
		...options,
	} as WebhookHandlerOptions);
	for (let time = 0; time < times; time++) {
		printed = [];
		const { body, headers } = sign(delivery);
		await settle(clock, webhooks.handle({ headers, body: delivery.handedOver ?? body, hint }), 5_000);
	}
	return printed.join("\n");
}

const failing = throwing(new TypeError(PRIVATE));
const failed = { on: { inbound_message: failing, unknown: failing } };

describeMessages("onError prints each thing once: a rejected delivery", [
	[
		"another secret",
		() => print({}, { secret: "other" }),
		`messaging-gateway: signature_mismatch: Not acknowledged: no signature matches the raw body: check the secret, and that nothing parsed or changed the body before. ${EXPLAIN}`,
	],
	[
		"one from a quarter of an hour ago",
		() => print({}, { headers: { "x-svc-timestamp": String(signedAt - 1_000) } }),
		`messaging-gateway: timestamp_out_of_tolerance: Not acknowledged: signed 1000 s before it arrived; the limit is 300 s. It's a replay, it was late, or a clock is wrong. Correct the clock, or raise toleranceSeconds for late deliveries. ${EXPLAIN}`,
	],
	[
		"one from the future",
		() => print({}, { headers: { "x-svc-timestamp": String(signedAt + 1_000) } }),
		`messaging-gateway: timestamp_out_of_tolerance: Not acknowledged: signed 1000 s after it arrived; the limit is 300 s. Correct the clock that is wrong: this machine's, or the gateway's. ${EXPLAIN}`,
	],
	[
		"a header is missing",
		() => print({}, { headers: { "x-svc-signature": undefined } }),
		`messaging-gateway: missing_header: Not acknowledged: the request has no X-SVC-Signature, so it isn't from your gateway, or a proxy removed the header. If your gateway names it otherwise, set profile.vendor.headerPrefix. ${EXPLAIN}`,
	],
	[
		"a parsed body",
		() => print({}, { handedOver: { text: PRIVATE } }),
		"messaging-gateway: raw_body_unavailable: Not acknowledged: the body was parsed or read first: pass the raw bytes, since re-serialized JSON has a different signature. Put the webhook handler before your body parser, or let what runs before it read request.clone().",
	],
	[
		"no secret",
		() => print({ secret: "" }),
		"messaging-gateway: configuration: Not acknowledged: The webhook secret is empty. Pass `secret`, or set MESSAGING_GATEWAY_WEBHOOK_SECRET.",
	],
	[
		"a secret with a line break",
		() => print({ secret: `${webhookSecret}\n` }),
		"messaging-gateway: configuration: Not acknowledged: The webhook secret has a line break in it: remove it.",
	],
	[
		"an unknown tenant",
		() => print({ secret: () => undefined }),
		`messaging-gateway: signature_mismatch: Not acknowledged: your secret function returned no secret. If the tenant is yours, add its secret; otherwise ignore this. ${EXPLAIN}`,
	],
	[
		"a decoder that throws",
		() => print({ profile: { events: { decode: throwing(new TypeError("no such field")) } } }),
		"messaging-gateway: decode_failed (event evt_1): Not acknowledged: profile.events.decode threw. Fix the decoder: its error is the cause.\nTypeError: no such field",
	],
]);

describeMessages("onError prints each thing once: a handler", [
	[
		"that throws",
		() => print(failed),
		`messaging-gateway: handler_failed (inbound_message evt_1, attempt 1, TypeError): Your handler threw. ${AGAIN}\nTypeError: ${PRIVATE}`,
	],
	[
		"that throws each time",
		() => print(failed, { times: 3 }),
		`messaging-gateway: handler_failed (inbound_message evt_1, attempt 3, TypeError): Your handler threw in attempt 3. If this event can never succeed, throw PermanentWebhookError, which acknowledges it. ${AGAIN}\nTypeError: ${PRIVATE}`,
	],
	[
		"that gives the event up",
		() => print({ on: { ...on, inbound_message: throwing(new PermanentWebhookError("no such order")) } }),
		"messaging-gateway: event_given_up (inbound_message evt_1, attempt 1, PermanentWebhookError): Your handler gave up on the event, so it is acknowledged.\nPermanentWebhookError: no such order",
	],
	[
		"that never ends",
		() => print({ maxHandlerMs: 1_000, on: { ...on, inbound_message: () => new Promise(() => undefined) } }),
		`messaging-gateway: handler_timed_out (inbound_message evt_1, attempt 1, LeaseEndedError): Your handler ran longer than maxHandlerMs, 1000 ms, and may still run. Stop it when its signal aborts, or raise maxHandlerMs. ${AGAIN}`,
	],
	[
		"whose hook throws",
		() => print({ hooks: { onResponse: failing } }),
		`messaging-gateway: hook_failed (inbound_message evt_1, TypeError): hooks.onResponse threw. The event and its response are unaffected: fix the hook.\nTypeError: ${PRIVATE}`,
	],
]);

const TABLE_MISSING =
	"the table messaging_gateway_records is missing. Call createTable() once, run the SQL of postgresTable(), or pass createIfMissing: true";

/** A store on a database whose client fails with this error. */
function failingStore(error: Error): object {
	return { store: postgresStore({ query: () => Promise.reject(error) }) };
}

function coded(code: string): Error {
	return Object.assign(new Error(PRIVATE), { code });
}

/** A store of which one method fails in this way. */
function broken(method: "claim" | "complete" | "release", fault: "reject" | "hang"): object {
	const store = memoryStore();
	const fail =
		fault === "hang" ? () => new Promise(() => undefined) : () => Promise.reject(new Error(PRIVATE));
	return { store: { ...store, [method]: fail } };
}

describeMessages("onError prints each thing once: a store", [
	[
		"whose server is down",
		() => print(failingStore(coded("ECONNREFUSED"))),
		`messaging-gateway: store_unavailable (inbound_message evt_1, Error): The store failed: ECONNREFUSED. Start its server, or correct its address. ${AGAIN}\nError: ${PRIVATE}`,
	],
	[
		"whose client says nothing in a fixed form",
		() => print(failingStore(coded("+15551234567"))),
		`messaging-gateway: store_unavailable (inbound_message evt_1, Error): The store failed: its error says why. ${AGAIN}\nError: ${PRIVATE}`,
	],
	[
		"whose error was wrapped",
		() => print(failingStore(new Error("query failed", { cause: coded("ECONNRESET") }))),
		`messaging-gateway: store_unavailable (inbound_message evt_1, Error): The store failed: ECONNRESET. The connection broke: check its server. ${AGAIN}\nError: query failed`,
	],
	[
		"without its table",
		() => print(failingStore(coded("42P01"))),
		`messaging-gateway: store_unavailable (inbound_message evt_1, StoreError): The store failed: ${TABLE_MISSING}. ${AGAIN}\nError: ${PRIVATE}`,
	],
	[
		"without its table, which a library hides",
		() => print(failingStore(new Error("query failed", { cause: coded("42P01") }))),
		`messaging-gateway: store_unavailable (inbound_message evt_1, StoreError): The store failed: ${TABLE_MISSING}. ${AGAIN}\nError: query failed`,
	],
	[
		"whose client renames columns",
		() => print({ store: postgresStore({ query: async () => ({ rows: [{}] }) }) }),
		`messaging-gateway: store_unavailable (inbound_message evt_1, StoreError): The store failed: your client renames columns, for example to camelCase, so its rows can't be read. Turn that off for this client, or pass another. ${AGAIN}`,
	],
	[
		"whose client has other reply types",
		() => print({ store: redisStore({ eval: async () => PRIVATE }) }),
		`messaging-gateway: store_unavailable (inbound_message evt_1, StoreError): The store failed: your client changes the types of replies, so they can't be read. Pass a client with the default types. ${AGAIN}`,
	],
	[
		"that is a replica",
		() => {
			const reply = async () =>
				throwing(new Error("READONLY You can't write against a read only replica."))();
			return print({ store: redisStore(fromNodeRedis({ eval: reply, evalSha: reply })) });
		},
		`messaging-gateway: store_unavailable (inbound_message evt_1, StoreError): The store failed: Redis is a replica, which takes no writes: connect to the primary, through Sentinel or a cluster's client if it changes. ${AGAIN}\nError: READONLY You can't write against a read only replica.`,
	],
	[
		"in memory that is full",
		() => {
			const store = memoryStore({ maxEntries: 1 });
			void store.claim("default:evt_0", { leaseMs: 60_000, retentionMs: 60_000 });
			return print({ store });
		},
		`messaging-gateway: store_unavailable (inbound_message evt_1, StoreError): The store failed: the memory store is full: it holds maxEntries, 1 events. Raise maxEntries, or use redisStore, postgresStore, …. ${AGAIN}`,
	],
	[
		"that hangs",
		() => print(broken("claim", "hang")),
		`messaging-gateway: store_unavailable (inbound_message evt_1, StoreError): The store failed: no response within storeTimeoutMs, 5000 ms. Check the store's server, and that its Pool has free connections. ${AGAIN}`,
	],
	[
		"that cannot record the event",
		() => print(broken("complete", "reject")),
		`messaging-gateway: not_recorded (inbound_message evt_1, attempt 1, Error): The event was processed, but the store couldn't record it: its error says why. If the gateway repeats it, your handler runs again: make it safe to run twice.\nError: ${PRIVATE}`,
	],
	[
		"that cannot release the event",
		async () => {
			const printed = await print({ ...broken("release", "reject"), ...failed });
			return printed.slice(printed.indexOf("messaging-gateway: not_released"));
		},
		`messaging-gateway: not_released (inbound_message evt_1, attempt 1, Error): The store couldn't release the event: its error says why. A repeat can run once its lease is over, in 15000 ms (leaseMs) at most. If this goes on, check the store's server.\nError: ${PRIVATE}`,
	],
]);

const { body, headers } = deliver("{}");

describeMessages("verifying alone", [
	[
		"no arguments",
		() => (verifyWebhook as Untyped)(),
		"verifyWebhook needs the request's body and headers, then options: verifyWebhook({ body, headers }, { secret })",
	],
	[
		"arguments in a row",
		() => (verifySignature as Untyped)(body, headers, webhookSecret),
		"verifySignature needs the request's body and headers, then options: verifySignature({ body, headers }, { secret })",
	],
	[
		"a parsed body, without any headers",
		() => (verifyWebhook as Untyped)({ body: { text: PRIVATE }, headers: {} }, receiver()),
		"body must be the raw string or bytes, but is an object. Read it before anything parses it: re-serialized JSON has a different signature",
	],
	[
		"no body",
		() => (verifyWebhook as Untyped)({ headers }, receiver()),
		"body must be the raw string or bytes, but is undefined. Read it before anything parses it: re-serialized JSON has a different signature",
	],
	[
		"no headers",
		() => verifyWebhook({ body, headers: {} }, receiver()),
		"headers is missing or empty: pass all headers of the request, such as Node's request.headers",
	],
	[
		"headers in a Map",
		() => (verifyWebhook as Untyped)({ body, headers: new Map(Object.entries(headers)) }, receiver()),
		"headers is a list or a Map: pass the request's Headers, or a plain object such as Node's request.headers",
	],
	[
		"headers in pairs",
		() => (verifyWebhook as Untyped)({ body, headers: Object.entries(headers) }, receiver()),
		"headers is a list or a Map: pass the request's Headers, or a plain object such as Node's request.headers",
	],
	[
		"a secret with quotes",
		() => verifyWebhook({ body, headers }, { ...receiver(), secret: `"${webhookSecret}"` }),
		"The webhook secret has quotes around it: remove them",
	],
	[
		"the name of a variable in place of its value",
		() => verifyWebhook({ body, headers }, { ...receiver(), secret: "$" + "{WEBHOOK_SECRET}" }),
		"The webhook secret is the name of a variable that wasn't expanded: pass its value",
	],
	[
		"a tolerance in milliseconds",
		() => verifyWebhook({ body, headers }, { ...receiver(), toleranceSeconds: 300_000 }),
		"toleranceSeconds must be a number from 0 to 3600",
	],
	[
		"a request of Express",
		() => (verifyWebhookRequest as Untyped)({ headers, body: {} }, receiver()),
		"verifyWebhookRequest needs a Request of the Fetch API. With Express, pass the raw body to verifyWebhook({ body, headers: request.headers }, { secret })",
	],
	[
		"signWebhook()",
		() => (signWebhook as Untyped)(),
		"signWebhook needs a body and a secret: signWebhook({ body, secret })",
	],
]);

describeMessages("adapters of something else", [
	[
		"toExpress()",
		() => (toExpress as Untyped)(),
		"toExpress needs a webhook handler: toExpress(createWebhookHandler({ … }))",
	],
	[
		"toNode({ store })",
		() => (toNode as Untyped)({ store: memoryStore() }),
		"toNode needs a webhook handler: toNode(createWebhookHandler({ … }))",
	],
	[
		"toFastify(webhooks.fetch)",
		() => (toFastify as Untyped)(() => undefined),
		"toFastify needs a webhook handler: toFastify(createWebhookHandler({ … }))",
	],
	[
		"toHono(null)",
		() => (toHono as Untyped)(null),
		"toHono needs a webhook handler: toHono(createWebhookHandler({ … }))",
	],
]);

describeMessages("captureFailures", [
	[
		"without write",
		() => (captureFailures as Untyped)({}),
		"write is required. It keeps each file, for example on a disk: (name, file) => writeFile(path, file)",
	],
	[
		"with a short key",
		() => captureFailures({ write: () => undefined, key: "abc" }),
		"key must be 32 bytes, or their base64, as `openssl rand -base64 32` prints it",
	],
]);

/** Every code that `onError` gets, without those of responses that it does not get; the client's errors have `configuration`, too. */
const CODES: Readonly<
	Record<Exclude<WebhookErrorContext["code"], "configuration" | "method_not_allowed" | "in_flight">, true>
> = {
	missing_header: true,
	malformed_header: true,
	timestamp_out_of_tolerance: true,
	signature_mismatch: true,
	raw_body_unavailable: true,
	body_too_large: true,
	invalid_json: true,
	several_events: true,
	decode_failed: true,
	handler_failed: true,
	handler_timed_out: true,
	lease_lost: true,
	lease_at_risk: true,
	store_unavailable: true,
	not_recorded: true,
	not_released: true,
	record_lost: true,
	event_given_up: true,
	event_id_reused: true,
	hook_failed: true,
};

test("each code of a webhook has a row on the page of errors, which says what to do", () => {
	const rows = readFileSync("docs/errors.md", "utf8").matchAll(/^\| <a id="(\w+)"><\/a>`\1` \| \S.* \|$/gm);
	expect(Array.from(rows, ([, code]) => code)).toEqual(expect.arrayContaining(Object.keys(CODES)));
});
