import { isJsonObject } from "../catalogue/check.ts";
import { WebhookVerificationError } from "../errors.ts";
import { decodeUtf8 } from "../signing/bytes.ts";
import type { RawBody } from "./read-body.ts";

/**
 * The JSON object in a raw body.
 * @throws WebhookVerificationError `invalid_json` if it holds anything else.
 */
export function parseBody(body: RawBody): Record<string, unknown> {
	let parsed: unknown;
	try {
		// A string is signed as UTF-8, which has no lone surrogates.
		parsed = JSON.parse(typeof body === "string" ? body.toWellFormed() : decodeUtf8(body));
	} catch {
		// The parser's own message quotes the payload.
		throw invalidJson();
	}
	if (!isJsonObject(parsed)) throw invalidJson();
	return parsed;
}

function invalidJson(): WebhookVerificationError {
	return new WebhookVerificationError(
		"invalid_json",
		"the signature is right, but the body is not a JSON object",
	);
}
