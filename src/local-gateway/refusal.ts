import type { KnownGatewayErrorCode } from "../catalogue/gateway-errors.ts";
import type { FieldError } from "../errors.ts";

/** A request that is refused: it becomes an error envelope (specification, section 2.2). */
export class Refusal extends Error {
	readonly code: KnownGatewayErrorCode;
	readonly details: readonly FieldError[] | Readonly<Record<string, unknown>> | undefined;
	readonly headers: Readonly<Record<string, string>>;

	constructor(
		code: KnownGatewayErrorCode,
		message: string,
		options: { details?: Refusal["details"]; headers?: Refusal["headers"] } = {},
	) {
		super(message);
		this.code = code;
		this.details = options.details;
		this.headers = options.headers ?? {};
	}
}

/** Refuses a request for its fields. */
export function refuseFields(details: readonly FieldError[]): Refusal {
	return new Refusal("VALIDATION_ERROR", "The request does not fit: see the fields in `details`.", {
		details,
	});
}

/** Refuses a request for one field that is there and wrong. */
export function refuseField(field: string, message: string): Refusal {
	return refuseFields([{ field, issue: "invalid", message }]);
}
