import type { KnownGatewayErrorCode } from "../../library/catalogue/gateway-errors.ts";
import type { FieldError, RequestVerificationErrorCode } from "../../library/errors.ts";

/** What a rejected signature was made with. */
export type OtherSigner = "webhook_secret" | "secret_of_another_app" | "signing_form";

/** Why a signature was not accepted. */
export interface SignatureProblem {
	readonly code: RequestVerificationErrorCode | OtherSigner;
	/** The reason in words, without a period. */
	readonly words: string;
}

interface RejectionOptions {
	readonly details?: readonly FieldError[] | Readonly<Record<string, unknown>> | undefined;
	readonly headers?: Readonly<Record<string, string>> | undefined;
	readonly signatureProblem?: SignatureProblem | undefined;
}

/** Thrown to reject a request; it becomes an error envelope (specification, section 2.2). */
export class RequestRejection extends Error {
	readonly code: KnownGatewayErrorCode;
	readonly details: RejectionOptions["details"];
	readonly headers: Readonly<Record<string, string>>;
	/** Why the signature was not accepted; no response has it. */
	readonly signatureProblem: SignatureProblem | undefined;

	constructor(
		code: KnownGatewayErrorCode,
		message: string,
		{ details, headers = {}, signatureProblem }: RejectionOptions = {},
	) {
		super(message);
		this.code = code;
		this.details = details;
		this.headers = headers;
		this.signatureProblem = signatureProblem;
	}
}

/** Rejects a request with invalid fields. */
export function invalidFields(details: readonly FieldError[]): RequestRejection {
	return new RequestRejection("VALIDATION_ERROR", "The request is invalid: see the fields in `details`.", {
		details,
	});
}

/** Rejects a request with one invalid field. */
export function invalidField(field: string, message: string): RequestRejection {
	return invalidFields([{ field, issue: "invalid", message }]);
}
