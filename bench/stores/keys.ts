import { randomBytes } from "node:crypto";

/** A new key of an event as the webhook handler makes it: the consumer, and an event id of the local gateway's form. */
export function newKey(): string {
	return `default:${newEventId()}`;
}

/** A new event id of the form `evt_…`. */
export function newEventId(): string {
	return `evt_${randomHex(12)}`;
}

/** A new digest of a delivery as the webhook handler passes it to `bind`: the consumer, and a SHA-256 in hex. */
export function newDigest(): string {
	return `default:${randomHex(32)}`;
}

// Random bytes are drawn many at a time, so that creating a key costs little beside a call of a store.
const pool = { bytes: Buffer.alloc(0), at: 0 };

function randomHex(length: number): string {
	if (pool.at + length > pool.bytes.length) {
		pool.bytes = randomBytes(64 * 1024);
		pool.at = 0;
	}
	pool.at += length;
	return pool.bytes.toString("hex", pool.at - length, pool.at);
}
