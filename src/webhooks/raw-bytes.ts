import { WebhookVerificationError } from "../errors.ts";
import { viewBytes } from "../signing/bytes.ts";

/**
 * A view of what holds bytes; `undefined` where nothing does.
 * @throws WebhookVerificationError `raw_body_unavailable` for bytes that went elsewhere, e.g. to a worker.
 */
export function viewRawBytes(body: unknown): Uint8Array | undefined {
	try {
		const bytes = viewBytes(body);
		// A view of what is detached looks empty, and a new one fails. Not every runtime has `detached`.
		if (bytes?.length === 0) new Uint8Array(bytes.buffer);
		return bytes;
	} catch {
		throw new WebhookVerificationError(
			"raw_body_unavailable",
			"the raw body's buffer was transferred elsewhere: verify first, or hand over a copy",
		);
	}
}
