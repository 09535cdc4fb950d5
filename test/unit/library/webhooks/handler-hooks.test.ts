import { AsyncLocalStorage } from "node:async_hooks";
import {
	type HandlerEnding,
	type HandlerRunInfo,
	LeaseEndedError,
	type WebhookHooks,
} from "messaging-gateway/webhooks";
import { describe, expect, test, vi } from "vitest";
import { catchError } from "../../../support/catch-error.ts";
import { eventually } from "../../../support/eventually.ts";
import { throwing } from "../../../support/throwing.ts";
import { createReceiver, pendingHandler } from "../../../support/webhook-receiver.ts";

function recorder() {
	const runs: [HandlerRunInfo, HandlerEnding][] = [];
	const hooks: WebhookHooks = { aroundHandler: async (info, run) => runs.push([info, await run()]) };
	return { runs, hooks };
}

test("a hook around the handler hears of each run and how it ended", async () => {
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

test("it hears of a run that is given up when it is, not when the handler ends", async () => {
	const { runs, hooks } = recorder();
	const { handle } = pendingHandler();
	const receiver = createReceiver({ hooks, on: { inbound_message: handle }, maxHandlerMs: 60_000 });
	expect(await receiver.respond()).toMatch(/^503 handler_timed_out/);
	expect(runs.map(([, ending]) => ending)).toEqual([{ kind: "over", error: new LeaseEndedError("time") }]);
});

test("it runs the handler, or the queue, inside itself", async () => {
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

test("it hears of the end before the sender gets its response", async () => {
	const order: string[] = [];
	const hooks: WebhookHooks = {
		aroundHandler: async (_info, run) => order.push(`hook: ${(await run()).kind}`),
	};
	await createReceiver({ hooks, on: { inbound_message: () => undefined } })
		.send()
		.then(() => order.push("sender"));
	expect(order).toEqual(["hook: finished", "sender"]);
});

describe("a hook that misbehaves changes nothing: the handler runs once", () => {
	const broken = new Error("the tracer is broken");
	const tooLate = expect.objectContaining({ message: expect.stringContaining("did not call run") });
	const fail = throwing(broken);

	const thenable = {
		// biome-ignore lint/suspicious/noThenProperty: a thenable that fails is what is tested
		then: (_: unknown, reject: (error: unknown) => void) => reject(broken),
	};

	test.each<[title: string, aroundHandler: NonNullable<WebhookHooks["aroundHandler"]>, reported: unknown[]]>([
		["fails before it runs anything", fail, [broken]],
		["rejects at once", () => Promise.reject(broken), [broken]],
		["fails after it has begun", (_info, run) => [run(), fail()], [broken]],
		["fails when it hears of the end", async (_info, run) => [await run(), fail()], [broken]],
		["fails by what it returns", (_info, run) => [run(), thenable][1], [broken]],
		["never runs it", () => undefined, [tooLate]],
		["runs it too late", async (_info, run) => [await null, await run()], [tooLate]],
		["runs it twice", async (_info, run) => Promise.all([run(), run()]), []],
		["ignores what it started", (_info, run) => void run(), []],
		["never ends", async (_info, run) => [await run(), await new Promise(() => undefined)], []],
	])("one that %s", async (_title, aroundHandler, reported) => {
		const hint = "hooks.aroundHandler failed; the handler runs without it";
		const expected = reported.map((error) => expect.objectContaining({ error, eventId: "evt_1", hint }));
		const onMessage = vi.fn().mockRejectedValueOnce(new Error("not now"));
		const receiver = createReceiver({ hooks: { aroundHandler }, on: { inbound_message: onMessage } });
		expect(await receiver.respond()).toBe("500 handler_failed");
		expect(await receiver.respond()).toBe("200");
		expect(onMessage).toHaveBeenCalledTimes(2);
		await eventually(() =>
			expect(receiver.reports.filter(({ hint: own }) => own === hint)).toEqual([...expected, ...expected]),
		);
	});
});

test("a misspelt hook is rejected", () => {
	const error = catchError(() => createReceiver({ hooks: { aroundHandle: () => undefined } as never }));
	expect(error).toMatchObject({
		code: "configuration",
		message: "hooks.aroundHandle is not known: use aroundHandler, onResponse",
	});
});
