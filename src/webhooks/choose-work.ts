import type { WebhookEvent } from "./events.ts";
import type { EventHandler, EventHandlers, Handling } from "./handler-options.ts";

/** What to do with a claimed event: run a function, acknowledge it without one, or reject it. */
export type Work<Context> =
	| { readonly run: (context: Context) => unknown }
	| { readonly skip: "acknowledge" | "reject"; readonly problem?: { error: Error; hint: string } };

/** Chooses by the event's kind and the options. Only untyped code can leave out `on.unknown`. */
export function chooseWork<Context>(event: WebhookEvent, { enqueue, on }: Handling<Context>): Work<Context> {
	if (enqueue !== undefined) return { run: (context) => enqueue(event, context) };
	const run = bindHandler(event, on);
	if (run !== undefined) return { run };
	if (event.kind !== "unknown") return { skip: "acknowledge" };
	if (event.reason === "type") {
		const error = new Error("an event of an unknown type");
		const hint = "this version does not know the event's type; on.unknown would get it";
		return { skip: "acknowledge", problem: { error, hint } };
	}
	const fields = event.issues.map(({ path, message }) => `${path} ${message}`.trim()).join("; ");
	const error = new Error("a payload that is not as documented");
	const hint = `the payload does not fit its type: ${fields}. It is not acknowledged; on.unknown would get it`;
	return { skip: "reject", problem: { error, hint } };
}

/** The handler for the event's kind, bound to the event; each branch narrows both. */
function bindHandler<Context>(
	event: WebhookEvent,
	on: Partial<EventHandlers<Context>>,
): ((context: Context) => unknown) | undefined {
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
			return bind(on.unknown, event);
	}
}
