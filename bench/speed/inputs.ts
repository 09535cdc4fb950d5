import { createWebhookRequest } from "messaging-gateway/testing";

/** A text to send, of 163 bytes as JSON; its keys are not in order. */
export const TEXT_BODY = {
	to: "+15551234567",
	text: "Your table for four is booked for Friday at half past seven. Reply to change it.",
	from: "+15550000001",
	replyToGuid: "a3f1c9d2",
} as const;

/** A delivery as it arrives. */
export interface SampleDelivery {
	readonly text: string;
	readonly eventId: string;
	/** Unix time in seconds, of now. */
	readonly timestamp: number;
}

/** The payload of an inbound message with a text so long that the JSON has `bytes` bytes, or is as small as it gets. */
export async function createDelivery(bytes: number): Promise<SampleDelivery> {
	const shortest = await readBody("");
	const text = await readBody(textOfLength(bytes - shortest.length));
	const timestamp = Math.floor(Date.now() / 1000);
	return { text, eventId: "evt_0123456789abcdef01234567", timestamp };
}

/** A value whose JSON has at least `bytes` bytes: a list of inbound messages. */
export async function createValue(bytes: number): Promise<unknown> {
	const message: Record<string, unknown> = JSON.parse(await readBody("Hello, is the table still free?"));
	const items: unknown[] = [];
	for (let length = 0; length < bytes; ) {
		const item = { ...message, messageId: `message-${items.length}` };
		items.push(item);
		length += JSON.stringify(item).length;
	}
	return items;
}

/** The payload of an inbound message, parsed. */
export async function createMessage(): Promise<Record<string, unknown>> {
	return JSON.parse(await readBody("Hello, is the table still free?"));
}

/** Words of ASCII, as most texts are. */
function textOfLength(length: number): string {
	return "The kitchen closes at ten tonight. ".repeat(Math.ceil(Math.max(0, length) / 35)).slice(0, length);
}

function readBody(text: string): Promise<string> {
	return createWebhookRequest("inbound_message", { text }).text();
}
