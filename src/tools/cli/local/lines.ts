import type {
	AttemptView,
	DeliveryView,
	FailureDiagnosis,
	MessageView,
	RequestView,
} from "../../control/contract.ts";
import { hideInPath } from "../../hide-handles.ts";
import { printable } from "../printable.ts";
import type { Terminal } from "../terminal.ts";
import { wrapWords } from "../wrap-words.ts";

/** A line about one event. */
interface Line {
	readonly at: number;
	readonly status: number | undefined;
	readonly what: string;
	readonly durationMs?: number | undefined;
	/** Its id, and more about it. */
	readonly rest: readonly string[];
	/** Why it failed, below the line. */
	readonly diagnosis?: Pick<FailureDiagnosis, "reason" | "fix"> | undefined;
}

/** As long as the longest operation id and the arrow before it. */
const WHAT_LENGTH = 26;
const MAX_REASON_LENGTH = 480;

/** As long as the time and the status. */
const INDENT = " ".repeat("00:00:00  000  ".length);

const COUNT = new Intl.NumberFormat("en-GB");

/** How much of a request's id is shown; `log` needs no more to find it. */
const SHOWN_OF_ID = 8;

/** A request, and why it failed. */
export function requestLine(terminal: Terminal, request: RequestView): string {
	const { requestId, at, status, durationMs, error, diagnosis } = request;
	const rest = [requestId.slice(0, SHOWN_OF_ID), ...(error === undefined ? [] : [error.code])];
	return write(terminal, { at, status, what: `← ${safeNameOf(request)}`, durationMs, rest, diagnosis });
}

/** A send, what has become of its message, and how its webhooks were answered. */
export interface SendFacts {
	readonly messageId: string;
	/** Absent if the connection broke before the response. */
	readonly request: RequestView | undefined;
	readonly status: string;
	/** The last attempts at its status webhooks. */
	readonly attempts: readonly AttemptView[];
}

/**
 * A send in one line.
 * @param diagnosis - why one of its webhooks failed, unless the line above says the same.
 */
export function sendLine(
	terminal: Terminal,
	{ messageId, request, status, attempts }: SendFacts,
	diagnosis: FailureDiagnosis | undefined,
): string {
	const progress = progressOf(status, attempts);
	const hasFailed = status === "failed" || attempts.some((attempt) => attempt.diagnosis !== undefined);
	return write(terminal, {
		at: request?.at ?? Date.now(),
		status: request?.status,
		what: request === undefined ? "a message" : `← ${safeNameOf(request)}`,
		durationMs: request?.durationMs,
		rest: [
			(request?.requestId ?? messageId).slice(0, SHOWN_OF_ID),
			hasFailed ? terminal.paint("red", progress) : progress,
		],
		diagnosis,
	});
}

/** The status of a message, and how its webhooks were answered. */
export function progressOf(status: string, attempts: readonly AttemptView[]): string {
	const responses =
		attempts.length === 0 ? "" : ` → ${countEqual(attempts.map((attempt) => attempt.status))}`;
	return printable(status) + responses;
}

/** Statuses in their order, such as `2×200 503`. */
function countEqual(statuses: readonly (number | undefined)[]): string {
	const runs: { shown: string; times: number }[] = [];
	for (const status of statuses) {
		const shown = String(status ?? "---");
		const last = runs.at(-1);
		if (last?.shown === shown) last.times++;
		else runs.push({ shown, times: 1 });
	}
	return runs.map(({ shown, times }) => (times === 1 ? shown : `${times}×${shown}`)).join(" ");
}

/** How often something ended in each way. */
export type Outcomes = Map<string, { times: number; readonly isFailure: boolean }>;

/** Many lines about the same in one, with how they ended. */
export function foldedLine(terminal: Terminal, what: string, outcomes: Outcomes, durationMs: number): string {
	const ends = Array.from(outcomes, ([outcome, { times, isFailure }]) => {
		const counted = `${COUNT.format(times)}×${outcome}`;
		return isFailure ? terminal.paint("red", counted) : counted;
	});
	const total = [...outcomes.values()].reduce((sum, { times }) => sum + times, 0);
	const span = `${COUNT.format(total)} more in ${Math.max(1, Math.round(durationMs / 1_000))} s:`;
	const hasFailed = [...outcomes.values()].some(({ isFailure }) => isFailure);
	const start = [terminal.paint("dim", timeOf(Date.now())), "...", bounded(what, 60).padEnd(WHAT_LENGTH)];
	const wayOut = hasFailed ? `\n${INDENT}\`npx messaging-gateway log --failed\` lists what failed.` : "";
	return `${[...start, span, ...ends].join("  ")}${wayOut}`;
}

/** A message that failed after its line. */
export function failedMessageLine(terminal: Terminal, { messageId }: MessageView): string {
	return write(terminal, {
		at: Date.now(),
		status: undefined,
		what: "a message",
		rest: [messageId, "failed"],
	});
}

/** One attempt at a webhook, and why it failed, unless the one before failed for the same cause. */
export function attemptLine(terminal: Terminal, delivery: DeliveryView, attempt: AttemptView): string {
	const { eventId, kind, attempts } = delivery;
	const { at, status, durationMs, diagnosis } = attempt;
	const before = attempts[attempts.indexOf(attempt) - 1]?.diagnosis;
	const isKnown = diagnosis?.cause === before?.cause;
	const what = `→ ${kind}`;
	return write(terminal, {
		at,
		status,
		what,
		durationMs,
		rest: [eventId],
		diagnosis: isKnown ? undefined : diagnosis,
	});
}

/** A webhook that is not tried again. */
export function givenUpLine(terminal: Terminal, delivery: DeliveryView): string {
	const { eventId, kind, attempts, createdAt } = delivery;
	const { at = createdAt } = attempts.at(-1) ?? {};
	const rest = [eventId, `given up after ${countAttempts(delivery)}`];
	return write(terminal, { at, status: undefined, what: `→ ${kind}`, rest });
}

function countAttempts({ attempts }: DeliveryView): string {
	return `${attempts.length} ${attempts.length === 1 ? "attempt" : "attempts"}`;
}

/** A webhook with its last attempt. */
export function deliveryLine(terminal: Terminal, delivery: DeliveryView): string {
	const { eventId, kind, createdAt, attempts, state, diagnosis } = delivery;
	const { status, durationMs } = attempts.at(-1) ?? {};
	const count = countAttempts(delivery);
	const progress = state === "failed" ? `given up after ${count}` : `${state}, ${count}`;
	const tried = state === "kept" ? state : progress;
	const rest = [eventId, tried];
	return write(terminal, { at: createdAt, status, what: `→ ${kind}`, durationMs, rest, diagnosis });
}

/** A message, with its direction and status. */
export function messageLine(terminal: Terminal, message: MessageView): string {
	const { timestamp_ms: at, from, to, groupId, text, status, outbound, messageId } = message;
	const time = terminal.paint("dim", timeOf(at));
	const chat = groupId ?? to;
	const route = outbound ? `${from} → ${chat}` : `${chat} ← ${from}`;
	return `${time}  ${printable(messageId)}  ${bounded(route, 60)}  ${terminal.paint("bold", printable(status))}  ${bounded(text, 120)}`;
}

/** A page of another site, whose requests are rejected. */
export function foreignPageLine(terminal: Terminal, origin: string): string {
	const diagnosis = {
		reason: "Only pages of this machine may call this gateway. The page's browser reports CORS.",
		fix: "Open the page under http://localhost, with any port; an extension needs `listen` of messaging-gateway/testing/node.",
	};
	return write(terminal, { at: Date.now(), status: 403, what: `← a page of ${origin}`, rest: [], diagnosis });
}

/** The operation, or the method and path without numbers and e-mail addresses. */
export function safeNameOf({ operationId, method, path }: RequestView): string {
	return operationId ?? `${method} ${hideInPath(path)}`;
}

/** Why something failed and what to do, below its line. */
export function explain(terminal: Terminal, { reason, fix }: NonNullable<Line["diagnosis"]>): string {
	const [why, remedy] = [reason, fix].map((words) =>
		wrapWords(bounded(words, MAX_REASON_LENGTH), INDENT, terminal.columns),
	);
	return `\n${terminal.paint("red", why ?? "")}\n${remedy}`;
}

function write(terminal: Terminal, { at, status, what, durationMs, rest, diagnosis }: Line): string {
	const isSuccess = status !== undefined && status >= 200 && status < 300;
	const span = durationMs === undefined ? "" : `${durationMs} ms`;
	const columns = [
		terminal.paint("dim", timeOf(at)),
		terminal.paint(isSuccess ? "green" : "red", String(status ?? "---")),
		bounded(what, 60).padEnd(WHAT_LENGTH),
		terminal.paint("dim", span.padStart(8)),
		...rest,
	];
	return columns.join("  ") + (diagnosis === undefined ? "" : explain(terminal, diagnosis));
}

function timeOf(at: number): string {
	return new Date(at).toLocaleTimeString("en-GB");
}

/** Makes an untrusted string one safe line of a bounded length. */
function bounded(value: string, maxLength: number): string {
	const line = printable(value);
	return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line;
}
