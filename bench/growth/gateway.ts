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
import { newEventId } from "../stores/keys.ts";
import type { GrowthSubject } from "./subject.ts";

const CONTACT = "+15551234567";

/** The local gateway, with a history of that many entries, which is as many as it keeps. */
export const GATEWAY_SUBJECTS: readonly GrowthSubject[] = [
	{
		name: "duplicate windows, check and open when full",
		sizeOf: "entries",
		growth: "constant",
		prepare(size) {
			const world = createCore(size).getWorld();
			const windows = new DuplicateWindows(resolveSettings({}).rules, size);
			const [agent] = world.agents.all();
			if (agent === undefined) throw new Error("there is an agent from the start");
			const conversation = createConversation(world, chatWith(CONTACT), agent);
			const { agentNumber, windowId } = { ...agent, ...conversation };
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
	},
	{
		name: "traffic, record when full",
		sizeOf: "entries",
		growth: "constant",
		prepare(size) {
			const traffic = new Traffic(size);
			const request = { method: "GET", path: "/health", query: "", headers: {}, body: "", at: 0 };
			const recordOne = () => traffic.record(request);
			for (let at = 0; at < size; at++) recordOne();
			return recordOne;
		},
	},
	{
		name: "mappings.get",
		sizeOf: "entries",
		growth: "constant",
		prepare(size) {
			const core = createFilledCore(size);
			const gateway = new MessagingGateway(core.local.clientOptions);
			return async () => gateway.mappings.get(contactOf(Math.floor(size / 2)));
		},
	},
	{
		name: "messages.sendText, until its webhooks are delivered",
		sizeOf: "entries",
		growth: "constant",
		prepare(size) {
			const core = createFilledCore(size);
			const gateway = new MessagingGateway(core.local.clientOptions);
			return async () => {
				await gateway.messages.sendText({ to: contactOf(Math.floor(size / 2)), text: randomUUID() });
				await core.local.settled();
			};
		},
	},
];

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

/** A gateway with as many mappings, messages, duplicate windows and deliveries as it keeps. */
function createFilledCore(size: number): GatewayCore {
	const core = createCore(size);
	const world = core.getWorld();
	for (let at = 0; at < size; at++) {
		const record = createMessage(world, contactOf(at));
		const { conversation, message } = record;
		world.conversations.keep(conversation);
		world.messages.add(record);
		const { agentNumber, windowId } = conversation;
		const signature = randomUUID();
		world.duplicates.open(
			{ conversation, windowId, agentNumber, signature },
			message.messageId,
			world.clock.now(),
		);
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
	return core;
}

function createMessage(world: World, contact: string): MessageRecord {
	const [agent] = world.agents.all();
	if (agent === undefined) throw new Error("there is an agent from the start");
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

function chatWith(contact: string) {
	return { key: contact, groupId: null, contacts: [contact] };
}

function contactOf(at: number): string {
	return `+1556${String(at).padStart(7, "0")}`;
}
