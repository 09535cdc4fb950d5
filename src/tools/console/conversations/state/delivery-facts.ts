import type { AttemptView, DeliveryView } from "../../../control/contract.ts";
import { asObject, parseJson } from "../../parts/json-value.ts";
import { formatTime } from "./clock.ts";

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
