import { utf8 } from "../../../../library/signing/bytes.ts";
import { before, type Candidate } from "../candidate.ts";
import type { FailureCause } from "../explanation.ts";

/** What to do about a body that something changed before it was verified. */
export const VERIFY_RAW_BYTES =
	"Verify the bytes as they arrived, before anything parses, decodes or trims them: request.arrayBuffer(), express.raw({ type: () => true }) or Node's stream.";

/** Above this, trying the many forms of a body costs too much; a handler rejects such a body by default. */
export const MAX_TRANSFORMED_BYTES = 1_048_576;

/** A body as the verification got it. */
export interface DecodedBody {
	readonly bytes: Uint8Array;
	/** The decoded bytes; `undefined` if they are not UTF-8. */
	readonly text: string | undefined;
}

export function toDecodedBody(bytes: Uint8Array): DecodedBody {
	return { bytes, text: decode(bytes, "utf-8") };
}

/** Decodes and keeps a byte order mark; `undefined` if the bytes are not of this charset. */
export function decode(bytes: Uint8Array, charset: string): string | undefined {
	try {
		return new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(bytes);
	} catch {
		return undefined;
	}
}

/** The body as it was before something on the receiver's side changed it. */
export function bodyBefore(
	body: string | Uint8Array,
	cause: FailureCause,
	message: string,
	fix: string = VERIFY_RAW_BYTES,
): Candidate<Uint8Array> {
	return before(typeof body === "string" ? utf8(body) : body, cause, message, fix);
}
