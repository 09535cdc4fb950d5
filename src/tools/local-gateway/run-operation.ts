import { OPERATIONS, type OperationById, type OperationId } from "../../library/catalogue/index.ts";
import type { Operation } from "../../library/catalogue/operation.ts";
import { decodeInput, type RoutedParts } from "./decode-input.ts";
import { isNumbered, writeMappedResponse } from "./maps/write-mapped-response.ts";
import type { GatewaySettings } from "./settings.ts";

/** The input of an operation. */
export type InputOf<Id extends OperationId> =
	OperationById<Id> extends Operation<infer Input, unknown> ? Input : never;

/** The `data` of an operation. */
export type DataOf<Id extends OperationId> =
	OperationById<Id> extends Operation<unknown, infer Data> ? Data : never;

/** Carries out one operation. */
export type Handler<Id extends OperationId> = (input: InputOf<Id>) => DataOf<Id>;

/** One handler for each operation of the catalogue; a missing one does not compile. */
export type Handlers = { readonly [Id in OperationId]: Handler<Id> };

type OperationsById = { readonly [Id in OperationId]: Operation<InputOf<Id>, DataOf<Id>, Id> };

// Each operation is under its own id, which TypeScript cannot infer through `map`.
const BY_ID = Object.fromEntries(OPERATIONS.map((operation) => [operation.id, operation])) as OperationsById;

/** Decodes the input of an operation, calls its handler, and encodes the data. */
export function createOperationRunner(handlers: Handlers, settings: GatewaySettings) {
	return async <Id extends OperationId>(id: Id, request: RoutedParts): Promise<unknown> => {
		const override = settings.profile.operations?.[id];
		const operation: OperationsById[Id] = BY_ID[id];
		const handler: Handlers[Id] = handlers[id];
		const input = await decodeInput(operation, request, settings);
		const map = override?.map?.response;
		if (map !== undefined) {
			const given: Readonly<Record<string, unknown>> = Object.assign({}, input);
			// Pages by number are cut from the whole list.
			const whole = isNumbered(map) ? { cursor: undefined, limit: Number.POSITIVE_INFINITY } : {};
			const data = handler(Object.assign({}, input, whole));
			return writeMappedResponse(operation.pageItems, map, data, given);
		}
		const data = handler(input);
		return override?.response?.encode === undefined ? data : override.response.encode(data);
	};
}
