import { isInstance, VERSION } from "../identity.ts";

/**
 * Throw it in a handler for an event that will never succeed. The event is acknowledged and reported to `onError`.
 * After any other error the event isn't acknowledged, and another delivery would run it again.
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
