import type { Operation } from "../catalogue/operation.ts";
import type { ChosenRoute, RouteMap } from "../catalogue/operation-map.ts";
import type { OperationProfile } from "../catalogue/profile.ts";

/** The routes of an operation, each with what it inherits. */
export function routesIn(
	operation: Pick<Operation<unknown, unknown>, "method" | "path">,
	override: OperationProfile = {},
): readonly [ChosenRoute & Pick<RouteMap, "when">, ...(ChosenRoute & Pick<RouteMap, "when">)[]] {
	const { method = operation.method, path = operation.path, map, routes = [] } = override;
	const [first = {}, ...others] = routes;
	const fill = (route: RouteMap) => ({
		method: route.method ?? method,
		pathTemplate: route.path ?? path,
		request: route.request ?? map?.request,
		when: route.when,
	});
	return [fill(first), ...others.map(fill)];
}

/** The first route that fits an input, or else the first one. */
export function chooseRoute(
	operation: Operation<unknown, unknown>,
	override: OperationProfile | undefined,
	input: unknown,
): ChosenRoute {
	const routes = routesIn(operation, override);
	const fits = ({ when }: Pick<RouteMap, "when">): boolean => when !== undefined && doesFit(when, input);
	return routes.find(fits) ?? routes[0];
}

function doesFit(when: NonNullable<RouteMap["when"]>, input: unknown): boolean {
	try {
		return Object.entries(when).every(([name, wanted]) => {
			const given: unknown = Reflect.get(Object(input), name);
			return wanted === true ? given !== undefined : given === wanted;
		});
	} catch {
		// A getter threw, which the check of the input reports.
		return false;
	}
}
