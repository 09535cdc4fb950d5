import { describe, expectTypeOf, test } from "vitest";
import type {
	AnyMessagingGatewayError,
	CanonicalJsonError,
	DuplicateInfo,
	Outcome,
	RequestVerificationError,
	WebhookVerificationError,
} from "../../src/library/errors.ts";

/** Never called: what matters is that it compiles. */
function narrowByCode(error: AnyMessagingGatewayError): void {
	switch (error.code) {
		case "configuration":
			// Two classes share this code; `name` tells them apart.
			if (error.name === "WebhookVerificationError") expectTypeOf(error.status).toEqualTypeOf<number>();
			else expectTypeOf<(typeof error)["outcome"]>().toEqualTypeOf<"not_sent">();
			break;
		case "duplicate_message":
			expectTypeOf(error.duplicate).toEqualTypeOf<DuplicateInfo | undefined>();
			break;
		case "timeout":
			expectTypeOf(error.scope).toEqualTypeOf<"attempt" | "call">();
			// @ts-expect-error a time-out has no response, so no status
			error.status;
			break;
		case "nonce_store_unavailable":
			expectTypeOf(error).toEqualTypeOf<RequestVerificationError>();
			expectTypeOf(error.status).toEqualTypeOf<401 | 413 | 503>();
			break;
		case "cycle":
			expectTypeOf(error.name).toEqualTypeOf<"CanonicalJsonError">();
			break;
		case "unexpected_response":
			expectTypeOf(error.readBody()).toEqualTypeOf<string | undefined>();
			break;
		// @ts-expect-error no error has this code
		case "no_such_code":
			break;
		default:
			expectTypeOf(error.message).toBeString();
	}
}

describe("errors", () => {
	test("switch on code narrows to the class", () => {
		expectTypeOf(narrowByCode).returns.toBeVoid();
	});

	test("each has an outcome, but for those of no call", () => {
		type OfCalls = Exclude<
			AnyMessagingGatewayError,
			CanonicalJsonError | RequestVerificationError | WebhookVerificationError
		>;
		expectTypeOf<OfCalls["outcome"]>().toEqualTypeOf<Outcome>();
	});

	test("the name is a literal of each class", () => {
		expectTypeOf<AnyMessagingGatewayError["name"]>().extract<"ServerError">().toEqualTypeOf<"ServerError">();
		expectTypeOf<"Error">().not.toExtend<AnyMessagingGatewayError["name"]>();
	});

	test("the codes of a rejected webhook are a closed set", () => {
		expectTypeOf<WebhookVerificationError["code"]>().toEqualTypeOf<
			| "missing_header"
			| "malformed_header"
			| "timestamp_out_of_tolerance"
			| "signature_mismatch"
			| "raw_body_unavailable"
			| "body_too_large"
			| "invalid_json"
			| "several_events"
			| "decode_failed"
			| "configuration"
		>();
	});

	test("the codes of a rejected request are a closed set", () => {
		expectTypeOf<RequestVerificationError["code"]>().toEqualTypeOf<
			| "missing_header"
			| "malformed_header"
			| "unknown_app_id"
			| "timestamp_out_of_range"
			| "body_too_large"
			| "signature_mismatch"
			| "nonce_replayed"
			| "nonce_store_unavailable"
		>();
	});
});
