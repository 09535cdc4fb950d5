import { describe, expect, test, vi } from "vitest";
import { bind, LEASE_MS } from "../../../support/claims.ts";
import { settle } from "../../../support/counting-clock.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { webhookSecret } from "../../../support/webhook-delivery.ts";
import { inboundMessage, inboundReaction, statusUpdate } from "../../../support/webhook-payloads.ts";
import { createReceiver, pendingHandler, type Receiver } from "../../../support/webhook-receiver.ts";

/** Sends again what was signed before, under another event id. */
async function replay({ handler, clock }: Receiver, signed: ReturnType<Receiver["sign"]>, eventId: string) {
	const headers = { ...signed.headers, "x-svc-event-id": eventId };
	const { status, body } = await settle(clock, handler.handle({ ...signed, headers }));
	return `${status} ${body}`.trim();
}

async function digestOf(body: string | Uint8Array): Promise<string> {
	const digest = await crypto.subtle.digest("SHA-256", Buffer.from(body));
	return Buffer.from(digest).toString("hex");
}

describe("a copy under another event id", () => {
	test("is the event that is bound: done, so that nothing runs", async () => {
		const handle = vi.fn();
		const receiver = createReceiver({ on: { inbound_message: handle } });
		const signed = receiver.sign();
		expect(await replay(receiver, signed, "evt_1")).toBe("200");
		expect(receiver.calls).toEqual(["claim", "complete"]);
		expect(await replay(receiver, signed, "evt_2")).toBe("200");
		expect(receiver.calls).toEqual(["claim", "complete", "claim"]);
		expect(handle).toHaveBeenCalledTimes(1);
		expect(await replay(receiver, signed, "evt_1")).toBe("200");
		expect(receiver.reports).toEqual([]);
	});

	test("runs where the first run failed, under the id that is bound: a new id for each retry loses nothing", async () => {
		const handle = vi.fn().mockRejectedValueOnce(new Error("no"));
		const receiver = createReceiver({ on: { inbound_message: handle } });
		const signed = receiver.sign();
		expect(await replay(receiver, signed, "evt_1")).toBe("500 handler_failed");
		expect(await replay(receiver, signed, "evt_2")).toBe("200");
		expect(handle.mock.calls.map(([{ eventId }, { attempt }]) => [eventId, attempt])).toEqual([
			["evt_1", 1],
			["evt_1", 2],
		]);
		expect(await replay(receiver, signed, "evt_3")).toBe("200");
		expect(handle).toHaveBeenCalledTimes(2);
		const other = await receiver.store.claim("default:evt_2", { leaseMs: 1, retentionMs: 1 });
		expect(other).toMatchObject({ status: "acquired", attempt: 1 });
	});

	test("waits while the first is still running, and is reported under its own id", async () => {
		const { handle, fail } = pendingHandler();
		const receiver = createReceiver({ on: { inbound_message: handle } });
		const signed = receiver.sign();
		const first = receiver.handler.handle(signed);
		await receiver.clock.advance(0);
		expect(await replay(receiver, signed, "evt_2")).toBe("503 in_flight");
		fail(new Error("no"));
		await first;
		for (const fault of ["reject", "throw"] as const) {
			receiver.fail("claim", fault);
			expect(await replay(receiver, signed, "evt_2")).toBe("503 store_unavailable");
		}
		expect(receiver.reports.map(({ eventId }) => eventId)).toEqual(["evt_1", "evt_2", "evt_2"]);
	});
});

describe("the same signed delivery under another event id", () => {
	test("is known in any spelling of the signature, among others, and by any secret of a rotation", async () => {
		const handle = vi.fn();
		const secret = [webhookSecret, "whsec-2"];
		const receiver = createReceiver({ secret, on: { inbound_message: handle } });
		const signed = receiver.sign();
		const { "x-svc-signature": first = "" } = signed.headers;
		const { "x-svc-signature": second = "" } = receiver.sign({ secret: "whsec-2" }).headers;
		await replay(
			receiver,
			{ ...signed, headers: { ...signed.headers, "x-svc-signature": `${first}, ${second}` } },
			"evt_1",
		);
		for (const signature of [
			first.toUpperCase().replace("V1", "v1"),
			`v1=${"0".repeat(64)}, ${first}`,
			second,
		]) {
			const headers = { ...signed.headers, "x-svc-signature": signature };
			expect(await replay(receiver, { ...signed, headers }, "evt_2")).toBe("200");
		}
		expect(handle).toHaveBeenCalledTimes(1);
	});

	test.each([0, 1, 300])(
		"is known for as long as its timestamp is accepted, with a tolerance of %i s",
		async (toleranceSeconds) => {
			const handle = vi.fn();
			const receiver = createReceiver({ toleranceSeconds, on: { inbound_message: handle } });
			const early = createReceiver();
			await early.clock.advance(toleranceSeconds * 1000);
			const signed = early.sign();
			expect(await replay(receiver, signed, "evt_1")).toBe("200");
			await receiver.clock.advance(2 * toleranceSeconds * 1000 + 999);
			expect(await replay(receiver, signed, "evt_2")).toBe("200");
			expect(handle).toHaveBeenCalledTimes(1);
			await receiver.clock.advance(1);
			expect(await replay(receiver, signed, "evt_2")).toBe("401 timestamp_out_of_tolerance");
		},
	);

	test.each([0, 300, 301, 82_800, 86_400])(
		"with a tolerance of a day is accepted for a day, and bound for longer, first delivered %i s late",
		async (lateSeconds) => {
			const handle = vi.fn();
			const receiver = createReceiver({ toleranceSeconds: 86_400, on: { status: handle } });
			const claim = vi.spyOn(receiver.store, "claim");
			const signed = receiver.sign({ payload: statusUpdate });
			await receiver.clock.advance(lateSeconds * 1000);
			expect(await replay(receiver, signed, "evt_1")).toBe("200");
			expect(claim.mock.lastCall?.[2]?.ttlMs).toBe(87_001_000);
			await receiver.clock.advance((86_400 - lateSeconds) * 1000 + 999);
			expect(await replay(receiver, signed, "evt_2")).toBe("200");
			expect(handle).toHaveBeenCalledTimes(1);
			await receiver.clock.advance(1);
			expect(await replay(receiver, signed, "evt_2")).toBe("401 timestamp_out_of_tolerance");
		},
	);

	describe("between receivers whose clocks differ, over one store", () => {
		const KINDS = { message: inboundMessage, reaction: inboundReaction, status: statusUpdate };

		function createReceivers(toleranceSeconds = 300) {
			const handle = vi.fn();
			const on = { inbound_message: handle, inbound_reaction: handle, status: handle };
			const { store, clock } = createReceiver();
			const clocks = [clock];
			/** A receiver whose clock is this far ahead of the store's. */
			async function create(aheadSeconds: number): Promise<Receiver> {
				const receiver = createReceiver({ toleranceSeconds, store, on });
				await receiver.clock.advance(aheadSeconds * 1000);
				clocks.push(receiver.clock);
				return receiver;
			}
			const pass = async (ms: number) => {
				for (const each of clocks) await each.advance(ms);
			};
			return { handle, create, pass };
		}

		test.each(Object.entries(KINDS))(
			"by a minute, a %s does not run again after 241 s",
			async (_, payload) => {
				const { handle, create, pass } = createReceivers();
				const [ahead, right] = [await create(60), await create(0)];
				const signed = right.sign({ payload });
				expect(await replay(ahead, signed, "evt_1")).toBe("200");
				await pass(242_000);
				expect(await replay(right, signed, "evt_2")).toBe("200");
				expect(handle).toHaveBeenCalledTimes(1);
			},
		);

		test.each([0, 1, 300, 3_600])(
			"by 300 s, it is known as long as either accepts it, with a tolerance of %i s",
			async (toleranceSeconds) => {
				const { handle, create, pass } = createReceivers(toleranceSeconds);
				const futureSeconds = Math.min(toleranceSeconds, 300);
				const [ahead, behind, gateway] = [
					await create(300),
					await create(0),
					await create(300 + futureSeconds),
				];
				const signed = gateway.sign({ payload: statusUpdate });
				expect(await replay(ahead, signed, "evt_1")).toBe("200");
				await pass((toleranceSeconds + futureSeconds + 300) * 1000 + 999);
				expect(await replay(behind, signed, "evt_2")).toBe("200");
				expect(handle).toHaveBeenCalledTimes(1);
				await pass(1);
				expect(await replay(behind, signed, "evt_2")).toBe("401 timestamp_out_of_tolerance");
			},
		);
	});

	test("is another receiver's business: each consumer binds for itself", async () => {
		const first = createReceiver({ consumer: "a" });
		const second = createReceiver({ consumer: "b", store: first.store });
		const signed = first.sign();
		expect(await replay(first, signed, "evt_1")).toBe("200");
		expect(await replay(second, signed, "evt_2")).toBe("200");
	});
});

test("hooks and reports have the id that is bound", async () => {
	const around = vi.fn((_info: unknown, run: () => Promise<unknown>) => run());
	const onResponse = vi.fn();
	const receiver = createReceiver({
		hooks: { aroundHandler: around, onResponse },
		on: { inbound_message: () => Promise.reject(new Error("no")) },
	});
	const signed = receiver.sign();
	const digest = `default:any.${await digestOf(signed.body)}`;
	await bind(receiver.store, digest, "default:evt_0", 2 * LEASE_MS);
	await receiver.clock.advance(1_000);
	expect(await replay(receiver, signed, "evt_1")).toBe("503 in_flight");
	await receiver.clock.advance(LEASE_MS);
	expect(await replay(receiver, receiver.sign(), "evt_1")).toBe("500 handler_failed");
	expect(around.mock.calls.map(([info]) => info)).toMatchObject([{ eventId: "evt_0", attempt: 2 }]);
	expect(onResponse.mock.calls.map(([info]) => info)).toMatchObject([
		{ eventId: "evt_0", status: 503, isRepeat: true },
		{ eventId: "evt_0", status: 500, isRepeat: false },
	]);
	expect(receiver.reports).toMatchObject([{ eventId: "evt_0" }]);
});

/** A payload that comes again under another event id, and how long after. */
interface Again {
	readonly payload: object;
	readonly again?: object;
	readonly afterMs: number;
	readonly decode?: (payload: Record<string, unknown>) => Record<string, unknown>;
}

const { messageId, timestamp_ms, ...anonymous } = inboundMessage;
const withoutId = { ...anonymous, timestamp_ms };
const invent = (payload: Record<string, unknown>) => ({ ...payload, messageId: "m" });

const COPIES: Outcomes<Again> = {
	"one event": {
		"equal bytes": { payload: inboundMessage, afterMs: 0 },
		"equal bytes that were signed again": { payload: inboundMessage, afterMs: 1_000 },
		"equal bytes at the end of the binding": { payload: inboundMessage, afterMs: 900_999 },
		"equal bytes without an id, in the same second": { payload: withoutId, afterMs: 999 },
		"equal bytes whose decoder leaves the id as it is": {
			payload: inboundMessage,
			afterMs: 1_000,
			decode: (payload) => payload,
		},
	},
	"two events": {
		"another body": { payload: inboundMessage, again: { ...inboundMessage, text: "Bye" }, afterMs: 0 },
		"equal bytes after the end of the binding": { payload: inboundMessage, afterMs: 901_000 },
		"equal bytes without an id, a second later": { payload: withoutId, afterMs: 1_000 },
		"equal bytes that are not as documented, a second later": {
			payload: { ...anonymous, messageId },
			afterMs: 1_000,
		},
		"an equal reaction, which was removed and added again": { payload: inboundReaction, afterMs: 1_000 },
		"equal bytes under an invented id": { payload: withoutId, afterMs: 1_000, decode: invent },
		"equal bytes under an id that replaced the received one": {
			payload: inboundMessage,
			afterMs: 1_000,
			decode: invent,
		},
	},
};

describe("under another event id:", () => {
	testOutcomes(COPIES, async ({ payload, again = payload, afterMs, decode }) => {
		const handle = vi.fn();
		const on = { inbound_message: handle, inbound_reaction: handle, unknown: handle };
		const profile = decode && { events: { decode } };
		const { respond, clock } = createReceiver({ on, profile });
		expect(await respond({ eventId: "evt_1", payload })).toBe("200");
		await clock.advance(afterMs);
		expect(await respond({ eventId: "evt_2", payload: again })).toBe("200");
		const ids = handle.mock.calls.map(([{ eventId }]) => eventId);
		expect(ids).toEqual(["evt_1", "evt_2"].slice(0, ids.length));
		return ids.length === 1 ? "one event" : "two events";
	});
});

test("equal bytes that are signed again for each retry, under another event id, run nothing twice", async () => {
	const handle = vi.fn().mockRejectedValueOnce(new Error("no"));
	const { respond, clock } = createReceiver({ on: { inbound_message: handle } });
	const payload = inboundMessage;
	expect(await respond({ eventId: "evt_1", payload })).toBe("500 handler_failed");
	await clock.advance(1_000);
	expect(await respond({ eventId: "evt_2", payload })).toBe("200");
	await clock.advance(2_000);
	expect(await respond({ eventId: "evt_3", payload })).toBe("200");
	expect(handle.mock.calls.map(([{ eventId }, { attempt }]) => [eventId, attempt])).toEqual([
		["evt_1", 1],
		["evt_1", 2],
	]);
});

test("the store is given ids and digests, and nothing of the payload, the signature or the secret", async () => {
	const { store, sign } = createReceiver();
	const seen: unknown[] = [];
	const watched = Object.fromEntries(
		Object.entries(store).map(([name, method]) => [
			name,
			(...given: unknown[]) => {
				seen.push(...given);
				return (method as (...given: unknown[]) => unknown)(...given);
			},
		]),
	);
	await createReceiver({ store: watched as unknown as typeof store }).respond();
	const shown = JSON.stringify(seen);
	expect(shown).toMatch(
		/^\["default:evt_1",\{"leaseMs":15000,"retentionMs":604815000\},\{"digest":"default:any\.[0-9a-f]{64}","ttlMs":901000\},/,
	);
	const { headers } = sign();
	expect(shown).not.toContain(headers["x-svc-signature"]?.slice(3));
	expect(shown).not.toContain("Hello");
	expect(shown).not.toContain("whsec");
});
