import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { MessagingGateway } from "messaging-gateway";
import type { ConnectedGateway, LocalGateway } from "messaging-gateway/testing";

const CONTACT = "+15551234567";
const POLL_MS = 50;

/** Resolves to true once a port of this machine accepts connections, or to false when it is aborted before. */
export async function isListening(port: number, signal: AbortSignal): Promise<boolean> {
	while (!signal.aborted) {
		if (await canConnect(port)) return true;
		await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
	}
	return false;
}

function canConnect(port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const socket = connect(port, "127.0.0.1");
		socket.once("connect", () => socket.end()).once("error", () => undefined);
		socket.once("close", (hadError) => resolve(!hadError)).resume();
	});
}

/** Triggers webhooks, and says how. */
export async function converse(
	local: LocalGateway,
	webhookUrl: string,
	say: (line: string) => void,
): Promise<void> {
	const { settings, messages } = new MessagingGateway(local.clientOptions);
	await settings.setWebhooks({ inboundWebhookUrl: webhookUrl, statusWebhookUrl: webhookUrl });
	const contact = local.contact(CONTACT);

	say("a text is sent to a contact");
	const { message } = await messages.sendText({ to: CONTACT, text: "Your parcel is ready." });
	await local.settled();
	say("the contact reacts to it");
	await contact.react("love");
	await local.settled();
	say("the contact asks: Where is order 4711?");
	await contact.reply("Where is order 4711?");
	await local.settled();

	const replies = local.sent.slice(
		local.sent.findIndex(({ messageId }) => messageId === message.messageId) + 1,
	);
	for (const { text } of replies) say(`the contact gets the reply: ${text}`);
}

/** A contact types three lines one after the other, and waits for the reply. */
export async function typeThreeLines(
	local: LocalGateway,
	webhookUrl: string,
	say: (line: string) => void,
	signal: AbortSignal,
): Promise<void> {
	const { settings } = new MessagingGateway(local.clientOptions);
	await settings.setWebhooks({ inboundWebhookUrl: webhookUrl });
	const contact = local.contact(CONTACT);
	const before = local.sent.length;
	for (const line of ["Hello!", "I have a question.", "Where is order 4711?"]) {
		say(`the contact types: ${line}`);
		await contact.reply(line);
		await local.settled();
	}
	for (const text of await nextSent(local, before, signal)) say(`the contact gets the reply: ${text}`);
}

/** A contact talks to a bot, stops it, and starts it again. */
export async function stopAndStart(
	local: LocalGateway,
	webhookUrl: string,
	say: (line: string) => void,
): Promise<void> {
	const { settings } = new MessagingGateway(local.clientOptions);
	await settings.setWebhooks({ inboundWebhookUrl: webhookUrl });
	for (const line of ["Hello!", "Stop", "Hello?", "Start", "Hello again!"]) {
		const before = local.sent.length;
		say(`the contact writes: ${line}`);
		await local.contact(CONTACT).reply(line);
		await local.settled();
		const replies = local.sent.slice(before).map(({ text }) => text);
		say(replies.length === 0 ? "the contact gets nothing" : `the contact gets: ${replies.join(" / ")}`);
	}
}

/** A contact writes to a bot, and waits for its reply. */
export async function greetBot(
	local: ConnectedGateway,
	say: (line: string) => void,
	signal: AbortSignal,
): Promise<void> {
	say("a contact writes: Hello");
	await local.contact(CONTACT).reply("Hello");
	while (!signal.aborted) {
		const { items } = await local.messages();
		const reply = items.find(({ outbound }) => outbound);
		if (reply !== undefined) return say(`the contact gets the reply: ${reply.text}`);
		await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
	}
}

/** Ships two orders; the response to the notice of the second one is lost. */
export async function shipOrders(
	local: LocalGateway,
	url: string,
	say: (line: string) => void,
	signal: AbortSignal,
): Promise<void> {
	for (const order of ["4711", "4712"]) {
		const isLost = order === "4712";
		if (isLost) local.faults.dropConnection({ when: "after", operationId: "messages.sendText" });
		say(`order ${order} ships${isLost ? ", and the response to its notice is lost" : ""}`);
		const before = local.sent.length;
		const body = JSON.stringify({ order, phone: CONTACT });
		const headers = { "Content-Type": "application/json" };
		await fetch(`${url}/orders`, { method: "POST", headers, body, signal });
		for (const text of await nextSent(local, before, signal)) say(`the contact gets: ${text}`);
		await local.settled();
	}
}

/** Waits until there are more messages than before. @returns their texts. */
async function nextSent(local: LocalGateway, before: number, signal: AbortSignal): Promise<string[]> {
	while (local.sent.length === before && !signal.aborted) {
		await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
	}
	return local.sent.slice(before).map(({ text }) => text);
}
