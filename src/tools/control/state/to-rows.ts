import { systemClock } from "../../../library/runtime.ts";
import type { AgentRecord } from "../../local-gateway/agents.ts";
import type { Thing } from "../../local-gateway/change-feed.ts";
import type { Delivery } from "../../local-gateway/delivery.ts";
import { receiverUrl } from "../../local-gateway/destinations.ts";
import type { Happening } from "../../local-gateway/history.ts";
import type { Conversation, MessageRecord } from "../../local-gateway/records.ts";
import type { World } from "../../local-gateway/world.ts";
import type {
	StoredAgent,
	StoredConversation,
	StoredDelivery,
	StoredGateway,
	StoredHappening,
	StoredMessage,
} from "./rows.ts";
import type { StateKind, StateRow } from "./state-store.ts";

/** The place of a thing's row; `undefined` for faults and requests, which end with their run. */
export function placeOf(thing: Thing): { readonly kind: StateKind; readonly id: string } | undefined {
	switch (thing.type) {
		case "agent":
			return { kind: "agent", id: thing.agent.agentNumber };
		case "conversation":
			return { kind: "conversation", id: String(thing.conversation.sequence) };
		case "message":
			return { kind: "message", id: thing.record.message.messageId };
		case "delivery":
			return { kind: "delivery", id: thing.delivery.eventId };
		case "happening":
			return { kind: "happening", id: String(thing.happening.sequence) };
		case "attachment":
			return { kind: "attachment", id: thing.attachment.id };
		case "destinations":
		case "clock":
			return { kind: "gateway", id: "" };
		case "faults":
		case "request":
			return undefined;
	}
}

/** The content of a thing's row. */
export function contentOf(thing: Thing, world: World): StateRow["value"] {
	if (thing.type === "attachment") return thing.attachment.bytes;
	return JSON.stringify(toStored(thing, world));
}

/** All things of a world that have rows. */
export function thingsOf(world: World): Thing[] {
	return [
		{ type: "destinations" },
		...world.agents.all().map((agent) => ({ type: "agent", agent }) as const),
		...world.conversations.all().map((conversation) => ({ type: "conversation", conversation }) as const),
		...world.messages.all().map((record) => ({ type: "message", record }) as const),
		...world.deliveries.all().map((delivery) => ({ type: "delivery", delivery }) as const),
		...world.history.all().map((happening) => ({ type: "happening", happening }) as const),
		...world.attachments.all().map((attachment) => ({ type: "attachment", attachment }) as const),
	];
}

function toStored(thing: Exclude<Thing, { type: "attachment" }>, world: World): object {
	switch (thing.type) {
		case "agent":
			return toStoredAgent(thing.agent);
		case "conversation":
			return toStoredConversation(thing.conversation);
		case "message":
			return toStoredMessage(thing.record);
		case "delivery":
			return toStoredDelivery(thing.delivery);
		case "happening":
			return toStoredHappening(thing.happening);
		case "destinations":
		case "clock":
		case "faults":
		case "request":
			return toStoredGateway(world);
	}
}

function toStoredGateway({ clock, destinations, settings }: World): StoredGateway {
	const offsetMs = clock.now() - systemClock.now();
	return { ...destinations, offsetMs, deliverTo: receiverUrl(settings.deliverTo) };
}

function toStoredAgent({ waiting: _, mappingCount: __, ...agent }: AgentRecord): StoredAgent {
	return agent;
}

function toStoredConversation(conversation: Conversation): StoredConversation {
	const { unread: _, opened: __, lastSent, lastAccepted, ...fields } = conversation;
	return { ...fields, lastAccepted, lastSentId: lastSent?.message.messageId };
}

function toStoredMessage({ conversation, ...record }: MessageRecord): StoredMessage {
	const { key, groupId, contacts, sequence, unread } = conversation;
	return {
		...record,
		conversation: sequence,
		chat: { key, groupId, contacts },
		isUnread: unread.has(record.message.messageId),
	};
}

function toStoredDelivery(delivery: Delivery): StoredDelivery {
	const { nextAttemptAt: _, ...stored } = delivery;
	return stored;
}

function toStoredHappening(happening: Happening): StoredHappening {
	return happening;
}
