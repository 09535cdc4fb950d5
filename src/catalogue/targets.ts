import * as z from "zod/mini";
import { identifier, phoneNumber } from "./input-fields.ts";
import { type Schema, schemaNotes } from "./schema.ts";

/** Who receives a message: give exactly one of `to`, `groupId` and `participants`. */
export interface TargetFields {
	/** One contact's number, in E.164. */
	to?: string | undefined;
	/** The id of a group that exists. */
	groupId?: string | undefined;
	/** Two or more numbers; the same set of numbers is the same group. */
	participants?: readonly string[] | undefined;
	/** A name for the group that `participants` form. */
	groupName?: string | undefined;
}

/** Requires exactly one target in a type that has {@link TargetFields}. */
export type WithOneTarget<Fields extends TargetFields> = Fields &
	(
		| { participants: readonly string[]; to?: undefined; groupId?: undefined }
		| { groupId: string; to?: undefined; participants?: undefined; groupName?: undefined }
		// The compiler names the last one if all are missing.
		| { to: string; groupId?: undefined; participants?: undefined; groupName?: undefined }
	);

/** One contact or one group. */
export interface ChatFields {
	/** One contact's number, in E.164. */
	to?: string | undefined;
	/** The id of a group. */
	groupId?: string | undefined;
}

/** Requires exactly one of `to` and `groupId`. */
export type WithOneChat<Fields extends ChatFields> = Fields &
	({ groupId: string; to?: undefined } | { to: string; groupId?: undefined });

/** The schemas of {@link TargetFields}. */
export const targetFields = {
	to: z.optional(phoneNumber),
	groupId: z.optional(identifier),
	participants: z.optional(
		z.readonly(z.array(phoneNumber).check(z.minLength(2, "must be two numbers or more"), z.maxLength(32))),
	),
	groupName: z.optional(identifier),
};

/** The schemas of {@link ChatFields}. */
export const chatFields = { to: z.optional(phoneNumber), groupId: z.optional(identifier) };

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
