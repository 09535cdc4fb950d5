import { isJsonObject } from "../../../library/is-object.ts";
import type { CatalogueOperation } from "../../routes.ts";
import type { PlannedOperation } from "../plan/plan-types.ts";
import { findImplausible, itemsOf } from "../plan/plausible.ts";
import { RESULT_SHAPES } from "../plan/result-names.ts";
import { findDoubt } from "./find-doubt.ts";
import type { SeenResponse, TrialClient, TrialResult } from "./trial-client.ts";

/** A success as a program gets it. */
export interface Understood {
	readonly data: unknown;
	/** Our fields that it lacks. */
	readonly lacks: readonly string[];
	/** Why it proves nothing although it can be read. */
	readonly doubt: string | undefined;
}

/** A call, with the plan that it is read by. */
interface TriedCall {
	readonly operation: CatalogueOperation;
	readonly input: unknown;
	readonly planned: PlannedOperation;
	/** What a profile file holds with that plan. */
	readonly profile: unknown;
}

/** What a program makes of a response that came, with a plan. */
export async function understand(
	client: TrialClient,
	{ operation, input, planned, profile }: TriedCall,
	given: TrialResult & { readonly seen: SeenResponse },
	isReplayed: boolean,
): Promise<Understood | { readonly problem: string }> {
	const { seen } = given;
	const result = isReplayed ? await client.replay(operation, input, profile, seen) : given;
	if (result.kind !== "success" && result.kind !== "other_shape") return { problem: "another outcome" };
	const loose =
		result.kind === "success" ? result : await client.replay(operation, input, profile, seen, false);
	if (loose.kind !== "success") return { problem: "problem" in result ? result.problem : "" };
	const implausible = findImplausible(operation, loose.data, input);
	if (implausible !== undefined) return { problem: implausible };
	const places = result.kind === "other_shape" ? result.places : [];
	const isLack = (place: string): boolean => place !== "" && valueAt(loose.data, place) === undefined;
	if (result.kind === "other_shape" && !places.every(isLack)) return { problem: result.problem };
	const lacks = new Set(places.map((place) => place.split(".").at(-1) ?? ""));
	const needs = RESULT_SHAPES[operation.id]?.needs ?? [];
	const [needed] = needs.filter((name) => lacks.has(name));
	if (needed !== undefined) return { problem: `it has no ${needed}` };
	// What is nowhere in the data is no shape of it.
	if (operation.pageItems !== undefined && lacks.has(operation.pageItems))
		return { problem: "it has no list" };
	const doubt = findDoubt(operation, planned.profile?.map?.response, dataOf(seen.text));
	return { data: loose.data, lacks: [...lacks], doubt };
}

/** Whether none of the fields came that an operation returns. */
export function hasNothing({ id, pageItems }: CatalogueOperation, data: unknown): boolean {
	const names = Object.keys(RESULT_SHAPES[id]?.fields ?? {});
	const items = itemsOf(id, pageItems, data);
	return names.length > 0 && items.every((item) => names.every((name) => item[name] === undefined));
}

/** Whether a response is a success of section 2.1. */
export function carriesData({ text }: SeenResponse): boolean {
	return dataOf(text) !== undefined;
}

/** The data in the envelope of a success. */
function dataOf(text: string): unknown {
	try {
		const body: unknown = JSON.parse(text);
		return isJsonObject(body) ? body["data"] : undefined;
	} catch {
		return undefined;
	}
}

/** The value at names with dots between them. */
function valueAt(data: unknown, place: string): unknown {
	return place.split(".").reduce<unknown>((parent, name) => {
		if (Array.isArray(parent)) return parent[Number(name)];
		return isJsonObject(parent) ? parent[name] : undefined;
	}, data);
}
