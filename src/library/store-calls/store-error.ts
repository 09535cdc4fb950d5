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

/** How many causes of an error are read: libraries wrap the errors of a client. */
const MAX_CAUSES = 5;

/** The first code of an error and its causes. */
function readCode(error: unknown): string | undefined {
	let code: string | undefined;
	try {
		let at: { code?: unknown; cause?: unknown } = Object(error);
		for (let causes = 0; code === undefined && causes <= MAX_CAUSES; causes++) {
			code = shownErrorCode(at.code);
			at = Object(at.cause);
		}
	} catch {
		// What can't be read has no code.
	}
	return code;
}
