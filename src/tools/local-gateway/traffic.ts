import type { OperationId } from "../../library/catalogue/index.ts";
import type { ResponseFaultKind } from "./faults.ts";
import type { RequestRejection } from "./request-rejection.ts";

/** A received request and the status of its response. */
export interface RecordedRequest {
	/** The HTTP method. */
	readonly method: string;
	/** The path with its escapes, after the URL parser removed dot segments. */
	readonly path: string;
	/** The query with its question mark, or an empty string. */
	readonly query: string;
	/** The headers, with lower-case names. `authorization` is masked. */
	readonly headers: Readonly<Record<string, string>>;
	/** The body as a string. It is empty if there was none. */
	readonly body: string;
	/** The operation. It is absent if none has this path and method. */
	readonly operationId?: OperationId;
	/** The status of the response. It is absent before the response, or if the connection was dropped. */
	readonly status?: number;
	/** When the request arrived, in Unix milliseconds. */
	readonly at: number;
	/** Marks a request of the doctor, which may be wrong on purpose. */
	readonly probe?: true;
}

/** Whether a signature was accepted. */
export type SignatureResult = "accepted" | "rejected";

/** A request that is over. */
export interface HandledRequest extends RecordedRequest {
	/** Unique to its response. */
	readonly requestId: string;
	/** Its place in the order of all events: when it was over. */
	readonly sequence: number;
	/** The body of the response; `null` if there was none. */
	readonly responseBody: string | null;
	/** The time until the response was ready, in milliseconds. */
	readonly durationMs: number;
	/** Absent if the signature was not checked. */
	readonly signature?: SignatureResult | undefined;
	/** What the gateway itself rejected it for. */
	readonly rejection?: RequestRejection | undefined;
	/** The fault that replaced, broke or corrupted its response. */
	readonly fault?: ResponseFaultKind | undefined;
}

/** A request that is over, as a change. */
export interface RequestItem {
	readonly type: "request";
	readonly request: HandledRequest;
}

/** The maximum length of all recorded bodies together; attachments would otherwise fill the memory. */
const MAX_BODY_CHARACTERS = 64 * 1024 * 1024;

/** The received requests; the oldest are dropped when there are too many. */
export class Traffic {
	readonly #maxEntries: number;
	/** A set, since it removes its first entry in constant time. */
	#requests = new Set<RecordedRequest>();
	#oldest = this.#requests.values();
	#bodyCharacters = 0;

	constructor(maxEntries: number) {
		this.#maxEntries = maxEntries;
	}

	/** @returns a function that completes the record with the response's status. */
	record(request: RecordedRequest): (status: number) => void {
		const entry = { ...request };
		this.#requests.add(entry);
		this.#bodyCharacters += entry.body.length;
		while (this.#requests.size > this.#maxEntries || this.#bodyCharacters > MAX_BODY_CHARACTERS) {
			this.#dropOldest();
		}
		return (status) => Object.assign(entry, { status });
	}

	/** Copies of all records, the oldest first. */
	records(): RecordedRequest[] {
		return Array.from(this.#requests, (request) => ({ ...request }));
	}

	clear(): void {
		this.#requests = new Set();
		this.#oldest = this.#requests.values();
		this.#bodyCharacters = 0;
	}

	/** Uses one iterator, since a new one would first skip the places of all dropped entries. */
	#dropOldest(): void {
		const oldest = this.#oldest.next();
		if (oldest.done) return;
		this.#requests.delete(oldest.value);
		this.#bodyCharacters -= oldest.value.body.length;
	}
}

/** The headers for the record, without the signature: records end up in test reports. */
export function maskHeaders(headers: Headers): Record<string, string> {
	const masked = Object.fromEntries(headers);
	if (masked["authorization"] !== undefined) masked["authorization"] = "HMAC ***";
	return masked;
}
