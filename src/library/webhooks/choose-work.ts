import type { WebhookEvent } from "./events.ts";
import type { EventHandler, EventHandlers, Handling } from "./handler-options.ts";

/** Does the work of an event. */
export type Work<Context> = (context: Context) => unknown;

/** Chooses by the event's kind and the options; `undefined` for a known kind without a handler: there is nothing to do. */
export function chooseWork<Context>(
	event: WebhookEvent,
	{ enqueue, on }: Handling<Context>,
): Work<Context> | undefined {
	if (enqueue !== undefined) return (context) => enqueue(event, context);
	return bindHandler(event, on);
}

/** The handler for the event's kind, bound to the event; each branch narrows both. */
function bindHandler<Context>(event: WebhookEvent, on: EventHandlers<Context>): Work<Context> | undefined {
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
