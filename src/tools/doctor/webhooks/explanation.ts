import type { WebhookVerificationErrorCode } from "../../../library/errors.ts";

/** A mistake in a delivery, its receiver or its sender. */
export type FailureCause =
	// The options.
	| "secret_missing"
	| "secret_unusable"
	| "secret_padded"
	| "secret_encoded"
	| "secret_decoded"
	| "other_secret"
	| "request_signing_secret"
	| "tolerance_unusable"
	// The headers.
	| "headers_unreadable"
	| "header_missing"
	| "header_repeated"
	| "header_malformed"
	| "other_vendor_prefix"
	// The timestamp.
	| "timestamp_in_milliseconds"
	| "delivery_too_old"
	| "clock_behind"
	// The signature.
	| "too_many_signatures"
	| "signatures_joined"
	| "signature_scheme"
	| "signature_in_base64"
	| "signature_truncated"
	| "signature_malformed"
	// What was signed.
	| "timestamp_not_signed"
	| "other_signed_content"
	// The body.
	| "body_missing"
	| "body_not_read"
	| "body_parsed"
	| "body_empty"
	| "body_reserialized"
	| "bom_added"
	| "bom_removed"
	| "line_ends_changed"
	| "whitespace_changed"
	| "charset_changed"
	| "unicode_normalized"
	| "characters_replaced"
	| "body_in_base64"
	| "body_compressed"
	| "body_decompressed"
	| "body_length_changed"
	| "body_not_utf8"
	| "body_array"
	| "body_form"
	| "body_not_json"
	| "payload_not_decoded"
	| "unexplained";

/** One cause of a failure, and how to fix it. It holds no secret, no signature and nothing of the payload. */
export interface Finding {
	/** A stable code for programs. */
	readonly cause: FailureCause;
	/**
	 * How certain it is. `"certain"`: the signature matches once this is undone, or the delivery is rejected for this
	 * alone. `"likely"`: there are signs of it, but no proof.
	 */
	readonly certainty: "certain" | "likely";
	/** The problem, in a sentence. */
	readonly message: string;
	/** How to fix it, in a sentence. */
	readonly fix: string;
}

/** A finding before its certainty is known. */
export type Mistake = Omit<Finding, "certainty">;

/** The parts that were examined, for a report of a failure. */
export interface CheckedParts {
	/** The names of the headers that may belong to a signed delivery, as you passed them. */
	readonly headerNames: readonly string[];
	/** How many bytes the body has, or `undefined` if it isn't raw. */
	readonly bodyBytes: number | undefined;
	/** How many HMACs were computed to find the cause. */
	readonly hmacs: number;
	/** The steps that were left out to bound the work, in a sentence each. */
	readonly skipped: readonly string[];
}

/** Says why a delivery is rejected. It holds no secret, no signature and nothing of the payload. */
export interface Explanation {
	/** Whether `verifyWebhook` accepts the delivery. */
	readonly isValid: boolean;
	/** The code of the error of `verifyWebhook`, or `undefined` if the delivery is valid or can't be read. */
	readonly code: WebhookVerificationErrorCode | undefined;
	/** The causes, the most certain first. It is empty only if the delivery is valid. */
	readonly findings: readonly Finding[];
	/** The parts that were examined. */
	readonly checked: CheckedParts;
}
