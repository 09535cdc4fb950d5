import { isJsonObject } from "../../catalogue/check.ts";
import { WebhookVerificationError, type WebhookVerificationErrorCode } from "../../errors.ts";
import type { HeadersInput } from "../headers.ts";
import { type VerifyWebhookOptions, verifySignature, type WebhookDelivery } from "../verify-signature.ts";
import { decode } from "./bodies/raw-body.ts";

/** What `verifyWebhook` would say; only the schemas are left out, which refuse nothing. */
export function reachVerdict(
	{ body, headers }: { body: unknown; headers: HeadersInput },
	options: VerifyWebhookOptions,
): { isValid: boolean; code: WebhookVerificationErrorCode | undefined } {
	try {
		// Whatever else the body is, the verification itself refuses it.
		const signed = verifySignature({ body: body as WebhookDelivery["body"], headers }, options);
		return isJsonObject(parse(signed.body))
			? { isValid: true, code: undefined }
			: { isValid: false, code: "invalid_json" };
	} catch (error) {
		return { isValid: false, code: error instanceof WebhookVerificationError ? error.code : undefined };
	}
}

function parse(bytes: Uint8Array): unknown {
	try {
		return JSON.parse(decode(bytes, "utf-8") ?? "");
	} catch {
		return undefined;
	}
}
