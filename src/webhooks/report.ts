import type { EventFields } from "./events.ts";
import type { ResolvedHandlerOptions, WebhookErrorContext } from "./handler-options.ts";

/** Ends a hint: the specification shows no retries (section 6.4). */
export const NOT_ACKNOWLEDGED =
	"the event is not acknowledged; whether the gateway delivers it again is not specified";

/** Calls `onError` for an event. Never throws. */
export type Report = (error: unknown, hint: string) => void;

export function createReport(options: ResolvedHandlerOptions, { eventId, timestamp }: EventFields): Report {
	return (error, hint) => reportTo(options, error, { eventId, timestamp, hint });
}

/** Calls `onError`. Never throws. */
export function reportTo(
	{ onError }: ResolvedHandlerOptions,
	error: unknown,
	context: WebhookErrorContext,
): void {
	// An async onError that rejects must not go unhandled either.
	void (async () => onError?.(error, context))().catch(() => undefined);
}
