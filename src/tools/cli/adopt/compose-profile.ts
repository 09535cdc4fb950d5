import type { Profile } from "../../../library/catalogue/profile.ts";
import type { PlannedOperation } from "../../adopt/plan/plan-types.ts";
import type { Diagnosis } from "../../doctor/calls/diagnosis.ts";

/** What a profile holds besides of its operations. */
export interface ProfileParts {
	readonly signing?: Diagnosis["signing"];
	readonly from?: string | undefined;
	readonly usedNonce?: Profile["usedNonce"];
	readonly duplicates?: Profile["duplicates"];
	readonly emptyResponses?: boolean;
}

/** A profile as JSON, with what is known. */
export function composeProfile(
	{ signing, from, usedNonce, duplicates, emptyResponses = false }: ProfileParts,
	plan: readonly PlannedOperation[],
): Readonly<Record<string, unknown>> {
	const operations = Object.fromEntries(
		plan.flatMap(({ id, profile }) => (profile === undefined ? [] : [[id, profile]])),
	);
	return {
		...(signing !== undefined && Object.keys(signing).length > 0 && { signing }),
		...(from !== undefined && { defaults: { from } }),
		...(usedNonce && { usedNonce }),
		...(duplicates && { duplicates }),
		...(emptyResponses && { emptyResponses }),
		...(Object.keys(operations).length > 0 && { operations }),
	};
}
