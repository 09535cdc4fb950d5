import type { FailureCause, Mistake } from "./explanation.ts";

/** A value as it was given, or as it was before certain mistakes were made. */
export interface Candidate<Value> {
	readonly value: Value;
	/** What went wrong if this value is the right one; empty for the value as it was given. */
	readonly mistakes: readonly Mistake[];
}

export function asGiven<Value>(value: Value): Candidate<Value> {
	return { value, mistakes: [] };
}

/** The value as it was before one mistake. */
export function before<Value>(
	value: Value,
	cause: FailureCause,
	message: string,
	fix: string,
): Candidate<Value> {
	return { value, mistakes: [{ cause, message, fix }] };
}

/** Leaves out the bytes of an earlier candidate. */
export function uniqueBytes(candidates: readonly Candidate<Uint8Array>[]): Candidate<Uint8Array>[] {
	const unique: Candidate<Uint8Array>[] = [];
	for (const candidate of candidates) {
		const { value: bytes } = candidate;
		const isSame = ({ value }: Candidate<Uint8Array>): boolean =>
			value.length === bytes.length && value.every((byte, at) => byte === bytes[at]);
		if (!unique.some(isSame)) unique.push(candidate);
	}
	return unique;
}
