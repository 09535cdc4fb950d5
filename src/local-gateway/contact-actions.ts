import type { Message, ReceivedAttachment } from "../catalogue/shared.ts";
import { randomUuid } from "../runtime.ts";
import { type Conversation, createConversation } from "./conversations.ts";
import { inboundMessagePayload, inboundReactionPayload, toWirePayload } from "./payloads.ts";
import { Refusal } from "./refusal.ts";
import { moveTo } from "./status.ts";
import type { World } from "./world.ts";

/** A message that a contact writes. */
export interface ContactReply {
	from: string;
	text: string;
	attachments?: readonly ReceivedAttachment[] | undefined;
	/** The agent it is written to. */
	to?: string | undefined;
	/** The group it is written in. */
	groupId?: string | undefined;
}

/** A contact writes: the counters start anew and its duplicate window is cleared. */
export function receiveMessage(world: World, reply: ContactReply): Message {
	const now = world.clock.now();
	const conversation = openConversation(world, reply);
	const agentNumber =
		reply.to === undefined ? conversation.agentNumber : world.agents.get(reply.to).agentNumber;
	const message: Message = {
		messageId: randomUuid(),
		status: "received",
		text: reply.text,
		from: reply.from,
		to: agentNumber,
		groupId: conversation.groupId,
		attachments: [...(reply.attachments ?? [])],
		status_callback: null,
		outbound: false,
		nativeMessageNumber: agentNumber,
		participants: [agentNumber, ...conversation.contacts],
		chatGuid: conversation.chatGuid,
		messageGuid: randomUuid(),
		timestamp_ms: now,
		error: null,
	};
	world.messages.add({ sequence: world.nextSequence(), conversation, message, signature: undefined });
	conversation.lastMessageAt = now;
	countInbound(conversation, now);
	world.duplicates.clear(conversation, world.nextSequence());
	world.deliveries.add(message.messageId, {
		kind: "inbound_message",
		payload: toWirePayload(inboundMessagePayload(message), world.settings.profile),
		destination: () => world.destinations.inboundWebhookUrl ?? undefined,
	});
	return message;
}

/** A contact reacts to a message of ours. It is no reply, so nothing is counted or cleared. */
export function receiveReaction(
	world: World,
	reaction: { from: string; reaction: string; original: Message },
): void {
	const payload = inboundReactionPayload(reaction.original, { ...reaction, at: world.clock.now() });
	world.deliveries.add(payload.messageId, {
		kind: "inbound_reaction",
		payload: toWirePayload(payload, world.settings.profile),
		destination: () => world.destinations.inboundWebhookUrl ?? undefined,
	});
}

/** A contact opens its chat: everything that was sent is delivered and read. */
export function receiveRead(world: World, conversation: Conversation): void {
	for (const record of [...conversation.unread.values()]) {
		moveTo(world, record, "delivered");
		moveTo(world, record, "read");
	}
}

/** The units of the timestamps are not shown (section 2.3); milliseconds are ours, like the rules. */
function countInbound({ counters }: Conversation, now: number): void {
	counters.inbound += 1;
	counters.consecutiveCount = 0;
	counters.receivedAt ??= now;
	counters.lastReceivedAt = now;
	if (counters.outbound === 0) return;
	counters.respondedAt ??= now;
	counters.lastRespondedAt = now;
}

/** A contact that writes first is mapped like one that is written to first. */
function openConversation(world: World, { from, to, groupId }: ContactReply): Conversation {
	if (groupId !== undefined) {
		const group = world.conversations.find({ key: groupId, groupId });
		if (group?.contacts.includes(from)) return group;
		throw new Refusal("GROUP_NOT_FOUND", "The contact is in no group with this id.");
	}
	const known = world.conversations.findContact(from);
	if (known !== undefined) return known;
	const agent = to === undefined ? world.agents.choose() : world.agents.get(to);
	const chat = { key: from, groupId: null, contacts: [from] };
	const conversation = createConversation(world, chat, agent);
	world.conversations.keep(conversation);
	return conversation;
}
