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

/** Selects the messages of a conversation. */
export interface ConversationFilter extends PageInput, TimeRange {
	/** Lists only messages that this agent sent or received. */
	agentNumber?: string | undefined;
}

/** Input of `analytics.listMessages`. */
export interface ListMessagesInput extends ToNumberInput, ConversationFilter {}

/** A page of a conversation. */
export interface MessagesPage {
	/** The messages, the newest first. */
	messages: Message[];
	/** The start of the next page, or `null` after the last one. */
	nextCursor: string | null;
}

/** Selects the contacts to list. */
export interface ListContactsInput extends PageInput {
	/** Lists only contacts of this agent. */
	agentNumber?: string | undefined;
}

/** A contact, with counts of the messages exchanged with its agent. */
export interface Contact {
	/** The contact's number, e-mail address or short code. */
	userNumber: string;
	/** The number of the contact's agent. */
	agentNumber: string;
	/** How many messages you sent. */
	outbound: number;
	/** How many messages the contact sent. */
	inbound: number;
	/** When the last message was sent or received, in Unix milliseconds, or `null`. */
	lastMessageAt: number | null;
}

/** A page of contacts. */
export interface ContactsPage {
	/** The contacts, the newest first. */
	contacts: Contact[];
	/** The start of the next page, or `null` after the last one. */
	nextCursor: string | null;
}

/** Input of `analytics.getNumberStats`. */
export interface NumberStatsInput extends TimeRange {
	/** An agent's number. */
	number: string;
}

/** Counts of the messages that an agent's number sent and received. */
export interface NumberStats {
	/** The agent's number. */
	number: string;
	/** How many messages the number sent. */
	outbound: number;
	/** How many messages the number received. */
	inbound: number;
	/** How many contacts the number has. */
	contacts: number;
	/** How many outbound messages have each delivery status. */
	byStatus: Record<string, number>;
	/** The share of contacts who replied, from 0 to 1. */
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
