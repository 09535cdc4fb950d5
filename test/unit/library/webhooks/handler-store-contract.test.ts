import { postgresInbox } from "messaging-gateway/stores/postgres";
import {
	createWebhookHandler,
	type EventStore,
	type Inbox,
	type WebhookErrorContext,
} from "messaging-gateway/webhooks";
import { describe, expect, test, vi } from "vitest";
import { type CountingClock, createCountingClock, settle } from "../../../support/counting-clock.ts";
import { deliver, receiver, signedAt } from "../../../support/webhook-delivery.ts";
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

describe("a store of somebody else's that doesn't keep the contract is a store that failed", () => {
	const nonsense = [undefined, null, 5, "acquired", {}, [], { status: "ok" }];

	describe.each<[method: keyof EventStore, rule: string, broken: readonly unknown[]]>([
		[
			"claim",
			'must resolve to { status: "acquired", token, attempt }, { status: "in_flight", retryAfterMs } or { status: "done" }, with integers for token and attempt, a finite retryAfterMs, and for a bound delivery boundKey, a string',
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
				{ status: "done", boundKey: 5 },
				{ status: "done", boundKey: null },
				{ status: "acquired", token: 1, attempt: 1, boundKey: ["default:evt_1"] },
			],
		],
	])("%s %s", (method, rule, broken) => {
		test.each(broken)("%o: 503, nothing runs, and the report names the rule", async (value) => {
			for (const returned of [Promise.resolve(value), value]) {
				const { respond, handle, reports } = createReceiverWith(method, returned);
				expect(await respond()).toBe("503 store_unavailable, again in 5 s");
				expect(handle).not.toHaveBeenCalled();
				const message = `its ${method} ${rule}`;
				expect(reports).toMatchObject([
					{
						error: { name: "StoreError", message },
						hint: expect.stringContaining(`The store failed: ${message}`),
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
			const message = "its complete must resolve to true or false";
			expect(reports).toMatchObject([
				{
					error: { name: "StoreError", message },
					hint: expect.stringContaining(`the store couldn't record it: ${message}`),
				},
			]);
		}
	});

	test.each(values)("release resolves to %o: the handler's own error counts", async (released) => {
		const on = { inbound_message: () => Promise.reject(new Error("no")) };
		for (const returned of [Promise.resolve(released), released]) {
			const { respond, reports, reported } = createReceiverWith("release", returned, { on });
			expect(await respond()).toBe("500 handler_failed");
			const message = "its release must resolve to true or false";
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

test.each([
	"evt_1",
	"other:evt_1",
	"default:",
	"default:evt 1",
	"default:evt,1",
	`default:${"x".repeat(257)}`,
])(
	"a claim is bound to %j, which is no key of this receiver's: 503, nothing runs, and it is reported",
	async (boundKey) => {
		for (const claim of [{ status: "done" }, { status: "acquired", token: 1, attempt: 1 }]) {
			const { respond, handle, reported } = createReceiverWith("claim", { ...claim, boundKey });
			expect(await respond()).toBe("503 store_unavailable, again in 5 s");
			expect(handle).not.toHaveBeenCalled();
			expect(reported()).toEqual(["its bound key must be one that was given with the delivery before"]);
		}
	},
);

test("a claim may resolve to the given key as the bound one", async () => {
	const { store, clock } = createReceiver();
	const claim: EventStore["claim"] = async (key, ...given) => ({
		...(await store.claim(key, ...given)),
		boundKey: key,
	});
	const { respond, calls, reported } = createReceiver({ store: { ...store, claim }, clock });
	expect([await respond(), await respond(), reported(), calls]).toEqual(["200", "200", [], []]);
});

describe("a claim that took longer than its timeout", () => {
	/** A receiver whose store responds to its first claim after seven seconds. */
	function createSlowReceiver({ late = async () => {} } = {}) {
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
		const claim: EventStore["claim"] = async (...given) => delay(await store.claim(...given));
		const slow: EventStore = { ...store, claim };
		return {
			...createReceiver({ store: slow, clock, on: { inbound_message: handle } }),
			store,
			clock,
			handle,
		};
	}

	test("is released when its response comes, so that the event is free at once, and its run is the first", async () => {
		const { send, clock, handle } = createSlowReceiver();
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

	test("is released under the key that the delivery is bound to", async () => {
		const { send, clock, store, handle } = createSlowReceiver();
		const on = { inbound_message: () => Promise.reject(new Error("no")) };
		const payload = inboundMessage;
		await createReceiver({ store, clock, on }).send({ eventId: "evt_1", payload });
		const response = send({ eventId: "evt_2", payload });
		await clock.advance(7_000);
		expect((await response).status).toBe(503);
		expect(showResponse(await settle(clock, send({ eventId: "evt_2", payload }), 0))).toBe("200");
		expect(handle.mock.calls.map(([{ eventId }, { attempt }]) => [eventId, attempt])).toEqual([["evt_1", 2]]);
	});

	test("and that found the event with somebody else changes nothing", async () => {
		const { send, clock, store } = createSlowReceiver();
		await store.claim("default:evt_1", TIMES);
		const response = send();
		await clock.advance(7_000);
		expect((await response).status).toBe(503);
		expect(await store.claim("default:evt_1", TIMES)).toMatchObject({ status: "in_flight" });
	});

	test("and that can't be read ends no process", async () => {
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

const RULE =
	"the inbox must do the work and resolve to a status: ended, repeated, in_flight or broken, or bound_elsewhere and another boundKey";

/** What an inbox of untyped code may do. */
type Run = (...given: Parameters<Inbox<unknown>["run"]>) => Promise<unknown>;

/** Delivers an event to an inbox. @returns the response, and what `onError` got. */
async function respondTo(inbox: Inbox<unknown>) {
	const onError = vi.fn<(error: unknown, context: WebhookErrorContext) => void>();
	const handle = vi.fn();
	const on = { inbound_message: handle, unknown: handle };
	const webhooks = createWebhookHandler({ ...receiver(), inbox, on, onError });
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
	["finds no bound key", async () => ({ status: "bound_elsewhere" })],
	[
		"finds a bound key that is no string",
		async () => ({ status: "bound_elsewhere", boundKey: ["default:evt_1"] }),
	],
	["finds the key that it was given", async (boundKey) => ({ status: "bound_elsewhere", boundKey })],
	["finds one key after the other", async (key) => ({ status: "bound_elsewhere", boundKey: `${key}1` })],
])("an inbox that %s acknowledges nothing, and the report names the rule", async (_title, run) => {
	const { response, runs, hints } = await respondTo({ run } as Inbox<unknown>);
	expect([response, runs]).toEqual(["503 store_unavailable", 0]);
	expect(hints).toEqual([expect.stringContaining(RULE)]);
});

test("neither does a transaction function that forgets the work", async () => {
	let isFirst = true;
	const query = async () => ({ rows: [{ bound_key: "event:default:evt_1" }] });
	const inbox = postgresInbox<object>({
		// The first one binds.
		async transaction(work) {
			if (isFirst) await work({ query, handle: {} });
			isFirst = false;
			return {};
		},
	});
	const { response, runs, hints } = await respondTo(inbox);
	expect([response, runs]).toEqual(["503 store_unavailable", 0]);
	expect(hints).toEqual([expect.stringContaining(RULE)]);
});

describe("an inbox that takes longer than storeTimeoutMs", () => {
	/** A receiver on an inbox, on a clock that only the test moves. */
	function createInboxReceiver(inbox: Partial<Inbox<unknown>>) {
		const clock = createCountingClock(signedAt * 1000);
		const handle = vi.fn(() => new Promise<void>((resolve) => void clock.setTimer(resolve, 60_000)));
		const webhooks = createWebhookHandler({
			...receiver(),
			clock,
			inbox: { run: async () => ({ status: "repeated" }), ...inbox },
			on: { inbound_message: handle, unknown: handle },
			onError: () => undefined,
		});
		const sent = webhooks.handle(deliver(JSON.stringify(inboundMessage)));
		const respond = async () => {
			const { status, body } = await settle(clock, sent);
			return [`${status} ${body}`.trim(), clock.now() - signedAt * 1000];
		};
		return { clock, handle, sent, respond };
	}

	const hang = () => new Promise<never>(() => undefined);
	const ended = { status: "ended" } as const;
	const later = (clock: CountingClock, ms: number) =>
		new Promise<void>((resolve) => void clock.setTimer(resolve, ms));

	test.each<[title: string, inbox: Partial<Inbox<unknown>>, afterMs: number, runs: number]>([
		["to begin", { run: hang }, 5_000, 0],
		[
			"to end, after a handler that took a minute",
			{ run: (_key, work) => work(undefined).then(hang) },
			70_000,
			1,
		],
	])("%s gets 503, and nothing waits any more", async (_title, inbox, afterMs, runs) => {
		const { respond, handle, clock } = createInboxReceiver(inbox);
		expect(await respond()).toEqual(["503 store_unavailable", afterMs]);
		expect(handle).toHaveBeenCalledTimes(runs);
		expect(clock.openTimers).toBe(0);
	});

	test("to begin runs nothing when it begins at last", async () => {
		const endings: unknown[] = [];
		const { respond, handle, clock } = createInboxReceiver({
			async run(_key, work, times) {
				await later(times.clock as CountingClock, 7_000);
				endings.push(await work(undefined));
				return ended;
			},
		});
		expect(await respond()).toEqual(["503 store_unavailable", 5_000]);
		await clock.advance(2_000);
		expect([endings, handle.mock.calls]).toEqual([["roll_back"], []]);
	});

	test("and then rejects ends no process", async () => {
		const { respond, clock } = createInboxReceiver({
			async run(_key, _work, times) {
				await later(times.clock as CountingClock, 7_000);
				throw new Error("the connection is lost");
			},
		});
		expect((await respond())[0]).toBe("503 store_unavailable");
		await clock.advance(2_000);
	});

	test("within its limits it is waited for: three seconds to begin, a minute of work, three to commit", async () => {
		const { respond, clock } = createInboxReceiver({
			async run(_key, work, times) {
				await later(times.clock as CountingClock, 3_000);
				await work(undefined);
				await later(times.clock as CountingClock, 3_000);
				return ended;
			},
		});
		expect(await respond()).toEqual(["200", 66_000]);
		expect(clock.openTimers).toBe(0);
	});

	test("may begin its work at once", async () => {
		const { respond, clock } = createInboxReceiver({
			run: (_key, work) => work(undefined).then(() => ended),
		});
		expect(await respond()).toEqual(["200", 60_000]);
		expect(clock.openTimers).toBe(0);
	});
});

describe("an inbox that finds the delivery bound to another key", () => {
	/** An inbox that has bound the delivery to a key, and the keys and bindings that it got. */
	function createBound(boundKey: string) {
		const given: unknown[] = [];
		const run: Run = async (key, work, _times, binding) => {
			given.push([key, binding]);
			if (key !== boundKey) return { status: "bound_elsewhere", boundKey };
			await work(undefined);
			return { status: "ended" };
		};
		return { inbox: { run } as Inbox<unknown>, given };
	}

	test("runs under that one, with the same binding", async () => {
		const { inbox, given } = createBound("default:evt_0");
		const { response, runs } = await respondTo(inbox);
		expect([response, runs]).toEqual(["200", 1]);
		const binding = expect.objectContaining({ digest: expect.any(String) });
		expect(given).toEqual([
			["default:evt_1", binding],
			["default:evt_0", binding],
		]);
	});

	test("runs nothing if that is no key of this receiver's", async () => {
		const { inbox, given } = createBound("other:evt_1");
		const { response, runs, hints } = await respondTo(inbox);
		expect([response, runs, given.length]).toEqual(["503 store_unavailable", 0, 1]);
		expect(hints).toEqual([expect.stringContaining("its bound key must be one that was given")]);
	});

	test("but has done the work already, acknowledges nothing", async () => {
		const run: Run = async (_key, work) => {
			await work(undefined);
			return { status: "bound_elsewhere", boundKey: "default:evt_0" };
		};
		const { response, hints } = await respondTo({ run } as Inbox<unknown>);
		expect(response).toBe("503 store_unavailable");
		expect(hints).toEqual([expect.stringContaining(RULE)]);
	});
});
