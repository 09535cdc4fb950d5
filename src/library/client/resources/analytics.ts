import {
	type Contact,
	type ContactsPage,
	type ConversationFilter,
	getNumberStats,
	type ListContactsInput,
	listContacts,
	listMessages,
	type MessagesPage,
	type NumberStats,
} from "../../catalogue/analytics.ts";
import type { TimeRange } from "../../catalogue/input-fields.ts";
import type { Message } from "../../catalogue/message.ts";
import { callerOf } from "../bound-caller.ts";
import type { GatewayCall } from "../gateway-call.ts";
import type { ListCall } from "../list-call.ts";
import type { CallOptions } from "../options.ts";

/** Reads conversations, contacts and statistics. */
export class Analytics {
	/**
	 * Lists the messages exchanged with a contact, the newest first.
	 * @throws NotFoundError (`not_found`) if no agent is mapped to the contact.
	 * @experimental
	 */
	listMessages(
		toNumber: string,
		filter: ConversationFilter = {},
		options?: CallOptions,
	): ListCall<MessagesPage, Message> {
		return callerOf(this).list(listMessages, { ...filter, toNumber }, (page) => page.messages, options);
	}

	/**
	 * Lists your contacts, each with counts of its messages.
	 * @experimental
	 */
	listContacts(input: ListContactsInput = {}, options?: CallOptions): ListCall<ContactsPage, Contact> {
		return callerOf(this).list(listContacts, input, (page) => page.contacts, options);
	}

	/**
	 * Gets counts of the messages that an agent's number sent and received.
	 * @throws NotFoundError (`not_found`) if the agent does not exist.
	 * @experimental
	 */
	getNumberStats(number: string, range: TimeRange = {}, options?: CallOptions): GatewayCall<NumberStats> {
		return callerOf(this).call(getNumberStats, { ...range, number }, options);
	}
}
