import { WebhookVerificationError } from "../errors.ts";
import { viewBytes } from "../signing/bytes.ts";

/**
 * A view of a body's bytes; `undefined` if it holds none.
 * @throws WebhookVerificationError `raw_body_unavailable` for a buffer that was transferred, e.g. to a worker.
 */
export function viewRawBytes(body: unknown): Uint8Array | undefined {
	try {
		const bytes = viewBytes(body);
		// A view of a detached buffer looks empty, and making a new one throws. Not every runtime has `detached`.
		if (bytes?.length === 0) new Uint8Array(bytes.buffer);
		return bytes;
	} catch {
		throw new WebhookVerificationError(
			"raw_body_unavailable",
			"the raw body's buffer was transferred elsewhere: verify first, or hand over a copy",
		);
	}
}
