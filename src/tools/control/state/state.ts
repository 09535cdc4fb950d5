import { systemClock } from "../../../library/runtime.ts";
import { emptyConversation } from "../../local-gateway/conversations.ts";
import { receiverUrl } from "../../local-gateway/destinations.ts";
import { continueJourney } from "../../local-gateway/journey.ts";
import { PLAIN_MESSAGE } from "../../local-gateway/messages.ts";
import type { Conversation, MessageRecord } from "../../local-gateway/records.ts";
import type { World } from "../../local-gateway/world.ts";
import type { State } from "./state-schema.ts";

/** The state of a world, without what follows from the rest. */
export function stateOf(world: World): Omit<State, "nonces"> {
	const messages = world.messages.all();
	const conversations = new Set([
		...world.conversations.all(),
		...messages.map(({ conversation }) => conversation),
	]);
	return {
		...world.destinations,
		offsetMs: world.clock.now() - systemClock.now(),
		deliverTo: receiverUrl(world.settings.deliverTo),
		lastSequence: world.sequence.last,
		agents: world.agents.all().map(({ waiting: _, mappingCount: __, ...agent }) => agent),
		conversations: Array.from(conversations, (conversation) => ({
			...storedConversation(conversation),
			isKept: world.conversations.find(conversation) === conversation,
		})),
		messages: messages.map(({ conversation, ...record }) => ({
			...record,
			conversation: conversation.sequence,
		})),
		deliveries: world.deliveries.all().map(({ nextAttemptAt: _, ...delivery }) => delivery),
		attachments: Object.fromEntries(world.attachments.all().map(({ id, data }) => [id, data])),
	};
}

function storedConversation(conversation: Conversation): Omit<State["conversations"][number], "isKept"> {
	const { unread, opened: _, lastSent, counters, agentNumber, ...fields } = conversation;
	return {
		...fields,
		mapping: { ...counters, agentNumber, userNumber: conversation.key },
		lastSentId: lastSent?.message.messageId,
		unreadIds: [...unread.keys()],
	};
}

/** Fills a new world with the state of an earlier run; pending work continues. */
export function restoreState(world: World, state: State): void {
	restoreDestinations(world, state);
	for (const agent of state.agents) {
		const { maxConsecutiveMessages } = agent;
		world.agents.keep({ ...agent, maxConsecutiveMessages, waiting: [], mappingCount: 0 });
	}
	const conversations = new Map<number, Conversation>();
	for (const { isKept, ...stored } of state.conversations) {
		const conversation = toConversation(world, stored);
		conversations.set(conversation.sequence, conversation);
		if (isKept) world.conversations.keep(conversation);
	}
	const records = state.messages.flatMap((stored) => {
		const conversation = conversations.get(stored.conversation);
		return conversation === undefined ? [] : restoreMessage(world, state, { ...stored, conversation });
	});
	for (const { sequence, lastSentId = "", unreadIds, lastAccepted } of state.conversations) {
		const conversation = conversations.get(sequence);
		if (conversation === undefined) continue;
		conversation.lastSent = world.messages.find(lastSentId);
		for (const id of unreadIds) {
			const record = world.messages.find(id);
			if (record !== undefined) conversation.unread.set(id, record);
		}
		// A reply may have ended the window that the last message opened.
		conversation.lastAccepted = lastAccepted;
	}
	world.sequence.skipTo(state.lastSequence);
	for (const delivery of state.deliveries) world.deliveries.keep(delivery);
	for (const record of records) continueJourney(world, record, record.journey);
}

/** A new `deliverTo` wins; otherwise the saved URLs count, which may have been changed at run time. */
function restoreDestinations({ destinations, settings }: World, state: State): void {
	const url = receiverUrl(settings.deliverTo);
	if (url !== null && url !== state.deliverTo) return;
	destinations.inboundWebhookUrl = state.inboundWebhookUrl;
	destinations.statusWebhookUrl = state.statusWebhookUrl;
}

function toConversation(
	world: World,
	{ mapping, unreadIds: _, lastSentId: __, ...fields }: Omit<State["conversations"][number], "isKept">,
): Conversation {
	const { agentNumber, userNumber: ___, duplicate: ____, ...counters } = mapping;
	const { maxConsecutiveMessages } = counters;
	const empty = { sequence: fields.sequence, agentNumber, createdAt: 0, maxConsecutiveMessages };
	return { ...emptyConversation(world, fields, empty), ...fields, counters };
}

function restoreMessage(
	world: World,
	{ attachments }: State,
	stored: Omit<State["messages"][number], "conversation"> & Pick<MessageRecord, "conversation">,
): MessageRecord {
	const record: MessageRecord = { ...PLAIN_MESSAGE, signature: undefined, ...stored };
	const { message, attachmentIds, signature, windowId, conversation } = record;
	for (const [at, id] of attachmentIds.entries()) {
		const data = id === null ? undefined : attachments[id];
		if (id === null || data === undefined) continue;
		const { name, mimeType } = message.attachments[at] ?? {};
		const { messageId } = message;
		world.attachments.keep({ id, data, name: String(name), mimeType: String(mimeType), messageId });
	}
	world.messages.add(record);
	// A message that failed before it was sent blocks nothing.
	if (signature !== undefined && message.status !== "failed") {
		const attempt = { conversation, windowId, agentNumber: message.from, signature };
		world.duplicates.open(attempt, message.messageId, message.timestamp_ms);
	}
	return record;
}
