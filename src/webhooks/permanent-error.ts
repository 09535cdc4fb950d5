/** The mark that survives duplicated installs and realms, where `instanceof` does not. */
const BRAND: unique symbol = Symbol.for("messaging-gateway.permanent-webhook-error");

/**
 * Thrown by a handler for an event that will never succeed: it is acknowledged, told to `onError`, and does
 * not come again. Anything else that a handler throws makes the event come again.
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

/** Whether a handler has given its event up, with the error of whatever copy of this package. */
export function isPermanent(error: unknown): boolean {
	return typeof error === "object" && error !== null && BRAND in error;
}
