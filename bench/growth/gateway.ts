import { randomUUID } from "node:crypto";
import { MessagingGateway } from "messaging-gateway";
import { createConversation } from "../../src/tools/local-gateway/conversations.ts";
import { createGatewayCore } from "../../src/tools/local-gateway/create-gateway-core.ts";
import { AcceptedSends } from "../../src/tools/local-gateway/duplicates.ts";
import { resolveSettings } from "../../src/tools/local-gateway/settings.ts";
import { Traffic } from "../../src/tools/local-gateway/traffic.ts";
import { newEventId } from "../inputs.ts";
import type { Prepare } from "./bodies.ts";

/** The local gateway, with a history of so many entries, which is as many as it keeps. */
export const GATEWAY: Readonly<Record<string, Prepare>> = {
	async "duplicate windows, check and open when full"(size) {
		const { message } = await createFilled(0);
		const windows = new AcceptedSends(resolveSettings({}).rules, size);
		const { conversation } = message;
		const { windowId, agentNumber } = conversation;
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
	async "mappings.get"(size) {
		const { gateway, contact } = await createFilled(size);
		return () => gateway.mappings.get(contact);
	},
	async "messages.sendText, until its webhooks are delivered"(size) {
		const { gateway, local, contact } = await createFilled(size);
		return async () => {
			await gateway.messages.sendText({ to: contact, text: randomUUID() });
			await local.settled();
		};
	},
};

/** A gateway with `size` mappings, messages, duplicate windows and deliveries, as many as it keeps, and a contact. */
async function createFilled(size: number) {
	const { local, getWorld } = createGatewayCore({
		maxEntries: Math.max(1, size),
		rules: { consecutive: "off" },
		deliverTo: () => new Response(null, { status: 204 }),
		// As many as the runs of one measurement need.
		nonceStore: { remember: async () => true },
	});
	const world = getWorld();
	const gateway = new MessagingGateway(local.clientOptions);
	await gateway.messages.sendText({ to: "+15551234567", text: "Hello" });
	await local.settled();
	// The others are its copies.
	const message = first(world.messages.all());
	const delivery = first(world.deliveries.all());
	const agent = first(world.agents.all());
	for (let at = 0; at < size; at++) {
		const key = contactOf(at);
		const conversation = createConversation(world, { key, groupId: null, contacts: [key] }, agent);
		const { agentNumber, windowId } = conversation;
		const messageId = randomUUID();
		const sequence = () => world.sequence.next();
		world.conversations.keep(conversation);
		const copied = { ...message.message, messageId, messageGuid: randomUUID(), to: key };
		world.messages.add({ ...message, sequence: sequence(), conversation, message: copied });
		world.duplicates.open(
			{ conversation, windowId, agentNumber, signature: randomUUID() },
			messageId,
			world.clock.now(),
		);
		world.deliveries.keep({
			...delivery,
			messageId,
			conversationKey: key,
			sequence: sequence(),
			eventId: newEventId(),
		});
	}
	return { local, gateway, message, contact: contactOf(Math.floor(size / 2)) };
}

function contactOf(at: number): string {
	return `+1556${String(at).padStart(7, "0")}`;
}

function first<Entry>([entry]: readonly Entry[]): Entry {
	if (entry === undefined) throw new Error("the gateway has one");
	return entry;
}
