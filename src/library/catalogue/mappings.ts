import * as z from "zod/mini";
import type { DuplicateInfo } from "../errors.ts";
import { duplicateInfoSchema } from "./duplicate-info.ts";
import {
	agentPhoneNumber,
	contactHandle,
	type PageInput,
	pageFields,
	type ToNumberInput,
	toNumberInput,
} from "./input-fields.ts";
import { type OperationDocs, operation } from "./operation.ts";
import { schemaOf } from "./schema.ts";

/**
 * Shows which agent handles a contact, with the counters between them. The gateway's timestamps are returned unchanged:
 * their unit isn't documented.
 * @see Specification, section 2.3
 */
export interface Mapping {
	/** The agent's phone number. */
	agentNumber: string;
	/** The contact's number. */
	userNumber: string;
	/** By its name, when the mapping was created. */
	createdAt: number | null;
	/** By its name, when the user first replied. */
	respondedAt: number | null;
	/** By its name, when the user last replied. */
	lastRespondedAt: number | null;
	/** By its name, when the first message of the user arrived. */
	receivedAt: number | null;
	/** By its name, when the last message of the user arrived. */
	lastReceivedAt: number | null;
	/** How many messages you sent. */
	outbound: number;
	/** How many messages the contact sent. */
	inbound: number;
	/** How many messages you sent in a row. The specification doesn't show what resets it. */
	consecutiveCount: number;
	/** By its name, when a warning was last sent. */
	lastWarningSentAt: number | null;
	/** The threshold of `consecutiveCount`. */
	maxConsecutiveMessages: number;
	/** The duplicate window of this contact, or `null` or absent while none is active. */
	duplicate?: DuplicateInfo | null;
}

const timestamp = z.nullable(z.number());

export const mappingSchema = schemaOf<Mapping>("Mapping")(
	z.looseObject({
		agentNumber: z.string(),
		userNumber: z.string(),
		createdAt: timestamp,
		respondedAt: timestamp,
		lastRespondedAt: timestamp,
		receivedAt: timestamp,
		lastReceivedAt: timestamp,
		outbound: z.number(),
		inbound: z.number(),
		consecutiveCount: z.number(),
		lastWarningSentAt: timestamp,
		maxConsecutiveMessages: z.number(),
		duplicate: z.exactOptional(z.nullable(duplicateInfoSchema)),
	}),
);

/** The result of the mapping operations. */
export interface MappingData {
	/** The mapping of the number. */
	mapping: Mapping;
}

export const mappingData = schemaOf<MappingData>("MappingData")(z.looseObject({ mapping: mappingSchema }));

/** Selects the mappings to list. */
export interface ListMappingsInput extends PageInput {
	/** Lists only mappings of this agent. */
	agentNumber?: string | undefined;
}

/** A page of mappings. */
export interface MappingsPage {
	/** The mappings, the newest first. */
	mappings: Mapping[];
	/** The start of the next page, or `null` after the last one. */
	nextCursor: string | null;
}

/** A mapping to create. */
export interface CreateMappingInput {
	/** The user: a number in E.164, an e-mail address, or a short code. */
	userNumber: string;
	/** The agent's number. If you leave it out, the gateway chooses one that is online. */
	agentNumber?: string | undefined;
	/** How many messages you may send without a reply. */
	maxConsecutiveMessages?: number | undefined;
}

/** The changes to a mapping. */
export interface MappingChanges {
	/** How many messages you may send without a reply, from 1. */
	maxConsecutiveMessages: number;
}

/** Input of `mappings.update`. */
export interface UpdateMappingInput extends ToNumberInput, MappingChanges {}

/** The result of `mappings.delete`. */
export interface DeletedData {
	/** Always `true`. */
	deleted: boolean;
}

export const maxConsecutiveMessages = z.number().check(z.int("must be an integer"), z.minimum(1));

export const getMapping = operation({
	id: "mappings.get",
	method: "GET",
	path: "/mapping/{toNumber}",
	provenance: "documented",
	retry: "safe",
	input: toNumberInput,
	data: mappingData,
});

export const listMappings = operation({
	id: "mappings.list",
	method: "GET",
	path: "/mapping",
	retry: "safe",
	input: schemaOf<ListMappingsInput>("ListMappingsInput")(
		z.strictObject({ agentNumber: z.optional(agentPhoneNumber), ...pageFields }),
	),
	data: schemaOf<MappingsPage>("MappingsPage")(
		z.looseObject({ mappings: z.array(mappingSchema), nextCursor: z.nullable(z.string()) }),
	),
	pageItems: "mappings",
});

export const createMapping = operation({
	id: "mappings.create",
	method: "POST",
	path: "/mapping",
	retry: "never",
	input: schemaOf<CreateMappingInput>("CreateMappingInput")(
		z.strictObject({
			userNumber: contactHandle,
			agentNumber: z.optional(agentPhoneNumber),
			maxConsecutiveMessages: z.optional(maxConsecutiveMessages),
		}),
	),
	data: mappingData,
	successStatus: 201,
});

export const updateMapping = operation({
	id: "mappings.update",
	method: "PATCH",
	path: "/mapping/{toNumber}",
	retry: "idempotent",
	input: schemaOf<UpdateMappingInput>("UpdateMappingInput")(
		z.strictObject({ toNumber: contactHandle, maxConsecutiveMessages }),
	),
	data: mappingData,
});

export const resetMapping = operation({
	id: "mappings.reset",
	method: "POST",
	path: "/mapping/{toNumber}/reset",
	retry: "idempotent",
	input: toNumberInput,
	data: mappingData,
});

export const deleteMapping = operation({
	id: "mappings.delete",
	method: "DELETE",
	path: "/mapping/{toNumber}",
	retry: "idempotent",
	input: toNumberInput,
	data: schemaOf<DeletedData>("DeletedData")(z.looseObject({ deleted: z.boolean() })),
	dataWhenGone: { deleted: true },
});

export const mappingDocs = {
	"mappings.get": {
		summary: "The current mapping of a number, with its counters and duplicate window.",
		section: "4.1",
		errors: ["MAPPING_NOT_FOUND"],
	},
	"mappings.list": { summary: "The mappings, of one agent or of all." },
	"mappings.create": {
		summary: "Maps a number to an agent.",
		errors: ["AGENT_NOT_FOUND", "AGENT_BLOCKED", "MAPPING_EXISTS", "NO_AGENT_AVAILABLE"],
	},
	"mappings.update": {
		summary: "Changes how many messages may be sent to a number without a reply.",
		errors: ["MAPPING_NOT_FOUND"],
	},
	"mappings.reset": {
		summary: "Sets a mapping's consecutive count to 0 and ends its duplicate window.",
		errors: ["MAPPING_NOT_FOUND"],
	},
	"mappings.delete": { summary: "Removes the mapping of a number.", errors: ["MAPPING_NOT_FOUND"] },
} satisfies Record<string, OperationDocs>;
