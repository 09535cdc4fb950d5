import type { WebhookVerificationError, WebhookVerificationErrorCode } from "../errors.ts";

const EXPLAIN =
	"Save the headers, an empty line and the raw body to a file: `npx messaging-gateway verify webhook FILE --explain` finds out why";

/** The codes whose cause a saved delivery shows. */
const EXPLAINABLE: ReadonlySet<WebhookVerificationErrorCode> = new Set([
	"missing_header",
	"malformed_header",
	"timestamp_out_of_tolerance",
	"signature_mismatch",
	"invalid_json",
] as const);

/** The hint for `onError`: what is wrong with a delivery, and the command that explains it if there is one. */
export function describeRejection({ code, message }: WebhookVerificationError): string {
	return EXPLAINABLE.has(code) ? `${message}. ${EXPLAIN}` : message;
}
