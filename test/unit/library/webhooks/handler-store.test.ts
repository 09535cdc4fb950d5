import { createWebhookHandler, memoryStore, PermanentWebhookError } from "messaging-gateway/webhooks";
import { describe, expect, test, vi } from "vitest";
import { settle } from "../../../support/counting-clock.ts";
import { type Fault, scriptStore } from "../../../support/scripted-store.ts";
import { ALICE, createFrozenGateway } from "../../../support/signed-client.ts";
import { createReceiver, showResponse } from "../../../support/webhook-receiver.ts";

const FAULTS: readonly Fault[] = ["throw", "reject", "hang", "lose"];

describe.each(FAULTS)("a store whose calls %s", (fault) => {
	test("in claim: nothing runs, and 503 within five seconds", async () => {
		const handle = vi.fn();
		const { send, fail, heal, reports, clock } = createReceiver({ on: { inbound_message: handle } });
		fail("claim", fault);
		const startedAt = clock.now();
		expect(showResponse(await settle(clock, send(), 5_000))).toBe("503 store_unavailable, again in 5 s");
		expect(clock.now() - startedAt).toBeLessThanOrEqual(5_000);
		expect(handle).not.toHaveBeenCalled();
		expect(reports).toMatchObject([
			{ eventId: "evt_1", hint: expect.stringContaining("wasn't acknowledged") },
		]);
		expect(clock.openTimers).toBe(0);
		heal();
		await clock.advance(60_000);
		expect(showResponse(await settle(clock, send()))).toBe("200");
		expect(handle).toHaveBeenCalledTimes(1);
	});

	test("in complete, once: it is tried again, and the event is done", async () => {
		const handle = vi.fn();
		const { respond, fail, calls } = createReceiver({ on: { inbound_message: handle } });
		fail("complete", fault, 1);
		expect(await respond()).toBe("200");
		expect(calls.filter((call) => call === "complete")).toHaveLength(2);
		expect(await respond()).toBe("200");
		expect(handle).toHaveBeenCalledTimes(1);
	});

	test("in release: the handler's own error counts, and the event comes again when the lease is over", async () => {
		const failure = new Error("the database is away");
		const handle = vi.fn().mockRejectedValueOnce(failure);
		const { respond, fail, reports, reported, clock } = createReceiver({ on: { inbound_message: handle } });
		fail("release", fault);
		expect(await respond()).toBe("500 handler_failed");
		expect(reports[0]?.error).toBe(failure);
		expect(reports[1]?.hint).toContain("once its lease is over");
		expect(reported()).toEqual([
			"handler_failed: the database is away",
			expect.stringMatching(/^not_released: /),
		]);
		await clock.advance(60_000);
		expect(await respond()).toBe("200");
		expect(handle).toHaveBeenCalledTimes(2);
	});
});

test.each(["throw", "reject"] as const)(
	"complete fails for good (%s): tried four times, then 200, and onError learns that a repeat runs again",
	async (fault) => {
		const handle = vi.fn();
		const { respond, fail, calls, reports, clock } = createReceiver({ on: { inbound_message: handle } });
		fail("complete", fault);
		expect(await respond()).toBe("200");
		expect(calls.filter((call) => call === "complete")).toHaveLength(4);
		expect(reports).toMatchObject([{ hint: expect.stringContaining("couldn't record it") }]);
		expect(await respond()).toContain("503 in_flight");
		await clock.advance(60_000);
		expect(await respond()).toBe("200");
		expect(handle).toHaveBeenCalledTimes(2);
	},
);

test.each(FAULTS)("complete and extend fail for good (%s): still 200, and reported", async (fault) => {
	const { respond, fail, reports } = createReceiver();
	fail("complete", fault === "lose" ? "reject" : fault);
	fail("extend", fault);
	expect(await respond()).toBe("200");
	expect(reports).toMatchObject([{ hint: expect.stringContaining("couldn't record it") }]);
});

test("complete hangs for longer than the lease: the event stays held meanwhile, and no repeat runs it again", async () => {
	const handle = vi.fn();
	const { send, respond, fail, clock } = createReceiver({ on: { inbound_message: handle } });
	fail("complete", "hang", 3);
	const response = send();
	await clock.advance(16_000);
	expect(await respond()).toMatch(/^503 in_flight/);
	expect(showResponse(await settle(clock, response))).toBe("200");
	await clock.advance(2_000);
	expect(await respond()).toBe("200");
	expect(handle).toHaveBeenCalledTimes(1);
});

test("complete hangs for good: 200 after eight seconds, before a sender gives up, and onError learns of it", async () => {
	const { send, fail, reports, clock } = createReceiver();
	fail("complete", "hang");
	const ended = vi.fn();
	const response = send().finally(ended);
	await clock.advance(7_999);
	expect(ended).not.toHaveBeenCalled();
	await clock.advance(1);
	expect(ended).toHaveBeenCalled();
	expect(showResponse(await response)).toBe("200");
	expect(reports).toMatchObject([
		{ hint: expect.stringContaining("couldn't record it: no response within storeTimeoutMs") },
	]);
});

test("complete hangs for good: the local gateway has its 200 before it gives up, so the event runs once", async () => {
	const local = createFrozenGateway({ deliverTo: (request) => webhooks.fetch(request) });
	const { clock, webhookSecret: secret } = local;
	const handle = vi.fn();
	const webhooks = createWebhookHandler({
		secret,
		clock,
		store: { ...memoryStore({ clock }), complete: () => new Promise(() => undefined) },
		on: { inbound_message: handle, unknown: () => undefined },
		onError: () => undefined,
	});
	await local.contact(ALICE).reply("Hi");
	await clock.advance(120_000);
	await local.settled();
	expect(local.deliveries[0]?.attempts.map(({ status, error }) => status ?? error)).toEqual([200]);
	expect(handle).toHaveBeenCalledOnce();
});

test("complete fails twice and then works: nothing is reported", async () => {
	const { respond, fail, reported } = createReceiver();
	fail("complete", "reject", 2);
	expect([await respond(), await respond()]).toEqual(["200", "200"]);
	expect(reported()).toEqual([]);
});

test("complete is tried again after a pause, so that a client has the time to reconnect", async () => {
	const { send, fail, heal, reported, clock } = createReceiver();
	fail("complete", "reject");
	const response = send();
	await clock.advance(2_000);
	heal();
	await clock.advance(100);
	expect((await response).status).toBe(200);
	expect(reported()).toEqual([]);
	expect((await send()).status).toBe(200);
});

test("storeTimeoutMs bounds each call", async () => {
	const { send, fail, clock } = createReceiver({ storeTimeoutMs: 100 });
	fail("claim", "hang");
	const response = send();
	await clock.advance(99);
	const pending = Symbol("pending");
	expect(await Promise.race([response, Promise.resolve(pending)])).toBe(pending);
	await clock.advance(1);
	expect((await response).status).toBe(503);
});

test("a claim whose response came too late holds the event until its lease is over, and then it runs", async () => {
	const handle = vi.fn();
	const { respond, fail, clock } = createReceiver({ on: { inbound_message: handle } });
	fail("claim", "lose", 1);
	expect(await respond()).toContain("503 store_unavailable");
	expect(await respond()).toContain("503 in_flight");
	await clock.advance(60_000);
	expect(await respond()).toBe("200");
	expect(handle.mock.lastCall?.[1]).toMatchObject({ attempt: 2 });
});

/** A receiver whose store can lose all its records, as in a failover, while a handler runs. */
function createForgetfulReceiver(work: () => unknown = () => undefined) {
	const { clock } = createReceiver();
	let inner = memoryStore({ clock });
	const scripted = scriptStore({
		claim: (...given) => inner.claim(...given),
		extend: (...given) => inner.extend(...given),
		complete: (...given) => inner.complete(...given),
		release: (...given) => inner.release(...given),
	});
	const loseRecords = () => {
		inner = memoryStore({ clock });
	};
	const handle = vi.fn(async () => {
		loseRecords();
		await clock.advance(1);
		return work();
	});
	const receiver = createReceiver({ store: scripted.store, clock, on: { inbound_message: handle } });
	return { ...receiver, ...scripted, clock, handle };
}

describe("a run that finished while the store lost its record", () => {
	test("is acknowledged and recorded again: a repeat doesn't run", async () => {
		const { send, handle, calls, reports, reported } = createForgetfulReceiver();
		expect(showResponse(await send())).toBe("200");
		expect(calls).toEqual(["claim", "complete", "claim", "complete"]);
		expect(reports).toMatchObject([
			{ eventId: "evt_1", hint: expect.stringContaining("no longer knew of this run") },
		]);
		expect(reported()).toEqual(["record_lost: the record of a finished run was lost"]);
		expect(showResponse(await send())).toBe("200");
		expect(handle).toHaveBeenCalledTimes(1);
	});

	test("so is one that gave the event up", async () => {
		const { send, handle } = createForgetfulReceiver(() => Promise.reject(new PermanentWebhookError("no")));
		expect([showResponse(await send()), showResponse(await send())]).toEqual(["200", "200"]);
		expect(handle).toHaveBeenCalledTimes(1);
	});

	test("a run that failed doesn't count as finished: the event comes again, as its first attempt", async () => {
		const { send, handle, store } = createForgetfulReceiver(() => Promise.reject(new Error("no")));
		expect(showResponse(await send())).toBe("503 lease_lost, again in 5 s");
		expect(handle).toHaveBeenCalledTimes(1);
		expect(await store.claim("default:evt_1", { leaseMs: 1, retentionMs: 1_000 })).toMatchObject({
			status: "acquired",
			attempt: 1,
		});
	});

	test("a store that then can't record it: still 200, and both are reported", async () => {
		const { send, store, reported, clock } = createForgetfulReceiver();
		vi.spyOn(store, "complete").mockResolvedValueOnce(false).mockRejectedValue(new Error("away"));
		expect(showResponse(await settle(clock, send()))).toBe("200");
		expect(reported()).toEqual(["not_recorded: away", "record_lost: the record of a finished run was lost"]);
	});

	test.each<[title: string, claimAgain: () => Promise<never>]>([
		["fails", () => Promise.reject(new Error("away"))],
		["resolves to a value outside its contract", async () => null as never],
	])("a store that then %s is reported, and no other worker is blamed", async (_title, claimAgain) => {
		const { send, store, handle, reports, clock } = createForgetfulReceiver();
		const { claim } = store;
		vi.spyOn(store, "claim").mockImplementationOnce(claim).mockImplementationOnce(claimAgain);
		expect(showResponse(await settle(clock, send()))).toBe("503 lease_lost, again in 5 s");
		expect(handle).toHaveBeenCalledTimes(1);
		expect(reports).toMatchObject([
			{ error: { message: expect.stringMatching(/away|claim/) }, hint: expect.stringContaining("The store") },
		]);
		expect(reports[0]?.hint).toContain("expect it again only if your gateway retries");
		expect(reports[0]?.hint).not.toContain("nother worker");
	});
});
