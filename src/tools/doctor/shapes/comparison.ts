import type { OperationId } from "../../../library/catalogue/index.ts";
import type { HttpMethod, Provenance } from "../../../library/catalogue/operation.ts";
import type { OperationProfile, Profile } from "../../../library/catalogue/profile.ts";
import type { ReadResponse } from "../../../library/client/response.ts";
import type { CatalogueOperation } from "../../routes.ts";

/**
 * How a response compares with the catalogue:
 *
 * - `"fits"`: a success in the assumed shape;
 * - `"differs"`: a call of the client fails, or resolves to another shape than its type;
 * - `"unseen"`: the shape was not shown, because the gateway rejected the call for a reason of its own, or its list is empty.
 */
export type ShapeVerdict = "fits" | "differs" | "unseen";

/** One way in which a response differs, or a remark. It contains no value of the response. */
export interface ShapeDifference {
	readonly kind:
		| "missing_path"
		| "other_method"
		| "other_status"
		| "empty_body"
		| "other_envelope"
		| "other_field"
		| "missing_field"
		| "empty_list"
		| "request_rejected"
		| "signature_rejected"
		| "rejected"
		| "error_envelope"
		| "duplicate"
		| "no_response";
	/** Whether the client's call fails or resolves to another shape because of it; otherwise it is a remark. */
	readonly isBreaking: boolean;
	readonly message: string;
}

/** One call, and how its response compares. Safe to paste into an issue. */
export interface ShapeComparison {
	readonly operation: OperationId;
	/** What distinguishes this call from the operation's other one. */
	readonly detail?: string;
	readonly method: HttpMethod;
	/** The path with its parameters' names. */
	readonly path: string;
	/** Whether the path and the shape are documented or our assumption. */
	readonly provenance: Provenance;
	readonly verdict: ShapeVerdict;
	readonly status: number | undefined;
	readonly differences: readonly ShapeDifference[];
	/** Whether the proposed profile gives the response the assumed shape, for one that differs. */
	readonly isFixedByProfile?: boolean;
	/** The body without its values. */
	readonly response: unknown;
}

/** What a profile changes so that an operation works, as far as its response shows it. */
export interface ProfileChange {
	/** The method of an operation whose path only the gateway's operator knows. */
	readonly missingMethod?: HttpMethod;
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
	/** What it was called with. @default nothing */
	readonly input?: Record<string, unknown>;
	readonly detail?: string;
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
	readonly verdict: ShapeVerdict;
	readonly differences: readonly ShapeDifference[];
	readonly remedy?: ProfileChange;
	/** The data of a success under our names, as far as it was found. */
	readonly data?: unknown;
	readonly isFixedByProfile?: boolean;
}

export function breaking(kind: ShapeDifference["kind"], message: string): ShapeDifference {
	return { kind, isBreaking: true, message };
}

export function remark(kind: ShapeDifference["kind"], message: string): ShapeDifference {
	return { kind, isBreaking: false, message };
}
