import { isInstance, VERSION } from "../identity.ts";

/** A store failed, or broke its contract. Its message is a sentence of ours, which may be shown. */
export class StoreError extends Error {
	static override [Symbol.hasInstance](value: unknown): boolean {
		// biome-ignore lint/complexity/noThisInStatic: a subclass is compared as itself
		return isInstance(this, value);
	}

	get "~brand"(): string {
		return `${VERSION} ${this.name}`;
	}

	override get name(): string {
		return "StoreError";
	}
}

/** Why a store failed, in a sentence of ours: the error of a client may hold a secret or a value of a statement. */
export function describeStoreFailure(error: unknown): string {
	return error instanceof StoreError ? error.message : "its error says why";
}
