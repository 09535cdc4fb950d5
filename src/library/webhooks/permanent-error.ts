/** The mark that survives duplicated installs and realms, where `instanceof` does not. */
const BRAND: unique symbol = Symbol.for("messaging-gateway.permanent-webhook-error");

/**
 * Thrown by a handler for an event that will never succeed: it is acknowledged and reported to `onError`. After anything
 * else that a handler throws, the event is not acknowledged: another delivery would run it again.
 */
export class PermanentWebhookError extends Error {
	override get name() {
		return "PermanentWebhookError" as const;
	}

	/** @internal */
	get [BRAND](): true {
		return true;
	}
}

/** Whether an error is a {@link PermanentWebhookError}, also of another copy of this package. */
export function isPermanent(error: unknown): boolean {
	return typeof error === "object" && error !== null && BRAND in error;
}
