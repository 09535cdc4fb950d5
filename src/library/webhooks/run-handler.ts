import { runAround } from "../around.ts";
import type { Job } from "./event-runner.ts";
import type { WebhookEvent } from "./events.ts";
import type { EventHandler, HandlerEnding, HandlerRunInfo, Handling } from "./handler-options.ts";

/** Does the work of an event. */
type Work<Context> = (context: Context) => unknown;

/** Chooses by the event's kind and the options; `undefined` for a known kind without a handler: there is nothing to do. */
export function chooseWork<Context>(
	event: WebhookEvent,
	{ enqueue, on }: Handling<Context>,
): Work<Context> | undefined {
	if (enqueue !== undefined) return (context) => enqueue(event, context);
	// Each branch narrows the event and its handler alike.
	const bind = <Event extends WebhookEvent>(
		handler: EventHandler<Event, Context> | undefined,
		narrowed: Event,
	) => handler && ((context: Context) => handler(narrowed, context));
	switch (event.kind) {
		case "inbound_message":
			return bind(on.inbound_message, event);
		case "inbound_reaction":
			return bind(on.inbound_reaction, event);
		case "status":
			return bind(on.status, event);
		case "unknown":
			// Required at set-up. If it was removed since, this throws: the event is not acknowledged.
			return (context) => on.unknown(event, context);
	}
}

/** Runs a handler inside the hook, if there is one. A promise only if there is something to wait for. */
export function runInHook(
	{ event, body, tenant, options, report }: Job,
	attempt: number | undefined,
	run: () => HandlerEnding | Promise<HandlerEnding>,
): HandlerEnding | Promise<HandlerEnding> {
	const hook = options.hooks?.aroundHandler;
	if (hook === undefined) return run();
	const { eventId, kind, timestamp } = event;
	const info: HandlerRunInfo = { eventId, kind, consumer: options.consumer, attempt };
	return runAround(
		(about: HandlerRunInfo, start: () => Promise<HandlerEnding>) =>
			hook(about, start, { body, timestamp, tenant }),
		{
			info,
			run: async () => run(),
			describe: (settled): HandlerEnding =>
				settled.status === "fulfilled" ? settled.value : { kind: "failed", error: settled.reason },
			onFailure: (error) =>
				report(
					"hook_failed",
					error,
					"hooks.aroundHandler threw. Your handler runs without it: fix the hook",
					[error],
				),
		},
	);
}
