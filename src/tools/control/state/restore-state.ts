import { BoundedMap } from "../../local-gateway/bounded-map.ts";
import { emptyConversation } from "../../local-gateway/conversations.ts";
import { receiverUrl } from "../../local-gateway/destinations.ts";
import { continueJourney } from "../../local-gateway/journey.ts";
import type { Conversation, MessageRecord } from "../../local-gateway/records.ts";
import type { World } from "../../local-gateway/world.ts";
import type { SavedState } from "./read-state.ts";
import type { StoredConversation, StoredMessage } from "./rows.ts";

/** Fills a new world with the state of an earlier run; pending work continues. */
export function restoreState(world: World, saved: SavedState): void {
	restoreDestinations(world, saved);
	for (const agent of saved.agents) {
		const { maxConsecutiveMessages } = agent;
		world.agents.keep({ ...agent, maxConsecutiveMessages, waiting: [], mappingCount: 0 });
	}
	const conversations = restoreConversations(world, saved);
	restoreAttachments(world, saved);
	const records = saved.messages.map((stored) => restoreMessage(world, stored, conversations));
	for (const stored of saved.conversations) restoreLinks(world, stored, conversations);
	for (const happening of saved.happenings) world.history.keep(happening);
	world.sequence.skipTo(lastSequence(saved));
	for (const delivery of saved.deliveries) world.deliveries.keep(delivery);
	for (const record of records) {
		if (record.journey !== undefined) continueJourney(world, record, record.journey);
	}
}

/** A new `deliverTo` wins; otherwise the saved URLs count, which may have been changed at run time. */
function restoreDestinations({ destinations, settings }: World, { gateway }: SavedState): void {
	const url = receiverUrl(settings.deliverTo);
	if (gateway === undefined || (url !== null && url !== gateway.deliverTo)) return;
	destinations.inboundWebhookUrl = gateway.inboundWebhookUrl;
	destinations.statusWebhookUrl = gateway.statusWebhookUrl;
}

function restoreConversations(world: World, { conversations }: SavedState): Map<number, Conversation> {
	const bySequence = new Map<number, Conversation>();
	for (const {
		lastSentId: _,
		lastAccepted,
		lastAttempt,
		groupName,
		previousAgentNumber,
		...stored
	} of conversations) {
		const conversation: Conversation = {
			...stored,
			groupName,
			previousAgentNumber,
			lastAccepted,
			// A file of an earlier build lacks the agent.
			lastAttempt: lastAttempt && {
				...lastAttempt,
				agentNumber: lastAttempt.agentNumber ?? stored.agentNumber,
			},
			unread: new BoundedMap(world.settings.maxEntries),
			opened: [],
			lastSent: undefined,
		};
		bySequence.set(conversation.sequence, conversation);
		world.conversations.keep(conversation);
	}
	return bySequence;
}

function restoreAttachments(world: World, { messages, attachments }: SavedState): void {
	for (const { attachmentIds, message } of messages) {
		for (const [at, id] of attachmentIds.entries()) {
			const bytes = id === null ? undefined : attachments.get(id);
			if (id === null || bytes === undefined) continue;
			const { name, mimeType } = message.attachments[at] ?? {};
			const { messageId } = message;
			world.attachments.keep({ id, bytes, name: String(name), mimeType: String(mimeType), messageId });
		}
	}
}

function restoreMessage(
	world: World,
	stored: StoredMessage,
	conversations: Map<number, Conversation>,
): MessageRecord {
	const { isUnread, chat: _, signature, effect, replyToGuid, journey, ...fields } = stored;
	const conversation = conversations.get(stored.conversation) ?? standIn(world, stored, conversations);
	const record: MessageRecord = { ...fields, signature, effect, replyToGuid, journey, conversation };
	world.messages.add(record);
	if (isUnread) conversation.unread.set(record.message.messageId, record);
	reopenWindows(world, record);
	return record;
}

/** A substitute for a deleted conversation that a message belongs to. */
function standIn(
	world: World,
	{ conversation: sequence, chat, message }: StoredMessage,
	conversations: Map<number, Conversation>,
): Conversation {
	const { nativeMessageNumber: agentNumber, timestamp_ms: createdAt } = message;
	const { maxConsecutiveMessages } = world.settings.rules;
	const fields = { sequence, agentNumber, createdAt, maxConsecutiveMessages };
	const conversation = emptyConversation(world, chat, fields);
	conversations.set(sequence, conversation);
	return conversation;
}

/** Reopens the windows of a message, unless it failed before it was sent. */
function reopenWindows(world: World, { message, signature, windowId, conversation }: MessageRecord): void {
	if (signature === undefined || message.status === "failed") return;
	const attempt = { conversation, windowId, agentNumber: message.from, signature };
	world.duplicates.open(attempt, message.messageId, message.timestamp_ms);
}

/** Restores the references of a conversation to its messages. */
function restoreLinks(
	world: World,
	{ sequence, lastSentId, lastAccepted }: StoredConversation,
	conversations: ReadonlyMap<number, Conversation>,
): void {
	const conversation = conversations.get(sequence);
	if (conversation === undefined) return;
	conversation.lastSent = lastSentId === undefined ? undefined : world.messages.find(lastSentId);
	// A reply may have ended the window that the last message opened.
	conversation.lastAccepted = lastAccepted;
}

function lastSequence({ agents, conversations, messages, deliveries, happenings }: SavedState): number {
	const numbers = [
		...[...agents, ...messages, ...deliveries, ...happenings].map(({ sequence }) => sequence),
		...conversations.flatMap(({ sequence, windowId, readUpTo }) => [
			sequence,
			windowId,
			readUpTo?.sequence ?? 0,
		]),
	];
	return numbers.reduce((last, number) => Math.max(last, number), 0);
}
