import { isJsonObject } from "../../catalogue/check.ts";
import { duplicateInfoSchema } from "../../catalogue/duplicate-info.ts";
import type { ReadResponse } from "../../client/response.ts";
import type { ShapeDifference } from "./comparison.ts";
import { isPlainKey } from "./field-names.ts";
import { breaking, type Findings, remark } from "./findings.ts";

/** The second of two identical sends succeeded. */
export function compareRepeatedSuccess(read: ReadResponse, remarks: readonly ShapeDifference[]): Findings {
	const isReported = findDuplicateInfo(read.json) !== undefined;
	return isReported
		? {
				verdict: "differs",
				differences: [
					...remarks,
					breaking("duplicate", "the duplicate is reported in a success, so the client does not throw"),
				],
			}
		: {
				verdict: "unseen",
				differences: [
					...remarks,
					remark("duplicate", "the same text was accepted again: no duplicate was reported"),
				],
			};
}

/** The second of two identical sends was rejected. */
export function compareRepeatedError(
	read: ReadResponse,
	result: string,
	remarks: readonly ShapeDifference[],
): Findings {
	const duplicate = duplicateInfoSchema.safeParse(read.error?.details);
	if (duplicate.success && duplicate.data.isDuplicate) return { verdict: "fits", differences: remarks };
	const place = findDuplicateInfo(read.json);
	const where =
		place === undefined
			? "the response has no DuplicateInfo"
			: `its fields are at ${place || "the top"} instead of error.details`;
	const message = `${result}: the client does not recognize the duplicate, since ${where}`;
	return { verdict: "differs", differences: [breaking("duplicate", message), ...remarks] };
}

/** Where an object with fields of DuplicateInfo is, as dotted keys. */
function findDuplicateInfo(value: unknown, place: readonly string[] = []): string | undefined {
	if (!isJsonObject(value) || place.length > 4) return undefined;
	if (value["isDuplicate"] === true || Object.hasOwn(value, "timeRemaining")) return place.join(".");
	for (const [key, member] of Object.entries(value)) {
		const found = isPlainKey(key) ? findDuplicateInfo(member, [...place, key]) : undefined;
		if (found !== undefined) return found;
	}
	return undefined;
}
