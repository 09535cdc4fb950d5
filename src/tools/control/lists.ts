import type { Delivery } from "../local-gateway/delivery.ts";
import type { MessageRecord } from "../local-gateway/records.ts";
import type { World } from "../local-gateway/world.ts";
import type { DeliveryView, MessageView, Page, PageQuery, RequestView } from "./contract.ts";
import { findCause } from "./diagnosis/diagnose-delivery.ts";
import { type ListFilters, readPage } from "./read-page.ts";
import type { LoggedRequest } from "./request-log.ts";
import { toDeliveryView, toMessageView } from "./views.ts";

const messageFilters: ListFilters<MessageRecord> = {
	conversationOf: ({ conversation }) => conversation.key,
	kindOf: ({ kind }) => kind,
	isFailed: ({ message }) => message.status === "failed",
	textsOf: ({ message, conversation }) => [
		message.text,
		message.messageId,
		message.messageGuid,
		conversation.key,
		...conversation.contacts,
		...message.attachments.map((attachment) => JSON.stringify(attachment)),
	],
};

const deliveryFilters: ListFilters<Delivery> = {
	conversationOf: ({ conversationKey }) => conversationKey,
	kindOf: ({ kind }) => kind,
	isFailed: ({ attempts }) => attempts.some((attempt) => findCause(attempt) !== undefined),
	textsOf: ({ eventId, messageId, conversationKey, body }) => [eventId, messageId, conversationKey, body],
};

const requestFilters: ListFilters<LoggedRequest> = {
	conversationOf: ({ view }) => view.conversationKey,
	isFailed: ({ view }) => view.diagnosis !== undefined,
	isProbe: ({ request: { probe } }) => probe === true,
	textsOf: ({ request: { requestId, operationId, path, query, body, responseBody } }) => [
		requestId,
		operationId,
		path,
		query,
		body,
		responseBody,
	],
};

/** The messages that a query selects. */
export function pageOfMessages(world: World, query: PageQuery): Page<MessageView> {
	const page = readPage(world.messages.all(), query, messageFilters);
	return { ...page, items: page.items.map((record) => toMessageView(world, record)) };
}

/** The deliveries that a query selects. */
export function pageOfDeliveries({ deliveries, settings }: World, query: PageQuery): Page<DeliveryView> {
	const page = readPage(deliveries.all(), query, deliveryFilters);
	return { ...page, items: page.items.map((delivery) => toDeliveryView(delivery, settings)) };
}

/** The requests that a query selects. */
export function pageOfRequests(requests: readonly LoggedRequest[], query: PageQuery): Page<RequestView> {
	const page = readPage(requests, query, requestFilters);
	return { ...page, items: page.items.map(({ view }) => view) };
}
