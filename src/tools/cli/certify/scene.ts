import type { Profile } from "../../../library/catalogue/profile.ts";
import { webhookHeaderNames } from "../../../library/catalogue/webhook-headers.ts";
import { createEventId, signWebhook } from "../../../library/webhooks/sign-webhook.ts";
import { writeDeliveredJson } from "../../delivered-json.ts";
import type { Attempt, WebhookKind } from "../../local-gateway/delivery.ts";
import { createWebhookRequest } from "../../local-gateway/webhook-request.ts";
import { deliver, type Outgoing } from "../deliver.ts";

/** The receiver, and what the gateway shares with it. */
export interface Receiver {
	readonly url: string;
	readonly secret: string;
	/** Tried as the receiver's secret, if that is asked for: whoever gets such a signature could test guesses of it. */
	readonly appSecret: string | undefined;
	readonly profile: Profile | undefined;
	/** The kinds of events that the gateway delivers to it, the usual one first. */
	readonly kinds: readonly WebhookKind[];
	/** Reads how many events it has processed. */
	readonly readCount: (() => Promise<number>) | undefined;
}

/** What differs from a usual delivery. */
interface Difference {
	readonly kind?: WebhookKind;
	/** Fields of the payload. */
	readonly fields?: Readonly<Record<string, unknown>>;
	/** Writes the payload. */
	readonly write?: (payload: Readonly<Record<string, unknown>>) => string;
	/** The whole body. */
	readonly body?: string;
	readonly secret?: Uint8Array;
	/** How far its time of signing lies ahead of now, in seconds. */
	readonly aheadSeconds?: number;
	readonly eventId?: string;
}

/** Makes deliveries to a receiver. */
export class Scene {
	readonly receiver: Receiver;
	readonly names: ReturnType<typeof webhookHeaderNames>;

	constructor(receiver: Receiver) {
		this.receiver = receiver;
		this.names = webhookHeaderNames(receiver.profile?.vendor);
	}

	/** A delivery as the gateway would make it, but for the difference. */
	async sign(difference: Difference = {}): Promise<Outgoing> {
		const { profile, kinds, secret } = this.receiver;
		const { kind = kinds[0] ?? "status", fields, write = writeDeliveredJson, aheadSeconds = 0 } = difference;
		const text = "messaging-gateway certify";
		const payload = await createWebhookRequest(kind, { text, ...fields }, { profile }).json();
		const body = difference.body ?? write(payload);
		const timestamp = Math.floor(Date.now() / 1_000) + aheadSeconds;
		const { eventId = createEventId() } = difference;
		const headers = signWebhook({ body, secret: difference.secret ?? secret, timestamp, eventId, profile });
		return { headers, body };
	}

	/** Changes headers of a delivery; `undefined` leaves one out. */
	withHeaders(outgoing: Outgoing, changes: Readonly<Record<string, string | undefined>>): Outgoing {
		const entries = Object.entries({ ...outgoing.headers, ...changes });
		const headers = Object.fromEntries(
			entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
		);
		return { ...outgoing, headers };
	}

	deliver(outgoing: Outgoing): Promise<Attempt> {
		return deliver(this.receiver.url, outgoing);
	}
}
