/** Finds the events that were never acknowledged, in the lines that the hook `onResponse` of a webhook handler logs. */
import type { WebhookResponseInfo } from "messaging-gateway/webhooks";

/** Returns the last line of each such event. */
export function findLostEvents(lines: Iterable<WebhookResponseInfo>): WebhookResponseInfo[] {
	const lost = new Map<string, WebhookResponseInfo>();
	const done = new Set<string>();
	for (const line of lines) {
		if (line.eventId === undefined) continue;
		if (line.code === "acknowledged") done.add(line.eventId);
		else lost.set(line.eventId, line);
	}
	return [...lost.values()].filter(({ eventId = "" }) => !done.has(eventId));
}
