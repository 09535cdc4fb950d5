import type { TargetFields } from "../../../library/catalogue/input-fields.ts";
import type { SendOptions } from "../../../library/catalogue/sends.ts";
import { randomUuid } from "../../../library/runtime.ts";
import type { AgentRecord } from "../agents.ts";
import { assertAudio, assertSize, toReceivedAttachment } from "../attachments.ts";
import { checkConsecutive } from "../consecutive.ts";
import {
	attachmentsContent,
	contentSignature,
	type MessageContent,
	textContent,
	voiceContent,
} from "../content.ts";
import { createConversation } from "../conversations.ts";
import { assertDestination } from "../destination-url.ts";
import type { ComparedSend } from "../duplicates.ts";
import { resolveChat } from "../find-chat.ts";
import { startJourney } from "../journey.ts";
import { behaviourOf } from "../magic-numbers.ts";
import { PLAIN_MESSAGE } from "../messages.ts";
import type { Conversation, MessageRecord } from "../records.ts";
import { RequestRejection } from "../request-rejection.ts";
import type { Handlers } from "../run-operation.ts";
import type { World } from "../world.ts";

export function sendHandlers(world: World) {
	return {
		"messages.sendText": (input) => send(world, input, textContent(input)),
		"messages.sendAttachments": (input) => send(world, input, attachmentsContent(input)),
		"messages.sendVoiceNote": (input) => {
			assertAudio(input.attachment);
			return send(world, input, voiceContent(input));
		},
	} satisfies Partial<Handlers>;
}

/** The order of the checks is assumed: validation, agent, duplicate, consecutive. A rejected send is not counted. */
function send(world: World, input: TargetFields & SendOptions, content: MessageContent) {
	const now = world.clock.now();
	if (input.statusCallback !== undefined) assertDestination("status_callback", input.statusCallback);
	for (const attachment of content.attachments) assertSize(attachment, world.settings.limits);
	assertCapacity(world);
	const chat = resolveChat(world, input);
	const known = world.conversations.find(chat);
	const agent = chooseAgent(world, input.from, known);
	const conversation = known ?? createConversation(world, chat, agent);
	const signature = contentSignature(content, world.settings.rules);
	const { windowId } = conversation;
	const attempt = { conversation, windowId, agentNumber: agent.agentNumber, signature };
	checkRules(world, attempt, now);

	const record = createRecord(world, attempt, { ...input, ...content, now });
	if (input.groupName !== undefined) conversation.groupName = input.groupName;
	world.conversations.keep(conversation);
	world.messages.add(record);
	conversation.counters.outbound += 1;
	conversation.counters.consecutiveCount += 1;
	conversation.lastMessageAt = now;
	conversation.typingUntil = null;
	world.duplicates.open(attempt, record.message.messageId, now);
	world.conversations.changed(conversation);
	startJourney(world, record, behaviourOf(conversation).steps);
	const isNewContact = input.from === undefined && known === undefined;
	if (isNewContact && !agent.isOnline) throw queuedWithoutAgent();
	return { message: { ...record.message } };
}

/** The 503 of a message that is sent all the same, with `withoutAgent: "queue"`. */
function queuedWithoutAgent(): RequestRejection {
	return new RequestRejection(
		"NO_AGENT_AVAILABLE",
		"No unblocked agent is online, and the message is queued until one is. " +
			'This is the reading "a 503 comes after a message was queued".',
	);
}

/** Pending work is never dropped, so there must be room for more. */
function assertCapacity({ scheduler, deliveries, agents, settings }: World): void {
	if (scheduler.size + deliveries.pendingCount + agents.waitingCount < settings.maxEntries) return;
	throw new RequestRejection(
		"SERVICE_UNAVAILABLE",
		"Too many messages or deliveries are pending: wait, check that the receiver responds, or raise maxEntries.",
	);
}

/** @throws RequestRejection when the message is a duplicate, or too many are unanswered. */
function checkRules(world: World, attempt: ComparedSend, now: number): void {
	const { duplicates, conversations, settings, rules } = world;
	const { conversation } = attempt;
	if (!rules.areOn) return;
	try {
		duplicates.check(attempt, now);
		checkConsecutive(conversation, settings.rules.consecutive, now);
	} catch (error) {
		conversations.changed(conversation);
		throw error;
	}
}

/** The agent named in `from`, else the mapping's, else any that is online. `from` does not change a mapping. Assumed. */
function chooseAgent(
	{ agents, settings }: World,
	from: string | undefined,
	conversation: Conversation | undefined,
): AgentRecord {
	const agentNumber = from ?? conversation?.agentNumber;
	if (agentNumber !== undefined) return agents.getUnblocked(agentNumber);
	return settings.rules.withoutAgent === "queue" ? agents.chooseOrWait() : agents.choose();
}

function createRecord(
	world: World,
	{ conversation, windowId, agentNumber, signature }: ComparedSend,
	sent: MessageContent & SendOptions & { readonly now: number },
): MessageRecord {
	const { kind, text, attachments, effect, replyToGuid, statusCallback = null, now } = sent;
	const messageId = randomUuid();
	return {
		...PLAIN_MESSAGE,
		sequence: world.sequence.next(),
		conversation,
		kind,
		signature,
		windowId,
		effect,
		replyToGuid,
		attachmentIds: world.attachments.keepAll(messageId, attachments),
		tapbacks: [],
		message: {
			messageId,
			status: "queued",
			text,
			from: agentNumber,
			to: conversation.contacts[0] ?? "",
			groupId: conversation.groupId,
			attachments: attachments.map(toReceivedAttachment),
			status_callback: statusCallback,
			outbound: true,
			nativeMessageNumber: agentNumber,
			participants: [agentNumber, ...conversation.contacts],
			chatGuid: null,
			messageGuid: null,
			timestamp_ms: now,
			error: null,
		},
	};
}
