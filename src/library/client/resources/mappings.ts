import {
	type CreateMappingInput,
	createMapping,
	type DeletedData,
	deleteMapping,
	getMapping,
	type ListMappingsInput,
	listMappings,
	type Mapping,
	type MappingChanges,
	type MappingData,
	type MappingsPage,
	resetMapping,
	updateMapping,
} from "../../catalogue/mappings.ts";
import { callerOf } from "../bound-caller.ts";
import type { GatewayCall } from "../gateway-call.ts";
import type { ListCall } from "../list-call.ts";
import type { CallOptions } from "../options.ts";

/** Inspects and manages which agent handles which contact. */
export class Mappings {
	/**
	 * Gets the mapping of a contact, with its counters and duplicate window.
	 * @throws NotFoundError (`not_found`) if no agent is mapped to the contact.
	 * @see Specification, section 4.1
	 */
	get(toNumber: string, options?: CallOptions): GatewayCall<MappingData> {
		return callerOf(this).call(getMapping, { toNumber }, options);
	}

	/**
	 * Lists the mappings. Await it for a page, or iterate it for all of them.
	 * @experimental
	 */
	list(input: ListMappingsInput = {}, options?: CallOptions): ListCall<MappingsPage, Mapping> {
		return callerOf(this).list(listMappings, input, (page) => page.mappings, options);
	}

	/**
	 * Maps a contact to an agent.
	 * @throws ConflictError (`conflict`) if the contact is mapped already.
	 * @throws ServerError (`server_error`) if no agent is online.
	 * @experimental
	 */
	create(input: CreateMappingInput, options?: CallOptions): GatewayCall<MappingData> {
		return callerOf(this).call(createMapping, input, options);
	}

	/**
	 * Changes how many messages you may send to a contact without a reply.
	 * @throws NotFoundError (`not_found`) if no agent is mapped to the contact.
	 * @experimental
	 */
	update(toNumber: string, changes: MappingChanges, options?: CallOptions): GatewayCall<MappingData> {
		return callerOf(this).call(updateMapping, { ...changes, toNumber }, options);
	}

	/**
	 * Sets a mapping's consecutive count to 0 and ends its duplicate window.
	 * @throws NotFoundError (`not_found`) if no agent is mapped to the contact.
	 * @experimental
	 */
	reset(toNumber: string, options?: CallOptions): GatewayCall<MappingData> {
		return callerOf(this).call(resetMapping, { toNumber }, options);
	}

	/**
	 * Removes the mapping of a contact.
	 * @throws NotFoundError (`not_found`) if no agent is mapped to the contact.
	 * @experimental
	 */
	delete(toNumber: string, options?: CallOptions): GatewayCall<DeletedData> {
		return callerOf(this).call(deleteMapping, { toNumber }, options);
	}
}
