import type { OperationId } from "../../../library/catalogue/index.ts";
import type { HttpMethod } from "../../../library/catalogue/operation.ts";
import type { RequestMap } from "../../../library/catalogue/operation-map.ts";
import type { OperationProfile } from "../../../library/catalogue/profile.ts";

/** How sure it is that an operation works: a document alone is never certain. */
export type PlanCertainty = "certain" | "likely" | "open";

/** What the document leaves open, and the flag that answers it. */
export interface PlanQuestion {
	readonly message: string;
	/** What to add to the command; `undefined` if no flag helps. */
	readonly flag: string | undefined;
}

/** What is known of one operation. */
export interface PlannedOperation {
	readonly id: OperationId;
	readonly certainty: PlanCertainty;
	/** Where it comes from. */
	readonly source: "specification" | "document" | "flags" | "assumption" | "none";
	readonly method: HttpMethod | undefined;
	readonly path: string | undefined;
	/** Its part of the profile; `undefined` if it is open, or needs none. */
	readonly profile: OperationProfile | undefined;
	readonly questions: readonly PlanQuestion[];
	/** What to know of it, such as a field that has no place. */
	readonly notes: readonly string[];
	/** How the next page of a list is asked for. */
	readonly paging?: RequestMatch["paging"];
	/** What was seen of it, such as `seen, 2 pages`. */
	readonly proof?: string;
}

/** What the user says of an operation. */
export interface PlanHint {
	readonly route?: { readonly method: HttpMethod; readonly path: string } | undefined;
	/** By the names on the wire: our field, or a constant. */
	readonly places: Readonly<Record<string, string | number | boolean | null>>;
}

/** Everything that the user says. */
export interface PlanHints {
	readonly operations: Readonly<Partial<Record<OperationId, PlanHint>>>;
	/** Parts of the profile that the user wrote. */
	readonly maps: Readonly<Partial<Record<OperationId, OperationProfile>>>;
	readonly from: string | undefined;
}

/** How an input becomes a request of one route. */
export interface RequestMatch {
	readonly request: RequestMap;
	/** Our fields that have a place. */
	readonly filled: ReadonlySet<string>;
	readonly questions: readonly PlanQuestion[];
	/** How the next page of a list is asked for. */
	readonly paging: "cursor" | "offset" | "page" | undefined;
}
