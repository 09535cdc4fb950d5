import { createHash, createHmac } from "node:crypto";

/**
 * An independent implementation for every signature test: nothing here imports the package, so an expectation can
 * never repeat a mistake of the code under test.
 */

/** Lower-case hex SHA-256. */
export function sha256(message: string | Uint8Array): string {
	return createHash("sha256").update(message).digest("hex");
}

/** Lower-case hex HMAC-SHA-256 over the parts, one after the other. */
export function hmacSha256(secret: string | Uint8Array, ...parts: (string | Uint8Array)[]): string {
	const hmac = createHmac("sha256", secret);
	for (const part of parts) hmac.update(part);
	return hmac.digest("hex");
}

/** SHA-256 of no bytes at all (FIPS 180-4 example): the body hash of a request without a body. */
export const EMPTY_HASH = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
