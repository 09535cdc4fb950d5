import { PermanentWebhookError, type WebhookResponseInfo } from "messaging-gateway/webhooks";
import { describe, expect, test, vi } from "vitest";
import { catchError } from "../../../support/catch-error.ts";
import { settle } from "../../../support/counting-clock.ts";
import { eventually } from "../../../support/eventually.ts";
import { throwing } from "../../../support/throwing.ts";
import { toRequest } from "../../../support/to-request.ts";
import { webhookSecret } from "../../../support/webhook-delivery.ts";
import { statusUpdate } from "../../../support/webhook-payloads.ts";
import {
	createReceiver,
	type Delivery,
	pendingHandler,
	type ReceiverOptions,
	showResponse,
} from "../../../support/webhook-receiver.ts";

/** A receiver whose hook keeps what it gets. */
function createObserved({ hooks, ...options }: ReceiverOptions = {}) {
	const responses: WebhookResponseInfo[] = [];
	const receiver = createReceiver({
		hooks: { onResponse: (info) => responses.push(info), ...hooks },
		...options,
	});
	return { ...receiver, responses };
}

const MESSAGE = { eventId: "evt_1", kind: "inbound_message" } as const;
const UNIDENTIFIED = { eventId: undefined, kind: undefined } as const;
const FIRST = { isRepeat: false, durationMs: 0 } as const;
const DONE = { status: 200, code: "acknowledged" } as const;

describe("hooks.onResponse is called once for each response", () => {
	test("to an event that is handled, and to its repeat", async () => {
		const { respond, responses } = createObserved();
		await respond();
		await respond();
		expect(responses).toEqual([
			{ ...MESSAGE, ...DONE, ...FIRST },
			{ ...MESSAGE, ...DONE, ...FIRST, isRepeat: true },
		]);
	});

	test("to a repeat while the first still runs, which it does not delay", async () => {
		const { handle, finish } = pendingHandler();
		const { handler, sign, clock, responses } = createObserved({ on: { inbound_message: handle } });
		const first = handler.handle(sign());
		await clock.advance(1_500);
		expect(showResponse(await handler.handle(sign()))).toMatch(/^503 in_flight/);
		finish();
		await first;
		expect(responses).toEqual([
			{ ...MESSAGE, status: 503, code: "in_flight", isRepeat: true, durationMs: 0 },
			{ ...MESSAGE, ...DONE, isRepeat: false, durationMs: 1_500 },
		]);
	});

	test("to an event whose handler fails, and to its next run, which is no repeat", async () => {
		const handle = vi
			.fn()
			.mockRejectedValueOnce(new Error("no"))
			.mockRejectedValueOnce(new PermanentWebhookError("never"));
		const { respond, responses } = createObserved({ on: { inbound_message: handle } });
		await respond();
		await respond();
		expect(responses).toEqual([
			{ ...MESSAGE, ...FIRST, status: 500, code: "handler_failed" },
			{ ...MESSAGE, ...FIRST, ...DONE },
		]);
	});

	test("to a handler that runs too long, with the time that it took", async () => {
		const { handle } = pendingHandler();
		const { respond, responses } = createObserved({
			on: { inbound_message: handle },
			maxHandlerMs: 60_000,
			leaseMs: 10_000,
		});
		await respond();
		const [info] = responses;
		expect(info).toMatchObject({ ...MESSAGE, status: 503, code: "handler_timed_out", isRepeat: false });
		expect(info?.durationMs).toBeGreaterThanOrEqual(60_000);
	});

	test("to a store that is down, and to a payload that is not as documented", async () => {
		const { respond, fail, responses } = createObserved({
			on: { unknown: () => Promise.reject(new Error("no")) },
		});
		await respond({ payload: { type: "inbound_message" } });
		fail("claim", "reject");
		await respond({ payload: { ...statusUpdate }, eventId: "evt_2" });
		expect(responses).toEqual([
			{ eventId: "evt_1", kind: "unknown", ...FIRST, status: 500, code: "handler_failed" },
			{ eventId: "evt_2", kind: "status", ...FIRST, status: 503, code: "store_unavailable" },
		]);
	});

	test.each<[code: string, status: number, delivery: Delivery]>([
		["method_not_allowed", 405, { method: "GET" }],
		["missing_header", 400, { headers: { "x-svc-signature": undefined } }],
		["malformed_header", 400, { headers: { "x-svc-event-id": "<script>\u0000" } }],
		["signature_mismatch", 401, { secret: "another-secret" }],
		["timestamp_out_of_tolerance", 401, { headers: { "x-svc-timestamp": "5" } }],
		["raw_body_unavailable", 500, { handedOver: {} }],
		["body_too_large", 413, { body: "x".repeat(2_000) }],
		["invalid_json", 400, { body: "x" }],
	])(
		"to a delivery that is rejected with %s, and identifies nothing of it",
		async (code, status, delivery) => {
			const { respond, responses } = createObserved({ maxBodyBytes: 1_000 });
			await respond(delivery);
			expect(responses).toEqual([{ ...UNIDENTIFIED, ...FIRST, status, code }]);
		},
	);

	test("to a delivery for which no secret is found", async () => {
		const { respond, responses } = createObserved({ secret: () => undefined });
		await respond();
		expect(responses).toEqual([{ ...UNIDENTIFIED, ...FIRST, status: 500, code: "configuration" }]);
	});

	test("to a request of fetch", async () => {
		const { handler, sign, responses } = createObserved();
		expect((await handler.fetch(toRequest(sign()))).status).toBe(200);
		expect(responses).toEqual([{ ...MESSAGE, ...DONE, ...FIRST }]);
	});

	test("under the event id that is bound, if the delivery came under another one", async () => {
		const { handler, sign, clock, responses } = createObserved();
		const signed = sign();
		const copy = { ...signed, headers: { ...signed.headers, "x-svc-event-id": "evt_2" } };
		for (const delivery of [signed, copy]) await settle(clock, handler.handle(delivery));
		expect(responses).toEqual([
			{ ...MESSAGE, ...DONE, ...FIRST },
			{ ...MESSAGE, ...DONE, ...FIRST, isRepeat: true },
		]);
	});

	test("without anything of the payload, the headers or the secret", async () => {
		const { respond, responses } = createObserved();
		await respond();
		await respond({ secret: "another-secret" });
		const shown = JSON.stringify(responses);
		for (const told of ["Hello", "+1555", "v1=", webhookSecret, "another-secret"]) {
			expect(shown).not.toContain(told);
		}
	});
});

describe("a hook that fails changes nothing, and is reported", () => {
	const broken = new Error("the log is full");
	const fail = throwing(broken);

	test.each([
		["throws", fail],
		["rejects", () => Promise.reject(broken)],
	])("if it %s", async (_title, onResponse) => {
		const { respond, reports } = createReceiver({ hooks: { onResponse } });
		expect(await respond()).toBe("200");
		await eventually(() => expect(reports).toHaveLength(1));
		expect(reports).toEqual([{ error: broken, hint: "hooks.onResponse failed; the response is unchanged" }]);
		expect(await respond()).toBe("200");
		expect(await respond({ secret: "another-secret" })).toBe("401 signature_mismatch");
	});

	test("if onError fails as well", async () => {
		const { respond } = createReceiver({ hooks: { onResponse: fail }, onError: fail });
		expect(await respond()).toBe("200");
	});

	test("nothing waits for one that never ends", async () => {
		const { respond } = createReceiver({ hooks: { onResponse: () => new Promise(() => undefined) } });
		expect(await respond()).toBe("200");
	});
});

test("it runs beside a hook around the handler", async () => {
	const aroundHandler = vi.fn((_info: unknown, run: () => Promise<unknown>) => run());
	const on = { inbound_message: () => undefined };
	const { respond, responses } = createObserved({ hooks: { aroundHandler }, on });
	await respond();
	expect(aroundHandler).toHaveBeenCalledOnce();
	expect(responses).toHaveLength(1);
});

test("anything but a function is a configuration error", () => {
	expect(catchError(() => createReceiver({ hooks: { onResponse: "log" as never } }))).toMatchObject({
		code: "configuration",
		message: "hooks.onResponse must be a function",
	});
});
