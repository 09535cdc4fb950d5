import { OPERATIONS, type OperationId } from "../library/catalogue/index.ts";
import type { HttpMethod } from "../library/catalogue/operation.ts";
import type { Profile } from "../library/catalogue/profile.ts";
import { ConfigurationError } from "../library/errors.ts";

/** An operation of the catalogue. */
export type CatalogueOperation = (typeof OPERATIONS)[number];

/** An operation, and the method and path that it has, which a profile may change. */
export interface Route<Operation = CatalogueOperation> {
	readonly operation: Operation;
	readonly method: HttpMethod;
	/** The path template. */
	readonly path: string;
}

/**
 * The route of each operation, in the order of the catalogue.
 * @throws ConfigurationError if the profile gives two operations the same route.
 */
export function routesOf(profile: Profile): readonly Route[] {
	const owners = new Map<string, OperationId>();
	return OPERATIONS.map((operation) => {
		const { method = operation.method, path = operation.path } = profile.operations?.[operation.id] ?? {};
		const place = `${method} ${path.replace(/\{\w+\}/g, "{}")}`;
		const owner = owners.get(place);
		if (owner !== undefined) {
			throw new ConfigurationError(
				`profile.operations: ${owner} and ${operation.id} are both ${method} ${path}`,
			);
		}
		owners.set(place, operation.id);
		return { operation, method, path };
	});
}
