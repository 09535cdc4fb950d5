import { runInNewContext } from "node:vm";
import { explainWebhookFailure } from "messaging-gateway/doctor";
import {
	memoryStore,
	verifySignature,
	verifyWebhook,
	verifyWebhookRequest,
	type WebhookDelivery,
	WebhookVerificationError,
} from "messaging-gateway/webhooks";
import { describe, expect, test, vi } from "vitest";
import { catchError, catchRejection } from "../../../support/catch-error.ts";
import { bind } from "../../../support/claims.ts";
import { settle } from "../../../support/counting-clock.ts";
import { fixedClock } from "../../../support/fixed-clock.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { toRequest } from "../../../support/to-request.ts";
import { deliver, signedAt, webhookSecret, webhookSignature } from "../../../support/webhook-delivery.ts";
import { statusUpdate } from "../../../support/webhook-payloads.ts";
import { createReceiver, type Receiver } from "../../../support/webhook-receiver.ts";

const HOUR_MS = 3_600_000;
const body = JSON.stringify(statusUpdate);
const delivery = deliver(body);

/** Three hours after the delivery was signed. */
const late = { secret: webhookSecret, clock: fixedClock(signedAt * 1000 + 3 * HOUR_MS) };

const tooOld = { code: "timestamp_out_of_tolerance" };

/** A time at which a delivery arrived that is verified three hours after it was signed; or one signed at another time. */
type Arrival = readonly [receivedAt: unknown, given?: { signedAt: number; now: number }];

/** What becomes of a delivery, in each function that verifies. */
const FUNCTIONS: Record<string, (given: WebhookDelivery, options: typeof late) => Promise<string>> = {
	verifySignature: async (given, options) => verifySignature(given, options).eventId,
	verifyWebhook: async (given, options) => verifyWebhook(given, options).eventId,
	verifyWebhookRequest: async ({ receivedAt, ...given }, options) =>
		(await verifyWebhookRequest(toRequest(given as typeof delivery), { ...options, receivedAt })).eventId,
	"webhooks.handle": async (given, options) => {
		const { handler, reports } = createReceiver(options);
		await handler.handle(given);
		const [report] = reports;
		if (report !== undefined) throw report.error;
		return "evt_1";
	},
};

const at = (seconds: number) => (signedAt + seconds) * 1000;
/** Signed and received at this millisecond, and verified then. */
const then = (ms: number): Arrival => [ms, { signedAt: Math.floor(ms / 1000), now: ms }];

const tooOldBy = (seconds: number) =>
	`timestamp_out_of_tolerance: signed ${seconds} s before it arrived; the limit is 300 s. It's a replay, it was late, or a clock is wrong. Correct the clock, or raise toleranceSeconds for late deliveries`;
const TOO_NEW =
	"timestamp_out_of_tolerance: signed 301 s after it arrived; the limit is 300 s. Correct the clock that is wrong: this machine's, or the gateway's";

const TIMES: Outcomes<Arrival> = {
	accepted: {
		"when it was signed": [at(0)],
		"as a Date": [new Date(at(0))],
		"as a Date of another realm": [runInNewContext(`new Date(${at(0)})`)],
		"with a part of a millisecond": [at(0) + 0.5],
		"300 s after it was signed, and a part of a second": [at(300) + 999],
		"300 s before it was signed": [at(-300)],
		"in 2001, when milliseconds got their 13th digit": then(1e12),
		"in 2286, before they get another": then(1e13 - 1),
		"in the future, which counts as now": [at(3_600), { signedAt, now: at(0) }],
	},
	[tooOldBy(301)]: { "301 s after it was signed": [at(301)] },
	[tooOldBy(10_800)]: {
		"never: it did not wait": [undefined],
		now: [at(3 * 3_600)],
		"in the future": [at(4 * 3_600)],
	},
	[TOO_NEW]: { "301 s before it was signed": [at(-301)] },
	[TOO_NEW.replace("301", "3600")]: {
		"when it was signed, an hour from now": [at(0), { signedAt, now: at(-3_600) }],
	},
	"configuration: receivedAt must be a Date or Unix milliseconds": {
		"as null": [null],
		"as NaN": [Number.NaN],
		"at an infinite time": [Number.POSITIVE_INFINITY],
		"at 0": [0],
		"at a negative time": [-at(0)],
		"in seconds": [signedAt],
		"in microseconds": [at(0) * 1000],
		"a millisecond before the 13th digit": then(1e12 - 1),
		"with a 14th digit": then(1e13),
		"on an invalid Date": [new Date("yesterday")],
		"on a Date of 1970": [new Date(signedAt)],
		"as a string of milliseconds": [String(at(0))],
		"as an ISO string": [new Date(at(0)).toISOString()],
		"as a bigint": [BigInt(at(0))],
		"as true": [true],
		"as a list": [[at(0)]],
		"as an object without a prototype": [Object.create(null)],
		"as a symbol": [Symbol("now")],
	},
};

describe.each(Object.entries(FUNCTIONS))("%s of a delivery that was received", (_name, verify) => {
	testOutcomes(TIMES, async ([receivedAt, given]) => {
		const signed = given === undefined ? delivery : deliverAt(given.signedAt);
		const options = given === undefined ? late : { ...late, clock: fixedClock(given.now) };
		return verify({ ...signed, receivedAt: receivedAt as Date }, options).then(
			() => "accepted",
			(error: unknown) => {
				expect(error).toBeInstanceOf(WebhookVerificationError);
				const { code, message } = error as WebhookVerificationError;
				return `${code}: ${message}`;
			},
		);
	});
});

function deliverAt(timestamp: number) {
	const signature = `v1=${webhookSignature(body, webhookSecret, timestamp)}`;
	return deliver(body, { "x-svc-timestamp": String(timestamp), "x-svc-signature": signature });
}

test("it is never read from the delivery itself", async () => {
	const claimed = { receivedAt: String(signedAt * 1000), "x-received-at": String(signedAt * 1000) };
	const headers = { ...delivery.headers, ...claimed };
	const error = catchError(() => verifySignature({ body, headers }, late));
	expect(error).toMatchObject(tooOld);
	const request = Object.assign(toRequest({ body, headers }), { receivedAt: signedAt * 1000 });
	expect(await catchRejection(verifyWebhookRequest(request, late))).toMatchObject(tooOld);
	const { handler } = createReceiver(late);
	expect((await handler.fetch(toRequest({ body, headers }))).status).toBe(401);
});

test("an explanation judges the delivery by it, too", () => {
	const explain = (receivedAt?: Date) => explainWebhookFailure({ ...delivery, receivedAt }, late);
	expect(explain(new Date(signedAt * 1000))).toMatchObject({ isValid: true, findings: [] });
	expect(explain()).toMatchObject({ isValid: false, findings: [{ cause: "delivery_too_old" }] });
	const received = new Date((signedAt - 400) * 1000);
	expect(explain(received)).toMatchObject({ isValid: false, findings: [{ cause: "clock_behind" }] });
});

describe("a captured copy under another event id", () => {
	const DAY_MS = 24 * HOUR_MS;

	/** Delivers with a copy's id what was received at some second, and lets time pass until there is a response. */
	async function work(receiver: Receiver, eventId: string, receivedAt?: number): Promise<string> {
		const headers = { ...delivery.headers, "x-svc-event-id": eventId };
		const handling = receiver.handler.handle({ body, headers, receivedAt });
		const { status, body: code } = await settle(receiver.clock, handling);
		return `${status} ${code}`.trim();
	}

	test("is known for the whole retention, whenever both are worked on", async () => {
		const handle = vi.fn();
		const receiver = createReceiver({ on: { status: handle } });
		await receiver.clock.advance(3 * HOUR_MS);
		expect(await work(receiver, "evt_1", signedAt * 1000)).toBe("200");
		await receiver.clock.advance(7 * DAY_MS - 1);
		expect(await work(receiver, "evt_2", (signedAt + 300) * 1000)).toBe("200");
		expect(handle).toHaveBeenCalledTimes(1);
	});

	test("runs once the retention is over, as the event under its own id would", async () => {
		const ids = { bound: "evt_2", own: "evt_1" };
		for (const eventId of Object.values(ids)) {
			const handle = vi.fn();
			const receiver = createReceiver({ on: { status: handle }, retentionMs: HOUR_MS });
			expect(await work(receiver, "evt_1", signedAt * 1000)).toBe("200");
			await receiver.clock.advance(HOUR_MS + 60_000);
			expect(await work(receiver, eventId, signedAt * 1000)).toBe("200");
			expect(handle).toHaveBeenCalledTimes(2);
		}
	});

	test("is known for as long as any clock may accept it if no delivery waits", async () => {
		const receiver = createReceiver();
		const claim = vi.spyOn(receiver.store, "claim");
		await work(receiver, "evt_1");
		await work(receiver, "evt_2", signedAt * 1000);
		expect(claim.mock.calls.map(([, , binding]) => binding?.ttlMs)).toEqual([901_000, 7 * DAY_MS]);
	});
});

test("a binding that lasts long does not fill the memory store with short ones that have ended", async () => {
	const clock = fixedClock(signedAt * 1000);
	const store = memoryStore({ maxEntries: 3, clock });
	await bind(store, "long", "evt_0", 100_000);
	await bind(store, "a", "evt_1", 1_000);
	await bind(store, "b", "evt_2", 1_000);
	await expect(bind(store, "c", "evt_2", 1_000)).rejects.toThrow("maxEntries, 3 deliveries");
	clock.nowMs += 1_000;
	expect(await bind(store, "c", "evt_2", 1_000)).toBe("evt_2");
	expect(await bind(store, "long", "evt_9", 1_000)).toBe("evt_0");
});
