import { utf8, viewBytes } from "../../../../library/signing/bytes.ts";
import { asGiven, before, type Candidate, uniqueBytes } from "../candidate.ts";
import type { Mistake } from "../explanation.ts";
import { undoForm } from "./body-form.ts";
import { undoBase64, undoCharset } from "./encodings.ts";
import { jsonLength, listJsonForms, undoReserialization } from "./json-forms.ts";
import { type DecodedBody, MAX_TRANSFORMED_BYTES, toDecodedBody, VERIFY_RAW_BYTES } from "./raw-body.ts";
import { undoByteOrderMark, undoLineEnds, undoNormalization, undoOuterWhitespace } from "./text-changes.ts";

/** What a body may have been before it was given. */
export interface BodyReading {
	/** `undefined` if the body is not raw. */
	readonly bytes: Uint8Array | undefined;
	/** The bodies that may have been signed, the given one first. */
	readonly candidates: readonly Candidate<Uint8Array>[];
	/** Faults that make it impossible to verify the body. */
	readonly faults: readonly Mistake[];
	readonly skipped: readonly string[];
}

type Undo = (body: DecodedBody) => Candidate<Uint8Array>[];

/** The ways in which a body is changed on its way, the commonest first. */
const UNDOS: readonly Undo[] = [
	undoByteOrderMark,
	undoOuterWhitespace,
	undoLineEnds,
	undoBase64,
	undoForm,
	undoCharset,
	undoNormalization,
	undoReserialization,
];

/** Reads a body of any kind, even those that the verification rejects. */
export function readAnyBody(body: unknown): BodyReading {
	const bytes = rawBytes(body);
	if (bytes !== undefined) {
		const raw = toDecodedBody(bytes);
		const isLarge = bytes.length > MAX_TRANSFORMED_BYTES;
		const changes = isLarge ? [] : UNDOS.flatMap((undo) => undo(raw));
		const fault = bytes.length === 0 ? EMPTY : raw.text === "[object Object]" ? PARSED : undefined;
		return {
			bytes,
			candidates: uniqueBytes([asGiven(bytes), ...changes]),
			faults: fault === undefined ? [] : [fault],
			skipped: isLarge ? [TOO_LARGE] : [],
		};
	}
	if (body === undefined || body === null) return rejected(MISSING);
	if (holdsBytes(body)) return rejected(NOT_READ);
	const serialized = bytesOfSerializedBuffer(body);
	if (serialized !== undefined) return rejected(PARSED, [{ value: serialized, mistakes: [PARSED] }]);
	if (jsonLength(body) > MAX_TRANSFORMED_BYTES) return { ...rejected(PARSED), skipped: [TOO_LARGE] };
	return rejected(PARSED, listParsedForms(body));
}

function listParsedForms(value: unknown): Candidate<Uint8Array>[] {
	return listJsonForms(value).map(({ text, form }) =>
		before(
			utf8(text),
			PARSED.cause,
			`The body was parsed before it came here; written as ${form} it matches the signature, so the secret is right.`,
			PARSED.fix,
		),
	);
}

function rejected(fault: Mistake, candidates: readonly Candidate<Uint8Array>[] = []): BodyReading {
	return { bytes: undefined, candidates, faults: [fault], skipped: [] };
}

/** The bytes of a body that is raw. */
export function rawBytes(body: unknown): Uint8Array | undefined {
	return typeof body === "string" ? utf8(body) : viewBytes(body);
}

/** Whether it is a stream, a Blob, a Request or another view, from which the bytes have yet to be read. */
function holdsBytes(body: unknown): boolean {
	if (typeof body !== "object" || body === null) return false;
	const has = (name: PropertyKey) => typeof Reflect.get(body, name) === "function";
	return ArrayBuffer.isView(body) || ["getReader", "pipe", "arrayBuffer", Symbol.asyncIterator].some(has);
}

/** A Buffer that went through JSON is `{ type: "Buffer", data: [1, 2, …] }`. */
function bytesOfSerializedBuffer(body: unknown): Uint8Array | undefined {
	if (typeof body !== "object" || body === null || !("type" in body) || !("data" in body)) return undefined;
	const { type, data } = body;
	return type === "Buffer" && Array.isArray(data) ? Uint8Array.from(data, Number) : undefined;
}

const TOO_LARGE =
	"The body is over 1 MiB, so no changes to it were tried, only headers, secrets and signed content.";

const MISSING: Mistake = {
	cause: "body_missing",
	message: "There is no body: the framework didn't read one, or keeps it elsewhere.",
	fix: VERIFY_RAW_BYTES,
};

const NOT_READ: Mistake = {
	cause: "body_not_read",
	message: "The body is a stream, a Blob or another object that holds the bytes, not the bytes themselves.",
	fix: "Read it to its end first, e.g. new Uint8Array(await request.arrayBuffer()).",
};

const PARSED: Mistake = {
	cause: "body_parsed",
	message: "The body was parsed before it came here, and re-serialized JSON has a different signature.",
	fix: VERIFY_RAW_BYTES,
};

const EMPTY: Mistake = {
	cause: "body_empty",
	message: "The body is empty, while every event has a payload: something read it before, or never read it.",
	fix: "Keep the raw bytes where the body is first read, and hand those over.",
};
