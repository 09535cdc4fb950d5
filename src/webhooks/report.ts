import { toSafeCause } from "../client/safe-cause.ts";
import type { WebhookVerificationErrorCode } from "../errors.ts";
import { platformConsole } from "../runtime.ts";
import type { EventFields } from "./events.ts";
import type {
	ResolvedHandlerOptions,
	WebhookErrorContext,
	WebhookHandlerSettings,
} from "./handler-options.ts";
import type { WebhookResponseCode } from "./webhook-response.ts";

/** Ends a hint: the specification shows no retries (section 6.4). */
export const NOT_ACKNOWLEDGED =
	"the event is not acknowledged; whether the gateway delivers it again is not specified";

/** What went wrong: the code of the response, or what does not show in one. */
export type Problem =
	| WebhookVerificationErrorCode
	| WebhookResponseCode
	| "event_given_up"
	| "record_lost"
	| "not_recorded"
	| "not_released"
	| "hook_failed";

/** Reports a problem with an event. Never throws. */
export type Report = (problem: Problem, error: unknown, hint: string) => void;

/** Reports a problem. Never throws. */
export type Reporter = (problem: Problem, error: unknown, context: WebhookErrorContext) => void;

export function createReport(
	{ reportProblem }: Pick<ResolvedHandlerOptions, "reportProblem">,
	{ eventId, timestamp }: EventFields,
): Report {
	return (problem, error, hint) => reportProblem(problem, error, { eventId, timestamp, hint });
}

/** Calls `onError`; without one, prints each kind of problem once, so that none is swallowed and no log is flooded. */
export function createReporter(onError: WebhookHandlerSettings["onError"]): Reporter {
	if (onError === undefined) return printOnce();
	return (_problem, error, context) => {
		// An async onError that rejects must not go unhandled either.
		void (async () => onError(error, context))().catch(() => undefined);
	};
}

function printOnce(): Reporter {
	const printed = new Set<Problem>();
	return (problem, error, { eventId, hint }) => {
		if (printed.has(problem)) return;
		printed.add(problem);
		// The error of a handler or a client may hold what it worked on.
		const { name, message } = toSafeCause(error);
		const event = eventId === undefined ? "" : `, event ${eventId}`;
		platformConsole.error(
			`messaging-gateway: ${hint} (${name}: ${message}${event}). Further problems of this kind are not printed: pass onError to createWebhookHandler, which gets each of them with its error`,
		);
	};
}
