import type { Attachment, Message } from "chat";
import { verifyWebhook } from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";
import { CORPUS } from "../../../support/event-corpus.ts";
import { deliver, receiver, signedAt } from "../../../support/webhook-delivery.ts";
import { createChatWorld } from "./chat-world.ts";

/** How much later than it was written an event is delivered. */
const DELAY_SECONDS = 60;

/** Those that can be verified. */
const EVENTS = Object.entries(CORPUS).filter(([outcome]) => !/^\d/.test(outcome));

describe.each(EVENTS)("%s", (outcome, deliveries) => {
	const rows = deliveries.map(([title, body, bot = usual(outcome)]) => [title, body, bot] as const);
	test.each(rows)("%s", async (_title, body, bot) => {
		expect(await playToBot(body)).toBe(bot);
	});
});

function usual(outcome: string): string {
	if (outcome.startsWith("inbound_message")) return 'says "Hello"';
	if (outcome.startsWith("inbound_reaction")) return "adds heart";
	return outcome.startsWith("status") ? "status" : "unknown";
}

async function playToBot(given: object | string | Uint8Array): Promise<string> {
	const isRaw = typeof given === "string" || given instanceof Uint8Array;
	const event = verifyWebhook(deliver(isRaw ? given : JSON.stringify(given)), receiver());
	const log: string[] = [];
	const { bot, adapter } = createChatWorld({
		onStatus: () => log.push("status"),
		onUnknown: () => log.push("unknown"),
	});
	bot.onDirectMessage((_thread, message) => void log.push(describeMessage(message)));
	bot.onNewMessage(/.*/, (_thread, message) => void log.push(`${describeMessage(message)} in a group`));
	bot.onReaction(({ emoji, added }) => void log.push(`${added ? "adds" : "removes"} ${emoji.name}`));
	await bot.initialize();
	await adapter.process(JSON.parse(JSON.stringify({ ...event, timestamp: signedAt + DELAY_SECONDS })));
	return log.length === 0 ? "nothing" : log.join(", ");
}

function describeMessage({ id, text, attachments, metadata }: Message): string {
	// All of them were written in this second.
	const delayMs = metadata.dateSent.valueOf() - signedAt * 1_000;
	const isSent = delayMs >= 0 && delayMs < 1_000;
	const isDelivered = delayMs === DELAY_SECONDS * 1_000;
	return [
		`says ${JSON.stringify(text).replace(/(.{13}).{90,}/, "$1…")}`,
		...(attachments.length > 0 ? [`with ${attachments.map(describeAttachment).join(", ")}`] : []),
		...(id === "guid-1" ? [] : [`as ${id}`]),
		...(isSent ? [] : [isDelivered ? "when it was delivered" : metadata.dateSent.toISOString()]),
	].join(" ");
}

function describeAttachment({ type, url, name, mimeType, size }: Attachment): string {
	return [type, url, name, mimeType, size].filter((value) => value !== undefined).join(" ");
}
