import { randomUUID } from "node:crypto";
import type { Clock } from "messaging-gateway";
import { createWebhookRequest } from "messaging-gateway/testing";
import { signWebhook } from "messaging-gateway/webhooks";

/** The secret of everything that is signed here. */
export const SECRET = "a-secret-of-32-characters-length";

/** A text to send, of 163 bytes as JSON; its keys are not in order. */
export const TEXT_BODY = {
	to: "+15551234567",
	text: "Your table for four is booked for Friday at half past seven. Reply to change it.",
	from: "+15550000001",
	replyToGuid: "a3f1c9d2",
} as const;

/** The payload of an inbound message with a text so long that the JSON has `bytes` bytes, or is as small as it gets. */
export async function createPayload(bytes: number): Promise<string> {
	const { length } = await readBody("");
	// Words of ASCII, as most texts are.
	const words = "The kitchen closes at ten tonight. ".repeat(Math.ceil(Math.max(0, bytes - length) / 35));
	return readBody(words.slice(0, Math.max(0, bytes - length)));
}

/**
 * A payload as it is delivered for an event, with the names of headers as `node:http` has them. The text holds the id
 * as well, since equal bodies of one second are one delivery.
 */
export function signDelivery(payload: string, eventId: string, now = Date.now()) {
	const body = payload.replace("The kitchen", eventId);
	const signed = signWebhook({ body, secret: SECRET, eventId, timestamp: Math.floor(now / 1000) });
	const headers = Object.entries(signed).map(([name, value]) => [name.toLowerCase(), value] as const);
	return { body, headers: Object.fromEntries(headers) };
}

async function createMessage(): Promise<Record<string, unknown>> {
	return JSON.parse(await readBody("Hello, is the table still free?"));
}

/** A value whose JSON has about `bytes` bytes: a list of inbound messages. */
export async function createValue(bytes: number): Promise<unknown> {
	const message = await createMessage();
	const length = Math.ceil(bytes / JSON.stringify(message).length);
	return Array.from({ length }, (_, at) => ({ ...message, messageId: `message-${at}` }));
}

function readBody(text: string): Promise<string> {
	return createWebhookRequest("inbound_message", { text }).text();
}

/** A new key of an event as the webhook handler makes it: the consumer, and an event id of the local gateway's form. */
export function newKey(): string {
	return `default:${newEventId()}`;
}

/** A new event id of the form `evt_…`. */
export function newEventId(): string {
	return `evt_${randomHex().slice(8)}`;
}

/** A new digest of a delivery as the webhook handler passes it to `claim`: the consumer, and a SHA-256 in hex. */
export function newDigest(): string {
	return `default:${randomHex()}${randomHex()}`;
}

function randomHex(): string {
	return randomUUID().replaceAll("-", "");
}

/** A clock that stands still between its steps of `stepMs`, and starts no timers: hours pass without waiting. */
export function createSteppingClock(stepMs: number): Clock & { step(): void } {
	let now = Date.now();
	return {
		now: () => now,
		setTimer: () => () => undefined,
		step() {
			now += stepMs;
		},
	};
}
