import { postgresInbox } from "messaging-gateway/stores/postgres";
import {
	createWebhookHandler,
	type Inbox,
	PermanentWebhookError,
	type WebhookErrorContext,
	type WebhookHandlerOptions,
} from "messaging-gateway/webhooks";
import { describe, expect, test, vi } from "vitest";
import { type CountingClock, createCountingClock, settle } from "../../../support/counting-clock.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { throwing } from "../../../support/throwing.ts";
import { deliver, receiver, signedAt } from "../../../support/webhook-delivery.ts";
import { inboundMessage } from "../../../support/webhook-payloads.ts";
import { showResponse } from "../../../support/webhook-receiver.ts";

const AGAIN = "The event wasn't acknowledged: expect it again only if your gateway retries";

/** What an inbox of untyped code may do. */
type Run = (...given: Parameters<Inbox<unknown>["run"]>) => Promise<unknown>;

/** Delivers an event to an inbox. @returns the response, how often the handler ran, and what `onError` got. */
async function respondTo(inbox: Inbox<unknown>): Promise<string> {
	const hints: string[] = [];
	const handle = vi.fn();
	const on = { inbound_message: handle, unknown: handle };
	const onError = (_: unknown, { code, hint }: WebhookErrorContext) => hints.push(`${code}: ${hint}`);
	const webhooks = createWebhookHandler({ ...receiver(), inbox, on, onError });
	const response = await webhooks.handle(deliver(JSON.stringify(inboundMessage)));
	return [showResponse(response), `the handler ran ${handle.mock.calls.length} times`, ...hints].join("; ");
}

const elsewhere = (boundKey: unknown) => ({ status: "bound_elsewhere", boundKey });
const RULE =
	"store_unavailable: The store failed: the inbox must do the work and resolve to a status: ended, repeated, in_flight or broken, or bound_elsewhere and another boundKey";
const DOWN = "503 store_unavailable, again in 5 s; the handler ran";

/** An inbox that has bound the delivery to this key. */
const boundTo =
	(boundKey: string): Run =>
	async (key, work) => {
		if (key !== boundKey) return elsewhere(boundKey);
		await work(undefined);
		return { status: "ended" };
	};

/** A transaction function that forgets the work: only the first one, which binds, does it. */
function forgetfulInbox(): Run {
	let isFirst = true;
	const query = async () => ({ rows: [{ bound_key: "event:default:evt_1" }] });
	const { run } = postgresInbox<object>({
		async transaction(work) {
			if (isFirst) await work({ query, handle: {} });
			isFirst = false;
			return {};
		},
	});
	return run as Run;
}

const INBOXES: Outcomes<Run> = {
	"200; the handler ran 1 times": {
		"ends with the work done": async (_key, work) => work(undefined).then(() => ({ status: "ended" })),
		"finds the delivery bound to another key": boundTo("default:evt_0"),
	},
	"200; the handler ran 0 times": { "finds a repeat": async () => ({ status: "repeated" }) },
	"503 in_flight, again in 5 s; the handler ran 0 times": {
		"finds the event in flight": async () => ({ status: "in_flight" }),
	},
	[`500 handler_failed; the handler ran 1 times; handler_failed: the transaction is over. ${AGAIN}`]: {
		"finds its transaction broken": (_key, work) =>
			work(undefined).then(() => ({ status: "broken", error: new Error("the transaction is over") })),
	},
	[`${DOWN} 0 times; ${RULE}. ${AGAIN}`]: {
		"resolves to nothing": async () => undefined,
		"resolves to null": async () => null,
		"resolves to another status": async () => ({ status: "done" }),
		"ends without doing the work": async () => ({ status: "ended" }),
		"finds no bound key": async () => ({ status: "bound_elsewhere" }),
		"finds a bound key that is no string": async () => elsewhere(["default:evt_1"]),
		"finds the key that it was given": async (key) => elsewhere(key),
		"finds one key after the other": async (key) => elsewhere(`${key}1`),
		"has a transaction function that forgets the work": forgetfulInbox(),
	},
	[`${DOWN} 1 times; ${RULE}. ${AGAIN}`]: {
		"finds a bound key when it has done the work": async (_key, work) => {
			await work(undefined);
			return elsewhere("default:evt_0");
		},
	},
	[`${DOWN} 0 times; store_unavailable: The store failed: its bound key must be one that was given with the delivery before. ${AGAIN}`]:
		{ "finds the delivery bound to a key of another receiver": boundTo("other:evt_1") },
};

describe("an inbox that", () => {
	testOutcomes(INBOXES, (run) => respondTo({ run } as Inbox<unknown>));

	test("finds the delivery bound to another key gets the same binding with that one", async () => {
		const given: unknown[] = [];
		const bound = boundTo("default:evt_0");
		const run: Run = (key, work, times, binding) => {
			given.push([key, binding]);
			return bound(key, work, times, binding);
		};
		await respondTo({ run } as Inbox<unknown>);
		const binding = expect.objectContaining({ digest: expect.any(String) });
		expect(given).toEqual([
			["default:evt_1", binding],
			["default:evt_0", binding],
		]);
	});
});

/** A handler in a transaction, and whether its connection is lost meanwhile. */
type Work = readonly [handle: () => unknown, isLost?: boolean];

const never = () => new Promise(() => undefined);
const TOO_LONG = `handler_timed_out: Your handler ran longer than maxHandlerMs, so its transaction was undone. Make the handler faster, or raise maxHandlerMs. ${AGAIN}`;

const ENDINGS: Outcomes<Work> = {
	"commit; 200": {
		"returns nothing": [() => undefined],
		"returns a promise": [async () => "done"],
	},
	[`roll_back; 500 handler_failed; handler_failed: Your handler threw. ${AGAIN}`]: {
		throws: [throwing(new Error("no"))],
		rejects: [() => Promise.reject(new Error("no"))],
	},
	"undo; 200; event_given_up: Your handler gave up on the event, so it is acknowledged": {
		"gives the event up": [() => Promise.reject(new PermanentWebhookError("no"))],
	},
	[`abandon; 503 handler_timed_out, again in 5 s; ${TOO_LONG}; signal: time after 300 s`]: {
		"never ends": [never],
	},
	[`abandon; 503 handler_timed_out, again in 5 s; ${TOO_LONG}; signal: lost after 0 s`]: {
		"loses its connection": [never, true],
	},
};

describe("the transaction of a handler that", () => {
	testOutcomes(ENDINGS, async ([handle, isLost]) => {
		const clock = createCountingClock(signedAt * 1000);
		const shown: string[] = [];
		const aborted: string[] = [];
		const lost = new AbortController();
		const run: Inbox<object>["run"] = async (_key, work) => {
			shown.push(await work({}, lost.signal));
			return { status: "ended" };
		};
		const options: WebhookHandlerOptions<object> = {
			...receiver(),
			clock,
			inbox: { run },
			enqueue: (_event, { signal }) => {
				signal.addEventListener("abort", () => {
					const seconds = (clock.now() - signedAt * 1000) / 1000;
					aborted.push(`signal: ${signal.reason.reason} after ${seconds} s`);
				});
				if (isLost) setImmediate(() => lost.abort());
				return handle();
			},
			onError: (_, { code, hint }) => shown.push(`${code}: ${hint}`),
		};
		const { handle: deliverTo } = createWebhookHandler(options);
		const sent = deliverTo(deliver(JSON.stringify(inboundMessage)));
		if (isLost) await vi.waitFor(() => expect(aborted).toHaveLength(1));
		const response = showResponse(await settle(clock, sent));
		expect(clock.openTimers).toBe(0);
		return [shown[0], response, ...shown.slice(1), ...aborted].join("; ");
	});
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
