import type { HttpMethod } from "../../../library/catalogue/operation.ts";
import type { OperationProfile, Profile } from "../../../library/catalogue/profile.ts";
import type { ReadResponse } from "../../../library/client/response.ts";
import type { CatalogueOperation } from "../../routes.ts";
import type { ShapeDifference, Verdict } from "./comparison.ts";
import type { Conversion } from "./conversion.ts";
import type { KnownValues } from "./search-response.ts";

/** What a profile changes so that an operation works, as far as its response shows it. */
export interface Remedy {
	/** The method of an operation whose path only the gateway's operator knows. */
	readonly missingMethod?: HttpMethod;
	/** Fields of a request, after `request.encode` of the present profile: their name, and the gateway's. */
	readonly renames?: readonly (readonly [ours: string, theirs: string])[];
	/** How a success becomes our shape, after `response.decode` of the present profile. */
	readonly conversion?: Conversion;
	/** What concerns more than one operation. */
	readonly profile?: Pick<Profile, "duplicates" | "emptyResponses">;
	/** What an empty success stands for. */
	readonly whenEmpty?: Readonly<Record<string, boolean>>;
}

/** A call that was made, and what came back. */
export interface ObservedCall {
	readonly operation: CatalogueOperation;
	readonly override: OperationProfile | undefined;
	readonly profile: Profile;
	readonly detail?: string;
	readonly input: Readonly<Record<string, unknown>>;
	/** The text that was sent and its contact: a field that holds one of them is recognized by its value. */
	readonly sent: KnownValues;
	/** The response, or why there is none. */
	readonly read: ReadResponse | undefined;
	readonly failure?: string;
	/** Whether it repeats a send, so that the gateway shows how it reports a duplicate. */
	readonly isRepeated?: boolean;
	/** Whether the client recognized a duplicate. */
	readonly isDuplicate?: boolean;
}

/** What was found in one response. */
export interface Findings {
	readonly verdict: Verdict;
	readonly differences: readonly ShapeDifference[];
	readonly remedy?: Remedy;
	readonly data?: unknown;
	readonly isFixedByProfile?: boolean;
}

export function breaking(kind: ShapeDifference["kind"], message: string): ShapeDifference {
	return { kind, isBreaking: true, message };
}

export function remark(kind: ShapeDifference["kind"], message: string): ShapeDifference {
	return { kind, isBreaking: false, message };
}
