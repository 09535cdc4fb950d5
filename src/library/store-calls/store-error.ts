import { shownErrorCode } from "../errors.ts";
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

/** What to do about the commonest codes. */
const REMEDIES: Readonly<Record<string, string>> = {
	ECONNREFUSED: "Start its server, or correct its address",
	ECONNRESET: "The connection broke: check its server",
};

/** Why a store failed, in words of ours: the message of a client's error may hold a secret or a value of a statement. */
export function describeStoreFailure(error: unknown): string {
	if (error instanceof StoreError) return error.message;
	const code = readCode(error);
	if (code === undefined) return "its error says why";
	const remedy = REMEDIES[code];
	return remedy === undefined ? `${code}; its error says why` : `${code}. ${remedy}`;
}

/** The first code of an error and its causes: libraries wrap the errors of a client. */
function readCode(error: unknown, depth = 5): string | undefined {
	try {
		const { code, cause }: { code?: unknown; cause?: unknown } = Object(error);
		return shownErrorCode(code) ?? (depth > 0 && cause ? readCode(cause, depth - 1) : undefined);
	} catch {
		return undefined;
	}
}
