import type { WebhookEvent } from "./events.ts";
import type { EventHandler, HandlerContext, ResolvedHandlerOptions } from "./handler-options.ts";

/** What to do with an event once it is claimed: run something, acknowledge it unseen, or leave it unacknowledged. */
export type Work =
	| { readonly run: (context: HandlerContext) => unknown }
	| { readonly skip: "acknowledge" | "refuse"; readonly problem?: { error: Error; hint: string } };

/** What an event's kind and the options say. Only code without types leaves out `on.unknown`. */
export function chooseWork(event: WebhookEvent, { enqueue, on }: ResolvedHandlerOptions): Work {
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
	return { skip: "refuse", problem: { error, hint } };
}

/** The handler of the event's kind, with the event in it: each branch has both narrowed. */
function bindHandler(
	event: WebhookEvent,
	on: ResolvedHandlerOptions["on"],
): ((context: HandlerContext) => unknown) | undefined {
	const bind = <Event extends WebhookEvent>(handler: EventHandler<Event> | undefined, narrowed: Event) =>
		handler && ((context: HandlerContext) => handler(narrowed, context));
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
