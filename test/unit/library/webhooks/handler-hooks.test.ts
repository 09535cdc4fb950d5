import { AsyncLocalStorage } from "node:async_hooks";
import {
	type HandlerEnding,
	type HandlerRunInfo,
	LeaseEndedError,
	type WebhookHooks,
} from "messaging-gateway/webhooks";
import { expect, test, vi } from "vitest";
import { catchError } from "../../../support/catch-error.ts";
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

test("one that fails changes nothing: the handler runs once, and onError is called once", async () => {
	const onMessage = vi.fn();
	const broken = new Error("the tracer is broken");
	const hooks: WebhookHooks = { aroundHandler: () => Promise.reject(broken) };
	const receiver = createReceiver({ hooks, on: { inbound_message: onMessage } });
	expect(await receiver.respond()).toBe("200");
	expect(onMessage).toHaveBeenCalledOnce();
	expect(receiver.reports).toEqual([
		expect.objectContaining({
			error: broken,
			eventId: "evt_1",
			hint: "hooks.aroundHandler failed; the handler runs without it",
		}),
	]);
});

test("a misspelt hook is rejected", () => {
	const error = catchError(() => createReceiver({ hooks: { aroundHandle: () => undefined } as never }));
	expect(error).toMatchObject({
		code: "configuration",
		message: "hooks.aroundHandle is not known: use aroundHandler, onResponse",
	});
});
