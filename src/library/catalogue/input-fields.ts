import * as z from "zod/mini";
import { parseUrl } from "../host.ts";
import type { Flat } from "./flat.ts";
import {
	describeHandleProblem,
	HANDLE_MESSAGE,
	HANDLE_PATTERN,
	isPhoneNumber,
	MAX_HANDLE_LENGTH,
	ONE_WAY_MESSAGE,
	PHONE_NUMBER_MESSAGE,
	PHONE_NUMBER_PATTERN,
} from "./handle.ts";
import { type Schema, schemaNotes, schemaOf } from "./schema.ts";

const phoneNumberLike = (example: string) =>
	z
		.string()
		.check(z.refine(isPhoneNumber, PHONE_NUMBER_MESSAGE))
		.register(schemaNotes, { pattern: PHONE_NUMBER_PATTERN, examples: [example] });

const notWith = (problem: string) =>
	z.refine<string>((value) => describeHandleProblem(value) !== problem, problem);

/**
 * A contact in a request: a number in E.164, an e-mail address, or a short code. No check aborts, so that the checks of
 * the whole input run even if the profile allows a handle that fails here.
 */
export const contactHandle = z
	.string()
	.check(notWith(HANDLE_MESSAGE), notWith(ONE_WAY_MESSAGE))
	.register(schemaNotes, {
		pattern: HANDLE_PATTERN,
		maxLength: MAX_HANDLE_LENGTH,
		examples: ["+15551234567"],
	});

/** The number of an agent in a request: E.164. The example is the agent that the local gateway starts with. */
export const agentPhoneNumber = phoneNumberLike("+15550000001");

/** The number of an agent to register; the example is not taken at the start of the local gateway. */
export const newAgentPhoneNumber = phoneNumberLike("+15550000002");

/** A string in a request that must not be empty, such as an identifier or a name. */
export const identifier = z.string().check(z.minLength(1, "must not be empty"));

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
	return httpUrlStart.test(value) && parseUrl(value) !== undefined;
}

/** An absolute http or https URL. */
export const httpUrl = z
	.string()
	.check(z.refine(isHttpUrl, "must be an absolute http or https URL"))
	.register(schemaNotes, { pattern: HTTP_URL_START });

/** Selects a page of a list. */
export interface PageInput {
	/**
	 * How many items a page holds.
	 * @default 50
	 */
	limit?: number | undefined;
	/** The start of the page: `nextCursor` of the previous one. */
	cursor?: string | undefined;
}

export const pageFields = {
	limit: z.optional(z.number().check(z.int("must be an integer"), z.minimum(1))),
	cursor: z.optional(identifier),
};

/** A span of time. */
export interface TimeRange {
	/** The earliest time, in Unix milliseconds, inclusive. */
	after?: number | undefined;
	/** The latest time, in Unix milliseconds, exclusive. */
	before?: number | undefined;
}

export const timeRangeFields = {
	after: z.optional(nonNegativeInteger),
	before: z.optional(nonNegativeInteger),
};

/** A contact, as a path parameter. */
export interface ToNumberInput {
	/** The contact: a number in E.164, an e-mail address, or a short code. */
	toNumber: string;
}

export const toNumberInput = schemaOf<ToNumberInput>("ToNumberInput")(
	z.strictObject({ toNumber: contactHandle }),
);

/** Input of operations without input. */
export type NoInput = Record<never, never>;

export const noInput = schemaOf<NoInput>("NoInput")(z.strictObject({}));

/** The receiver of a message: give exactly one of `to`, `groupId` and `participants`. */
export interface TargetFields {
	/** One contact: a number in E.164, an e-mail address, or a short code. */
	to?: string | undefined;
	/** The id of an existing group. */
	groupId?: string | undefined;
	/** Two or more contacts. The same set of contacts is the same group. */
	participants?: readonly string[] | undefined;
	/** A name for the group that `participants` form. */
	groupName?: string | undefined;
}

/** Two or more contacts as the target. */
export interface ParticipantsTarget {
	/** Two or more contacts. The same set of contacts is the same group. */
	participants: readonly string[];
	/** A name for the group that `participants` form. */
	groupName?: string | undefined;
	to?: undefined;
	groupId?: undefined;
}

/** A group as the target. */
export interface GroupTarget {
	/** The id of an existing group. */
	groupId: string;
	to?: undefined;
	participants?: undefined;
	groupName?: undefined;
}

/** A contact as the target. */
export interface ContactTarget {
	/** One contact: a number in E.164, an e-mail address, or a short code. */
	to: string;
	groupId?: undefined;
	participants?: undefined;
	groupName?: undefined;
}

/** Requires exactly one target in a type that has {@link TargetFields}. */
export type WithOneTarget<Fields extends TargetFields> = Flat<Fields, keyof TargetFields> &
	// The compiler names the last one if all are missing.
	(Flat<ParticipantsTarget> | Flat<GroupTarget> | Flat<ContactTarget>);

/** One contact or one group. */
export interface ChatFields {
	/** One contact: a number in E.164, an e-mail address, or a short code. */
	to?: string | undefined;
	/** The id of a group. */
	groupId?: string | undefined;
}

/** Requires exactly one of `to` and `groupId`. */
export type WithOneChat<Fields extends ChatFields> = Flat<Fields, keyof ChatFields> &
	(Flat<GroupChat> | Flat<ContactChat>);

/** A group's chat. */
interface GroupChat {
	/** The group's id. */
	groupId: string;
	to?: undefined;
}

/** A contact's chat. */
interface ContactChat {
	/** The contact: a number in E.164, an e-mail address, or a short code. */
	to: string;
	groupId?: undefined;
}

/** The schemas of {@link TargetFields}. */
export const targetFields = {
	to: z.optional(contactHandle),
	groupId: z.optional(identifier),
	participants: z.optional(
		z.readonly(z.array(contactHandle).check(z.minLength(2, "must be two contacts or more"))),
	),
	groupName: z.optional(identifier),
};

/** The schemas of {@link ChatFields}. */
export const chatFields = { to: z.optional(contactHandle), groupId: z.optional(identifier) };

const TARGETS = ["to", "groupId", "participants"];
const CHATS = ["to", "groupId"];

/** Requires exactly one of the fields, so that no message goes to an unintended target. */
function exactlyOne(names: readonly string[]) {
	return z.refine<object>(
		(value) => names.filter((name) => Object.hasOwn(value, name)).length === 1,
		`must have exactly one of ${names.join(", ")}`,
	);
}

/** The same for the OpenAPI document. */
function requireExactlyOne(names: readonly string[]) {
	return { oneOf: names.map((name) => ({ required: [name] })) };
}

const nameOnlyNewGroups = z.refine<TargetFields>(
	(value) => value.groupName === undefined || value.participants !== undefined,
	{ error: "is only allowed with participants", path: ["groupName"] },
);

/** Adds the check for one target, and narrows the type accordingly. */
export function withOneTarget<Fields extends TargetFields>(
	schema: z.ZodMiniType<Fields>,
): Schema<WithOneTarget<Fields>> {
	const checked = schema.check(exactlyOne(TARGETS), nameOnlyNewGroups).register(schemaNotes, {
		...requireExactlyOne(TARGETS),
		dependentRequired: { groupName: ["participants"] },
	});
	return checked as Schema<unknown> as Schema<WithOneTarget<Fields>>;
}

/** Adds the check for one chat, and narrows the type accordingly. */
export function withOneChat<Fields extends ChatFields>(
	schema: z.ZodMiniType<Fields>,
): Schema<WithOneChat<Fields>> {
	const checked = schema.check(exactlyOne(CHATS)).register(schemaNotes, requireExactlyOne(CHATS));
	return checked as Schema<unknown> as Schema<WithOneChat<Fields>>;
}
