import { OPERATIONS, type OperationId } from "../catalogue/index.ts";
import { pathParameters } from "../catalogue/operation.ts";
import type { Profile } from "../catalogue/profile.ts";
import { ConfigurationError } from "../errors.ts";

/** An operation of the catalogue. */
export type CatalogueOperation = (typeof OPERATIONS)[number];

/** An operation and where it is served. */
interface Route {
	readonly operation: CatalogueOperation;
	readonly method: string;
	readonly path: string;
	readonly pattern: RegExp;
	readonly parameters: readonly string[];
}

/** The route of a request. */
export interface RouteMatch {
	readonly operation: CatalogueOperation;
	/** The path parameters as they stand in the path, still percent-encoded. */
	readonly parameters: Readonly<Record<string, string>>;
}

/** What a router finds for a request. */
export interface Routing {
	/** `undefined` where no operation has this path and method. */
	readonly match: RouteMatch | undefined;
	readonly operationId: OperationId | undefined;
	/** The methods that the path has; none where there is no such path. */
	readonly methods: readonly string[];
}

/** Finds the operation of a method and a path. */
export type Router = (method: string, pathname: string) => Routing;

/**
 * Makes the routes of all operations from the catalogue and the profile.
 * @throws ConfigurationError when the profile puts two operations in the same place.
 */
export function createRouter(profile: Profile, basePath: string): Router {
	const routes = OPERATIONS.map((operation) => toRoute(operation, profile, basePath));
	assertDistinct(routes);
	// A literal segment wins over a parameter: POST /agent/assign is not an agent called "assign".
	routes.sort((left, right) => left.parameters.length - right.parameters.length);
	return (method, pathname) => {
		const onPath = routes.filter(({ pattern }) => pattern.test(pathname));
		const route = onPath.find((candidate) => candidate.method === method);
		return {
			match: route && { operation: route.operation, parameters: readParameters(route, pathname) },
			operationId: route?.operation.id,
			methods: [...new Set(onPath.map((candidate) => candidate.method))],
		};
	};
}

function toRoute(operation: CatalogueOperation, profile: Profile, basePath: string): Route {
	const override = profile.operations?.[operation.id];
	const { method = operation.method, path = operation.path } = override ?? {};
	const source = path
		.split(/\{\w+\}/)
		.map(escapeRegExp)
		.join("([^/]+)");
	return {
		operation,
		method,
		path,
		pattern: new RegExp(`^${escapeRegExp(basePath)}${source}$`),
		parameters: pathParameters(path),
	};
}

function escapeRegExp(text: string): string {
	return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function readParameters(route: Route, pathname: string): Record<string, string> {
	const values = route.pattern.exec(pathname)?.slice(1) ?? [];
	return Object.fromEntries(route.parameters.map((name, at) => [name, values[at] ?? ""]));
}

function assertDistinct(routes: readonly Route[]): void {
	const owners = new Map<string, OperationId>();
	for (const { operation, method, path } of routes) {
		const place = `${method} ${path.replace(/\{\w+\}/g, "{}")}`;
		const owner = owners.get(place);
		if (owner !== undefined) {
			throw new ConfigurationError(
				`profile.operations: ${owner} and ${operation.id} are both ${method} ${path}`,
			);
		}
		owners.set(place, operation.id);
	}
}
