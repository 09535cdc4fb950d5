import { AsyncLocalStorage } from "node:async_hooks";
import {
	type HandlerEnding,
	type HandlerRunInfo,
	LeaseEndedError,
	PermanentWebhookError,
	type WebhookHooks,
	type WebhookResponseInfo,
} from "messaging-gateway/webhooks";
import { describe, expect, test, vi } from "vitest";
import { nextTask } from "../../../../src/tools/local-gateway/next-task.ts";
import { settle } from "../../../support/counting-clock.ts";
import { eventually } from "../../../support/eventually.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { throwing } from "../../../support/throwing.ts";
import { statusUpdate } from "../../../support/webhook-payloads.ts";
import {
	createReceiver,
	pendingHandler,
	type ReceiverOptions,
	showResponse,
} from "../../../support/webhook-receiver.ts";

function recorder() {
	const runs: [HandlerRunInfo, HandlerEnding][] = [];
	const hooks: WebhookHooks = { aroundHandler: async (info, run) => runs.push([info, await run()]) };
	return { runs, hooks };
}

describe("a hook around the handler", () => {
	test("hears of each run and how it ended", async () => {
		const { runs, hooks } = recorder();
		const failure = new Error("not now");
		const onMessage = vi.fn().mockRejectedValueOnce(failure);
		const receiver = createReceiver({ hooks, consumer: "notes", on: { inbound_message: onMessage } });
		expect(await receiver.respond()).toBe("500 handler_failed");
		expect(await receiver.respond()).toBe("200");
		expect(await receiver.respond()).toBe("200");
		const info = { eventId: "evt_1", kind: "inbound_message", consumer: "notes" };
		expect(runs).toEqual([
			[
				{ ...info, attempt: 1 },
				{ kind: "failed", error: failure },
			],
			[{ ...info, attempt: 2 }, { kind: "finished" }],
		]);
	});

	test("hears of a run that is given up when it is, not when the handler ends", async () => {
		const { runs, hooks } = recorder();
		const { handle } = pendingHandler();
		const receiver = createReceiver({ hooks, on: { inbound_message: handle }, maxHandlerMs: 60_000 });
		expect(await receiver.respond()).toMatch(/^503 handler_timed_out/);
		expect(runs.map(([, ending]) => ending)).toEqual([{ kind: "over", error: new LeaseEndedError("time") }]);
	});

	test("runs the handler, or the queue, inside itself", async () => {
		const storage = new AsyncLocalStorage<string>();
		const hooks: WebhookHooks = { aroundHandler: ({ eventId }, run) => storage.run(eventId, run) };
		const seen: (string | undefined)[] = [];
		const note = async () => {
			await Promise.resolve();
			seen.push(storage.getStore());
		};
		await createReceiver({ hooks, on: { inbound_message: note } }).respond({ eventId: "evt_handler" });
		await createReceiver({ hooks, enqueue: note }).respond({ eventId: "evt_queue" });
		expect(seen).toEqual(["evt_handler", "evt_queue"]);
	});

	test("hears of the end before the sender gets its response", async () => {
		const order: string[] = [];
		const hooks: WebhookHooks = {
			aroundHandler: async (_info, run) => order.push(`hook: ${(await run()).kind}`),
		};
		await createReceiver({ hooks, on: { inbound_message: () => undefined } })
			.send()
			.then(() => order.push("sender"));
		expect(order).toEqual(["hook: finished", "sender"]);
	});
});

const broken = new Error("the tracer is broken");
const fail = throwing(broken);

const thenable = {
	// biome-ignore lint/suspicious/noThenProperty: a thenable that fails is what is tested
	then: (_: unknown, reject: (error: unknown) => void) => reject(broken),
};

const HOOKS: Outcomes<NonNullable<WebhookHooks["aroundHandler"]>> = {
	"hook_failed: the tracer is broken": {
		"fails before it runs anything": fail,
		"rejects at once": () => Promise.reject(broken),
		"fails after it has begun": (_info, run) => [run(), fail()],
		"fails when it hears of the end": async (_info, run) => [await run(), fail()],
		"fails by what it returns": (_info, run) => [run(), thenable][1],
	},
	"hook_failed: the hook didn't call run before it returned or awaited something": {
		"never runs it": () => undefined,
		"runs it too late": async (_info, run) => [await null, await run()],
	},
	"nothing reported": {
		"runs it twice": async (_info, run) => Promise.all([run(), run()]),
		"ignores what it started": (_info, run) => void run(),
		"never ends": async (_info, run) => [await run(), await new Promise(() => undefined)],
	},
};

describe("a hook around the handler changes nothing, and the handler runs once, if it", () => {
	testOutcomes(HOOKS, async (aroundHandler) => {
		const onMessage = vi.fn().mockRejectedValueOnce(new Error("not now"));
		const receiver = createReceiver({ hooks: { aroundHandler }, on: { inbound_message: onMessage } });
		expect(await receiver.respond()).toBe("500 handler_failed");
		expect(await receiver.respond()).toBe("200");
		expect(onMessage).toHaveBeenCalledTimes(2);
		// Nothing waits for the hook.
		await nextTask();
		const hint = "hooks.aroundHandler threw. Your handler runs without it: fix the hook";
		const reports = receiver.reports.filter((report) => report.hint === hint);
		const failures = receiver.reported().filter((problem) => problem !== "handler_failed: not now");
		expect(reports).toMatchObject(failures.map(() => ({ eventId: "evt_1" })));
		expect(new Set(failures).size).toBeLessThanOrEqual(1);
		if (failures.length > 0) expect(failures).toHaveLength(2);
		return failures[0] ?? "nothing reported";
	});
});

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

	test("to a repeat while the first still runs, which it doesn't delay", async () => {
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

	test("to a store that is down, and to a payload that isn't as documented", async () => {
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

	// test/unit/library/webhooks/handler-requests.test.ts has those to rejected deliveries.
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
});

describe("hooks.onResponse reads the body", () => {
	const bodyOf = async (changes: { body?: string; headers?: Record<string, string> }) => {
		const bodies: unknown[] = [];
		const { handler, sign } = createReceiver({
			hooks: { onResponse: (_info, _readHeader, readBody) => bodies.push(readBody()) },
		});
		await handler.handle({ ...sign(), ...changes });
		return bodies;
	};

	test("of an event and of a rejected delivery", async () => {
		expect(await bodyOf({})).toEqual([expect.stringContaining("inbound_message")]);
		expect(await bodyOf({ body: "another" })).toEqual(["another"]);
	});

	test("but not what wasn't read", async () => {
		expect(await bodyOf({ headers: {} })).toEqual([undefined]);
	});
});

describe("hooks.onResponse that fails changes nothing, and is reported", () => {
	test.each([
		["throws", fail],
		["rejects", () => Promise.reject(broken)],
	])("if it %s", async (_title, onResponse) => {
		const { respond, reports, reported } = createReceiver({ hooks: { onResponse } });
		expect(await respond()).toBe("200");
		await eventually(() => expect(reports).toHaveLength(1));
		expect(reports).toMatchObject([
			{
				error: broken,
				hint: "hooks.onResponse threw. The event and its response are unaffected: fix the hook",
				eventId: "evt_1",
			},
		]);
		expect(reported()).toEqual(["hook_failed: the tracer is broken"]);
		expect(await respond()).toBe("200");
		expect(await respond({ secret: "another-secret" })).toBe("401 signature_mismatch");
	});

	test("if onError fails as well", async () => {
		const print = vi.spyOn(console, "error").mockReturnValue();
		const { respond } = createReceiver({ hooks: { onResponse: fail }, onError: fail });
		expect(await respond()).toBe("200");
		expect(print).toHaveBeenCalledOnce();
	});

	test("nothing waits for one that never ends", async () => {
		const { respond } = createReceiver({ hooks: { onResponse: () => new Promise(() => undefined) } });
		expect(await respond()).toBe("200");
	});
});
