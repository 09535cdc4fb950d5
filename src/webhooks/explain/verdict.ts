import { WebhookVerificationError, type WebhookVerificationErrorCode } from "../../errors.ts";
import type { HeadersInput } from "../headers.ts";
import { parseBody } from "../parse-body.ts";
import { type RawBody, type VerifyWebhookOptions, verifySignature } from "../verify-signature.ts";

/** What `verifyWebhook` would say; only the schemas are left out, which refuse nothing. */
export function reachVerdict(
	{ body, headers }: { body: unknown; headers: HeadersInput },
	options: VerifyWebhookOptions,
): { isValid: boolean; code: WebhookVerificationErrorCode | undefined } {
	try {
		// Whatever else the body is, the verification itself refuses it.
		parseBody(verifySignature({ body: body as RawBody, headers }, options).body);
		return { isValid: true, code: undefined };
	} catch (error) {
		return { isValid: false, code: error instanceof WebhookVerificationError ? error.code : undefined };
	}
}
