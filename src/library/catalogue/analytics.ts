import * as z from "zod/mini";
import {
	agentPhoneNumber,
	contactHandle,
	type PageInput,
	pageFields,
	type TimeRange,
	type ToNumberInput,
	timeRangeFields,
} from "./input-fields.ts";
import { type Message, messageSchema } from "./message.ts";
import { type OperationDocs, operation } from "./operation.ts";
import { receivedMilliseconds, schemaOf } from "./schema.ts";

/** Which messages of a conversation to list. */
export interface ConversationFilter extends PageInput, TimeRange {
	/** Only those that this agent sent or received. */
	agentNumber?: string | undefined;
}

/** Input of `analytics.listMessages`. */
export interface ListMessagesInput extends ToNumberInput, ConversationFilter {}

/** A page of a conversation. */
export interface MessagesPage {
	/** The messages, the newest first. */
	messages: Message[];
	/** Where the next page starts, or `null` after the last one. */
	nextCursor: string | null;
}

/** Which contacts to list. */
export interface ListContactsInput extends PageInput {
	/** Only those of this agent. */
	agentNumber?: string | undefined;
}

/** A contact, with counts of the messages between it and its agent. */
export interface Contact {
	/** The contact's handle. */
	userNumber: string;
	/** Number of its agent. */
	agentNumber: string;
	/** Count of outbound messages. */
	outbound: number;
	/** Count of inbound messages. */
	inbound: number;
	/** Time of the last message, in Unix milliseconds, or `null`. */
	lastMessageAt: number | null;
}

/** A page of contacts. */
export interface ContactsPage {
	/** The contacts, the newest first. */
	contacts: Contact[];
	/** Where the next page starts, or `null` after the last one. */
	nextCursor: string | null;
}

/** Input of `analytics.getNumberStats`. */
export interface NumberStatsInput extends TimeRange {
	/** An agent's number. */
	number: string;
}

/** Counts of what an agent's number sent and received. */
export interface NumberStats {
	/** The agent's number. */
	number: string;
	/** Count of outbound messages. */
	outbound: number;
	/** Count of inbound messages. */
	inbound: number;
	/** Count of contacts. */
	contacts: number;
	/** Count of outbound messages by delivery status. */
	byStatus: Record<string, number>;
	/** Share of the contacts written to that replied, from 0 to 1. */
	responseRate: number;
}

export const listMessages = operation({
	id: "analytics.listMessages",
	method: "GET",
	path: "/analytics/conversation/{toNumber}",
	retry: "safe",
	input: schemaOf<ListMessagesInput>("ListMessagesInput")(
		z.strictObject({
			toNumber: contactHandle,
			agentNumber: z.optional(agentPhoneNumber),
			...timeRangeFields,
			...pageFields,
		}),
	),
	data: schemaOf<MessagesPage>("MessagesPage")(
		z.looseObject({ messages: z.array(messageSchema), nextCursor: z.nullable(z.string()) }),
	),
	pageItems: "messages",
});

export const listContacts = operation({
	id: "analytics.listContacts",
	method: "GET",
	path: "/analytics/contacts",
	retry: "safe",
	input: schemaOf<ListContactsInput>("ListContactsInput")(
		z.strictObject({ agentNumber: z.optional(agentPhoneNumber), ...pageFields }),
	),
	data: schemaOf<ContactsPage>("ContactsPage")(
		z.looseObject({
			contacts: z.array(
				schemaOf<Contact>("Contact")(
					z.looseObject({
						userNumber: z.string(),
						agentNumber: z.string(),
						outbound: z.number(),
						inbound: z.number(),
						lastMessageAt: z.nullable(receivedMilliseconds),
					}),
				),
			),
			nextCursor: z.nullable(z.string()),
		}),
	),
	pageItems: "contacts",
});

export const getNumberStats = operation({
	id: "analytics.getNumberStats",
	method: "GET",
	path: "/analytics/number/{number}",
	retry: "safe",
	input: schemaOf<NumberStatsInput>("NumberStatsInput")(
		z.strictObject({ number: agentPhoneNumber, ...timeRangeFields }),
	),
	data: schemaOf<NumberStats>("NumberStats")(
		z.looseObject({
			number: z.string(),
			outbound: z.number(),
			inbound: z.number(),
			contacts: z.number(),
			byStatus: z.record(z.string(), z.number()),
			responseRate: z.number(),
		}),
	),
});

export const analyticsDocs = {
	"analytics.listMessages": { summary: "The conversation with a number.", errors: ["MAPPING_NOT_FOUND"] },
	"analytics.listContacts": { summary: "The contacts, of one agent or of all, with their counts." },
	"analytics.getNumberStats": {
		summary: "What an agent's number sent and received.",
		errors: ["AGENT_NOT_FOUND"],
	},
} satisfies Record<string, OperationDocs>;
