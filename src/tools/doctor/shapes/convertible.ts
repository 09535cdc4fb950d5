import type { Conversion } from "./conversion.ts";
import type { ExpectedField } from "./expected-shape.ts";
import { describeString, looksLikeSeconds } from "./redact.ts";

export type ConversionName = Extract<Conversion, { kind: "value" }>["as"];

/** How a value becomes one that the field accepts; `undefined` if it cannot. */
export function convertibleTo(field: ExpectedField, value: unknown): ConversionName | undefined {
	if (value === undefined) return undefined;
	if (field.accepts(value)) return isSecondsForMilliseconds(field, value) ? "milliseconds" : "same";
	if (field.type === "string" && typeof value === "number") return isNumeric(field) ? "string" : undefined;
	if (field.type !== "number" || typeof value !== "string") return undefined;
	if (/^-?\d+(\.\d+)?$/.test(value)) return "number";
	return describeString(value) === "date-time" && !Number.isNaN(Date.parse(value)) ? "date" : undefined;
}

/** Whether a number may stand for this string: an id or a phone number, but no word, such as a status. */
function isNumeric({ name }: ExpectedField): boolean {
	return /^(from|to|number)$|(Id|Guid|Number|Cursor)$/.test(name);
}

export function isSecondsForMilliseconds({ isMilliseconds, name }: ExpectedField, value: unknown): boolean {
	return isMilliseconds && !name.endsWith("AgeMs") && typeof value === "number" && looksLikeSeconds(value);
}
