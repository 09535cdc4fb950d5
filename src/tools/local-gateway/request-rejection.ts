import type { KnownGatewayErrorCode } from "../../library/catalogue/gateway-errors.ts";
import type { FieldError } from "../../library/errors.ts";

/** Thrown to reject a request; it becomes an error envelope (specification, section 2.2). */
export class RequestRejection extends Error {
	readonly code: KnownGatewayErrorCode;
	readonly details: readonly FieldError[] | Readonly<Record<string, unknown>> | undefined;
	readonly headers: Readonly<Record<string, string>>;

	constructor(
		code: KnownGatewayErrorCode,
		message: string,
		options: { details?: RequestRejection["details"]; headers?: RequestRejection["headers"] } = {},
	) {
		super(message);
		this.code = code;
		this.details = options.details;
		this.headers = options.headers ?? {};
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
