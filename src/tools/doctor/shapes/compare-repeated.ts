import { duplicateInfoSchema } from "../../../library/catalogue/duplicate-info.ts";
import type { ReadResponse } from "../../../library/client/response.ts";
import { shownGatewayCode } from "../../../library/errors.ts";
import { isJsonObject } from "../../../library/is-object.ts";
import { breaking, type Findings, remark, type ShapeDifference } from "./comparison.ts";
import { isPlainKey } from "./field-names.ts";

/** Describes that the second of two identical sends succeeded: it may still report a duplicate. */
export function compareRepeatedSuccess(read: ReadResponse, remarks: readonly ShapeDifference[]): Findings {
	if (findDuplicateInfo(read.json) === undefined) {
		const message = "the same text was accepted again: no duplicate was reported";
		return { verdict: "unseen", differences: [...remarks, remark("duplicate", message)] };
	}
	const message = "the duplicate is reported in a success, so the client does not throw";
	return { verdict: "differs", differences: [...remarks, breaking("duplicate", message)] };
}

/** Describes that the second of two identical sends was rejected in a way that the client does not recognize. */
export function compareRepeatedError(
	read: ReadResponse,
	result: string,
	remarks: readonly ShapeDifference[],
): Findings {
	const { place, value } = findDuplicateInfo(read.json) ?? {};
	const info = duplicateInfoSchema.safeParse(value);
	const infoPath = info.data?.isDuplicate === true && place !== "" && read.status < 500 ? place : undefined;
	const code = shownGatewayCode(read.error?.code);
	const where =
		place === undefined
			? "the response has no DuplicateInfo"
			: `its fields are at ${place || "the top"} instead of error.details`;
	const message = `${result}: the client does not recognize the duplicate, since ${where}`;
	const differences = [breaking("duplicate", message), ...remarks];
	if (infoPath !== undefined) {
		const remedy = { profile: { duplicates: { status: read.status, infoPath } } };
		return { verdict: "differs", differences, remedy, isFixedByProfile: true };
	}
	if (place !== undefined || code === undefined || read.status >= 500)
		return { verdict: "differs", differences };
	// Not marked as fixed: only the gateway's operator knows whether this code stands for duplicates alone.
	const remedy = { profile: { duplicates: { status: read.status, code, infoPath: null } } };
	return { verdict: "differs", differences, remedy };
}

/** An object with fields of DuplicateInfo, and where it is, as dotted keys. */
function findDuplicateInfo(
	value: unknown,
	place: readonly string[] = [],
): { readonly place: string; readonly value: object } | undefined {
	if (!isJsonObject(value) || place.length > 4) return undefined;
	const isFound = value["isDuplicate"] === true || Object.hasOwn(value, "timeRemaining");
	if (isFound) return { place: place.join("."), value };
	for (const [key, member] of Object.entries(value)) {
		const found = isPlainKey(key) ? findDuplicateInfo(member, [...place, key]) : undefined;
		if (found !== undefined) return found;
	}
	return undefined;
}
