import type { EventStore } from "messaging-gateway/webhooks";
import { describe, expect, test, vi } from "vitest";
import { settle } from "../../../support/counting-clock.ts";
import { createReceiver, showResponse } from "../../../support/webhook-receiver.ts";

const TIMES = { leaseMs: 60_000, retentionMs: 3_600_000 };

/** A receiver on a store one of whose methods returns something else. */
function createReceiverWith(method: keyof EventStore, returned: unknown, options: object = {}) {
	const { store, clock } = createReceiver();
	const handle = vi.fn();
	const broken: EventStore = { ...store, [method]: () => returned };
	const receiver = createReceiver({ store: broken, clock, on: { inbound_message: handle }, ...options });
	const respond = async () => showResponse(await settle(clock, receiver.send()));
	return { ...receiver, clock, handle, respond };
}

describe("a store of somebody else's that does not keep the contract is a store that failed", () => {
	const nonsense = [undefined, null, 5, "acquired", {}, [], { status: "ok" }];

	test.each([
		...nonsense,
		{ status: "acquired" },
		{ status: "acquired", token: "1", attempt: 1 },
		{ status: "acquired", token: 1.5, attempt: 1 },
		{ status: "acquired", token: 1n, attempt: 1 },
		{ status: "acquired", token: 1 },
		{ status: "acquired", token: 1, attempt: 0 },
		{ status: "in_flight" },
		{ status: "in_flight", retryAfterMs: Number.NaN },
		{ status: "in_flight", retryAfterMs: Number.POSITIVE_INFINITY },
		{ status: "in_flight", retryAfterMs: "5" },
	])("claim resolves to %o: 503, and nothing runs", async (claim) => {
		for (const returned of [Promise.resolve(claim), claim]) {
			const { respond, handle, reports } = createReceiverWith("claim", returned);
			expect(await respond()).toBe("503 store_unavailable, again in 5 s");
			expect(handle).not.toHaveBeenCalled();
			expect(reports).toMatchObject([
				{ error: { message: expect.stringContaining("claim") }, hint: expect.stringContaining("the store") },
			]);
		}
	});

	test.each([undefined, null, 5, "", "evt 1", "evt,1", {}, "x".repeat(257)])(
		"bind resolves to %o: 503, and nothing runs",
		async (bound) => {
			const { respond, handle, reports } = createReceiverWith("bind", Promise.resolve(bound));
			expect(await respond()).toBe("503 store_unavailable, again in 5 s");
			expect(handle).not.toHaveBeenCalled();
			expect(reports).toMatchObject([{ error: { message: expect.stringContaining("bind") } }]);
		},
	);

	test.each([
		...nonsense,
		{ status: "done" },
		{ eventId: "evt_1" },
		{ claim: { status: "done" } },
		{ eventId: 1, claim: { status: "done" } },
		{ eventId: "evt_1", claim: { status: "ok" } },
		{ eventId: "evt_1", claim: { status: "acquired", token: 1 } },
		{ eventId: "evt 1", claim: { status: "acquired", token: 1, attempt: 1 } },
		{ eventId: "", claim: { status: "done" } },
	])("bindAndClaim resolves to %o: 503, and nothing runs", async (found) => {
		for (const returned of [Promise.resolve(found), found]) {
			const { respond, handle, reports } = createReceiverWith("bindAndClaim", returned);
			expect(await respond()).toBe("503 store_unavailable, again in 5 s");
			expect(handle).not.toHaveBeenCalled();
			expect(reports).toMatchObject([{ error: { message: expect.stringContaining("bindAndClaim") } }]);
		}
	});

	test.each([undefined, null, "OK", 1, {}])(
		"complete resolves to %o: tried again, then 200, and reported",
		async (completed) => {
			const { respond, reports } = createReceiverWith("complete", Promise.resolve(completed));
			expect(await respond()).toBe("200");
			expect(reports).toMatchObject([
				{
					error: { message: expect.stringContaining("complete") },
					hint: expect.stringContaining("record it"),
				},
			]);
		},
	);

	test.each([undefined, null, "OK", 1, {}])(
		"release resolves to %o: the handler's own error counts",
		async (released) => {
			const on = { inbound_message: () => Promise.reject(new Error("no")) };
			const { respond, reported } = createReceiverWith("release", Promise.resolve(released), { on });
			expect(await respond()).toBe("500 handler_failed");
			expect(reported()).toEqual(["no", expect.stringContaining("release")]);
		},
	);

	test("extend resolves to nothing: the signal fires when the lease is over", async () => {
		const signals: AbortSignal[] = [];
		const on = {
			inbound_message: (_event: unknown, { signal }: { signal: AbortSignal }) => {
				signals.push(signal);
				return new Promise(() => undefined);
			},
		};
		const { send, clock } = createReceiverWith("extend", Promise.resolve(), { on });
		const response = send();
		await clock.advance(14_998);
		expect(signals[0]?.aborted).toBe(false);
		await clock.advance(1);
		expect(signals[0]?.reason).toMatchObject({ reason: "lost" });
		expect((await settle(clock, response)).status).toBe(503);
	});
});

describe("the report of a broken contract names the rule", () => {
	const fails = { inbound_message: () => Promise.reject(new Error("no")) };

	test.each<[method: keyof EventStore, rule: string, options?: object]>([
		[
			"claim",
			'must resolve to { status: "acquired", token, attempt }, { status: "in_flight", retryAfterMs } or { status: "done" }, with integers for token and attempt and a finite retryAfterMs',
		],
		["bind", "must resolve to the bound event id, a string"],
		[
			"bindAndClaim",
			"must resolve to { eventId, claim }, with the bound event id, a string, and what claim resolves to",
		],
		["complete", "must resolve to a boolean"],
		["release", "must resolve to a boolean", { on: fails }],
	])("%s %s", async (method, rule, options) => {
		for (const returned of [Promise.resolve(), undefined]) {
			const { respond, reports } = createReceiverWith(method, returned, options);
			await respond();
			const report = reports.at(-1);
			const sentence = `the store's ${method} ${rule}`;
			expect(report?.error).toMatchObject({ name: "StoreError", message: sentence });
			expect(report?.hint).toContain(sentence);
		}
	});

	test("bind, of a string that is no id", async () => {
		const { respond, reports } = createReceiverWith("bind", Promise.resolve("evt 1"));
		await respond();
		const sentence =
			"the store's bind must resolve to the bound event id: 1 to 256 visible ASCII characters without a comma";
		expect(reports).toMatchObject([
			{ error: { message: sentence }, hint: expect.stringContaining(sentence) },
		]);
	});
});

describe("a claim that took longer than its timeout", () => {
	function createSlowReceiver(late: (store: EventStore) => Promise<unknown>) {
		const handle = vi.fn();
		const { store, clock } = createReceiver();
		let isSlow = true;
		const slow: EventStore = {
			...store,
			async claim(key, times) {
				if (!isSlow) return store.claim(key, times);
				isSlow = false;
				const claim = await store.claim(key, times);
				await new Promise<void>((resolve) => clock.setTimer(resolve, 7_000));
				await late(store);
				return claim;
			},
		};
		return {
			...createReceiver({ store: slow, clock, on: { inbound_message: handle } }),
			store,
			clock,
			handle,
		};
	}

	test("is released when its response comes, so that the event is free at once, and its run is the first", async () => {
		const { send, clock, handle } = createSlowReceiver(async () => undefined);
		const response = send();
		await clock.advance(5_000);
		expect(showResponse(await response)).toBe("503 store_unavailable, again in 5 s");
		expect(showResponse(await settle(clock, send(), 0))).toContain("503 in_flight");
		await clock.advance(2_000);
		expect(showResponse(await settle(clock, send(), 0))).toBe("200");
		expect(handle).toHaveBeenCalledTimes(1);
		expect(handle.mock.lastCall?.[1]).toMatchObject({ attempt: 1 });
		expect(clock.openTimers).toBe(0);
	});

	test("and bound the delivery as well is released under the bound id", async () => {
		const { store, clock } = createReceiver();
		let isSlow = true;
		const slow: EventStore = {
			...store,
			async bindAndClaim({ digest, eventId, ttlMs, keyPrefix }, times) {
				const bound = await store.bind(digest, eventId, ttlMs);
				const claim = await store.claim(keyPrefix + bound, times);
				if (isSlow) await new Promise<void>((resolve) => clock.setTimer(resolve, 7_000));
				isSlow = false;
				return { eventId: bound, claim };
			},
		};
		const handle = vi.fn();
		const { send } = createReceiver({ store: slow, clock, on: { inbound_message: handle } });
		const response = send();
		await clock.advance(5_000);
		expect(showResponse(await response)).toBe("503 store_unavailable, again in 5 s");
		await clock.advance(2_000);
		expect(showResponse(await settle(clock, send(), 0))).toBe("200");
		expect(handle.mock.lastCall?.[1]).toMatchObject({ attempt: 1 });
		expect(clock.openTimers).toBe(0);
	});

	test("and that found the event with somebody else changes nothing", async () => {
		const { send, clock, store } = createSlowReceiver(async () => undefined);
		await store.claim("default:evt_1", TIMES);
		const response = send();
		await clock.advance(7_000);
		expect((await response).status).toBe(503);
		expect(await store.claim("default:evt_1", TIMES)).toMatchObject({ status: "in_flight" });
	});

	test("and that cannot be read ends no process", async () => {
		const { clock } = createReceiver();
		const unreadable = {
			get status(): never {
				throw new Error("no status");
			},
		};
		const claim = () =>
			new Promise<never>((resolve) => void clock.setTimer(() => resolve(unreadable as never), 7_000));
		const { store } = createReceiver();
		const receiver = createReceiver({ store: { ...store, claim }, clock });
		const unhandled = vi.fn();
		process.once("unhandledRejection", unhandled);
		const response = receiver.send();
		await clock.advance(7_000);
		expect((await response).status).toBe(503);
		await new Promise((resolve) => setImmediate(resolve));
		process.off("unhandledRejection", unhandled);
		expect(unhandled).not.toHaveBeenCalled();
	});

	test.each<[title: string, late: () => Promise<unknown>]>([
		["rejects", () => Promise.reject(new Error("the connection is lost"))],
	])("and then %s does no harm", async (_title, late) => {
		const { send, clock } = createSlowReceiver(late);
		const response = send();
		await clock.advance(7_000);
		expect((await response).status).toBe(503);
		await clock.advance(60_000);
		expect(showResponse(await settle(clock, send(), 0))).toBe("200");
	});
});
