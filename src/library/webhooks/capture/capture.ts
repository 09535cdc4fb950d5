import { decodeUtf8 } from "../../signing/bytes.ts";
import type { WebhookEvent } from "../events.ts";
import type { HandlerEnding } from "../handler-options.ts";
import { CaptureError } from "./capture-error.ts";
import { openFile, readKey } from "./sealed-file.ts";

/** A verified delivery that your handler did not process, or that this version did not know. */
export interface CapturedFailure {
	readonly type: "failure";
	/** When it was captured, in Unix milliseconds. */
	readonly capturedAt: number;
	/** The place where it failed: the webhook handler, or a worker that called `keep`. */
	readonly source: "handler" | "worker";
	/** The event's id. */
	readonly eventId: string;
	/** The tenant that your secret function named, if there is one. */
	readonly tenant: string | undefined;
	/** The event's kind, or `"unknown"` if this version did not know it. */
	readonly kind: WebhookEvent["kind"];
	/** When it was signed, in Unix seconds. */
	readonly timestamp: number;
	/**
	 * The number of the run for this event, from 1. It is `undefined` for an inbox, which doesn't count, or if the
	 * worker doesn't say.
	 */
	readonly attempt: number | undefined;
	/** How the run ended. The handler may have accepted an event of an unknown kind. */
	readonly ending: HandlerEnding["kind"];
	/**
	 * The error that the handler threw. Its message is your application's own. A thrown value that is no `Error` has
	 * only the name `"unknown"`.
	 */
	readonly error:
		| { readonly name: string; readonly message: string; readonly stack: string | undefined }
		| undefined;
	/** The raw body, byte for byte. From a worker it is the event's `data`, written again. */
	readonly body: Uint8Array;
}

/** A rejected delivery. Anybody may have written it, so nothing in it is kept unless `rejected.body` asked for it. */
export interface CapturedRejection {
	readonly type: "rejection";
	/** When it was captured, in Unix milliseconds. */
	readonly capturedAt: number;
	/** The code of the response, which says why it was rejected. */
	readonly code: string;
	/** The HTTP status of the response. */
	readonly status: number;
	/** The size in its `Content-Length`. It is `undefined` without one, or for a number of more than eight digits. */
	readonly claimedBytes: number | undefined;
	/** The form of each header that counts, such as `v1=<64 hex>`. */
	readonly headers: Readonly<Record<string, string>>;
	/** The headers that count, and the raw body, byte for byte, if `rejected.body` asked for them. */
	readonly sent:
		| { readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array }
		| undefined;
}

/** A rejection in a file, whose body stands after the record. */
export interface StoredRejection extends Omit<CapturedRejection, "sent"> {
	readonly sent?: Readonly<Record<string, string>>;
}

/**
 * Decrypts a file that `captureFailures` wrote, to show you the failed delivery.
 * @throws CaptureError (`not_a_capture`, `truncated`, `undecryptable`, `unsupported_version`).
 * @throws ConfigurationError (`configuration`) if the key has another length.
 * @param key - the key of the application that wrote it: 32 bytes, or their base64.
 */
export async function readCapture(
	file: Uint8Array,
	key: string | Uint8Array,
): Promise<CapturedFailure | CapturedRejection> {
	const plain = await openFile(readKey(key), file);
	const end = plain.indexOf(0x0a);
	try {
		// What is decrypted was written by this package, under the key of the application.
		const record: CapturedFailure | StoredRejection = JSON.parse(decodeUtf8(plain.slice(0, end)));
		const body = plain.slice(end + 1);
		if (record.type === "failure") return { ...record, body };
		return { ...record, sent: record.sent && { headers: record.sent, body } };
	} catch {
		throw new CaptureError(
			"not_a_capture",
			"this file holds no captured failure: give one that `captureFailures` wrote",
		);
	}
}
