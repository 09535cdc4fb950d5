import { inspect } from "node:util";
import type { IncomingDelivery } from "messaging-gateway/webhooks";
import { describe, expect, test, vi } from "vitest";
import { countedStream, streamOf } from "../../../support/body-streams.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { throwing } from "../../../support/throwing.ts";
import { toRequest, URL_OF_APP } from "../../../support/to-request.ts";
import { signedAt, webhookSecret, webhookSignature } from "../../../support/webhook-delivery.ts";
import {
	createReceiver,
	type Delivery,
	type Receiver,
	showResponse,
} from "../../../support/webhook-receiver.ts";

const PRIVATE = "private text";
const SECRETS = [PRIVATE, webhookSecret, webhookSignature(PRIVATE), "Hello", "+1555"];
const EXPLAIN =
	"Save the headers, an empty line and the raw body to a file: `npx messaging-gateway verify webhook FILE --explain` shows why";

const IDENTIFIED = { eventId: "evt_1", timestamp: signedAt };
/** What the signature covers is known of these. */
const SIGNED = ["invalid_json", "several_events", "decode_failed"];

/** The response to a delivery, and what is reported of it, with what follows from that for each. */
async function outcomeOf(
	deliver: (receiver: Receiver) => Promise<string>,
	options: object = {},
): Promise<string> {
	const onResponse = vi.fn();
	const receiver = createReceiver({ hooks: { onResponse }, ...options });
	const { calls, reports, reported, clock } = receiver;
	const response = await deliver(receiver);
	const [status = "", code] = response.split(" ");
	expect([onResponse.mock.calls.length, clock.openTimers]).toEqual([1, 0]);
	if (status === "200") {
		expect(reports).toEqual([]);
		return response;
	}
	// Without a verified event, nothing identifies it, and no store is called.
	const unidentified = { eventId: undefined, kind: undefined, isRepeat: false, durationMs: 0 };
	expect(onResponse.mock.lastCall?.[0]).toEqual({ ...unidentified, status: Number(status), code });
	expect(calls).toEqual([]);
	if (status === "405") {
		expect(reports).toEqual([]);
		return response;
	}
	const [{ error, hint, ...about } = { error: undefined, hint: "" }, ...others] = reports;
	expect(error).toMatchObject({ name: "WebhookVerificationError", status: Number(status), code });
	const { message } = error as Error;
	expect(reported()).toEqual([`${code}: ${message}`]);
	// What a saved delivery shows; its sentence may end with a mark of its own.
	expect(hint).toBe(`Not acknowledged: ${message}${Number(status) > 401 ? "" : `. ${EXPLAIN}`}`);
	expect(hint).not.toMatch(/[.?!]\./);
	expect([about, others]).toEqual([SIGNED.includes(code ?? "") ? IDENTIFIED : {}, []]);
	const shown = `${inspect(reports, { depth: 10, showHidden: true })} ${JSON.stringify(error)}`;
	for (const secret of SECRETS) expect(shown).not.toContain(secret);
	return `${response}: ${message}`;
}

/** A delivery, and how it is given to `handle` otherwise. */
interface Arrival extends Omit<Delivery, "headers"> {
	readonly headers?: object;
	readonly given?: object;
	readonly options?: object;
	/** What was read of the body. */
	readonly read?: () => string;
}

async function outcomeOfHandle({ given, options, read, ...delivery }: Arrival): Promise<string> {
	const seen: unknown[] = [];
	const on = { unknown: ({ data }: { data: unknown }) => void seen.push(data) };
	const outcome = await outcomeOf(
		async ({ handler, sign }) => {
			const { body, headers } = sign(delivery as Delivery);
			const { method, handedOver = body } = delivery;
			const all = { headers, body: handedOver, ...(method === undefined ? {} : { method }), ...given };
			const response = await handler.handle(all);
			expect(response.headers).toEqual({
				...(response.body !== "" && { "Content-Type": "text/plain; charset=utf-8" }),
				...(response.status === 405 && { Allow: "POST, PUT, PATCH, DELETE" }),
			});
			if (response.status === 200 && seen.length > 0) expect(seen).toEqual([JSON.parse(String(body))]);
			return showResponse(response);
		},
		{ on, ...options },
	);
	return outcome + (read?.() ?? "");
}

const text = JSON.stringify({ type: "new", text: `${PRIVATE} é\u{1f600}` });
const bytes = new TextEncoder().encode(text);
/** A body that is handed over in another form than as the string that was signed. */
const form = (handedOver: unknown): Arrival => ({ body: text, handedOver });
const header = (name: string, value: string | undefined): Arrival => ({ headers: { [name]: value } });
function transferred(pick: (view: Uint8Array<ArrayBuffer>) => unknown): Arrival {
	const view = new TextEncoder().encode("{}");
	const handedOver = pick(view);
	structuredClone(view.buffer, { transfer: [view.buffer] });
	return form(handedOver);
}
function locked(stream: ReadableStream): ReadableStream {
	stream.getReader();
	return stream;
}
async function* inPieces() {
	yield bytes.subarray(0, 5);
	yield new Uint8Array();
	yield bytes.subarray(5);
}

/** JSON of exactly so many bytes. */
const ofLength = (length: number): string => JSON.stringify({ type: "x".repeat(length - 11) });
const limited = (body: string, handedOver: unknown = body): Arrival => ({
	body,
	handedOver,
	options: { maxBodyBytes: 1_000 },
});
const inHalves = (body: string) => streamOf(Buffer.from(body.slice(0, 400)), Buffer.from(body.slice(400)));
/** A body of which it is counted how much is read. */
function counted(pieces: number, pieceBytes: number, more: Arrival): Arrival {
	const { stream, pulled, isCancelled } = countedStream(pieces, pieceBytes);
	const read = () => `, ${pulled()} pieces read${isCancelled() ? ", cancelled" : ""}`;
	return { options: { maxBodyBytes: 1_000 }, handedOver: stream, read, ...more };
}
const claimed = (length: string): Arrival => ({
	...header("Content-Length", length),
	options: { maxBodyBytes: 1_000 },
});

const missing = (name: string) =>
	`400 missing_header: the request has no ${name}, so it isn't from your gateway, or a proxy removed the header. If your gateway names it otherwise, set profile.vendor.headerPrefix`;
const MISMATCH =
	"401 signature_mismatch: no signature matches the raw body: check the secret, and that nothing parsed or changed the body before";
const NO_OBJECT = "400 invalid_json: the signature is right, but the body isn't a JSON object";
const NOT_RAW =
	"500 raw_body_unavailable: the body was parsed or read first: pass the raw bytes, since re-serialized JSON has a different signature. Put the webhook handler before your body parser, or let what runs before it read request.clone()";
const TRANSFERRED =
	"500 raw_body_unavailable: the raw body's buffer was transferred elsewhere: verify first, or pass a copy";
const UNREAD = "500 configuration: the delivery couldn't be read. hiddenCause of this error has the reason";
const tooLarge = (limit: number) =>
	`413 body_too_large: the body is larger than maxBodyBytes, ${limit} bytes`;
const EVENT_ID = "X-SVC-Event-Id";

const DELIVERIES: Outcomes<Arrival> = {
	"200": {
		...Object.fromEntries(
			["POST", "post", "PUT", "PATCH", "DELETE", "NOTIFY"].map((method) => [
				`the method ${method}`,
				{ method },
			]),
		),
		"no method": {},
		"a string": form(text),
		bytes: form(bytes),
		"a Buffer": form(Buffer.from(bytes)),
		"a view into a larger buffer": form(new Uint8Array([0, ...bytes, 0]).subarray(1, -1)),
		"an ArrayBuffer": form(bytes.slice().buffer),
		"a web stream": form(streamOf(bytes)),
		"a web stream of single bytes": form(streamOf(...Array.from(bytes, (byte) => Uint8Array.of(byte)))),
		"an async iterable": form(inPieces()),
		"a string exactly at the limit": limited(ofLength(1_000)),
		"bytes exactly at the limit": limited(ofLength(1_000), Buffer.from(ofLength(1_000))),
		"an ArrayBuffer exactly at the limit": limited(
			ofLength(1_000),
			new TextEncoder().encode(ofLength(1_000)).buffer,
		),
		"a stream exactly at the limit": limited(ofLength(1_000), inHalves(ofLength(1_000))),
		"characters of three bytes exactly at the limit": limited(
			`${JSON.stringify({ type: "€".repeat(329) })}  `,
		),
		...Object.fromEntries(
			["1000", "abc", "", "-1", "5, 5"].map((length) => [`a Content-Length of "${length}"`, claimed(length)]),
		),
		"a body of 1 MiB": { body: ofLength(2 ** 20) },
	},
	"405 method_not_allowed": Object.fromEntries(
		["GET", "HEAD", "OPTIONS", "TRACE", "CONNECT", "get"].map((method) => [
			`the method ${method}`,
			{ method },
		]),
	),
	"405 method_not_allowed, 0 pieces read": { "GET with a body": counted(10, 10, { method: "GET" }) },
	[`${missing(EVENT_ID)}, 0 pieces read`]: {
		"no event id": counted(10, 10, header("x-svc-event-id", undefined)),
	},
	[`${missing("X-SVC-Timestamp")}, 0 pieces read`]: {
		"no timestamp": counted(10, 10, header("x-svc-timestamp", undefined)),
	},
	[`${missing("X-SVC-Signature")}, 0 pieces read`]: {
		"no signature": counted(10, 10, header("x-svc-signature", undefined)),
	},
	"400 malformed_header: X-SVC-Event-Id must be 1 to 256 visible ASCII characters without a comma": {
		"two event ids": header("x-svc-event-id", "evt_1, evt_2"),
	},
	"400 malformed_header: X-SVC-Event-Id is there twice, with different values": {
		"a header twice": header(EVENT_ID, "evt_2"),
	},
	"400 malformed_header: X-SVC-Timestamp must be Unix time in seconds: this one is in milliseconds": {
		milliseconds: header("x-svc-timestamp", `${signedAt}000`),
	},
	"400 malformed_header: X-SVC-Signature holds more than 16 signatures": {
		"17 signatures": header("x-svc-signature", "v1=0,".repeat(17)),
	},
	"401 timestamp_out_of_tolerance: signed 301 s before it arrived; the limit is 300 s. It's a replay, it was late, or a clock is wrong. Correct the clock, or raise toleranceSeconds for late deliveries":
		{ "301 s ago": header("x-svc-timestamp", String(signedAt - 301)) },
	[MISMATCH]: {
		"another secret": { secret: "whsec-2" },
		"a changed body": { handedOver: `{"text":"${PRIVATE}"}` },
	},
	[NOT_RAW]: {
		"a parsed object": form({ text: PRIVATE }),
		"a parsed list": form([PRIVATE]),
		null: form(null),
		"a number": form(5),
		"a Blob": form(new Blob([bytes])),
		"a stream of strings": form(streamOf("{}" as unknown as Uint8Array)),
	},
	"500 raw_body_unavailable: mount it before express.json()": {
		"a parsed body, in a framework that has a hint": {
			...form({ text: PRIVATE }),
			given: { hint: "mount it before express.json()" },
		},
	},
	[TRANSFERRED]: {
		"a view into a buffer that was transferred": transferred((view) => view),
		"a buffer that was transferred": transferred((view) => view.buffer),
	},
	"500 raw_body_unavailable: the body broke off before its end": {
		"a stream that breaks": form(streamOf(bytes, new Error(PRIVATE))),
		"a stream that throws": form(new ReadableStream({ pull: throwing(new TypeError(PRIVATE)) })),
		"a stream that somebody else reads": form(locked(streamOf(bytes))),
	},
	[NO_OBJECT]: {
		"a signed body that is no JSON": { body: PRIVATE },
		"a signed string": { body: `"${PRIVATE}"` },
		"a signed body that is empty": { body: "" },
	},
	"500 several_events: the signature is right, but the body is an array of 1 events, which have one event id together":
		{ "a signed list": { body: `["${PRIVATE}"]` } },
	"500 decode_failed: profile.events.decode threw. Fix the decoder: its error is the cause": {
		"a decoder that fails": {
			options: { profile: { events: { decode: throwing(new TypeError("no such field")) } } },
		},
	},
	"500 configuration: The webhook secret is empty. Pass `secret`, or set MESSAGING_GATEWAY_WEBHOOK_SECRET": {
		"a receiver without a secret": { options: { secret: "" } },
	},
	[UNREAD]: {
		"headers that throw": {
			given: { headers: new Proxy({}, { ownKeys: throwing(new TypeError(PRIVATE)) }) },
		},
		"a get that throws": { given: { headers: { get: throwing(new Error(PRIVATE)) } } },
	},
	[tooLarge(1_000)]: {
		"a string over the limit": limited(ofLength(1_001)),
		"bytes over the limit": limited(ofLength(1_001), Buffer.from(ofLength(1_001))),
		"an ArrayBuffer over the limit": limited(
			ofLength(1_001),
			new TextEncoder().encode(ofLength(1_001)).buffer,
		),
		"a stream over the limit": limited(ofLength(1_001), inHalves(ofLength(1_001))),
		"characters of two bytes over the limit": limited(JSON.stringify({ type: "é".repeat(500) })),
		"characters of three bytes over the limit": limited(JSON.stringify({ type: "€".repeat(333) })),
	},
	[tooLarge(100)]: { "a private text": { body: PRIVATE.repeat(10), options: { maxBodyBytes: 100 } } },
	[`${tooLarge(1_000)}, 0 pieces read`]: {
		"a Content-Length over the limit": counted(10, 2_000, header("Content-Length", "1001")),
	},
	[`${tooLarge(1_000)}, 3 pieces read, cancelled`]: {
		"a Content-Length that lies": counted(100, 400, header("Content-Length", "5")),
		"no Content-Length": counted(100, 400, {}),
	},
	[tooLarge(2 ** 20)]: { "a body over 1 MiB": { body: ofLength(2 ** 20 + 1) } },
};

describe("handle", () => {
	testOutcomes(DELIVERIES, outcomeOfHandle);

	const NO_DELIVERIES: Outcomes<unknown> = {
		[UNREAD]: { undefined, null: null, "a method that is a number": { method: 5, headers: {} } },
		"400 missing_header: headers is missing or empty: pass all headers of the request, such as Node's request.headers":
			{
				"an empty object": {},
				"a body alone": { body: "{}" },
				"empty headers": { body: "{}", headers: {} },
			},
	};
	testOutcomes(NO_DELIVERIES, (given) =>
		outcomeOf(async ({ handler }) => showResponse(await handler.handle(given as IncomingDelivery))),
	);

	test("keeps the error of other code behind the one that it reports", async () => {
		const cause = new TypeError(PRIVATE);
		for (const more of [
			{ headers: new Proxy({}, { ownKeys: throwing(cause) }) },
			{ body: new ReadableStream({ pull: throwing(cause) }) },
			{
				get body(): never {
					throw cause;
				},
			},
		]) {
			const { handler, sign, reports } = createReceiver();
			await handler.handle(Object.defineProperties({ ...sign() }, Object.getOwnPropertyDescriptors(more)));
			expect(reports).toMatchObject([{ error: { hiddenCause: cause } }]);
		}
	});
});

/** What a platform gives `fetch`, made of a receiver. */
type Fetched = (receiver: Receiver) => readonly unknown[] | Promise<readonly unknown[]>;

const touched =
	(touch: (request: Request) => unknown): Fetched =>
	async ({ sign }) => {
		const request = toRequest(sign());
		await touch(request);
		return [request];
	};

const REQUESTS: Outcomes<Fetched> = {
	"200": {
		"a request, beside what a framework hands over": ({ sign }) => [
			toRequest(sign()),
			{},
			{ waitUntil: vi.fn() },
		],
		"the context of a route that has the request in it": ({ sign }) => [
			{ request: toRequest(sign()), params: {}, locals: {} },
		],
		"a request with a field of that name": ({ sign }) => [
			Object.assign(toRequest(sign()), { request: "r1" }),
		],
	},
	"405 method_not_allowed": { "a GET": () => [new Request(URL_OF_APP)] },
	[MISMATCH]: {
		"a context with a request of another secret": ({ sign }) => [
			{ request: toRequest(sign({ secret: "whsec-2" })) },
		],
		"a request without a body": ({ sign }) => [
			new Request(URL_OF_APP, { method: "POST", headers: sign().headers }),
		],
	},
	[NOT_RAW]: {
		"a body that was read before": touched((request) => request.json()),
		"a body that somebody else is about to read": touched((request) => request.body?.getReader()),
	},
	"500 raw_body_unavailable: the body broke off before its end": {
		"a body that breaks off": ({ sign }) => {
			const { body, headers } = sign();
			const broken = streamOf(Buffer.from(body).subarray(0, 20), new Error("the socket closed"));
			return [toRequest({ body: broken, headers })];
		},
	},
};

describe("fetch", () => {
	testOutcomes(REQUESTS, (toGiven) =>
		outcomeOf(async (receiver) => {
			const { fetch } = receiver.handler;
			const response = await fetch(...((await toGiven(receiver)) as [Request]));
			const text = await response.text();
			const type = text === "" ? null : "text/plain; charset=utf-8";
			expect(response.headers.get("Content-Type")).toBe(type);
			expect(response.headers.get("Allow")).toBe(response.status === 405 ? "POST, PUT, PATCH, DELETE" : null);
			return `${response.status} ${text}`.trim();
		}),
	);

	test("passes on a route's context as the first value of the platform", async () => {
		const fromPlatform = vi.fn(([context]: readonly unknown[]) => Reflect.get(Object(context), "env"));
		const { handler, sign } = createReceiver({ secret: { fromPlatform } });
		const context = { request: toRequest(sign()), env: webhookSecret };
		expect((await handler.fetch(context, "more")).status).toBe(200);
		expect(fromPlatform).toHaveBeenCalledExactlyOnceWith([context, "more"]);
	});

	test("responds with Retry-After", async () => {
		const { handler, sign, fail, clock } = createReceiver();
		fail("claim", "reject");
		const response = await handler.fetch(toRequest(sign()));
		await clock.advance(0);
		expect([response.status, response.headers.get("Retry-After")]).toEqual([503, "5"]);
		expect(await response.text()).toBe("store_unavailable");
	});
});
