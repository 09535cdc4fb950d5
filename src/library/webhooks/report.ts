import type { WebhookVerificationErrorCode } from "../errors.ts";
import { type Clock, platformConsole } from "../runtime.ts";
import type { SignedFields } from "./events.ts";
import type { WebhookResponseCode } from "./webhook-response.ts";

/** Ends a hint: the specification shows no retries (section 6.4). */
export const NOT_ACKNOWLEDGED =
	"the event is not acknowledged; whether the gateway delivers it again is not specified";

/** Describes an error: print `eventId`, `hint` and the error itself, which has the cause and the stack. */
export interface WebhookErrorContext extends Partial<SignedFields> {
	/**
	 * What happened, and what to do about it, for a developer. It holds no secret, signature or payload; of a failed store
	 * it has the store's own sentence. What a handler threw is in the error alone.
	 */
	readonly hint: string;
}

/**
 * Called with an error, and what to do about it. The response waits up to 2 seconds for a promise that it returns: some
 * hosts stop the process after the response, and the report with it. One with `waitUntil`, such as Workers, gets the
 * promise instead. While 50 responses wait, others do not.
 */
export type OnWebhookError = (error: unknown, context: WebhookErrorContext) => unknown;

/** What went wrong: the code of the response, or what does not show in one. */
export type Problem =
	| WebhookVerificationErrorCode
	| WebhookResponseCode
	| "event_given_up"
	| "record_lost"
	| "not_recorded"
	| "not_released"
	| "lease_at_risk"
	| "event_id_reused"
	| "hook_failed";

/** Reports a problem with an event. Never throws. */
export type Report = (problem: Problem, error: unknown, hint: string) => void;

/** Reports a problem. Never throws. @returns a promise if `onError` returned one; it never rejects. */
export type Reporter = (
	problem: Problem,
	error: unknown,
	context: WebhookErrorContext,
) => Promise<unknown> | undefined;

export function createReport(
	{ reportProblem }: { readonly reportProblem: Reporter },
	{ eventId, timestamp }: SignedFields,
): Report {
	return (problem, error, hint) => reportProblem(problem, error, { eventId, timestamp, hint });
}

/** Calls `onError`; without one, prints each kind of problem once, so that none is swallowed and no log is flooded. */
export function createReporter(onError: OnWebhookError | undefined): Reporter {
	if (onError === undefined) return printOnce();
	return (_problem, error, context) => {
		try {
			const reporting = onError(error, context);
			// A promise that rejects must not go unhandled either.
			return isThenable(reporting) ? Promise.resolve(reporting).catch(() => undefined) : undefined;
		} catch {
			return undefined;
		}
	};
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
	return typeof value === "object" && value !== null && "then" in value;
}

/** As long as trackers of errors wait by default when they are flushed; a sender waits for its response meanwhile. */
const MAX_REPORT_MS = 2_000;

/** Anybody can make deliveries that fail: beyond so many, responses do not wait. */
const MAX_WAITING = 50;

/** Lets the reports of a delivery end. Never rejects. */
export type FinishReports = (
	reports: Promise<unknown>,
	platform: readonly unknown[] | undefined,
) => Promise<void>;

/**
 * Lets reports end, since some hosts stop the process after the response: hands them to a host with `waitUntil`, which
 * keeps the process for them, and waits a bounded time on the others.
 */
export function createFinishReports(clock: Clock): FinishReports {
	let waiting = 0;
	return async (reports, platform) => {
		if (isHandedOver(reports, platform) || waiting >= MAX_WAITING) return;
		let cancel = (): void => undefined;
		const timeIsOver = new Promise<void>((resolve) => {
			cancel = clock.setTimer(resolve, MAX_REPORT_MS);
		});
		waiting++;
		await Promise.race([reports, timeIsOver]);
		waiting--;
		cancel();
	};
}

function isHandedOver(reports: Promise<unknown>, platform: readonly unknown[] | undefined): boolean {
	try {
		const host = platform?.find(canWait);
		// What it returns is no promise that a response could wait for, and may reject.
		if (host !== undefined) Promise.resolve(host.waitUntil(reports)).catch(() => undefined);
		return host !== undefined;
	} catch {
		// A host that cannot wait any more is one that cannot wait.
		return false;
	}
}

function canWait(value: unknown): value is { waitUntil(promise: Promise<unknown>): unknown } {
	return typeof (value as { waitUntil?: unknown } | null | undefined)?.waitUntil === "function";
}

function printOnce(): Reporter {
	const printed = new Set<Problem>();
	return (problem, error, { eventId, hint }) => {
		if (printed.has(problem)) return undefined;
		printed.add(problem);
		// The error of a handler or a client may hold what it worked on.
		const name = error instanceof Error && /^[A-Z][A-Za-z]{0,63}$/.test(error.name) ? error.name : "Error";
		const event = eventId === undefined ? "" : `, event ${eventId}`;
		platformConsole.error(
			`messaging-gateway: ${hint} (${name}${event}). Its error, and further problems of this kind, are not printed: pass onError to createWebhookHandler, which gets each of them`,
		);
		return undefined;
	};
}
