import { isInstance, VERSION } from "../identity.ts";

/**
 * Thrown by a handler for an event that will never succeed: it is acknowledged and reported to `onError`. After anything
 * else that a handler throws, the event is not acknowledged: another delivery would run it again.
 */
export class PermanentWebhookError extends Error {
	override get name() {
		return "PermanentWebhookError" as const;
	}

	/** @internal */
	static override [Symbol.hasInstance](value: unknown): boolean {
		// biome-ignore lint/complexity/noThisInStatic: a subclass is compared as itself
		return isInstance(this, value);
	}

	/** @internal */
	get "~brand"(): string {
		return `${VERSION} ${this.name}`;
	}
}
