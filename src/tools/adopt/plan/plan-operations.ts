import { OPERATIONS } from "../../../library/catalogue/index.ts";
import { namesPath } from "../../../library/catalogue/known-path.ts";
import type { OperationMap, RequestMap, RouteMap } from "../../../library/catalogue/operation-map.ts";
import type { OperationProfile } from "../../../library/catalogue/profile.ts";
import { isMessagingGatewayError } from "../../../library/errors.ts";
import { profileFromJson } from "../../../library/maps/profile-from-json.ts";
import type { CatalogueOperation } from "../../routes.ts";
import type { DocumentRoute } from "../document/read-routes.ts";
import { findOpposite } from "./find-opposite.ts";
import { matchResult } from "./match-result.ts";
import { judgeRead } from "./only-reads.ts";
import type { PlanHint, PlanHints, PlannedOperation, PlanQuestion } from "./plan-types.ts";
import { type RankedRoute, rankRoutes } from "./rank-routes.ts";
import { withoutSameNames } from "./same-names.ts";
import { requestLeaves } from "./wire-leaves.ts";
import { joined } from "./words.ts";

/** The paths that the specification shows, in any prefix. */
const DOCUMENTED: Readonly<Record<string, RegExp>> = {
	"mappings.get": /\/mapping\/\{\w+\}$/,
	"settings.setWebhooks": /\/settings\/webhooks$/,
	"health.check": /\/health$/,
};

/** How much better than the next route one must be. */
const MARGIN = 0.5;

/** Plans every operation of the catalogue from the routes of a document. */
export function planOperations(
	routes: readonly DocumentRoute[],
	{ basePath, hints, hasDocument = true }: { basePath: string; hints: PlanHints; hasDocument?: boolean },
): PlannedOperation[] {
	const below = routes.map((route) => ({ ...route, path: withoutBasePath(route.path, basePath) }));
	const context: PlanContext = {
		routes: below,
		prefixLength: commonSegments(below.map(({ path }) => path)),
		hints,
		hasDocument,
	};
	const tapback = planOne(operationOf("messages.tapback"), context, false);
	const isIdGuid =
		tapback.certainty !== "open" && !/guid"?:? ?/i.test(placeOf(tapback.profile, "messageGuid") ?? "guid");
	const { path } = planOne(operationOf("messages.get"), context, isIdGuid);
	return OPERATIONS.map((operation) => planOne(operation, { ...context, idKey: idKeyOf(path) }, isIdGuid));
}

/** What the path of one message calls its id, which its responses often do too. */
export function idKeyOf(path: string | undefined): string | undefined {
	const [, name] = /\/\{(\w+)\}[^/{}]*$/.exec(path ?? "") ?? [];
	return name === undefined ? undefined : joined(name);
}

interface PlanContext {
	readonly routes: readonly DocumentRoute[];
	readonly prefixLength: number;
	readonly hints: PlanHints;
	readonly hasDocument: boolean;
	readonly idKey?: string | undefined;
}

function planOne(operation: CatalogueOperation, context: PlanContext, isIdGuid: boolean): PlannedOperation {
	const { id } = operation;
	const { hints, routes, prefixLength, hasDocument } = context;
	const given = hints.maps[id];
	if (given !== undefined) {
		const { method, path } = { ...operation, ...given };
		return {
			id,
			certainty: "likely",
			source: "flags",
			method,
			path,
			profile: given,
			questions: [],
			notes: [],
		};
	}
	const hint = hints.operations[id];
	if (DOCUMENTED[id] !== undefined && hint === undefined) return planDocumented(operation, routes);
	const asked = hint?.route;
	if (!hasDocument) return planAssumed(operation, hint);
	const wanted = asked && routes.filter(({ method, path }) => method === asked.method && path === asked.path);
	const options = { hint, hasDefaultSender: hints.from !== undefined, prefixLength };
	const ranked = rankRoutes(operation, wanted ?? routes, { ...options, isChosen: wanted !== undefined });
	const [best, second] = ranked;
	if (best === undefined) return open(operation, undefined, [notFound(operation, asked !== undefined)]);
	if (second !== undefined && best.score - second.score < MARGIN) {
		return open(operation, undefined, [
			{
				message: `${nameOf(best)} or ${nameOf(second)}?`,
				flag: `--set ${id}="${nameOf(best)}"`,
			},
		]);
	}
	const isRead = operation.retry === "safe" && best.route.method === "GET";
	if (asked === undefined && isRead && judgeRead(id, best.route.path) === "does_more") {
		return open(operation, best.route, [
			{ message: "does it only read?", flag: `--set ${id}="${nameOf(best)}"` },
		]);
	}
	return conclude(operation, best, context, { isIdGuid, isHinted: hint !== undefined });
}

/** What the specification shows needs no map, only the prefix that the document has. */
function planDocumented(operation: CatalogueOperation, routes: readonly DocumentRoute[]): PlannedOperation {
	const { id, method, path } = operation;
	const found = routes.find((route) => route.method === method && DOCUMENTED[id]?.test(route.path));
	const prefix = found?.path.replace(DOCUMENTED[id] ?? "", "") ?? "";
	const profile = prefix === "" ? undefined : { path: `${prefix}${path}` };
	return {
		id,
		certainty: "likely",
		source: "specification",
		method,
		path: `${prefix}${path}`,
		profile,
		questions: [],
		notes: [],
	};
}

/** Without a document there is only what the package assumes, and what the user says. */
function planAssumed({ id, ...operation }: CatalogueOperation, hint: PlanHint | undefined): PlannedOperation {
	const { method, path } = hint?.route ?? operation;
	const request: RequestMap = Object.fromEntries(
		Object.entries(hint?.places ?? {}).map(([place, value]) => [
			place,
			typeof value === "string" && namesPath(operation.input, value) ? value : { value },
		]),
	);
	const profile: OperationProfile = {
		...(method !== operation.method && { method }),
		...(path !== operation.path && { path }),
		...(Object.keys(request).length > 0 && { map: { request } }),
	};
	const problem = hint && problemOf(id, profile, undefined);
	const isHinted = hint !== undefined && problem === undefined;
	return {
		id,
		certainty: isHinted ? "likely" : "open",
		source: hint === undefined ? "assumption" : "flags",
		method,
		path,
		profile: isHinted ? profile : undefined,
		questions: isHinted
			? []
			: [
					{
						message: problem ?? "assumed: no document says so",
						flag: `--set ${id}="METHOD /path"`,
					},
				],
		notes: [],
		paging: operation.pageItems === undefined ? undefined : "cursor",
	};
}

function conclude(
	operation: CatalogueOperation,
	ranked: RankedRoute,
	{ routes, hints, idKey }: PlanContext,
	{ isIdGuid, isHinted }: { isIdGuid: boolean; isHinted: boolean },
): PlannedOperation {
	const { id, retry } = operation;
	const { route, match } = ranked;
	const { isEmpty, response, envelope } = route;
	const opposite = findOpposite(operation, ranked, routes, {
		hint: hints.operations[id],
		hasDefaultSender: hints.from !== undefined,
	});
	const result = matchResult(operation, response, {
		paging: match.paging,
		isEmpty,
		isIdGuid,
		idKey,
		envelope,
	});
	const questions: PlanQuestion[] = [
		...match.questions.filter(({ message }) => opposite === undefined || !message.startsWith(opposite.field)),
	];
	const notes: string[] = [];
	if (retry === "safe") questions.push(...result.questions);
	else notes.push(...result.questions.map(({ message }) => message));
	if (route.body === "other")
		questions.unshift({ message: "its body isn't JSON, which a profile can't write", flag: undefined });
	const isOfChat = match.filled.has("groupId") && !match.filled.has("to");
	if (isOfChat && id.startsWith("messages.send")) {
		questions.push({
			message: "it needs a chat id, which must be looked up",
			flag: `--set ${id}.${placeName(match.request, "groupId")}=to`,
		});
	} else if (isOfChat) notes.push("give groupId: it has no place for a number");
	if (result.missing.length > 0) notes.push(`the response lacks ${result.missing.join(", ")}`);
	const request = match.request;
	const { method, path } = route;
	const routeMaps: readonly RouteMap[] | undefined = opposite && [
		{ method, path, request },
		{ when: opposite.when, method: opposite.method, path: opposite.path, request: opposite.request },
	];
	const given: OperationMap = {
		...(routeMaps === undefined && Object.keys(request).length > 0 && { request }),
		...(result.response && { response: result.response }),
	};
	const renamed = withoutSameNames(operation, given, requestLeaves(route));
	// Without a body the call itself must say what it was.
	const map = isEmpty ? { ...renamed, ...(given.response && { response: given.response }) } : renamed;
	const profile: OperationProfile = {
		...(method !== operation.method && { method }),
		...(path !== operation.path && { path }),
		...(routeMaps && { routes: routeMaps }),
		...(Object.keys(map).length > 0 && { map }),
	};
	const problem = problemOf(id, profile, hints.from);
	if (problem !== undefined && questions.length === 0) questions.push({ message: problem, flag: undefined });
	if (questions.length > 0) return open(operation, route, questions);
	const source = isHinted ? "flags" : "document";
	const isEmptyPart = Object.keys(profile).length === 0;
	return {
		id,
		certainty: "likely",
		source,
		method,
		path,
		profile: isEmptyPart ? undefined : profile,
		questions: [],
		notes,
		paging: match.paging,
	};
}

function open(
	{ id }: CatalogueOperation,
	route: DocumentRoute | undefined,
	questions: readonly PlanQuestion[],
): PlannedOperation {
	const source = route === undefined ? "none" : "document";
	const { method, path } = route ?? { method: undefined, path: undefined };
	return { id, certainty: "open", source, method, path, profile: undefined, questions, notes: [] };
}

function notFound({ id }: CatalogueOperation, isAsked: boolean): PlanQuestion {
	if (isAsked)
		return { message: "the route of --set isn't in the document, or can't be used", flag: undefined };
	return { message: "not in the document", flag: `--set ${id}="METHOD /path"` };
}

/** Why the library would reject this part of a profile. */
function problemOf(id: string, profile: OperationProfile, from: string | undefined): string | undefined {
	try {
		profileFromJson({ operations: { [id]: profile }, ...(from !== undefined && { defaults: { from } }) });
		return undefined;
	} catch (error) {
		if (isMessagingGatewayError(error))
			return error.message.replace(/^profile\.operations\["[^"]*"\]:? ?/, "");
		throw error;
	}
}

function nameOf({ route }: RankedRoute): string {
	return `${route.method} ${route.path}`;
}

function placeName(request: Readonly<Record<string, unknown>>, field: string): string {
	const place = Object.keys(request).find((each) => request[each] === field) ?? "NAME";
	return place.replace(/^[{?]|\}$/g, "");
}

/** Where a profile has a field, in any of its routes. */
function placeOf(profile: OperationProfile | undefined, field: string): string | undefined {
	const requests = [profile?.map?.request, ...(profile?.routes ?? []).map(({ request }) => request)];
	return requests.flatMap((request = {}) =>
		Object.keys(request).filter((place) => request[place] === field),
	)[0];
}

function operationOf(id: string): CatalogueOperation {
	const found = OPERATIONS.find((operation) => operation.id === id);
	if (found === undefined) throw new RangeError(`${id} is no operation`);
	return found;
}

/** The path below the base URL, of which a document may repeat the path. */
function withoutBasePath(path: string, basePath: string): string {
	return basePath !== "" && path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path;
}

/** How many segments all paths begin with. */
function commonSegments(paths: readonly string[]): number {
	const [first = "", ...others] = paths.map((path) => path.split("/").slice(1));
	if (others.length === 0) return 0;
	const [segments = []] = [first];
	const end = [...segments].findIndex(
		(segment, at) => segment.startsWith("{") || others.some((other) => other[at] !== segment),
	);
	return end === -1 ? 0 : end;
}
