import { isPhoneNumber, PHONE_NUMBER_MESSAGE } from "../catalogue/handle.ts";
import { OPERATIONS } from "../catalogue/index.ts";
import { namesPath } from "../catalogue/known-path.ts";
import {
	assertHttpMethod,
	assertPathTemplate,
	type Operation,
	pathParameters,
} from "../catalogue/operation.ts";
import type { ChosenRoute, RouteMap } from "../catalogue/operation-map.ts";
import type { OperationProfile, Profile } from "../catalogue/profile.ts";
import { RESERVED_HEADERS } from "../catalogue/reserved-headers.ts";
import { assertKnownKeys, isWord } from "../check-options.ts";
import { ConfigurationError } from "../errors.ts";
import { isPlainObject } from "../is-object.ts";
import { assertEventMaps } from "./check-event-maps.ts";
import { checkResponseMap } from "./check-response-map.ts";
import { assertSource } from "./check-source.ts";
import { routesIn } from "./choose-route.ts";
import { readPlace, type WirePlace } from "./wire-path.ts";

/** Those that a host sets itself, and may not let a request set (Fetch, "forbidden request-header"). */
const HOST_HEADERS =
	/^(accept-(charset|encoding)|access-control-.*|connection|cookie2?|date|dnt|origin|permissions-policy|proxy-.*|referer|sec-.*|set-cookie|te|trailer|user-agent|via)$/;

/**
 * Checks the routes and maps of a profile, those of its events too.
 * @throws ConfigurationError naming the part that is invalid.
 */
export function assertMaps({ operations = {}, defaults = {}, events = {} }: Profile): void {
	assertEventMaps(events);
	assertKnownKeys("profile.defaults", defaults, ["from"]);
	if (defaults.from !== undefined && !(typeof defaults.from === "string" && isPhoneNumber(defaults.from))) {
		throw new ConfigurationError(`profile.defaults.from ${PHONE_NUMBER_MESSAGE}`);
	}
	for (const operation of OPERATIONS) {
		const override: OperationProfile = operations[operation.id] ?? {};
		const name = `profile.operations["${operation.id}"]`;
		const isField = (path: string): boolean =>
			namesPath(operation.input, path) || (path === "from" && defaults.from !== undefined);
		if (override.routes !== undefined) assertRoutes(`${name}.routes`, override.routes, operation);
		const { map = {} } = override;
		assertKnownKeys(`${name}.map`, map, ["request", "response"]);
		const routes = routesIn(operation, override);
		if (override.request !== undefined && routes.some(({ request }) => request !== undefined)) {
			throw new ConfigurationError(`${name} has a map of its request, and request.encode: leave one out`);
		}
		routes.forEach((route, at) => {
			const isOwn = override.routes?.[at]?.request !== undefined;
			const owner = isOwn ? `${name}.routes[${at}].request` : `${name}.map.request`;
			if (route.request !== undefined) assertRequestMap(owner, route, isField);
		});
		if (map.response === undefined) continue;
		if (override.response !== undefined) {
			throw new ConfigurationError(`${name} has a map of its response, and response.decode: leave one out`);
		}
		checkResponseMap(`${name}.map.response`, map.response, operation);
	}
}

function assertRoutes(name: string, routes: unknown, operation: Operation<unknown, unknown>): void {
	if (!Array.isArray(routes) || routes.length === 0) {
		throw new ConfigurationError(`${name} must be a list of routes`);
	}
	routes.forEach((route: RouteMap, at) => {
		const owner = `${name}[${at}]`;
		assertKnownKeys(owner, route, ["when", "method", "path", "request"]);
		if (route.method !== undefined) assertHttpMethod(`${owner}.method`, route.method);
		if (route.path !== undefined) assertPathTemplate(route.path, owner);
		if (route.when !== undefined) assertWhen(`${owner}.when`, route.when, operation);
		else if (at > 0) {
			throw new ConfigurationError(`${owner} needs when: only the first route is for every other input`);
		}
	});
}

function assertWhen(name: string, when: unknown, { id, input }: Operation<unknown, unknown>): void {
	if (!isPlainObject(when) || Object.keys(when).length === 0) {
		throw new ConfigurationError(`${name} must be an object of fields, such as { "action": "remove" }`);
	}
	for (const [field, wanted] of Object.entries(when)) {
		if (field.includes(".") || !namesPath(input, field)) throw noField(name, field, id);
		if (wanted === true || typeof wanted === "string" || typeof wanted === "number") continue;
		throw new ConfigurationError(`${name}.${field} must be a value of the field, or true if it is given`);
	}
}

function assertRequestMap(
	name: string,
	{ method, pathTemplate, request }: ChosenRoute,
	isField: (path: string) => boolean,
): void {
	if (!isPlainObject(request))
		throw new ConfigurationError(`${name} must be an object of places on the wire`);
	const places = Object.entries(request).map(([written, source]) => {
		const place = readPlace(written);
		const owner = `${name}["${isShown(written) ? written : "…"}"]`;
		if (place === undefined) {
			throw new ConfigurationError(
				`${owner} is no place: write content.text, to[], ?number, {chatId} or header:Idempotency-Key, without __proto__, constructor and prototype`,
			);
		}
		assertPlace(owner, place, { method, pathTemplate });
		assertSource(owner, source, isField);
		const isOfBody =
			typeof source !== "string" &&
			("each" in source || "parts" in source || ("value" in source && source.value === null));
		if (isOfBody && place.part !== "body") {
			throw new ConfigurationError(`${owner} holds one string: each, parts and null are for the body`);
		}
		return place;
	});
	const missing = pathParameters(pathTemplate).find(
		(parameter) => !places.some(({ part, name }) => part === "params" && name === parameter),
	);
	if (missing !== undefined) {
		throw new ConfigurationError(`${name} lacks "{${missing}}", which ${pathTemplate} needs`);
	}
	assertApart(name, places);
}

function assertPlace(
	owner: string,
	{ part, name }: WirePlace,
	{ method, pathTemplate }: Pick<ChosenRoute, "method" | "pathTemplate">,
): void {
	if (part === "params" && !pathParameters(pathTemplate).includes(name)) {
		throw new ConfigurationError(`${owner} isn't in the path ${pathTemplate}`);
	}
	if (part === "body" && method === "GET") {
		throw new ConfigurationError(
			`${owner} is in the body, which GET doesn't have: write "?${name}" for the query`,
		);
	}
	const header = name.toLowerCase();
	const isTaken = RESERVED_HEADERS.includes(header) || HOST_HEADERS.test(header);
	if (part === "headers" && (isTaken || !/^[\w!#$%&'*+.^`|~-]+$/.test(name))) {
		throw new ConfigurationError(
			`${owner} is no header that a profile can set: the signature, the host or the connection has it`,
		);
	}
}

/** Rejects two places of which one is inside the other, or the same. */
function assertApart(name: string, places: readonly WirePlace[]): void {
	const keys = places.map(({ part, name, steps }) =>
		part === "body" ? ["body", ...steps] : [part, part === "headers" ? name.toLowerCase() : name],
	);
	keys.forEach((left, at) => {
		if (!keys.some((right, other) => other !== at && doMeet(left, right))) return;
		throw new ConfigurationError(`${name} has two values at one place, or one inside the other`);
	});
}

/** Whether the first way is the begin of the second, or they make a list and an object of one value. */
function doMeet(left: readonly unknown[], right: readonly unknown[]): boolean {
	const fork = left.findIndex((step, depth) => step !== right[depth]);
	return fork === -1 || (left[fork] === 0) !== (right[fork] === 0);
}

/** Whether a place of the user's may be shown: it could hold anything. */
function isShown(place: string): boolean {
	return /^(?!.*\d{3})[\w.[\]{}?:$@-]{1,60}$/.test(place);
}

/** The error for a name that is no field of the operation's input. */
function noField(name: string, field: string, id: string): ConfigurationError {
	return new ConfigurationError(`${name}: ${isWord(field) ? field : "a name"} is no field of ${id}`);
}
