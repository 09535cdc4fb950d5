/**
 * Thrown by a handler for an event that will never succeed: it is acknowledged and reported to `onError`. After anything
 * else that a handler throws, the event is not acknowledged, so that another delivery runs it again.
 */
export class PermanentWebhookError extends Error {
	override get name() {
		return "PermanentWebhookError" as const;
	}
}
