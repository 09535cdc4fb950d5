import type { HttpMethod } from "../../../library/catalogue/operation.ts";
import type { RequestMap, RouteMap } from "../../../library/catalogue/operation-map.ts";
import type { CatalogueOperation } from "../../routes.ts";
import type { DocumentRoute } from "../document/read-routes.ts";
import { matchRequest } from "./match-request.ts";
import type { PlanHint, PlanQuestion } from "./plan-types.ts";
import type { RankedRoute } from "./rank-routes.ts";
import { requestLeaves } from "./wire-leaves.ts";
import { wordsOf } from "./words.ts";

/** The route that undoes what another one does. */
export interface OppositeRoute {
	/** The field that chooses it. */
	readonly field: string;
	readonly when: NonNullable<RouteMap["when"]>;
	readonly method: HttpMethod;
	readonly path: string;
	readonly request: RequestMap;
}

const OPPOSITES: Readonly<Record<string, { field: string; value: string; words: RegExp; first: RegExp }>> = {
	"messages.tapback": {
		field: "action",
		value: "remove",
		words: /^(remove|delete|unreact|untapback|unset|clear)$/,
		first: /^(add|create|set|send|react)$/,
	},
	"messages.typing": {
		field: "state",
		value: "stop",
		words: /^(stop|end|off|cancel|pause|clear)$/,
		first: /^(start|begin|on)$/,
	},
};

/** How a tapback is removed, or an indicator stopped, where another route, or another value, does it. */
export function findOpposite(
	operation: CatalogueOperation,
	{ route, match }: RankedRoute,
	routes: readonly DocumentRoute[],
	options: { readonly hint: PlanHint | undefined; readonly hasDefaultSender: boolean },
): OppositeRoute | undefined {
	const rule = OPPOSITES[operation.id];
	if (rule === undefined || match.filled.has(rule.field)) return undefined;
	const { field, value } = rule;
	const when = { [field]: value };
	const signed = removedByMinus(operation.id, route, match.request);
	if (signed !== undefined) return { field, when, method: route.method, path: route.path, request: signed };
	const same = signature(route.path, rule.first, rule.words);
	const found = routes.filter((other) => {
		if (other === route || other.method === "GET") return false;
		if (other.path === route.path) return other.method === "DELETE";
		const hasWord = wordsOf(`${other.path} ${other.name}`).some((word) => rule.words.test(word));
		return hasWord && signature(other.path, rule.first, rule.words) === same;
	});
	const [only, ...more] = found;
	if (only === undefined || more.length > 0) return undefined;
	const { request, questions, filled } = matchRequest(operation, only, options);
	// What it lacks of the reaction is what the route itself says, and what the other one lacks is asked once.
	const isOwn = ({ message, flag }: PlanQuestion): boolean =>
		/^(action|state|reaction) has no place/.test(message) ||
		match.questions.some((asked) => asked.flag === flag);
	const lacksMessage = match.filled.has("messageGuid") && !filled.has("messageGuid");
	if (lacksMessage || !questions.every(isOwn)) return undefined;
	const leavesOut = operation.id === "messages.tapback" && !filled.has("reaction");
	return leavesOut ? undefined : { field, when, method: only.method, path: only.path, request };
}

/** A path without the words that tell the two apart. */
function signature(path: string, first: RegExp, second: RegExp): string {
	return wordsOf(path)
		.filter((word) => !first.test(word) && !second.test(word))
		.join(" ");
}

/** The request that removes a reaction whose values may have a minus before them. */
function removedByMinus(id: string, route: DocumentRoute, request: RequestMap): RequestMap | undefined {
	if (id !== "messages.tapback") return undefined;
	const place = Object.keys(request).find((each) => {
		const source = request[each];
		return (
			source === "reaction" || (typeof source === "object" && "from" in source && source.from === "reaction")
		);
	});
	const leaf = requestLeaves(route).find((each) => each.place === place);
	if (place === undefined || leaf === undefined) return undefined;
	const source = request[place];
	const names = typeof source === "object" && "from" in source ? (source.map ?? {}) : {};
	const choices = leaf.schema.choices.map(String);
	const plain = choices.filter((choice) => choices.includes(`-${choice}`));
	if (plain.length === 0) return undefined;
	const ours = Object.fromEntries([
		...plain.map((choice) => [choice, `-${choice}`]),
		...Object.entries(names).map(([name, wire]) => [name, `-${wire}`]),
	]);
	return { ...request, [place]: { from: "reaction", map: ours } };
}
