import { shownErrorName, type WebhookVerificationErrorCode } from "../errors.ts";
import { UUID } from "../host.ts";
import { type Clock, platformConsole } from "../runtime.ts";
import type { SignedFields, WebhookEvent } from "./events.ts";
import { hideHandles } from "./hide-handles.ts";
import { readField } from "./read-body.ts";
import type { WebhookResponseCode } from "./webhook-response.ts";

/** Ends a hint: the specification shows no retries (section 6.4). */
export const NOT_ACKNOWLEDGED = "The event wasn't acknowledged: expect it again only if your gateway retries";

/** Describes a problem. Print `line`, and `thrown` after it. */
export interface WebhookErrorContext extends Partial<SignedFields> {
	/** The code of the problem: the code of the response, or one for a problem that no response shows. */
	readonly code:
		| WebhookVerificationErrorCode
		| WebhookResponseCode
		| "event_given_up"
		| "record_lost"
		| "not_recorded"
		| "not_released"
		| "lease_at_risk"
		| "event_id_reused"
		| "hook_failed";
	/** The event's kind, once the delivery is verified. */
	readonly kind?: WebhookEvent["kind"] | undefined;
	/** The tenant that your secret function named. For a rejected delivery, the sender may have chosen it. */
	readonly tenant?: string | undefined;
	/** The number of the run for this event, from 1, if a store counts them. */
	readonly attempt?: number | undefined;
	/**
	 * Says in words, for a developer, how to fix the problem. It holds no secret, signature or payload. For a failed
	 * store it has the store's own sentence, or the code of its client's error.
	 */
	readonly hint: string;
	/**
	 * The errors of your code or a client, to print after `line`. They have a stack, and a message that `line` may not
	 * repeat. It is empty if `line` says it all. It isn't enumerable, so a context in a log shows nothing of it.
	 */
	readonly thrown: readonly unknown[];
	/**
	 * The problem in one bounded line for any log: code, kind, event, tenant, attempt and hint. Control characters are
	 * replaced, and so is an event's id or a tenant that looks like a number or an address.
	 */
	readonly line: string;
}

/**
 * Called with an error, and a hint how to fix it. The response waits up to 2 seconds for its promise, since some hosts
 * stop the process after the response, and the report with it. A host with `waitUntil`, such as Workers, gets the
 * promise instead. While 50 responses wait, further ones do not. If it fails, each kind of problem is printed once.
 */
export type OnWebhookError = (error: unknown, context: WebhookErrorContext) => unknown;

export type Problem = WebhookErrorContext["code"];

/** What is known of a problem where it is found. */
export interface ProblemContext extends Omit<WebhookErrorContext, "code" | "line" | "thrown"> {
	/** Left out if the hint says it all. */
	readonly thrown?: readonly unknown[] | undefined;
}

/** Reports a problem with an event. Never throws. */
export type Report = (problem: Problem, error: unknown, hint: string, thrown?: readonly unknown[]) => void;

/** What is behind an error of ours, whose own sentence is in the hint. */
export function causesOf({ cause }: { readonly cause?: unknown }): readonly unknown[] {
	return cause === undefined ? [] : [cause];
}

/** Reports a problem. Never throws. @returns a promise if `onError` returned one; it never rejects. */
export type Reporter = (
	problem: Problem,
	error: unknown,
	context: ProblemContext,
) => Promise<unknown> | undefined;

/** @param attempt - 1 for the first run for this event. */
export function createReport(
	{ reportProblem, tenant }: { readonly reportProblem: Reporter; readonly tenant: string | undefined },
	{ eventId, timestamp, kind }: WebhookEvent,
	attempt?: number,
): Report {
	return (problem, error, hint, thrown) =>
		reportProblem(problem, error, { eventId, timestamp, kind, tenant, attempt, hint, thrown });
}

const MAX_LINE_LENGTH = 1_000;

/** Hex, and other ids in which a letter follows a digit. */
const MIXED_ID = /^[\w-]*\d[a-z][\w-]*$/i;

/** A tenant or an event's id in a line: others chose it, and it may hold a number or an address. */
function showName(name: string, harmless = UUID): string {
	const start = name.slice(0, 64);
	return harmless.test(start) ? start : hideHandles(start).replace(/[():,]/g, " ");
}

/** What a handler throws may throw when it is read, and be another thing each time. */
function nameOf(error: unknown): string | undefined {
	return shownErrorName(readField(() => (error instanceof Error ? error.name : undefined)));
}

function writeLine(code: Problem, error: unknown, context: ProblemContext): string {
	const { eventId, kind = "event", tenant, attempt, hint } = context;
	// The error of a handler or a client may hold what it worked on; an error of a rejection says what the hint does.
	const name = context.kind && nameOf(error);
	const about = [
		eventId && `${kind} ${showName(eventId, MIXED_ID)}`,
		tenant && `tenant ${showName(tenant)}`,
		attempt && `attempt ${attempt}`,
		name,
	].filter(Boolean);
	const details = about.length === 0 ? "" : ` (${about.join(", ")})`;
	const line = `messaging-gateway: ${code}${details}: ${hint}.`.replace(/[\s\p{C}]+/gu, " ");
	return line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH - 1)}…` : line;
}

/** Calls `onError`. Without one, and if it fails, each kind of problem is printed once: none is swallowed, no log is flooded. */
export function createReporter(onError: OnWebhookError | undefined): Reporter {
	const printed = new Set<Problem>();
	const printOnce = (code: Problem, line: string, advice: string): undefined => {
		if (printed.has(code)) return;
		printed.add(code);
		// A console may be a user's own, and fail.
		readField(() => platformConsole.error(`${line} ${advice}`));
	};
	return (code, error, context) => {
		const line = writeLine(code, error, context);
		if (onError === undefined) return printOnce(code, line, PASS_ON_ERROR);
		const printFailure = () => printOnce(code, line, ON_ERROR_FAILED);
		try {
			const reporting = onError(error, toErrorContext(context, code, line));
			// A promise that rejects must not go unhandled either.
			return isThenable(reporting) ? Promise.resolve(reporting).catch(printFailure) : undefined;
		} catch {
			return printFailure();
		}
	};
}

function toErrorContext(context: ProblemContext, code: Problem, line: string): WebhookErrorContext {
	const { thrown = [] } = context;
	return Object.defineProperty({ ...context, code, line, thrown }, "thrown", { enumerable: false });
}

const PASS_ON_ERROR =
	"Its error, and further problems of this kind, aren't printed: pass onError to createWebhookHandler, which gets each of them";

const ON_ERROR_FAILED = "It is printed here, once for its kind, because your onError failed";

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
