import { pathParameters } from "../../library/catalogue/operation.ts";
import type { CatalogueOperation, Route } from "../routes.ts";

/** A route with the pattern of its paths. */
interface ServedRoute<Operation> extends Route<Operation> {
	readonly pattern: RegExp;
	readonly parameters: readonly string[];
}

/** The route of a request. */
export interface RouteMatch<Operation = CatalogueOperation> {
	readonly operation: Operation;
	readonly route: Route<Operation>;
	/** The path parameters as they stand in the path, still percent-encoded. */
	readonly parameters: Readonly<Record<string, string>>;
}

/** The result of routing a request. */
export interface Routing<Operation = CatalogueOperation> {
	/** `undefined` if no operation has this path and method. */
	readonly match: RouteMatch<Operation> | undefined;
	/** All routes with this path and method, the most literal ones: which one it is depends on the request. */
	readonly matches: readonly RouteMatch<Operation>[];
	/** The methods of the path; empty if no operation has the path. */
	readonly methods: readonly string[];
}

/** Finds the operation of a method and a path. */
export type Router<Operation> = (method: string, pathname: string) => Routing<Operation>;

/** Makes a router of all these routes, under a path. */
export function createRouter<Operation>(
	all: readonly Route<Operation>[],
	basePath: string,
): Router<Operation> {
	const routes = all.map((route) => serve(route, basePath));
	// A literal segment wins over a parameter: POST /agent/assign is not an agent called "assign".
	routes.sort((left, right) => left.parameters.length - right.parameters.length);
	return (method, pathname) => {
		const onPath = routes.filter(({ pattern }) => pattern.test(pathname));
		const fitting = onPath.filter((candidate) => candidate.method === method);
		const [first] = fitting;
		const matches = fitting
			.filter(({ parameters }) => parameters.length === first?.parameters.length)
			.map((route) => ({ operation: route.operation, route, parameters: readParameters(route, pathname) }));
		return {
			match: matches[0],
			matches,
			methods: [...new Set(onPath.map((candidate) => candidate.method))],
		};
	};
}

function serve<Operation>(route: Route<Operation>, basePath: string): ServedRoute<Operation> {
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

function readParameters(route: ServedRoute<unknown>, pathname: string): Record<string, string> {
	const values = route.pattern.exec(pathname)?.slice(1) ?? [];
	return Object.fromEntries(route.parameters.map((name, at) => [name, values[at] ?? ""]));
}
