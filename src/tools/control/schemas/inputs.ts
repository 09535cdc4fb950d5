import * as z from "zod/mini";
import { identifier } from "../../../library/catalogue/input-fields.ts";
import { schemaOf } from "../../../library/catalogue/schema.ts";
import type { PageQuery } from "../contract.ts";
import type { ById, Empty } from "../routes.ts";

/** The most items of a page. */
const MAX_LIMIT = 500;

/** More than any gateway counts; a larger number would not be exact. */
const MAX_SEQUENCE = 2 ** 52;

function integerUpTo(maximum: number) {
	const message = `must be an integer from 1 to ${maximum}`;
	return z.number().check(z.int(message), z.minimum(1, message), z.maximum(maximum, message));
}

const sequence = z.optional(integerUpTo(MAX_SEQUENCE));

export const pageQuery = schemaOf<PageQuery>("PageQuery")(
	z.strictObject({
		before: sequence,
		after: sequence,
		limit: z.optional(integerUpTo(MAX_LIMIT)),
		conversation: z.optional(z.string()),
		kind: z.optional(z.string()),
		failed: z.optional(z.boolean()),
		probe: z.optional(z.boolean()),
		search: z.optional(z.string()),
	}),
);

export const empty = schemaOf<Empty>("Empty")(z.strictObject({}));

export const byId = schemaOf<ById>("ById")(z.strictObject({ id: identifier }));
