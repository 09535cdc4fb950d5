import type { MessageView } from "../../../control/contract.ts";
import { describeError, summarize } from "./conversations.ts";
import type { Entry } from "./entries.ts";
import { findFailure } from "./event-line.ts";

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
	return `${message.outbound ? "Agent" : message.from}: ${summarize(message)}`;
}
