import { WebhookVerificationError, type WebhookVerificationErrorCode } from "../../errors.ts";
import type { HeadersInput } from "../headers.ts";
import { parseBody } from "../parse-body.ts";
import { type RawBody, type VerifyWebhookOptions, verifySignature } from "../verify-signature.ts";

/** The result of `verifyWebhook`, without the schemas, which reject nothing. */
export function reachVerdict(
	{ body, headers }: { body: unknown; headers: HeadersInput },
	options: VerifyWebhookOptions,
): { isValid: boolean; code: WebhookVerificationErrorCode | undefined } {
	try {
		// The verification itself rejects any other type of body.
		parseBody(verifySignature({ body: body as RawBody, headers }, options).body);
		return { isValid: true, code: undefined };
	} catch (error) {
		return { isValid: false, code: error instanceof WebhookVerificationError ? error.code : undefined };
	}
}
