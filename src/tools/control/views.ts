import { OPERATIONS } from "../../library/catalogue/index.ts";
import type { ReceivedAttachment } from "../../library/catalogue/shared.ts";
import { systemClock } from "../../library/runtime.ts";
import { toAgent } from "../local-gateway/agents.ts";
import type { GatewayCore } from "../local-gateway/create-gateway-core.ts";
import type { Attempt, Delivery } from "../local-gateway/delivery.ts";
import type { KeptAttachments } from "../local-gateway/kept-attachments.ts";
import { MAGIC_NUMBERS } from "../local-gateway/magic-numbers.ts";
import type { Conversation, MessageRecord } from "../local-gateway/records.ts";
import type { GatewaySettings } from "../local-gateway/settings.ts";
import type { World } from "../local-gateway/world.ts";
import type {
	AttemptView,
	ConversationView,
	DeliveryView,
	FailureDiagnosis,
	GatewayTime,
	MessageView,
	Snapshot,
} from "./contract.ts";
import { diagnoseAttempt, diagnoseDelivery } from "./diagnosis/diagnose-delivery.ts";
import type { ThreadFacts } from "./thread-facts.ts";

/** How many messages a snapshot holds. */
const MAX_IN_SNAPSHOT = 200;

/** How much of a group's name is shown. */
const MAX_GROUP_NAME = 200;

export function toSnapshot({ settings, faults, getWorld }: GatewayCore, threads: ThreadFacts): Snapshot {
	const world = getWorld();
	const { baseUrl, appId } = settings;
	const messages = world.messages.all().slice(-MAX_IN_SNAPSHOT);
	return {
		baseUrl,
		appId,
		...toTime(world),
		agents: world.agents.all().map(toAgent),
		conversations: world.conversations
			.all()
			.map((conversation) => toConversationView(world, conversation, threads)),
		messages: messages.map((record) => toMessageView(world, record)),
		destinations: { ...world.destinations },
		faults: faults.describe(),
		operationIds: OPERATIONS.map(({ id }) => id),
		limits: settings.limits,
		consecutive: settings.rules.consecutive,
		areRulesOn: world.rules.areOn,
	};
}

/** The gateway's time, and how far it is ahead. */
export function toTime({ clock }: Pick<World, "clock">): GatewayTime {
	const now = clock.now();
	return { now, offsetMs: now - systemClock.now() };
}

/** A message as the console shows it. */
export function toMessageView({ attachments }: World, record: MessageRecord): MessageView {
	const { message, sequence, conversation, kind, tapbacks, effect, replyToGuid } = record;
	return {
		...message,
		attachments: message.attachments.map((attachment, at) =>
			withId(attachment, record.attachmentIds[at] ?? null, attachments),
		),
		sequence,
		conversationKey: conversation.key,
		kind,
		tapbacks: tapbacks.map(({ by, reaction, partIndex }) => ({
			by,
			reaction,
			...(partIndex === undefined ? {} : { partIndex }),
		})),
		...(effect === undefined ? {} : { effect }),
		...(replyToGuid === undefined ? {} : { replyToGuid }),
	};
}

/** Adds the id of kept bytes, and removes an id that came with the message. */
function withId(
	{ id: _, ...attachment }: ReceivedAttachment,
	id: string | null,
	kept: KeptAttachments,
): ReceivedAttachment {
	return id === null || kept.find(id) === undefined ? attachment : { ...attachment, id };
}

/** A conversation as the console shows it. */
export function toConversationView(
	world: World,
	conversation: Conversation,
	threads: ThreadFacts,
): ConversationView {
	const { key, groupId, groupName, contacts, agentNumber, counters, typingUntil, readUpTo, lastMessageAt } =
		conversation;
	const now = world.clock.now();
	const magic = groupId === null ? MAGIC_NUMBERS.find(({ number }) => number === key) : undefined;
	return {
		key,
		groupId,
		...(groupName === undefined ? {} : { groupName: groupName.slice(0, MAX_GROUP_NAME) }),
		contacts,
		agentNumber,
		counters: { ...counters },
		windows: world.duplicates.openWindows(conversation, now),
		...(magic === undefined ? {} : { behaviour: magic.behaviour }),
		typingUntil: typingUntil !== null && typingUntil > now ? typingUntil : null,
		readUpTo,
		lastMessageAt,
		...threads.of(key),
	};
}

/** A delivery as the console shows it. */
export function toDeliveryView(
	delivery: Delivery,
	{ webhookSecret, baseUrl }: Pick<GatewaySettings, "webhookSecret" | "baseUrl">,
): DeliveryView {
	const { eventId, kind, url, headers, body, state, attempts } = delivery;
	const { sequence, messageId, conversationKey, createdAt, nextAttemptAt } = delivery;
	const gateway = { webhookSecret, baseUrl };
	const diagnosis = diagnoseDelivery(delivery, gateway);
	return {
		eventId,
		kind,
		url,
		headers,
		body,
		state,
		attempts: attempts.map((attempt) => toAttemptView(attempt, diagnoseAttempt(delivery, attempt, gateway))),
		sequence,
		messageId,
		conversationKey,
		createdAt,
		...(nextAttemptAt === undefined ? {} : { nextAttemptAt }),
		...(diagnosis === undefined ? {} : { diagnosis }),
	};
}

function toAttemptView(attempt: Attempt, diagnosis: FailureDiagnosis | undefined): AttemptView {
	const { recorded, headers, sentBody, isEdited, check, response, durationMs } = attempt;
	return {
		...recorded,
		headers,
		...(sentBody === undefined ? {} : { sentBody }),
		...(isEdited === undefined ? {} : { isEdited }),
		...(check === undefined ? {} : { check }),
		...(response === undefined ? {} : { response: { ...response } }),
		...(durationMs === undefined ? {} : { durationMs }),
		...(diagnosis === undefined ? {} : { diagnosis }),
	};
}
