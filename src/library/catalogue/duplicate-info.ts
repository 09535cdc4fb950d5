import * as z from "zod/mini";
import type { DuplicateInfo } from "../errors.ts";
import { schemaOf } from "./schema.ts";

/** What an error of a duplicate holds (specification, section 2.4). */
export const duplicateInfoSchema = schemaOf<DuplicateInfo>("DuplicateInfo")(
	z.looseObject({
		isDuplicate: z.boolean(),
		lastMessageSignature: z.string(),
		currentMessageSignature: z.string(),
		timeRemaining: z.number(),
		message: z.string(),
	}),
);
