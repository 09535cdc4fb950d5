import type { ReceiverResponse } from "../local-gateway/delivery.ts";

/** The maximum length of a kept body, in UTF-16 code units. */
const MAX_BODY_LENGTH = 4_096;
/** More than the kept length, so that a secret at the cut is still found as a whole. */
const MAX_READ_BYTES = 2 * MAX_BODY_LENGTH;
const MAX_HEADERS = 50;
const MAX_HEADER_LENGTH = 512;
/** The maximum length of all kept bodies and headers together. */
const MAX_KEPT_LENGTH = 8 * 1024 * 1024;

const SECRET_HEADERS: ReadonlySet<string> = new Set([
	"authorization",
	"proxy-authorization",
	"cookie",
	"set-cookie",
	"x-api-key",
]);

/** Reads the responses of webhook receivers. The oldest are emptied when there are too many. */
export class ReceiverResponses {
	readonly #secrets: readonly string[];
	readonly #kept = new Set<ReceiverResponse>();
	#keptLength = 0;

	/** @param secrets are masked in bodies: the error page of a framework may show its environment. */
	constructor(secrets: readonly string[]) {
		this.#secrets = secrets.filter((secret) => secret !== "");
	}

	/** Reads a response to its end, since a server treats an aborted one as a failure. Never rejects. */
	async read(response: Response, signal: AbortSignal): Promise<ReceiverResponse> {
		const { start, size } = await readStart(response.body, signal);
		const read = { headers: this.#headersOf(response.headers), ...this.#describeBody(start, size) };
		this.keep(read);
		return read;
	}

	#describeBody(start: Uint8Array, size: number): Pick<ReceiverResponse, "body" | "bodyNote"> {
		const isWhole = start.length === size;
		const decoded = decodeText(start, isWhole);
		if (decoded === undefined) return { body: "", bodyNote: `${size} bytes that aren't text` };
		const body = this.#mask(decoded);
		if (isWhole && body.length <= MAX_BODY_LENGTH) return { body };
		return { body: body.slice(0, MAX_BODY_LENGTH), bodyNote: `cut: the whole body has ${size} bytes` };
	}

	#headersOf(headers: Headers): Record<string, string> {
		const shown = [...headers].slice(0, MAX_HEADERS).map(([name, value]) => {
			const isSecret = SECRET_HEADERS.has(name);
			return [name, isSecret ? "***" : this.#mask(value).slice(0, MAX_HEADER_LENGTH)] as const;
		});
		return Object.fromEntries(shown);
	}

	#mask(value: string): string {
		return this.#secrets.reduce((masked, secret) => masked.replaceAll(secret, "***"), value);
	}

	/** Counts a response, for example one of an earlier run. */
	keep(response: ReceiverResponse): void {
		this.#kept.add(response);
		this.#keptLength += lengthOf(response);
		for (const oldest of this.#kept) {
			if (this.#keptLength <= MAX_KEPT_LENGTH) return;
			this.#kept.delete(oldest);
			this.#keptLength -= lengthOf(oldest);
			Object.assign(oldest, { headers: {}, body: "", bodyNote: "no longer kept" });
		}
	}
}

function lengthOf({ headers, body }: ReceiverResponse): number {
	return body.length + Object.entries(headers).flat().join("").length;
}

/** Reads a body to its end and keeps its first bytes. */
async function readStart(
	body: ReadableStream<Uint8Array> | null,
	signal: AbortSignal,
): Promise<{ readonly start: Uint8Array; readonly size: number }> {
	const start = new Uint8Array(MAX_READ_BYTES);
	let size = 0;
	const sink = new WritableStream<Uint8Array>({
		write(chunk) {
			if (size < start.length) start.set(chunk.subarray(0, start.length - size), size);
			size += chunk.length;
		},
	});
	await body?.pipeTo(sink, { signal }).catch(() => undefined);
	return { start: start.subarray(0, size), size };
}

/** Decodes UTF-8; `undefined` if the bytes are not text. A character at the cut may be incomplete. */
function decodeText(bytes: Uint8Array, isWhole: boolean): string | undefined {
	try {
		const decoded = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: !isWhole });
		return decoded.includes("\0") ? undefined : decoded;
	} catch {
		return undefined;
	}
}
