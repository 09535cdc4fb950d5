import { describe, expect, test, vi } from "vitest";
import { settle } from "../../support/counting-clock.ts";
import type { Fault } from "../../support/scripted-store.ts";
import { createReceiver, showAnswer } from "../../support/webhook-receiver.ts";

const FAULTS: readonly Fault[] = ["throw", "reject", "hang", "lose"];

describe.each(FAULTS)("a store whose calls %s", (fault) => {
	test.each(["bind", "claim"] as const)(
		"in %s: nothing runs, and 503 within five seconds",
		async (method) => {
			const handle = vi.fn();
			const { send, fail, heal, reports, clock } = createReceiver({ on: { inbound_message: handle } });
			fail(method, fault);
			const startedAt = clock.now();
			expect(showAnswer(await settle(clock, send(), 5_000))).toBe("503 store_unavailable, again in 5 s");
			expect(clock.now() - startedAt).toBeLessThanOrEqual(5_000);
			expect(handle).not.toHaveBeenCalled();
			expect(reports).toMatchObject([
				{ eventId: "evt_1", hint: expect.stringContaining("not acknowledged") },
			]);
			expect(clock.openTimers).toBe(0);
			heal();
			await clock.advance(60_000);
			expect(showAnswer(await settle(clock, send()))).toBe("200");
			expect(handle).toHaveBeenCalledTimes(1);
		},
	);

	test("in complete, once: it is tried again, and the event is done", async () => {
		const handle = vi.fn();
		const { answer, fail, calls } = createReceiver({ on: { inbound_message: handle } });
		fail("complete", fault, 1);
		expect(await answer()).toBe("200");
		expect(calls.filter((call) => call === "complete")).toHaveLength(2);
		expect(await answer()).toBe("200");
		expect(handle).toHaveBeenCalledTimes(1);
	});

	test("in release: the handler's own error counts, and the event comes again when the lease is over", async () => {
		const failure = new Error("the database is away");
		const handle = vi.fn().mockRejectedValueOnce(failure);
		const { answer, fail, reports, clock } = createReceiver({ on: { inbound_message: handle } });
		fail("release", fault);
		expect(await answer()).toBe("500 handler_failed");
		expect(reports[0]?.error).toBe(failure);
		expect(reports[1]?.hint).toContain("when the lease is over");
		await clock.advance(60_000);
		expect(await answer()).toBe("200");
		expect(handle).toHaveBeenCalledTimes(2);
	});
});

test.each(["throw", "reject", "hang"] as const)(
	"complete fails for good (%s): tried four times, then 200, and onError is told that a repeat runs again",
	async (fault) => {
		const handle = vi.fn();
		const { answer, fail, calls, reports, clock } = createReceiver({ on: { inbound_message: handle } });
		fail("complete", fault);
		expect(await answer()).toBe("200");
		expect(calls.filter((call) => call === "complete")).toHaveLength(4);
		expect(reports).toMatchObject([{ hint: expect.stringContaining("could not note it") }]);
		expect(await answer()).toContain("503 in_flight");
		await clock.advance(60_000);
		expect(await answer()).toBe("200");
		expect(handle).toHaveBeenCalledTimes(2);
	},
);

test("complete fails twice and then works: nobody is told", async () => {
	const { answer, fail, told } = createReceiver();
	fail("complete", "reject", 2);
	expect([await answer(), await answer()]).toEqual(["200", "200"]);
	expect(told()).toEqual([]);
});

test("complete is tried again after a pause, so that a client has the time to connect anew", async () => {
	const { send, fail, heal, told, clock } = createReceiver();
	fail("complete", "reject");
	const answer = send();
	await clock.advance(2_000);
	heal();
	await clock.advance(100);
	expect((await answer).status).toBe(200);
	expect(told()).toEqual([]);
	expect((await send()).status).toBe(200);
});

test("storeTimeoutMs bounds each call", async () => {
	const { send, fail, clock } = createReceiver({ storeTimeoutMs: 100 });
	fail("claim", "hang");
	const answer = send();
	await clock.advance(99);
	const pending = Symbol("pending");
	expect(await Promise.race([answer, Promise.resolve(pending)])).toBe(pending);
	await clock.advance(1);
	expect((await answer).status).toBe(503);
});

test("a claim whose answer came too late holds the event until its lease is over, and then it runs", async () => {
	const handle = vi.fn();
	const { answer, fail, clock } = createReceiver({ on: { inbound_message: handle } });
	fail("claim", "lose", 1);
	expect(await answer()).toContain("503 store_unavailable");
	expect(await answer()).toContain("503 in_flight");
	await clock.advance(60_000);
	expect(await answer()).toBe("200");
	expect(handle.mock.lastCall?.[1]).toMatchObject({ attempt: 2 });
});

test("a store without bind is asked for nothing more", async () => {
	const { store, calls } = createReceiver();
	const { bind: _bind, ...plain } = store;
	expect(await createReceiver({ store: plain }).answer()).toBe("200");
	expect(calls).toEqual(["claim", "complete"]);
});
