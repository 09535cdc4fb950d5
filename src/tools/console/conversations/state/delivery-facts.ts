import type { AttemptView, DeliveryView } from "../../../control/contract.ts";
import { asObject, parseJson } from "../../parts/json-value.ts";
import { formatTime } from "./clock.ts";

/** More than a line of the panel shows. */
const MAX_CONTENT_LENGTH = 120;

/** Selects the deliveries to show. */
export interface DeliveryFilter {
	readonly kind: DeliveryView["kind"] | "all";
	/** Only those of this conversation; `null` for all. */
	readonly conversationKey: string | null;
	readonly isOnlyFailed: boolean;
	/** Only those with this in an id, a number or the body, in upper or lower case. */
	readonly search: string;
}

/** Whether a filter selects a delivery, as the gateway decides it. */
export function isSelected(delivery: DeliveryView, filter: DeliveryFilter): boolean {
	const { kind, conversationKey, isOnlyFailed } = filter;
	const { eventId, messageId, body, attempts } = delivery;
	const sought = filter.search.toLowerCase();
	const texts = [eventId, messageId, delivery.conversationKey, body];
	return (
		(kind === "all" || delivery.kind === kind) &&
		(conversationKey === null || delivery.conversationKey === conversationKey) &&
		(!isOnlyFailed || attempts.some((attempt) => !isAcknowledged(attempt))) &&
		texts.some((text) => text.toLowerCase().includes(sought))
	);
}

/** Describes the receiver's last response, and what happens next unless it was delivered. */
export function describeLastResponse(delivery: DeliveryView): string {
	if (delivery.state === "kept") return "kept";
	const last = delivery.attempts.at(-1);
	const parts = [last === undefined ? undefined : describeResponse(last), describeNextAttempt(delivery)];
	return parts.filter((part) => part !== undefined).join(", ");
}

/** Describes the attempt that is due or under way, or that there is none; `undefined` for what was delivered. */
export function describeNextAttempt(delivery: DeliveryView): string | undefined {
	const { state, attempts, headers, nextAttemptAt } = delivery;
	if (state === "kept") return "kept: no webhook URL yet";
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
	return status === undefined ? kind : `status: ${status}`;
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
