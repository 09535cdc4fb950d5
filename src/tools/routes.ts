import { OPERATIONS } from "../library/catalogue/index.ts";
import type { HttpMethod } from "../library/catalogue/operation.ts";
import type { RouteMap } from "../library/catalogue/operation-map.ts";
import type { Profile } from "../library/catalogue/profile.ts";
import { routesIn } from "../library/maps/choose-route.ts";

/** An operation of the catalogue. */
export type CatalogueOperation = (typeof OPERATIONS)[number];

/** An operation, and a method and path that it has, which a profile may change. */
export interface Route<Operation = CatalogueOperation> extends Pick<RouteMap, "when" | "request"> {
	readonly operation: Operation;
	readonly method: HttpMethod;
	/** The path template. */
	readonly path: string;
}

/** The routes of each operation, in the order of the catalogue. Several operations may have the same one. */
export function routesOf(profile: Profile): readonly Route[] {
	return OPERATIONS.flatMap((operation) =>
		routesIn(operation, profile.operations?.[operation.id]).map(({ pathTemplate, ...route }) => ({
			operation,
			path: pathTemplate,
			...route,
		})),
	);
}
