import { runInNewContext } from "node:vm";
import { explainWebhookFailure } from "messaging-gateway/doctor";
import {
	memoryStore,
	verifySignature,
	verifyWebhook,
	verifyWebhookRequest,
	WebhookVerificationError,
} from "messaging-gateway/webhooks";
import { describe, expect, test, vi } from "vitest";
import { catchError, catchRejection } from "../../../support/catch-error.ts";
import { bind } from "../../../support/claims.ts";
import { settle } from "../../../support/counting-clock.ts";
import { fixedClock } from "../../../support/fixed-clock.ts";
import { toRequest } from "../../../support/to-request.ts";
import { deliver, signedAt, webhookSecret } from "../../../support/webhook-delivery.ts";
import { statusUpdate } from "../../../support/webhook-payloads.ts";
import { createReceiver, type Receiver } from "../../../support/webhook-receiver.ts";

const HOUR_MS = 3_600_000;
const body = JSON.stringify(statusUpdate);
const delivery = deliver(body);

/** Three hours after the delivery was signed. */
const late = { secret: webhookSecret, clock: fixedClock(signedAt * 1000 + 3 * HOUR_MS) };

const tooOld = { code: "timestamp_out_of_tolerance" };

/** What becomes of the delivery three hours late, in each function that verifies. */
const FUNCTIONS: Record<string, (receivedAt: unknown) => Promise<string>> = {
	verifySignature: async (receivedAt) =>
		verifySignature({ ...delivery, receivedAt: receivedAt as Date }, late).eventId,
	verifyWebhook: async (receivedAt) =>
		verifyWebhook({ ...delivery, receivedAt: receivedAt as Date }, late).eventId,
	verifyWebhookRequest: async (receivedAt) => {
		const options = { ...late, receivedAt: receivedAt as Date };
		return (await verifyWebhookRequest(toRequest(delivery), options)).eventId;
	},
	"webhooks.handle": async (receivedAt) => {
		const { handler, reports } = createReceiver(late);
		await handler.handle({ ...delivery, receivedAt: receivedAt as Date });
		const [report] = reports;
		if (report !== undefined) throw report.error;
		return "evt_1";
	},
};

async function outcome(verifying: Promise<string>): Promise<string> {
	const error: unknown = await verifying.then(() => undefined).catch((reason) => reason);
	if (error === undefined) return "accepted";
	expect(error).toBeInstanceOf(WebhookVerificationError);
	return (error as WebhookVerificationError).code;
}

describe.each(Object.entries(FUNCTIONS))("%s of a delivery that waited for three hours", (_name, verify) => {
	const at = (seconds: number) => (signedAt + seconds) * 1000;

	test.each<[title: string, receivedAt: unknown, expected: string]>([
		["not given", undefined, "timestamp_out_of_tolerance"],
		["when it was signed", at(0), "accepted"],
		["as a Date", new Date(at(0)), "accepted"],
		["as a Date of another realm", runInNewContext(`new Date(${at(0)})`), "accepted"],
		["with a part of a millisecond", at(0) + 0.5, "accepted"],
		["300 s after it was signed, and a part of a second", at(300) + 999, "accepted"],
		["301 s after it was signed", at(301), "timestamp_out_of_tolerance"],
		["300 s before it was signed", at(-300), "accepted"],
		["301 s before it was signed", at(-301), "timestamp_out_of_tolerance"],
		["now", at(3 * 3_600), "timestamp_out_of_tolerance"],
		["in the future", at(4 * 3_600), "timestamp_out_of_tolerance"],
	])("received %s", async (_title, receivedAt, expected) => {
		expect(await outcome(verify(receivedAt))).toBe(expected);
	});

	test.each<[title: string, receivedAt: unknown]>([
		["null", null],
		["NaN", Number.NaN],
		["an infinite time", Number.POSITIVE_INFINITY],
		["0", 0],
		["a negative time", -at(0)],
		["seconds", signedAt],
		["microseconds", at(0) * 1000],
		["an invalid Date", new Date("yesterday")],
		["a Date of 1970", new Date(signedAt)],
		["a string of milliseconds", String(at(0))],
		["an ISO string", new Date(at(0)).toISOString()],
		["a bigint", BigInt(at(0))],
		["true", true],
		["a list", [at(0)]],
		["an object without a prototype", Object.create(null)],
		["a symbol", Symbol("now")],
	])("%s is a configuration error", async (_title, receivedAt) => {
		expect(await outcome(verify(receivedAt))).toBe("configuration");
	});
});

test("the message names the option and its units, and nothing that was given", () => {
	const given = { ...delivery, receivedAt: signedAt };
	const { message } = catchError(() => verifySignature(given, late)) as Error;
	expect(message).toBe("receivedAt must be a Date or Unix milliseconds");
});

test("a time in the future counts as now: it never makes a delivery of the future fresh", () => {
	const clock = fixedClock(signedAt * 1000 - HOUR_MS);
	const early = { ...delivery, receivedAt: signedAt * 1000 };
	expect(catchError(() => verifySignature(early, { ...late, clock }))).toMatchObject(tooOld);
	const onTime = { ...deliver(body), receivedAt: signedAt * 1000 + HOUR_MS };
	const now = { ...late, clock: fixedClock(signedAt * 1000) };
	expect(verifySignature(onTime, now).eventId).toBe("evt_1");
});

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
