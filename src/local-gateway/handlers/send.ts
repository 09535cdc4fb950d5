import type { WireAttachment } from "../../catalogue/attachments.ts";
import type { SendOptions } from "../../catalogue/sends.ts";
import type { ReceivedAttachment } from "../../catalogue/shared.ts";
import type { TargetFields } from "../../catalogue/targets.ts";
import { randomUuid } from "../../runtime.ts";
import type { AgentRecord } from "../agents.ts";
import { assertAudio, assertSize, toReceivedAttachment } from "../attachments.ts";
import { checkConsecutive } from "../consecutive.ts";
import { type Chat, type Conversation, createConversation } from "../conversations.ts";
import { assertDestination } from "../destination-url.ts";
import { contentSignature } from "../duplicates.ts";
import { startJourney } from "../journey.ts";
import { behaviourOf } from "../magic-numbers.ts";
import type { MessageRecord } from "../messages.ts";
import { Refusal, refuseField } from "../refusal.ts";
import type { Handlers } from "../run-operation.ts";
import type { World } from "../world.ts";

interface Content {
	readonly kind: "text" | "attachments" | "voice";
	readonly text: string;
	readonly attachments: readonly WireAttachment[];
}

/** Carries out the sends. */
export function sendHandlers(world: World) {
	return {
		"messages.sendText": (input) => {
			return send(world, input, { kind: "text", text: input.text, attachments: [] });
		},
		"messages.sendAttachments": (input) => {
			const { attachments, text = "" } = input;
			return send(world, input, { kind: "attachments", text, attachments });
		},
		"messages.sendVoiceNote": (input) => {
			assertAudio(input.attachment);
			return send(world, input, { kind: "voice", text: "", attachments: [input.attachment] });
		},
	} satisfies Partial<Handlers>;
}

/** The order of the checks is ours: validation, agent, duplicate, consecutive. Nothing changes before they pass. */
function send(world: World, input: TargetFields & SendOptions, content: Content) {
	const { settings, duplicates } = world;
	const now = world.clock.now();
	if (input.statusCallback !== undefined) assertDestination("status_callback", input.statusCallback);
	content.attachments.forEach(assertSize);
	assertCapacity(world);
	const chat = findChat(world, input);
	const known = world.conversations.find(chat);
	const agent = chooseAgent(world, input.from, known);
	const conversation = known ?? createConversation(world, chat, agent);
	const signature = contentSignature(content);
	const attempt = { conversation, agentNumber: agent.agentNumber, signature };
	duplicates.check(attempt, now);
	checkConsecutive(conversation, settings.rules.consecutive, now);

	const record = createRecord(world, attempt, {
		text: content.text,
		attachments: content.attachments.map(toReceivedAttachment),
		statusCallback: input.statusCallback ?? null,
	});
	world.conversations.keep(conversation);
	world.messages.add(record);
	conversation.counters.outbound += 1;
	conversation.counters.consecutiveCount += 1;
	conversation.lastMessageAt = now;
	duplicates.open(attempt, record.message.messageId, now);
	startJourney(world, record, behaviourOf(conversation).steps);
	return { message: { ...record.message } };
}

/** Work is never dropped, so there must be room for more of it. */
function assertCapacity({ scheduler, deliveries, agents, settings }: World): void {
	if (scheduler.size + deliveries.pendingCount + agents.waitingCount < settings.maxEntries) return;
	throw new Refusal(
		"SERVICE_UNAVAILABLE",
		"Too much is still to be sent or delivered: wait, see whether the receiver answers, or raise maxEntries.",
	);
}

function findChat(world: World, { to, groupId, participants = [] }: TargetFields): Chat {
	if (to !== undefined) return { key: to, groupId: null, contacts: [to] };
	if (groupId !== undefined) return world.conversations.getGroup(groupId);
	const contacts = [...new Set(participants)];
	if (contacts.length < 2) throw refuseField("participants", "must be two different numbers or more");
	const id = `group-${randomUuid()}`;
	return world.conversations.findGroupOf(contacts) ?? { key: id, groupId: id, contacts };
}

/** An agent that is named sends; the mapping stays with its own one. Ours. */
function chooseAgent(
	{ agents }: World,
	from: string | undefined,
	conversation: Conversation | undefined,
): AgentRecord {
	const agentNumber = from ?? conversation?.agentNumber;
	return agentNumber === undefined ? agents.choose() : agents.getUnblocked(agentNumber);
}

function createRecord(
	world: World,
	from: { conversation: Conversation; agentNumber: string; signature: string },
	content: { text: string; attachments: ReceivedAttachment[]; statusCallback: string | null },
): MessageRecord {
	const { conversation, agentNumber, signature } = from;
	return {
		sequence: world.nextSequence(),
		conversation,
		signature,
		message: {
			messageId: randomUuid(),
			status: "queued",
			text: content.text,
			from: agentNumber,
			to: conversation.contacts[0] ?? "",
			groupId: conversation.groupId,
			attachments: content.attachments,
			status_callback: content.statusCallback,
			outbound: true,
			nativeMessageNumber: agentNumber,
			participants: [agentNumber, ...conversation.contacts],
			chatGuid: null,
			messageGuid: null,
			timestamp_ms: world.clock.now(),
			error: null,
		},
	};
}
