/**
 * Thrown by a handler for an event that will never succeed: it is acknowledged, told to `onError`, and does
 * not come again. Anything else that a handler throws makes the event come again.
 */
export class PermanentWebhookError extends Error {
	override get name() {
		return "PermanentWebhookError" as const;
	}
}
