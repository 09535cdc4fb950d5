import {
	createWebhookHandler,
	memoryStore,
	PermanentWebhookError,
	type WebhookFetch,
} from "messaging-gateway/webhooks";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { throwing } from "../../../support/throwing.ts";
import { toRequest } from "../../../support/to-request.ts";
import { webhookSecret, webhookSignature } from "../../../support/webhook-delivery.ts";
import { inboundMessage, statusUpdate } from "../../../support/webhook-payloads.ts";
import {
	createReceiver,
	type Delivery,
	type ReceiverOptions,
	showResponse,
} from "../../../support/webhook-receiver.ts";

const PRIVATE = "private text";
const SECRETS = [PRIVATE, webhookSecret, webhookSignature(PRIVATE), "Hello", "+1555"];

function fail(): never {
	throw new Error("no such field");
}

describe("a response holds the code alone:", () => {
	const failing = new Error(`${PRIVATE} ${webhookSecret}`);
	const reject = () => Promise.reject(failing);
	const RUNS: Outcomes<ReceiverOptions> = {
		"200": {
			"of a handler that gives up": {
				on: { inbound_message: () => Promise.reject(new PermanentWebhookError(PRIVATE)) },
			},
			"of a handler that returns": { on: { inbound_message: () => PRIVATE } },
		},
		"500 handler_failed": { "of a handler that throws": { on: { inbound_message: reject } } },
		"500 configuration": { "of a secret function that throws": { secret: reject } },
		"503 store_unavailable, again in 5 s": {
			"of a store that fails": { store: { ...memoryStore(), claim: reject } },
		},
		"503 handler_timed_out, again in 5 s": {
			"of a handler that never ends": { on: { inbound_message: () => new Promise(() => undefined) } },
		},
	};
	testOutcomes(RUNS, async (options) => {
		const { send, clock } = createReceiver(options);
		const response = send();
		await clock.advance(400_000);
		for (const secret of SECRETS) expect(JSON.stringify(await response)).not.toContain(secret);
		return showResponse(await response);
	});
});

describe("onError", () => {
	const hostile: [title: string, onError: () => unknown][] = [
		["throws", throwing(new Error("the logger is away"))],
		["rejects", () => Promise.reject(new Error("the logger is away"))],
		["never ends", () => new Promise(() => undefined)],
	];

	test.each(hostile)("that %s changes nothing", async (_title, onError) => {
		const unhandled = vi.fn();
		process.on("unhandledRejection", unhandled);
		vi.spyOn(console, "error").mockReturnValue();
		try {
			const handle = vi.fn().mockRejectedValueOnce(new Error("no"));
			const { respond, fail, heal, clock } = createReceiver({ onError, on: { inbound_message: handle } });
			expect(await respond({ secret: "whsec-2" })).toBe("401 signature_mismatch");
			expect(await respond()).toBe("500 handler_failed");
			fail("claim", "throw");
			expect(await respond()).toContain("503 store_unavailable");
			heal();
			expect(await respond()).toBe("200");
			expect(await respond({ eventId: "evt_2", payload: { type: "new" } })).toBe("200");
			await clock.advance(0);
		} finally {
			process.off("unhandledRejection", unhandled);
		}
		expect(unhandled).not.toHaveBeenCalled();
	});

	test.each<[title: string, delivery: Delivery, options: Partial<ReceiverOptions>]>([
		["a rejection", { secret: "whsec-2" }, {}],
		["a handler that fails", {}, { on: { inbound_message: fail } }],
		["hooks.onResponse that throws", {}, { hooks: { onResponse: fail } }],
	])("that returns a promise is awaited before the response, of %s", async (_title, delivery, options) => {
		const report = Promise.withResolvers<void>();
		const { send, clock } = createReceiver({ onError: () => report.promise, ...options });
		const ended = vi.fn();
		const responding = send(delivery).finally(ended);
		await expect.poll(() => clock.openTimers).toBeGreaterThan(0);
		await clock.advance(1_999);
		expect(ended).not.toHaveBeenCalled();
		report.resolve();
		await responding;
		expect(clock.openTimers).toBe(0);
	});

	test("that hangs delays the response by 2 seconds", async () => {
		const ended = vi.fn();
		const { send, clock } = createReceiver({ onError: () => new Promise(() => undefined) });
		const responding = send({ secret: "whsec-2" }).finally(ended);
		await expect.poll(() => clock.openTimers).toBe(1);
		await clock.advance(1_999);
		expect(ended).not.toHaveBeenCalled();
		await clock.advance(1);
		expect((await responding).status).toBe(401);
	});

	test("that hangs for one delivery delays no other one", async () => {
		const { send, clock } = createReceiver({ onError: () => new Promise(() => undefined) });
		void send({ secret: "whsec-2" });
		await expect.poll(() => clock.openTimers).toBe(1);
		expect((await send()).status).toBe(200);
	});

	test.each<[title: string, onError: () => unknown]>([
		[
			"throws",
			() => {
				throw new Error("a bug, with +15551234567");
			},
		],
		["rejects", () => Promise.reject(new Error("the tracker is away"))],
	])("that %s is no silence: each kind of problem is printed once, by its line", async (_title, onError) => {
		const print = vi.spyOn(console, "error").mockReturnValue();
		const { send } = createReceiver({ onError });
		expect((await send({ secret: "whsec-2" })).status).toBe(401);
		expect((await send({ secret: "whsec-2" })).status).toBe(401);
		expect(print.mock.calls).toEqual([
			[expect.stringMatching(/^messaging-gateway: signature_mismatch.*because your onError failed$/)],
		]);
	});

	test("that returns no promise needs no timer", async () => {
		const { send, clock } = createReceiver();
		const setTimer = vi.spyOn(clock, "setTimer");
		expect((await send({ secret: "whsec-2" })).status).toBe(401);
		expect(setTimer).not.toHaveBeenCalled();
	});

	type Fetching = (fetch: WebhookFetch, request: Request, waitUntil: () => void) => Promise<Response>;
	test.each<[host: string, Fetching]>([
		["Workers", (fetch, request, waitUntil) => fetch(request, {}, { waitUntil })],
		[
			"Pages",
			(fetch, request, waitUntil) => {
				const context = { request, waitUntil };
				return fetch(context);
			},
		],
	])("is given to waitUntil of %s, and the response waits for nothing", async (_host, run) => {
		const onError = () => Promise.reject(new Error("the logger is away"));
		vi.spyOn(console, "error").mockReturnValue();
		const { handler, sign, clock } = createReceiver({ onError });
		const waitUntil = vi.fn<(promise?: Promise<unknown>) => void>();
		const response = await run(handler.fetch, toRequest(sign({ secret: "whsec-2" })), waitUntil);
		expect([response.status, clock.openTimers]).toEqual([401, 0]);
		await expect(waitUntil.mock.lastCall?.[0]).resolves.toBeDefined();
	});

	test.each<[title: string, returned: () => Promise<unknown>]>([
		["never resolves", () => new Promise(() => undefined)],
		["rejects", () => Promise.reject(new Error("closed"))],
	])("is given to a waitUntil whose own promise %s", async (_title, returned) => {
		const { handler, sign, clock } = createReceiver({ onError: async () => undefined });
		const waitUntil = vi.fn(returned);
		const request = toRequest(sign({ secret: "whsec-2" }));
		expect((await handler.fetch(request, {}, { waitUntil })).status).toBe(401);
		expect([waitUntil.mock.calls.length, clock.openTimers]).toEqual([1, 0]);
	});

	test("lets 50 responses wait, however many a stranger asks for", async () => {
		const { handler, sign, clock } = createReceiver({ onError: () => new Promise(() => undefined) });
		let responded = 0;
		const responses = Array.from({ length: 60 }, async () => {
			await handler.handle(sign({ secret: "whsec-2" }));
			responded++;
		});
		await clock.advance(0);
		expect([responded, clock.openTimers]).toEqual([10, 50]);
		await clock.advance(2_000);
		await Promise.all(responses);
		await clock.advance(0);
		const again = handler.handle(sign({ secret: "whsec-2" }));
		await clock.advance(0);
		expect(clock.openTimers).toBe(1);
		await clock.advance(2_000);
		await again;
	});

	test("is awaited if waitUntil throws", async () => {
		const { handler, sign } = createReceiver({ onError: async () => undefined });
		const request = toRequest(sign({ secret: "whsec-2" }));
		const waitUntil = vi.fn(throwing(new TypeError("Illegal invocation")));
		expect((await handler.fetch(request, {}, { waitUntil })).status).toBe(401);
		expect(waitUntil).toHaveBeenCalledOnce();
	});

	test("is not called for a repeat, an event in flight or another method", async () => {
		const { respond, store, reported } = createReceiver();
		await respond();
		await respond();
		await store.claim("default:evt_2", { leaseMs: 60_000, retentionMs: 600_000 });
		await respond({ eventId: "evt_2" });
		await respond({ method: "GET" });
		expect(reported()).toEqual([]);
	});
});

const REUSED =
	"Another event came under this event id before, so this one counts as a repeat: it is acknowledged, and not processed. Ask whoever runs the gateway for unique ids";

describe("an event id that is used again", () => {
	const first = { payload: { ...inboundMessage, messageId: "first", text: "A" } };
	const other = { payload: { ...inboundMessage, messageId: "other", text: "B" } };
	const status = (value: string) => ({ payload: { ...statusUpdate, status: value } });

	/** The deliveries that come first, those that come then, and options. */
	type Reuse = readonly [first: Delivery, then: Delivery, options?: ReceiverOptions];

	const decode = () => ({ ...inboundMessage, messageId: crypto.randomUUID() });
	const withoutId = { body: '{"type":"inbound_message"}' };

	const REUSES: Outcomes<Reuse> = {
		"processed once, reported each time": {
			"another message": [first, other],
			"another status of a message": [status("sent"), status("delivered")],
			"a status of a message": [first, { payload: { ...statusUpdate, messageId: "first" } }],
			"a message that is not as documented": [first, { payload: { ...other.payload, text: 5 } }],
			"a new type of event": [first, { payload: { type: "added", messageId: "first" } }],
			"another new type of event": [{ payload: { type: "added" } }, { payload: { type: "removed" } }],
			"a new type of event with another number as its id": [
				{ payload: { type: "added", messageId: 1 } },
				{ payload: { type: "added", messageId: 2 } },
			],
			"a status that joins to the same words": [
				{ payload: { type: "added", messageId: "1", status: "" } },
				{ payload: { type: "added", messageId: "", status: "1" } },
			],
			"an id that differs in its 256th character": [
				{ payload: { type: "added", messageId: `${"x".repeat(255)}a` } },
				{ payload: { type: "added", messageId: `${"x".repeat(255)}b` } },
			],
			"an id that differs in its first character": [
				{ payload: { type: "added", messageId: "ax" } },
				{ payload: { type: "added", messageId: "bx" } },
			],
		},
		"processed once": {
			"the same delivery": [first, first],
			"the same message, written again": [first, { payload: { ...first.payload, text: "a", added: 1 } }],
			"the same message, not as documented": [first, { payload: { ...first.payload, text: 5 } }],
			"the same bytes, for which a decoder makes up another id each time": [
				withoutId,
				withoutId,
				{ profile: { events: { decode } } },
			],
			"events without a documented id": [
				{ payload: { type: "added", count: 1 } },
				{ payload: { type: "added", count: 2 } },
			],
			"an id of which only more than 256 characters differ": [
				{ payload: { type: "added", messageId: `${"x".repeat(256)}a` } },
				{ payload: { type: "added", messageId: `${"x".repeat(256)}b` } },
			],
		},
	};

	testOutcomes(REUSES, async ([before, after, options]) => {
		const handle = vi.fn();
		const on = { inbound_message: handle, status: handle, unknown: handle };
		const { respond, clock, reports, reported } = createReceiver({ on, ...options });
		for (const delivery of [before, after, after]) {
			expect(await respond(delivery)).toBe("200");
			await clock.advance(1_000);
		}
		expect(handle).toHaveBeenCalledOnce();
		if (reports.length === 0) return "processed once";
		const error = expect.objectContaining({ name: "EventIdReusedError", code: "event_id_reused" });
		const report = { error, eventId: "evt_1", timestamp: expect.any(Number), hint: REUSED };
		expect(reports).toEqual([report, report]);
		expect(reported()[0]).toBe("event_id_reused: the event id was used for another event");
		return "processed once, reported each time";
	});

	test("is whatever an unknown event has in place of one: nothing of it is written or kept", async () => {
		const { respond, reports } = createReceiver();
		const nested = `${"[".repeat(10_000)}${"]".repeat(10_000)}`;
		for (const messageId of [nested, "{}", `"${"x".repeat(1_000)}"`, "null"]) {
			const body = `{"type":"added","messageId":${messageId}}`;
			for (let time = 0; time < 2; time++) expect(await respond({ body })).toBe("200");
		}
		const reused = { error: { code: "event_id_reused" } };
		expect(reports).toMatchObject([reused, reused]);
	});

	test("counts if the first event failed: the one that was processed stays, the other is reported", async () => {
		const handle = vi.fn().mockRejectedValueOnce(new Error("no"));
		const { respond, reported } = createReceiver({ on: { inbound_message: handle } });
		expect(await respond(first)).toBe("500 handler_failed");
		expect(await respond(other)).toBe("200");
		expect(reported()).toEqual(["handler_failed: no"]);
		expect(await respond(first)).toBe("200");
		expect(reported()).toEqual([
			"handler_failed: no",
			"event_id_reused: the event id was used for another event",
		]);
	});

	test("is known for the last 1,000 events, of each tenant by itself", async () => {
		let tenant = "a";
		const { respond, reports } = createReceiver({ secret: () => ({ tenant, secret: webhookSecret }) });
		await respond(first);
		tenant = "b";
		await respond(other);
		expect(reports).toEqual([]);
		tenant = "a";
		for (let at = 0; at < 998; at++) await respond({ eventId: `evt_${at + 2}` });
		await respond(other);
		expect(reports).toHaveLength(1);
		await respond({ eventId: "evt_last" });
		await respond(other);
		expect(reports).toHaveLength(1);
	});

	test("is reported by an inbox, too", async () => {
		const done = new Set<string>();
		const inbox = {
			run: async (key: string, work: (transaction: object) => Promise<unknown>) => {
				if (done.has(key)) return { status: "repeated" } as const;
				await work({});
				done.add(key);
				return { status: "ended" } as const;
			},
		};
		const onError = vi.fn();
		const { sign, clock } = createReceiver();
		const handler = createWebhookHandler({
			inbox,
			clock,
			secret: webhookSecret,
			onError,
			on: { unknown: () => undefined },
		});
		for (const delivery of [first, first, other])
			expect(await handler.handle(sign(delivery))).toMatchObject({ status: 200 });
		expect(onError.mock.calls).toMatchObject([[{ code: "event_id_reused" }, { eventId: "evt_1" }]]);
	});
});

describe("without onError", () => {
	/** A receiver that prints, and its lines. */
	function createPrinting(options: ReceiverOptions = {}) {
		const print = vi.spyOn(console, "error").mockImplementation(() => undefined);
		onTestFinished(() => print.mockRestore());
		const receiver = createReceiver({ ...options, onError: undefined });
		return { ...receiver, lines: () => print.mock.calls.map(([line]) => String(line)) };
	}

	test("what goes wrong is printed once for each kind, with what to do, and an event's id", async () => {
		const failing = () => Promise.reject(new TypeError("private"));
		const { respond, fail, lines } = createPrinting({ on: { inbound_message: failing } });
		for (const eventId of ["evt_1", "evt_2"]) await respond({ eventId });
		for (const eventId of ["evt_3", "evt_4"]) await respond({ eventId, secret: "whsec-2" });
		fail("claim", "reject");
		for (const eventId of ["evt_5", "evt_6"]) await respond({ eventId });
		expect(lines()).toEqual([
			expect.stringMatching(
				/^messaging-gateway: handler_failed \(inbound_message evt_1, attempt 1, TypeError\): Your handler threw. /,
			),
			expect.stringMatching(
				/^messaging-gateway: signature_mismatch: Not acknowledged: no signature matches /,
			),
			expect.stringMatching(
				/^messaging-gateway: store_unavailable \(inbound_message evt_5, \w*Error\): The store /,
			),
		]);
		for (const line of lines()) expect(line).toContain("pass onError to createWebhookHandler");
	});

	test("no line holds a secret, a signature or a payload, nor what a handler's error says", async () => {
		const error = Object.assign(new Error(`${PRIVATE} ${webhookSecret}`), { code: PRIVATE });
		const { respond, lines } = createPrinting({ on: { inbound_message: () => Promise.reject(error) } });
		await respond();
		await respond({ secret: "whsec-2" });
		expect(lines()).toHaveLength(2);
		for (const secret of SECRETS) expect(lines().join()).not.toContain(secret);
	});

	test("each receiver prints for itself, and nothing while all is well", async () => {
		const failing = () => Promise.reject(new Error("no"));
		await createPrinting().respond();
		await createPrinting({ on: { inbound_message: failing } }).respond();
		const { respond, lines } = createPrinting({ on: { inbound_message: failing } });
		await respond();
		expect(lines()).toHaveLength(2);
	});
});

test("a vendor's words are accepted in the headers and the payload", async () => {
	const profile = { vendor: { headerPrefix: "Acme", messageNumberField: "acmeNumber" } };
	const handle = vi.fn();
	const { handler, sign } = createReceiver({ profile, on: { inbound_message: handle } });
	const { nativeMessageNumber, ...shared } = inboundMessage;
	const { body, headers } = sign({ payload: { ...shared, acmeNumber: "+1" } });
	const vendor = Object.entries(headers).map(([name, value]) => [name.replace("svc", "acme"), value]);
	expect(await handler.handle({ body, headers: Object.fromEntries(vendor) })).toMatchObject({ status: 200 });
	expect(handle.mock.lastCall?.[0].data).toMatchObject({ nativeMessageNumber: "+1" });
	expect(await handler.handle({ body, headers })).toMatchObject({ status: 400, body: "missing_header" });
});
