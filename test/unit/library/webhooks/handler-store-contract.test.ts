import { postgresInbox } from "messaging-gateway/stores/postgres";
import {
	createWebhookHandler,
	type EventStore,
	type Inbox,
	type WebhookErrorContext,
} from "messaging-gateway/webhooks";
import { describe, expect, test, vi } from "vitest";
import { settle } from "../../../support/counting-clock.ts";
import { deliver, receiver } from "../../../support/webhook-delivery.ts";
import { inboundMessage } from "../../../support/webhook-payloads.ts";
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
	const done = { status: "done" };

	describe.each<[method: keyof EventStore, rule: string, broken: readonly unknown[]]>([
		[
			"claim",
			'must resolve to { status: "acquired", token, attempt }, { status: "in_flight", retryAfterMs } or { status: "done" }, with integers for token and attempt and a finite retryAfterMs',
			[
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
			],
		],
		["bind", "must resolve to the bound event id, a string", [undefined, null, 5, {}]],
		[
			"bind",
			"must resolve to the bound event id: 1 to 256 visible ASCII characters without a comma",
			["", "evt 1", "evt,1", "x".repeat(257)],
		],
		[
			"bindAndClaim",
			"must resolve to { eventId, claim }, with the bound event id, a string, and what claim resolves to",
			[
				...nonsense,
				done,
				{ eventId: "evt_1" },
				{ claim: done },
				{ eventId: 1, claim: done },
				{ eventId: "evt_1", claim: { status: "ok" } },
				{ eventId: "evt_1", claim: { status: "acquired", token: 1 } },
			],
		],
		[
			"bindAndClaim",
			"must resolve to the bound event id: 1 to 256 visible ASCII characters without a comma",
			[
				{ eventId: "evt 1", claim: { status: "acquired", token: 1, attempt: 1 } },
				{ eventId: "", claim: done },
			],
		],
	])("%s %s", (method, rule, broken) => {
		test.each(broken)("%o: 503, nothing runs, and the report names the rule", async (value) => {
			for (const returned of [Promise.resolve(value), value]) {
				const { respond, handle, reports } = createReceiverWith(method, returned);
				expect(await respond()).toBe("503 store_unavailable, again in 5 s");
				expect(handle).not.toHaveBeenCalled();
				const message = `the store's ${method} ${rule}`;
				expect(reports).toMatchObject([
					{
						error: { name: "StoreError", message },
						hint: expect.stringContaining(`the store failed: ${message}`),
					},
				]);
			}
		});
	});

	const values = [undefined, null, "OK", 1, {}];

	test.each(values)("complete resolves to %o: tried again, then 200, and reported", async (completed) => {
		for (const returned of [Promise.resolve(completed), completed]) {
			const { respond, reports } = createReceiverWith("complete", returned);
			expect(await respond()).toBe("200");
			const message = "the store's complete must resolve to a boolean";
			expect(reports).toMatchObject([
				{
					error: { name: "StoreError", message },
					hint: expect.stringContaining(`the store could not record it: ${message}`),
				},
			]);
		}
	});

	test.each(values)("release resolves to %o: the handler's own error counts", async (released) => {
		const on = { inbound_message: () => Promise.reject(new Error("no")) };
		for (const returned of [Promise.resolve(released), released]) {
			const { respond, reports, reported } = createReceiverWith("release", returned, { on });
			expect(await respond()).toBe("500 handler_failed");
			const message = "the store's release must resolve to a boolean";
			expect(reported()).toEqual(["no", message]);
			expect(reports[1]).toMatchObject({
				error: { name: "StoreError" },
				hint: expect.stringContaining(message),
			});
		}
	});

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

describe("a claim that took longer than its timeout", () => {
	/** A receiver whose store responds to its first claim, alone or with the binding, after seven seconds. */
	function createSlowReceiver({ combines = false, late = async () => {} } = {}) {
		const handle = vi.fn();
		const { store, clock } = createReceiver();
		let isSlow = true;
		async function delay<Value>(value: Value): Promise<Value> {
			if (!isSlow) return value;
			isSlow = false;
			await new Promise<void>((resolve) => clock.setTimer(resolve, 7_000));
			await late();
			return value;
		}
		const claim: EventStore["claim"] = async (key, times) => delay(await store.claim(key, times));
		const bindAndClaim: EventStore["bindAndClaim"] = async ({ digest, eventId, ttlMs, keyPrefix }, times) => {
			const bound = await store.bind(digest, eventId, ttlMs);
			return { eventId: bound, claim: await claim(keyPrefix + bound, times) };
		};
		const slow: EventStore = { ...store, claim, ...(combines && { bindAndClaim }) };
		return {
			...createReceiver({ store: slow, clock, on: { inbound_message: handle } }),
			store,
			clock,
			handle,
		};
	}

	test.each([
		["alone", false],
		["with the binding", true],
	])(
		"%s is released when its response comes, so that the event is free at once, and its run is the first",
		async (_title, combines) => {
			const { send, clock, handle } = createSlowReceiver({ combines });
			const response = send();
			await clock.advance(5_000);
			expect(showResponse(await response)).toBe("503 store_unavailable, again in 5 s");
			expect(showResponse(await settle(clock, send(), 0))).toContain("503 in_flight");
			await clock.advance(2_000);
			expect(showResponse(await settle(clock, send(), 0))).toBe("200");
			expect(handle).toHaveBeenCalledTimes(1);
			expect(handle.mock.lastCall?.[1]).toMatchObject({ attempt: 1 });
			expect(clock.openTimers).toBe(0);
		},
	);

	test("and that found the event with somebody else changes nothing", async () => {
		const { send, clock, store } = createSlowReceiver();
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

	test("and then rejects does no harm", async () => {
		const late = () => Promise.reject(new Error("the connection is lost"));
		const { send, clock } = createSlowReceiver({ late });
		const response = send();
		await clock.advance(7_000);
		expect((await response).status).toBe(503);
		await clock.advance(60_000);
		expect(showResponse(await settle(clock, send(), 0))).toBe("200");
	});
});

const RULE = "the inbox must do the work and resolve to a status: ended, repeated, in_flight or broken";

/** What an inbox of untyped code may do. */
type Run = (...given: Parameters<Inbox<unknown>["run"]>) => Promise<unknown>;

/** Delivers an event to an inbox. @returns the response, and what `onError` got. */
async function respondTo(inbox: Inbox<unknown>, bindDelivery = false) {
	const onError = vi.fn<(error: unknown, context: WebhookErrorContext) => void>();
	const handle = vi.fn();
	const on = { inbound_message: handle, unknown: handle };
	const webhooks = createWebhookHandler({ ...receiver(), inbox, on, onError, bindDelivery });
	const { status, body } = await webhooks.handle(deliver(JSON.stringify(inboundMessage)));
	return {
		response: `${status} ${body}`.trim(),
		runs: handle.mock.calls.length,
		hints: onError.mock.calls.map(([, { hint }]) => hint),
	};
}

test.each<[title: string, run: Run]>([
	["resolves to nothing", async () => undefined],
	["resolves to null", async () => null],
	["resolves to another status", async () => ({ status: "done" })],
	["ends without doing the work", async () => ({ status: "ended" })],
])("an inbox that %s acknowledges nothing, and the report names the rule", async (_title, run) => {
	const bind = async (_digest: string, eventId: string) => eventId;
	const { response, runs, hints } = await respondTo({ run, bind } as Inbox<unknown>);
	expect([response, runs]).toEqual(["503 store_unavailable", 0]);
	expect(hints).toEqual([expect.stringContaining(RULE)]);
});

test("neither does a transaction function that forgets the work", async () => {
	const { response, runs, hints } = await respondTo(postgresInbox({ transaction: async () => ({}) }));
	expect([response, runs]).toEqual(["503 store_unavailable", 0]);
	expect(hints).toEqual([expect.stringContaining(RULE)]);
});

test("an inbox that binds to nothing runs nothing, and the report names the rule", async () => {
	const run = async () => ({ status: "ended" });
	const bind = async () => undefined;
	const { response, runs, hints } = await respondTo({ run, bind } as unknown as Inbox<unknown>, true);
	expect([response, runs]).toEqual(["503 store_unavailable", 0]);
	expect(hints).toEqual([expect.stringContaining("bind must resolve to the bound event id")]);
});
