import { createWebhookHandler, memoryStore, signWebhook, verifyWebhook } from "messaging-gateway/webhooks";
import { createMessage } from "../speed/inputs.ts";
import { createSteppingClock } from "../stepping-clock.ts";

const SECRET = "a-secret-of-32-characters-length";

/** Work that is done very often, each time with another delivery. */
export interface LongRun {
	readonly name: string;
	runOnce(): unknown;
}

/** Verifies deliveries, each with a body and an id of its own. */
export async function createVerifications(): Promise<LongRun> {
	const next = await createDeliveries();
	return {
		name: "verifications",
		runOnce() {
			const delivery = next(Date.now());
			if (verifyWebhook(delivery, { secret: SECRET }).kind !== "inbound_message")
				throw new Error("not narrowed");
		},
	};
}

/**
 * Processes deliveries in a webhook handler with a bounded store in memory. The clock moves 5 ms with each, so that 200
 * come in a second, and what is remembered ends within the run.
 */
export async function createClaims(): Promise<LongRun> {
	const next = await createDeliveries();
	const clock = createSteppingClock(5);
	const webhooks = createWebhookHandler({
		secret: SECRET,
		clock,
		store: memoryStore({ maxEntries: 5_000, clock }),
		toleranceSeconds: 5,
		leaseMs: 5_000,
		maxHandlerMs: 5_000,
		retentionMs: 11_000,
		on: { inbound_message: () => undefined, unknown: () => undefined },
	});
	return {
		name: "deliveries to a handler",
		async runOnce() {
			clock.step();
			const { status } = await webhooks.handle(next(clock.now()));
			if (status !== 200) throw new Error(`a new delivery got ${status}`);
		},
	};
}

/** Makes deliveries that differ. */
async function createDeliveries() {
	const message = await createMessage();
	let count = 0;
	return (now: number) => {
		const id = `evt_${(count++).toString(16).padStart(24, "0")}`;
		const body = JSON.stringify({ ...message, messageId: id });
		const timestamp = Math.floor(now / 1000);
		return { body, headers: signWebhook({ body, secret: SECRET, eventId: id, timestamp }) };
	};
}
