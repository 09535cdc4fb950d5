import type { OperationId } from "../../library/catalogue/index.ts";
import { pathParameters } from "../../library/catalogue/operation.ts";
import type { Profile } from "../../library/catalogue/profile.ts";
import { type CatalogueOperation, type Route, routesOf } from "../routes.ts";

/** A route with the pattern of its paths. */
interface ServedRoute extends Route {
	readonly pattern: RegExp;
	readonly parameters: readonly string[];
}

/** The route of a request. */
export interface RouteMatch {
	readonly operation: CatalogueOperation;
	/** The path parameters as they stand in the path, still percent-encoded. */
	readonly parameters: Readonly<Record<string, string>>;
}

/** The result of routing a request. */
export interface Routing {
	/** `undefined` if no operation has this path and method. */
	readonly match: RouteMatch | undefined;
	readonly operationId: OperationId | undefined;
	/** The methods of the path; empty if no operation has the path. */
	readonly methods: readonly string[];
}

/** Finds the operation of a method and a path. */
export type Router = (method: string, pathname: string) => Routing;

/**
 * Makes the routes of all operations from the catalogue and the profile.
 * @throws ConfigurationError when the profile gives two operations the same method and path.
 */
export function createRouter(profile: Profile, basePath: string): Router {
	const routes = routesOf(profile).map((route) => serve(route, basePath));
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

function serve(route: Route, basePath: string): ServedRoute {
	const source = route.path
		.split(/\{\w+\}/)
		.map(escapeRegExp)
		.join("([^/]+)");
	return {
		...route,
		pattern: new RegExp(`^${escapeRegExp(basePath)}${source}$`),
		parameters: pathParameters(route.path),
	};
}

function escapeRegExp(text: string): string {
	return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function readParameters(route: ServedRoute, pathname: string): Record<string, string> {
	const values = route.pattern.exec(pathname)?.slice(1) ?? [];
	return Object.fromEntries(route.parameters.map((name, at) => [name, values[at] ?? ""]));
}
