import { MessagingGatewayError } from "../../errors.ts";

/** Why a failure was not captured, or its file not read. */
export type CaptureErrorCode =
	/** The file is no captured failure. */
	| "not_a_capture"
	/** The file ends early, since it was not written or copied to its end. */
	| "truncated"
	/** The file was altered, or encrypted with another key. Both fail alike. */
	| "undecryptable"
	/** A newer version of this package wrote the file. */
	| "unsupported_version"
	/** `write` failed, for example on a full disk. The error has its cause. */
	| "write_failed"
	/**
	 * More events failed in this hour than `maxPerHour`. It is reported once, and the rest of the hour is not captured.
	 */
	| "limit_reached";

/** A failure was not captured, or its file can't be read. It holds nothing of the delivery. */
export class CaptureError extends MessagingGatewayError {
	override get name() {
		return "CaptureError" as const;
	}
	readonly code: CaptureErrorCode;

	constructor(code: CaptureErrorCode, message: string, options?: ErrorOptions) {
		super(message, options);
		this.code = code;
	}
}
