import { randomUUID } from "node:crypto";
import { MessagingGateway } from "messaging-gateway";
import { createConversation } from "../../src/tools/local-gateway/conversations.ts";
import { createGatewayCore, type GatewayCore } from "../../src/tools/local-gateway/create-gateway-core.ts";
import { DuplicateWindows } from "../../src/tools/local-gateway/duplicates.ts";
import { PLAIN_MESSAGE } from "../../src/tools/local-gateway/messages.ts";
import type { MessageRecord } from "../../src/tools/local-gateway/records.ts";
import { resolveSettings } from "../../src/tools/local-gateway/settings.ts";
import { Traffic } from "../../src/tools/local-gateway/traffic.ts";
import type { World } from "../../src/tools/local-gateway/world.ts";
import { newEventId } from "../inputs.ts";
import type { Prepare } from "./bodies.ts";

const CONTACT = "+15551234567";

/** The local gateway, with a history of so many entries, which is as many as it keeps. */
export const GATEWAY: Readonly<Record<string, Prepare>> = {
	"duplicate windows, check and open when full"(size) {
		const world = createCore(size).getWorld();
		const windows = new DuplicateWindows(resolveSettings({}).rules, size);
		const conversation = createConversation(world, chatWith(CONTACT), agentOf(world));
		const { windowId } = conversation;
		const { agentNumber } = agentOf(world);
		let now = Date.now();
		const sendOne = () => {
			const attempt = { conversation, windowId, agentNumber, signature: randomUUID() };
			// Windows end as fast as new ones open.
			now += 300_000 / size;
			windows.check(attempt, now);
			windows.open(attempt, attempt.signature, now);
		};
		for (let at = 0; at < size; at++) sendOne();
		return sendOne;
	},
	"traffic, record when full"(size) {
		const traffic = new Traffic(size);
		const request = { method: "GET", path: "/health", query: "", headers: {}, body: "", at: 0 };
		for (let at = 0; at < size; at++) traffic.record(request);
		return () => traffic.record(request);
	},
	"mappings.get"(size) {
		const { gateway, contact } = createFilled(size);
		return () => gateway.mappings.get(contact);
	},
	"messages.sendText, until its webhooks are delivered"(size) {
		const { gateway, local, contact } = createFilled(size);
		return async () => {
			await gateway.messages.sendText({ to: contact, text: randomUUID() });
			await local.settled();
		};
	},
};

/** A gateway that keeps `size` entries of each kind. */
function createCore(size: number): GatewayCore {
	return createGatewayCore({
		maxEntries: size,
		rules: { consecutive: "off" },
		deliverTo: () => new Response(null, { status: 204 }),
		// As many as the runs of one measurement need.
		nonceStore: { remember: async () => true },
	});
}

/** A gateway with as many mappings, messages, duplicate windows and deliveries as it keeps, and one of its contacts. */
function createFilled(size: number) {
	const { local, getWorld } = createCore(size);
	const world = getWorld();
	for (let at = 0; at < size; at++) {
		const record = createMessage(world, contactOf(at));
		const { conversation, message } = record;
		world.conversations.keep(conversation);
		world.messages.add(record);
		const { agentNumber, windowId } = conversation;
		const attempt = { conversation, windowId, agentNumber, signature: randomUUID() };
		world.duplicates.open(attempt, message.messageId, world.clock.now());
		world.deliveries.keep({
			kind: "status",
			messageId: message.messageId,
			conversationKey: conversation.key,
			statusCallback: null,
			sequence: world.sequence.next(),
			createdAt: world.clock.now(),
			eventId: newEventId(),
			body: "{}",
			attempts: [],
			url: "http://receiver.localhost/webhooks",
			headers: {},
			state: "delivered",
		});
	}
	return {
		local,
		gateway: new MessagingGateway(local.clientOptions),
		contact: contactOf(Math.floor(size / 2)),
	};
}

function createMessage(world: World, contact: string): MessageRecord {
	const agent = agentOf(world);
	const conversation = createConversation(world, chatWith(contact), agent);
	return {
		...PLAIN_MESSAGE,
		sequence: world.sequence.next(),
		conversation,
		kind: "text",
		signature: undefined,
		windowId: conversation.windowId,
		attachmentIds: [],
		tapbacks: [],
		message: {
			messageId: randomUUID(),
			status: "read",
			text: "Hello",
			from: agent.agentNumber,
			to: contact,
			groupId: null,
			attachments: [],
			status_callback: null,
			outbound: true,
			nativeMessageNumber: agent.agentNumber,
			participants: [agent.agentNumber, contact],
			chatGuid: conversation.chatGuid,
			messageGuid: randomUUID(),
			timestamp_ms: world.clock.now(),
			error: null,
		},
	};
}

function agentOf(world: World) {
	const [agent] = world.agents.all();
	if (agent === undefined) throw new Error("there is an agent from the start");
	return agent;
}

function chatWith(contact: string) {
	return { key: contact, groupId: null, contacts: [contact] };
}

function contactOf(at: number): string {
	return `+1556${String(at).padStart(7, "0")}`;
}
