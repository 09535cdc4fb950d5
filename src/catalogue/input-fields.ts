import * as z from "zod/mini";
import { PHONE_NUMBER_MESSAGE, schemaNotes, schemaOf } from "./schema.ts";

/** A phone number on its way out: E.164. */
export const phoneNumber = z
	.string()
	.check(z.regex(/^\+[1-9]\d{7,14}$/, PHONE_NUMBER_MESSAGE))
	.register(schemaNotes, { examples: ["+15551234567"] });

/**
 * At most so many UTF-16 code units, as JavaScript counts a string. zod counts code points, of which an emoji is one
 * rather than two, as JSON Schema does: that check remains for the OpenAPI document.
 */
export function maxCodeUnits(maximum: number): [z.core.$ZodCheck<string>, z.core.$ZodCheck<string>] {
	const error = `must be at most ${maximum} UTF-16 code units`;
	return [z.refine((text: string) => text.length <= maximum, { error, abort: true }), z.maxLength(maximum)];
}

/** An identifier or name on its way out: something, but not without end. */
export const identifier = z.string().check(z.minLength(1, "must not be empty"), ...maxCodeUnits(512));

/** Unix milliseconds, or another whole number from 0 on. */
export const wholeNumber = z
	.number()
	.check(z.int("must be a whole number"), z.nonnegative("must be 0 or more"));

/** How an http or https URL starts. JSON Schema has no flags, hence both cases. */
export const HTTP_URL_START = "^[hH][tT][tT][pP][sS]?://";

const httpUrlStart = new RegExp(HTTP_URL_START);

/** Whether a text is an absolute http or https URL. */
export function isHttpUrl(text: string): boolean {
	return httpUrlStart.test(text) && URL.canParse(text);
}

/** An absolute http or https URL. */
export const httpUrl = z
	.string()
	.check(z.refine(isHttpUrl, "must be an absolute http or https URL"))
	.register(schemaNotes, { pattern: HTTP_URL_START });

/** Which page of a list. */
export interface PageInput {
	/**
	 * How many items a page holds, from 1 to 100.
	 * @default 50
	 */
	limit?: number | undefined;
	/** Where to go on: `nextCursor` of the page before. */
	cursor?: string | undefined;
}

export const pageFields = {
	limit: z.optional(z.number().check(z.int("must be a whole number"), z.minimum(1), z.maximum(100))),
	cursor: z.optional(z.string().check(z.minLength(1, "must not be empty"), ...maxCodeUnits(1024))),
};

/** A span of time. */
export interface TimeRange {
	/** Only from this time on, in Unix milliseconds, inclusive. */
	after?: number | undefined;
	/** Only before this time, in Unix milliseconds, exclusive. */
	before?: number | undefined;
}

export const timeRangeFields = { after: z.optional(wholeNumber), before: z.optional(wholeNumber) };

/** A single contact's number, as a path names it. */
export interface ToNumberInput {
	/** The contact's number, in E.164. */
	toNumber: string;
}

export const toNumberInput = schemaOf<ToNumberInput>("ToNumberInput")(
	z.strictObject({ toNumber: phoneNumber }),
);

/** Input of operations that take none. */
export type NoInput = Record<never, never>;

export const noInput = schemaOf<NoInput>("NoInput")(z.strictObject({}));
