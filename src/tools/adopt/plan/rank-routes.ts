import type { CatalogueOperation } from "../../routes.ts";
import type { DocumentRoute } from "../document/read-routes.ts";
import { chooseVariant } from "./match-choices.ts";
import { matchRequest } from "./match-request.ts";
import { matchResult } from "./match-result.ts";
import { OPERATION_WORDS } from "./operation-words.ts";
import type { PlanHint, PlanQuestion, RequestMatch } from "./plan-types.ts";
import { requestLeaves } from "./wire-leaves.ts";
import { wordsOf } from "./words.ts";

/** A route that may be an operation's. */
export interface RankedRoute {
	readonly route: DocumentRoute;
	readonly match: RequestMatch;
	readonly score: number;
}

/** Words by which an RPC route reads although it is a POST. */
const READS = /^(list|get|find|search|fetch|query|status|lookup|check|stats?|show|describe)$/;

/** Segments that say nothing. */
const EMPTY_WORDS = /^(api|v\d+|rest|public|rpc)$/;

interface RankOptions {
	readonly hint: PlanHint | undefined;
	readonly hasDefaultSender: boolean;
	/** How many segments all paths begin with. */
	readonly prefixLength: number;
	/** Whether the user named the route, whose words then do not count. */
	readonly isChosen: boolean;
}

/** The routes that may be an operation's, the best one first. */
export function rankRoutes(
	operation: CatalogueOperation,
	routes: readonly DocumentRoute[],
	options: RankOptions,
): RankedRoute[] {
	return routes
		.flatMap((route) => {
			const words = options.isChosen ? 0 : scoreWords(operation, route, options.prefixLength);
			if (words === undefined) return [];
			const match = matchRequest(operation, route, options);
			const fit = options.isChosen ? 0 : scoreFields(operation, route, match);
			return fit === undefined ? [] : [{ route, match, score: words + fit }];
		})
		.sort((left, right) => right.score - left.score);
}

function scoreWords(
	{ id }: CatalogueOperation,
	route: DocumentRoute,
	prefixLength: number,
): number | undefined {
	const { method, path, name, summary, isDeprecated } = route;
	const { methods, needs, not } = OPERATION_WORDS[id];
	const segments = path.split("/").slice(1 + prefixLength);
	const inPath = segments.filter((segment) => !segment.startsWith("{")).flatMap(wordsOf);
	const inName = wordsOf(name).filter((word) => word !== "controller");
	const inSummary = wordsOf(summary.split(/[.\n]/)[0] ?? "");
	const isRead = methods.includes("GET") && [...inPath, ...inName].some((word) => READS.test(word));
	if (!methods.includes(method) && !(method === "POST" && isRead)) return undefined;
	const others = [...inPath, ...inName.filter((word) => word !== method.toLowerCase())];
	if (not !== undefined && others.some((word) => not.test(word))) return undefined;
	let score = isDeprecated ? -4 : 0;
	if (!methods.includes(method)) score -= 1;
	for (const need of needs) {
		if (inPath.some((word) => need.test(word))) score += 3;
		else if (inName.some((word) => need.test(word))) score += 2;
		else if (inSummary.some((word) => need.test(word))) score += 1;
		else if (!isKindOf(id, route)) return undefined;
	}
	if (not !== undefined && inSummary.some((word) => not.test(word))) score -= 1;
	const rest = inPath.filter((word) => !EMPTY_WORDS.test(word) && !needs.some((need) => need.test(word)));
	return score - rest.length * 0.5;
}

/** Whether a route for every kind of message has one for this operation. */
function isKindOf(id: string, route: DocumentRoute): boolean {
	return chooseVariant(id, requestLeaves(route))?.value !== undefined;
}

function scoreFields(
	operation: CatalogueOperation,
	route: DocumentRoute,
	{ filled, questions, paging }: RequestMatch,
): number | undefined {
	// The best of these is shown, and why it cannot be used.
	if (route.body === "other") return -5;
	let score = 0;
	let isAnyFilled = false;
	const { fields } = OPERATION_WORDS[operation.id];
	for (const needed of fields) {
		const names = typeof needed === "string" ? [needed] : needed;
		if (names.some((name) => filled.has(name))) {
			score += 3;
			isAnyFilled = true;
		} else if (!questions.some(isAboutPlace)) {
			return undefined;
		} else score -= 2;
	}
	const isSend = operation.id.startsWith("messages.send");
	if (isSend && !isAnyFilled) return undefined;
	if (
		isSend &&
		operation.id !== "messages.sendText" &&
		!filled.has("attachments") &&
		!filled.has("attachment")
	) {
		return undefined;
	}
	// What only a list has no place for is a parameter of another route.
	if (fields.length === 0 && /\{/.test(route.path)) return undefined;
	score += filled.size * 0.25 - questions.length * 0.75;
	if (route.response === undefined) return score;
	const result = matchResult(operation, route.response, {
		paging,
		isEmpty: false,
		isIdGuid: false,
		envelope: route.envelope,
	});
	if (operation.pageItems !== undefined && result.response === undefined) return undefined;
	const isFound = result.response !== undefined && result.questions.length === 0;
	return score + (isFound ? 1.5 : operation.retry === "safe" ? -2 : -0.5);
}

/** Whether a question is which value a place needs, not where a field goes. */
function isAboutPlace({ message }: PlanQuestion): boolean {
	return !message.includes("has no place") && !message.includes("each call needs");
}
