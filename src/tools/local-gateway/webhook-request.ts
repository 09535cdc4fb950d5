import type { InboundMessage, InboundReaction, StatusUpdate } from "../../library/catalogue/events.ts";
import type { Message } from "../../library/catalogue/message.ts";
import type { Profile } from "../../library/catalogue/profile.ts";
import { systemClock } from "../../library/runtime.ts";
import { utf8 } from "../../library/signing/bytes.ts";
import { sha256Hex } from "../../library/signing/hash.ts";
import { createEventId, signWebhook } from "../../library/webhooks/sign-webhook.ts";
import { writeDeliveredJson } from "../delivered-json.ts";
import type { WebhookKind } from "./delivery.ts";
import {
	encodePayload,
	inboundMessagePayload,
	inboundReactionPayload,
	statusPayload,
	toWirePayload,
} from "./payloads.ts";
import { localWebhookSecret } from "./settings.ts";

/**
 * The documented payload of each kind of event.
 * @see Specification, sections 6.2 to 6.4
 */
export interface WebhookPayloads {
	inbound_message: InboundMessage;
	inbound_reaction: InboundReaction;
	status: StatusUpdate;
}

/** The options of {@link createWebhookRequest}. */
export interface WebhookRequestOptions {
	/** The webhook secret. @default "local-webhook-secret", encoded as `profile.events.secret` says, as in a local gateway */
	secret?: string | Uint8Array | undefined;
	/** The receiver's URL. @default "http://receiver.localhost/webhooks" */
	url?: string | undefined;
	/**
	 * The event's id. Equal ids give equal ids in the payload, as for a repeat.
	 * @default a random id of the form `evt_…`
	 */
	eventId?: string | undefined;
	/**
	 * The time in Unix seconds, for the signature and the payload. With it and an `eventId`, equal calls give equal
	 * requests.
	 * @default the current time
	 */
	timestamp?: number | undefined;
	/** The vendor's names. */
	profile?: Profile | undefined;
}

const AGENT = "+15550000001";
const CONTACT = "+15551234567";

/**
 * Creates a signed webhook as the local gateway delivers it, for unit tests of your receiver. If you parse the body and
 * write it again, it has other bytes. To choose the bytes, sign them with `signWebhook`.
 *
 * @example
 * ```ts
 * const response = await webhooks.fetch(createWebhookRequest("inbound_message", { text: "STOP" }));
 * ```
 * @param overrides - fields of the payload to replace or add, with any value; `undefined` removes a field.
 * @throws ConfigurationError (`configuration`) if the secret is invalid.
 * @see Specification, section 6
 */
export function createWebhookRequest<Kind extends WebhookKind>(
	kind: Kind,
	overrides: { readonly [Field in keyof WebhookPayloads[Kind]]?: unknown } & Readonly<
		Record<string, unknown>
	> = {},
	options: WebhookRequestOptions = {},
): Request {
	const { url = "http://receiver.localhost/webhooks", profile = {} } = options;
	const { secret = localWebhookSecret(profile) } = options;
	const { eventId = createEventId(), timestamp } = options;
	const signedAt = timestamp === undefined ? systemClock.now() : timestamp * 1000;
	const { nativeMessageNumber: _, ...others } = overrides;
	const payload = toWirePayload({ ...examplePayload(kind, eventId, signedAt), ...overrides }, profile);
	// The vendor's own name of the field can be overridden, too.
	const body = writeDeliveredJson(encodePayload({ ...payload, ...others }, profile));
	const headers = signWebhook({
		body,
		secret,
		profile,
		eventId,
		...(timestamp === undefined ? {} : { timestamp }),
	});
	return new Request(url, { method: "POST", headers, body });
}

function examplePayload(kind: WebhookKind, eventId: string, now: number): WebhookPayloads[WebhookKind] {
	const message = exampleMessage(eventId, now);
	switch (kind) {
		case "inbound_message":
			return inboundMessagePayload({ ...message, from: CONTACT, to: AGENT, outbound: false });
		case "inbound_reaction": {
			const original = exampleMessage(`original of ${eventId}`, now);
			const reaction = { from: CONTACT, to: AGENT, outbound: false, reaction: "love", at: now };
			const { messageId } = message;
			return { ...inboundReactionPayload(original, reaction), messageId, messageGuid: guidOf(eventId) };
		}
		case "status":
			return statusPayload(message, now);
	}
}

/** The message of an event: that of a repeat has the same ids. */
function exampleMessage(eventId: string, now: number): Message {
	return {
		messageId: uuidOf(`message of ${eventId}`),
		status: "delivered",
		text: "Hello",
		from: AGENT,
		to: CONTACT,
		groupId: null,
		attachments: [],
		status_callback: null,
		outbound: true,
		nativeMessageNumber: AGENT,
		participants: [AGENT, CONTACT],
		chatGuid: `native;-;${CONTACT}`,
		messageGuid: guidOf(eventId),
		timestamp_ms: now,
		error: null,
	};
}

function guidOf(eventId: string): string {
	return uuidOf(`guid of ${eventId}`);
}

function uuidOf(name: string): string {
	return sha256Hex(utf8(name)).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-4$3-8$4-$5");
}
