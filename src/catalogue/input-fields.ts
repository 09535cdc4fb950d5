import * as z from "zod/mini";
import { PHONE_NUMBER_MESSAGE, schemaNotes, schemaOf } from "./schema.ts";

/** A phone number in a request: E.164. */
export const phoneNumber = z
	.string()
	.check(z.regex(/^\+[1-9]\d{7,14}$/, PHONE_NUMBER_MESSAGE))
	.register(schemaNotes, { examples: ["+15551234567"] });

/**
 * Limits a string's length in UTF-16 code units, as JavaScript counts it. zod's check counts code points like JSON
 * Schema, where an emoji is one rather than two; it remains for the OpenAPI document.
 */
export function maxCodeUnits(maximum: number) {
	const error = `must be at most ${maximum} UTF-16 code units`;
	return [
		z.refine<string>((value) => value.length <= maximum, { error, abort: true }),
		z.maxLength(maximum),
	] as const;
}

/** An identifier or name in a request: not empty, and of limited length. */
export const identifier = z.string().check(z.minLength(1, "must not be empty"), ...maxCodeUnits(512));

/** Unix milliseconds, or another non-negative integer. */
export const nonNegativeInteger = z
	.number()
	.check(z.int("must be an integer"), z.minimum(0, "must be 0 or more"))
	.register(schemaNotes, { format: "int64" });

/** How an http or https URL starts. JSON Schema has no flags, hence both cases. */
export const HTTP_URL_START = "^[hH][tT][tT][pP][sS]?://";

const httpUrlStart = new RegExp(HTTP_URL_START);

/** Whether a string is an absolute http or https URL. */
export function isHttpUrl(value: string): boolean {
	return httpUrlStart.test(value) && URL.canParse(value);
}

/** An absolute http or https URL. */
export const httpUrl = z
	.string()
	.check(z.refine(isHttpUrl, "must be an absolute http or https URL"))
	.register(schemaNotes, { pattern: HTTP_URL_START });

/** Which page of a list. */
export interface PageInput {
	/**
	 * How many items a page holds, from 1 to 100 (assumed).
	 * @default 50
	 */
	limit?: number | undefined;
	/** Where the page starts: `nextCursor` of the previous page. */
	cursor?: string | undefined;
}

export const pageFields = {
	limit: z.optional(z.number().check(z.int("must be an integer"), z.minimum(1), z.maximum(100))),
	cursor: z.optional(z.string().check(z.minLength(1, "must not be empty"), ...maxCodeUnits(1024))),
};

/** A span of time. */
export interface TimeRange {
	/** Only from this time on, in Unix milliseconds, inclusive. */
	after?: number | undefined;
	/** Only before this time, in Unix milliseconds, exclusive. */
	before?: number | undefined;
}

export const timeRangeFields = {
	after: z.optional(nonNegativeInteger),
	before: z.optional(nonNegativeInteger),
};

/** A contact's number, as a path parameter. */
export interface ToNumberInput {
	/** The contact's number, in E.164. */
	toNumber: string;
}

export const toNumberInput = schemaOf<ToNumberInput>("ToNumberInput")(
	z.strictObject({ toNumber: phoneNumber }),
);

/** Input of operations without input. */
export type NoInput = Record<never, never>;

export const noInput = schemaOf<NoInput>("NoInput")(z.strictObject({}));
