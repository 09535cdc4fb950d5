import type { AttemptView, DeliveryView, FailureDiagnosis, RequestView } from "../../../control/contract.ts";
import { asObject, parseJson } from "../../parts/json-value.ts";
import { formatTime } from "./clock.ts";
import type { Entry } from "./entries.ts";
import { isRejected, nameOf } from "./request-facts.ts";

/** What a row of the timeline shows of a webhook or a request. */
export interface EventLine {
	/** `→` to the application, `←` from it. */
	readonly arrow: "→" | "←";
	readonly name: string;
	/** The status, the cause in short words, and what happens next. */
	readonly outcome: string;
	/** `muted` for what went well. */
	readonly tone: "muted" | "warn" | "bad";
	readonly reason?: string;
}

export function describeDelivery(delivery: DeliveryView): EventLine {
	const { attempts, diagnosis, state } = delivery;
	const last = attempts.at(-1);
	const name = describeKind(delivery);
	if (state === "kept") return { arrow: "→", name, outcome: "kept: no webhook URL yet", tone: "warn" };
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
		...reasonOf(diagnosis),
	};
}

export function describeRequest(request: RequestView): EventLine {
	const { status, diagnosis } = request;
	return {
		arrow: "←",
		name: nameOf(request),
		outcome: join(status === undefined ? undefined : String(status), causeOf(diagnosis)),
		tone: isRejected(request) ? "bad" : diagnosis === undefined ? "muted" : "warn",
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

/** More than a line of the panel shows. */
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

/** Whether the receiver acknowledged an attempt, with any 2xx. */
export function isAcknowledged({ status }: AttemptView): boolean {
	return status !== undefined && status >= 200 && status < 300;
}

/** Describes a webhook by its kind; a status webhook also by its status. */
export function describeKind({ kind, body }: DeliveryView): string {
	const status = /"status":"(\w+)"/.exec(kind === "status" ? body : "")?.[1];
	return status === undefined ? kind : `status ${status}`;
}

/** The text or the reaction in a webhook, in one line; empty without one. */
export function describeContent({ body }: DeliveryView): string {
	const { text, reaction } = asObject(parseJson(body));
	const content = typeof reaction === "string" ? reaction : text;
	return typeof content === "string" ? content.replace(/\s+/g, " ").trim().slice(0, MAX_CONTENT_LENGTH) : "";
}

/** Indents a JSON body; other bodies stay unchanged. */
export function prettyBody(body: string): string {
	try {
		return JSON.stringify(JSON.parse(body), null, 2);
	} catch {
		return body;
	}
}
