import type { MessageView } from "../../../control/contract.ts";
import { describeError, summarize } from "./conversations.ts";

/** The changes of a thread to announce to a screen reader. Older messages that were loaded are not announced. */
export function announce(before: readonly MessageView[], after: readonly MessageView[]): string[] {
	const known = new Map(before.map((message) => [message.messageId, message]));
	const newest = before.at(-1)?.sequence ?? 0;
	return after.flatMap((message) => {
		const previous = known.get(message.messageId);
		if (previous === undefined) return message.sequence > newest ? [describeNew(message)] : [];
		if (previous.status !== "failed" && message.status === "failed") return [announceFailure(message)];
		const [tapback] = message.tapbacks.slice(previous.tapbacks.length);
		return tapback === undefined ? [] : [`${tapback.by} reacted: ${tapback.reaction}`];
	});
}

function describeNew(message: MessageView): string {
	return `${message.outbound ? "Agent" : message.from}: ${summarize(message)}`;
}

function announceFailure(message: MessageView): string {
	return `Message failed: ${describeError(message.error) ?? "no reason given"}`;
}
