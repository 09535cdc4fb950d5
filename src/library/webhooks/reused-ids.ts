import type { Job } from "./event-runner.ts";
import type { WebhookEvent } from "./events.ts";

/** How many of the latest events are remembered. */
const MAX_EVENTS = 1_000;

/** An event came under the id of another one, which was processed: a store takes it for a repeat. */
export class EventIdReusedError extends Error {
	override readonly name = "EventIdReusedError";
	readonly code = "event_id_reused";
}

/** Notes which event came under an id; `digest` ends with a SHA-256 of the body. */
export type NoteEvent = (job: Job, digest: string, isRepeat: boolean) => void;

/**
 * Watches for events under the id of another one. Stores keep ids alone, so only what this process has seen is compared: a
 * report is right, but not every case is reported. A retry may be written again, and a decoder may make up an id for each
 * delivery: only an event of which both differ, the bytes and what identifies the event, is another one.
 */
export function watchEventIds(): NoteEvent {
	const seen = new Map<string, readonly [subject: string, hash: string]>();
	return ({ key, event, report }, digest, isRepeat) => {
		const [subject, hash] = [subjectOf(event), digest.slice(-64)];
		const known = isRepeat && seen.get(key);
		if (!known) {
			seen.set(key, [subject, hash]);
			const [oldest = ""] = seen.keys();
			if (seen.size > MAX_EVENTS) seen.delete(oldest);
		} else if (known[0] !== subject && known[1] !== hash)
			report(
				"event_id_reused",
				new EventIdReusedError("the event id was used for another event"),
				"Another event came under this event id before, so this one counts as a repeat: it is acknowledged, and not processed. Ask whoever runs the gateway for unique ids",
			);
	};
}

/** What identifies an event, as far as it is documented. */
function subjectOf(event: WebhookEvent): string {
	const kind = event.kind === "unknown" ? (event.narrowed?.kind ?? event.type) : event.kind;
	const { messageId, status }: { messageId?: unknown; status?: unknown } = event.data;
	return [kind, messageId, status].map(shorten).join("\n");
}

/** An unknown event may have anything in place of an id, of any size. */
function shorten(value: unknown): string {
	return typeof value === "string" || typeof value === "number" ? String(value).slice(0, 256) : "";
}
