import type { CallContext } from "../errors.ts";

type Known = Pick<CallContext, "operationId" | "outcome">;

/** Where a page of this package explains an outcome or a code. */
export function pageOf(anchor: string): string {
	return `messaging-gateway/docs/errors.md#${anchor}`;
}

/** Whether an operation sends a message. */
export function isSend({ operationId }: Pick<CallContext, "operationId">): boolean {
	return operationId.startsWith("messages.send");
}

/**
 * What became of the message or the call, for the start of an error's sentence. Empty for a read, which changes nothing.
 * @param where - method and path template.
 */
export function leadOf(where: string, context: Known): string {
	const { outcome } = context;
	if (where.startsWith("GET ")) return "";
	if (!isSend(context)) {
		if (outcome === "unknown") return "The call may have been carried out: ";
		return outcome === "accepted" ? "The call was carried out: " : "";
	}
	if (outcome === "unknown") return "The message may have been sent: ";
	return outcome === "accepted" ? "The message was sent: " : "Not sent: ";
}

/**
 * What to do about the outcome, for the end of an error's sentence.
 * @param where - method and path template.
 */
export function wayOutOf(where: string, context: Known): string {
	const { outcome } = context;
	if (outcome === "unknown" && !where.startsWith("GET "))
		return `. Before you ${isSend(context) ? "send it again, check the conversation" : "repeat it, check whether it was"}: ${pageOf("unknown")}`;
	return outcome === "accepted" && isSend(context) ? ". Don't send it again" : "";
}

/** A sentence about a call, between what became of it and what to do. */
export function tell(where: string, context: Known, sentence: string): string {
	return `${leadOf(where, context)}${where} ${sentence}${wayOutOf(where, context)}`;
}

/** The time of an error's `retryAfterMs`. */
export function inSeconds(retryAfterMs: number): string {
	return `${Math.ceil(retryAfterMs / 1000)} s (retryAfterMs)`;
}
