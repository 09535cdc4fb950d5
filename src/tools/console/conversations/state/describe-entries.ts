import type {
	AttemptView,
	DeliveryView,
	FailureDiagnosis,
	MessageView,
	RequestDetails,
	RequestView,
} from "../../../control/contract.ts";
import { parseJson } from "../../../control/parse-json.ts";
import { formatDuration } from "../../parts/format-time.ts";
import { asObject, asString } from "../../parts/json-value.ts";
import { formatTime } from "./clock.ts";
import { describeError, summarizeMessage } from "./conversations.ts";
import type { Entry } from "./entries.ts";

/** What a row of the timeline shows of a webhook or a request. */
export interface EventLine {
	/** `→` to the application, `←` from it. */
	readonly arrow: "→" | "←";
	readonly name: string;
	/** The status, the cause in short words, and what happens next. */
	readonly outcome: string;
	/** `muted` for what went well. */
	readonly tone: "muted" | "warn" | "bad";
	/** How long the response took. */
	readonly durationMs?: number | undefined;
	readonly reason?: string;
}

/** A response that takes as long as this is worth a note. */
export const SLOW_MS = 1_000;

export function describeDelivery(delivery: DeliveryView): EventLine {
	const { attempts, diagnosis, state } = delivery;
	const last = attempts.at(-1);
	const name = describeKind(delivery);
	if (state === "kept") return { arrow: "→", name, outcome: "kept", tone: "muted" };
	const isBad = last !== undefined && !isAcknowledged(last);
	const times = attempts.length > 1 && !isBad ? `${attempts.length} attempts` : undefined;
	const response = last?.status === undefined && diagnosis !== undefined ? undefined : last;
	return {
		arrow: "→",
		name,
		outcome: join(
			response && describeResponse(response),
			causeOf(diagnosis),
			times,
			describeNextAttempt(delivery),
		),
		tone: isBad ? "bad" : diagnosis === undefined ? "muted" : "warn",
		durationMs: last?.durationMs,
		...reasonOf(diagnosis),
	};
}

export function describeRequest(request: RequestView): EventLine {
	const { status, durationMs, diagnosis } = request;
	return {
		arrow: "←",
		name: nameOf(request),
		outcome: join(status === undefined ? undefined : String(status), causeOf(diagnosis)),
		tone: isRejected(request) ? "bad" : diagnosis === undefined ? "muted" : "warn",
		durationMs,
		...reasonOf(diagnosis),
	};
}

/** Why an entry failed, in a sentence; `undefined` if it did not. */
export function findFailure(entry: Entry): string | undefined {
	if (entry.kind === "message") return entry.message.status === "failed" ? "The message failed." : undefined;
	const line = entry.kind === "webhook" ? describeDelivery(entry.delivery) : describeRequest(entry.request);
	return line.tone === "bad" ? (line.reason ?? line.outcome) : undefined;
}

function causeOf(diagnosis: FailureDiagnosis | undefined): string | undefined {
	return diagnosis?.cause.replaceAll("_", " ");
}

function reasonOf(diagnosis: FailureDiagnosis | undefined): Pick<EventLine, "reason"> {
	return diagnosis === undefined ? {} : { reason: diagnosis.reason };
}

function join(...parts: readonly (string | undefined)[]): string {
	return parts.filter((part) => part !== undefined).join(" · ");
}

const MAX_CONTENT_LENGTH = 120;

/** Describes the attempt that is due or under way, or that there is none; `undefined` for what was delivered or is kept. */
export function describeNextAttempt(delivery: DeliveryView): string | undefined {
	const { state, attempts, headers, nextAttemptAt } = delivery;
	if (state === "failed") {
		return `given up after ${attempts.length} ${attempts.length === 1 ? "attempt" : "attempts"}`;
	}
	if (state !== "pending") return undefined;
	const isFirst = attempts.length === 0;
	if (nextAttemptAt !== undefined) {
		return `${isFirst ? "first" : "next"} attempt due at ${formatTime(nextAttemptAt)}`;
	}
	if (!isFirst) return "trying again";
	// The headers are signed as an attempt begins.
	return Object.keys(headers).length === 0 ? "waiting its turn" : "first attempt under way";
}

/** The status of the receiver's response to an attempt, or why there is none. */
export function describeResponse({ status, error }: AttemptView): string {
	return status === undefined ? (error ?? "no response") : String(status);
}

/** What the application responded to an attempt, and how long that took. */
export function describeAnswer(attempt: AttemptView): string {
	const { durationMs, status, diagnosis } = attempt;
	return join(
		isAcknowledged(attempt) ? "Your app answers" : "Not acknowledged",
		status === undefined && diagnosis !== undefined ? causeOf(diagnosis) : describeResponse(attempt),
		durationMs === undefined ? undefined : formatDuration(durationMs),
	);
}

/** Whether the receiver acknowledged an attempt, with any 2xx. */
export function isAcknowledged({ status }: AttemptView): boolean {
	return status !== undefined && status >= 200 && status < 300;
}

/** Describes a webhook by its kind; a status webhook also by its status. */
export function describeKind({ kind, body }: DeliveryView): string {
	const { status } = asObject(kind === "status" ? parseJson(body) : undefined);
	return typeof status === "string" && /^\w+$/.test(status) ? `status ${status}` : kind;
}

/** The text or the reaction in a webhook, in one line; empty without one. */
export function describeContent({ body }: DeliveryView): string {
	const { text, reaction, removed } = asObject(parseJson(body));
	const content = typeof reaction === "string" ? `${removed === true ? "removed " : ""}${reaction}` : text;
	return typeof content === "string" ? content.replace(/\s+/g, " ").trim().slice(0, MAX_CONTENT_LENGTH) : "";
}

export function isRejected({ status }: Pick<RequestView, "status">): boolean {
	return status === undefined || status < 200 || status > 299;
}

export function nameOf({ operationId, method, path }: RequestView): string {
	return operationId ?? `${method} ${path}`;
}

export function describeSignature(details: RequestDetails) {
	const { signature, error, operationId, headers } = details;
	if (signature === "accepted") return { tone: "good", text: "The signature was accepted." } as const;
	if (signature === "rejected") {
		const reason = asString(errorDetailsOf(details)["reason"]) ?? error?.code ?? "unknown";
		return { tone: "bad", text: `The signature was rejected: ${reason}.` } as const;
	}
	if (operationId === undefined) return notChecked("no operation has this path and method");
	if (headers["authorization"] === undefined) return notChecked("the request has none");
	return notChecked("the operation needs none, or a fault responded first");
}

function notChecked(reason: string) {
	return { tone: "muted", text: `The signature wasn't checked: ${reason}.` } as const;
}

/** The message that a request was about: the one it sent, or the earlier one that blocked it. */
export function findRelatedMessageId(details: RequestDetails): string | undefined {
	const data = asObject(parsedResponse(details)["data"]);
	const message = asObject(data["message"]);
	return (
		asString(errorDetailsOf(details)["messageId"]) ??
		asString(data["messageId"]) ??
		asString(message["messageId"])
	);
}

function errorDetailsOf(details: RequestDetails) {
	return asObject(asObject(parsedResponse(details)["error"])["details"]);
}

function parsedResponse({ responseBody }: RequestDetails) {
	return asObject(parseJson(responseBody ?? ""));
}

/** The changes of a timeline to announce to a screen reader. Older entries that were loaded are not announced. */
export function announce(before: readonly Entry[], after: readonly Entry[]): string[] {
	const known = new Map(before.map((entry) => [entry.sequence, entry]));
	const newest = before.at(-1)?.sequence ?? 0;
	return after.flatMap((entry) => {
		const previous = known.get(entry.sequence);
		if (previous === entry || (previous === undefined && entry.sequence < newest)) return [];
		if (entry.kind !== "message") return announceFailure(previous, entry);
		if (previous?.kind !== "message") return [describeNew(entry.message)];
		return announceMessage(previous.message, entry.message);
	});
}

function announceFailure(before: Entry | undefined, after: Entry): string[] {
	const failure = findFailure(after);
	const isKnown = before !== undefined && findFailure(before) === failure;
	const what = after.kind === "webhook" ? "A webhook failed" : "A request failed";
	return failure === undefined || isKnown ? [] : [`${what}: ${failure}`];
}

function announceMessage(before: MessageView, after: MessageView): string[] {
	if (before.status !== "failed" && after.status === "failed") {
		return [`Message failed: ${describeError(after.error) ?? "no reason given"}`];
	}
	const [tapback] = after.tapbacks.slice(before.tapbacks.length);
	return tapback === undefined ? [] : [`${tapback.by} reacted: ${tapback.reaction}`];
}

function describeNew(message: MessageView): string {
	return `${message.outbound ? "Agent" : message.from}: ${summarizeMessage(message)}`;
}
