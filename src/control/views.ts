import type { ReceivedAttachment } from "../catalogue/shared.ts";
import { toAgent } from "../local-gateway/agents.ts";
import type { GatewayCore } from "../local-gateway/create-gateway-core.ts";
import type { Attempt, Delivery } from "../local-gateway/delivery.ts";
import { toRecordedDelivery } from "../local-gateway/delivery.ts";
import type { KeptAttachments } from "../local-gateway/kept-attachments.ts";
import { MAGIC_NUMBERS } from "../local-gateway/magic-numbers.ts";
import type { Conversation, MessageRecord } from "../local-gateway/records.ts";
import type { World } from "../local-gateway/world.ts";
import { systemClock } from "../runtime.ts";
import type { AttemptView, ConversationView, DeliveryView, MessageView, Snapshot } from "./contract.ts";

/** How many messages, and how many deliveries, a snapshot holds. */
const MAX_IN_SNAPSHOT = 500;

/** The current state. */
export function toSnapshot({ settings, faults, getWorld }: GatewayCore): Snapshot {
	const world = getWorld();
	const { baseUrl, appId } = settings;
	const messages = splitAtLimit(world.messages.all());
	const deliveries = splitAtLimit(world.deliveries.all());
	return {
		baseUrl,
		appId,
		...toTime(world),
		agents: world.agents.all().map(toAgent),
		conversations: world.conversations.all().map((conversation) => toConversationView(world, conversation)),
		messages: messages.youngest.map((record) => toMessageView(world, record)),
		deliveries: deliveries.youngest.map(toDeliveryView),
		destinations: { ...world.destinations },
		faults: faults.describe(),
		limits: settings.limits,
		consecutive: settings.rules.consecutive,
		older: {
			messages: countBy(messages.older, ({ conversation }) => conversation.key),
			deliveries: countBy(deliveries.older, ({ conversationKey }) => conversationKey),
		},
	};
}

function splitAtLimit<Item>(items: readonly Item[]): { older: readonly Item[]; youngest: readonly Item[] } {
	return { older: items.slice(0, -MAX_IN_SNAPSHOT), youngest: items.slice(-MAX_IN_SNAPSHOT) };
}

function countBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const item of items) counts[keyOf(item)] = (counts[keyOf(item)] ?? 0) + 1;
	return counts;
}

/** The gateway's time, and how far it is ahead. */
export function toTime({ clock }: Pick<World, "clock">): Pick<Snapshot, "now" | "offsetMs"> {
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
export function toConversationView(world: World, conversation: Conversation): ConversationView {
	const { key, groupId, contacts, agentNumber, counters, typingUntil, readUpTo, lastMessageAt } =
		conversation;
	const now = world.clock.now();
	const magic = groupId === null ? MAGIC_NUMBERS.find(({ number }) => number === key) : undefined;
	return {
		key,
		groupId,
		contacts,
		agentNumber,
		counters: { ...counters },
		windows: world.duplicates.openWindows(conversation, now),
		...(magic === undefined ? {} : { behaviour: magic.behaviour }),
		typingUntil: typingUntil !== null && typingUntil > now ? typingUntil : null,
		readUpTo,
		lastMessageAt,
	};
}

/** A delivery as the console shows it. */
export function toDeliveryView(delivery: Delivery): DeliveryView {
	const { sequence, messageId, conversationKey, createdAt, attempts, nextAttemptAt } = delivery;
	return {
		...toRecordedDelivery(delivery),
		attempts: attempts.map(toAttemptView),
		sequence,
		messageId,
		conversationKey,
		createdAt,
		...(nextAttemptAt === undefined ? {} : { nextAttemptAt }),
	};
}

function toAttemptView(attempt: Attempt): AttemptView {
	const { recorded, headers, sentBody, check, response, durationMs } = attempt;
	return {
		...recorded,
		headers,
		...(sentBody === undefined ? {} : { sentBody }),
		...(check === undefined ? {} : { check }),
		...(response === undefined ? {} : { response: { ...response } }),
		...(durationMs === undefined ? {} : { durationMs }),
	};
}
