import type { EncodedAttachment } from "../../library/catalogue/attachments.ts";
import type { Message } from "../../library/catalogue/message.ts";
import type { ReceivedAttachment } from "../../library/catalogue/shared.ts";
import { randomUuid } from "../../library/runtime.ts";
import { toReceivedAttachment } from "./attachments.ts";
import { createConversation } from "./conversations.ts";
import type { WebhookKind } from "./delivery.ts";
import { PLAIN_MESSAGE } from "./messages.ts";
import { inboundMessagePayload, inboundReactionPayload, toWirePayload } from "./payloads.ts";
import type { Conversation, MessageRecord } from "./records.ts";
import { RequestRejection } from "./request-rejection.ts";
import { moveTo } from "./status.ts";
import { addTapback, removeTapback } from "./tapbacks.ts";
import type { World } from "./world.ts";

/** A message that a contact writes. */
export interface ContactReply {
	from: string;
	text: string;
	attachments?: readonly ReceivedAttachment[] | undefined;
	/** The attachments with their bytes, instead of `attachments`. */
	files?: readonly EncodedAttachment[] | undefined;
	/** The agent that receives it. */
	to?: string | undefined;
	/** The group it is written in. */
	groupId?: string | undefined;
}

/** A contact writes: its consecutive count is reset and its duplicate window cleared. */
export function receiveMessage(world: World, reply: ContactReply): Message {
	const now = world.clock.now();
	const { files = [], attachments = files.map(toReceivedAttachment) } = reply;
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
		attachments: [...attachments],
		status_callback: null,
		outbound: false,
		nativeMessageNumber: agentNumber,
		participants: [agentNumber, ...conversation.contacts],
		chatGuid: conversation.chatGuid,
		messageGuid: randomUuid(),
		timestamp_ms: now,
		error: null,
	};
	world.messages.add({
		...PLAIN_MESSAGE,
		sequence: world.sequence.next(),
		conversation,
		message,
		kind: attachments.length > 0 ? "attachments" : "text",
		signature: undefined,
		windowId: conversation.windowId,
		attachmentIds: world.attachments.keepAll(message.messageId, files),
		tapbacks: [],
	});
	conversation.lastMessageAt = now;
	countInbound(conversation, now);
	world.duplicates.clearOnReply(conversation, world.sequence.next());
	world.conversations.changed(conversation);
	const event = { kind: "inbound_message", messageId: message.messageId } as const;
	addInbound(world, conversation, event, inboundMessagePayload(message));
	return message;
}

/** How a contact reacts to a message. */
interface ContactReaction {
	readonly from: string;
	readonly reaction: string;
	readonly original: MessageRecord;
	/** Whether it takes its reaction back. */
	readonly removed?: boolean;
}

/** A contact reacts to a message. A reaction is not a reply, so nothing is counted or cleared. */
export function receiveReaction(world: World, { from, reaction, original, removed }: ContactReaction): void {
	(removed ? removeTapback : addTapback)(world, original, { by: from, reaction });
	const { message } = original;
	const agentNumber = message.outbound ? message.from : message.to;
	deliverReaction(world, original, { from, to: agentNumber, outbound: false, reaction, removed });
}

/** Delivers the event of a reaction. */
export function deliverReaction(
	world: World,
	{ message, conversation }: MessageRecord,
	reaction: Omit<Parameters<typeof inboundReactionPayload>[1], "at">,
): void {
	const payload = inboundReactionPayload(message, { ...reaction, at: world.clock.now() });
	const event = { kind: "inbound_reaction", messageId: payload.messageId } as const;
	addInbound(world, conversation, event, payload);
}

/** A contact opens its chat: all sent messages are delivered and read. */
export function receiveRead(world: World, conversation: Conversation): void {
	for (const record of [...conversation.unread.values()]) {
		moveTo(world, record, "delivered");
		moveTo(world, record, "read");
	}
}

function addInbound(
	world: World,
	{ key }: Conversation,
	event: { readonly kind: WebhookKind; readonly messageId: string },
	payload: Parameters<typeof toWirePayload>[0],
): void {
	world.deliveries.add(
		{ ...event, conversationKey: key, statusCallback: null },
		toWirePayload(payload, world.settings.profile),
	);
}

/** Section 2.3 shows neither the unit of the timestamps nor the rules of the counters: both are assumed. */
function countInbound({ counters }: Conversation, now: number): void {
	counters.inbound += 1;
	counters.consecutiveCount = 0;
	counters.receivedAt ??= now;
	counters.lastReceivedAt = now;
	if (counters.outbound === 0) return;
	counters.respondedAt ??= now;
	counters.lastRespondedAt = now;
}

/** Finds the chat, or maps an unknown contact to an agent, as a send would. */
function openConversation(world: World, { from, to, groupId }: ContactReply): Conversation {
	if (groupId !== undefined) {
		const group = world.conversations.find({ key: groupId, groupId });
		if (group?.contacts.includes(from)) return group;
		throw new RequestRejection("GROUP_NOT_FOUND", "The contact is in no group with this id.");
	}
	const known = world.conversations.findContact(from);
	if (known !== undefined) return known;
	const agent = to === undefined ? world.agents.choose() : world.agents.get(to);
	const chat = { key: from, groupId: null, contacts: [from] };
	const conversation = createConversation(world, chat, agent);
	world.conversations.keep(conversation);
	return conversation;
}
