import { MessagingGateway } from "messaging-gateway";
import { createWebhookHandler, memoryStore, signWebhook, verifyWebhook } from "messaging-gateway/webhooks";
import { type CaseRecord, type OpenCases, record } from "../cases.ts";
import { readLiveHeap } from "../heap.ts";
import { createPayload, createSteppingClock, SECRET, signDelivery } from "../inputs.ts";
import { recordResponseBody } from "../response-body.ts";
import { DELIVERED } from "../settings.ts";

/** What is held in memory, which must not grow. */
export const openMemory: OpenCases = async function* () {
	yield measureLargeBody();
	yield measureCallsInFlight();
	yield measureDeliveries();
};

/** The buffers around verifying the bytes of one body, before garbage is collected: a copy of the body would show. */
async function measureLargeBody(): Promise<CaseRecord> {
	const body = Buffer.from(await createPayload(1_000_000));
	const delivery = { body, headers: signWebhook({ body, secret: SECRET }) };
	const verify = () => verifyWebhook(delivery, { secret: SECRET });
	for (let at = 0; at < 50; at++) verify();
	return comparePairs("buffers of a body of 1 MB", 50, () => process.memoryUsage().external, verify);
}

/** Whether calls give back what they held: all are in flight at the same time, and then have their responses. */
async function measureCallsInFlight(): Promise<CaseRecord> {
	const count = 10_000;
	const body = await recordResponseBody();
	let waiting: (() => void)[] = [];
	const gateway = new MessagingGateway({
		baseUrl: "http://localhost:1",
		appId: "app-1",
		appSecret: SECRET,
		async fetch() {
			await new Promise<void>((resolve) => {
				waiting.push(resolve);
				if (waiting.length < count) return;
				for (const respond of waiting) respond();
				waiting = [];
			});
			return new Response(body, { headers: { "Content-Type": "application/json" } });
		},
		timeoutMs: 600_000,
		attemptTimeoutMs: 600_000,
	});
	async function sendAll(): Promise<void> {
		const inputs = Array.from({ length: count }, (_, at) => ({ to: "+15551234567", text: `Hello ${at}` }));
		await Promise.all(inputs.map((input) => gateway.messages.sendText(input)));
	}

	await sendAll();
	return comparePairs(`${count.toLocaleString("en")} calls at a time`, 3, readLiveHeap, sendAll);
}

/** Reads memory before and after something, in pairs. */
async function comparePairs(
	name: string,
	pairs: number,
	read: () => number | Promise<number>,
	run: () => unknown,
): Promise<CaseRecord> {
	const [before, after]: [number[], number[]] = [[], []];
	for (let pair = 0; pair < pairs; pair++) {
		before.push(await read());
		await run();
		after.push(await read());
	}
	return compare(name, before, after);
}

function compare(name: string, before: readonly number[], after: readonly number[]): CaseRecord {
	const figures = { "at the end": after, "after warm-up": before };
	return record(name, "bytes", figures, { "after warm-up": "floor" });
}

/**
 * The heap over many deliveries to a webhook handler with a bounded store in memory: that of the last tenth beside the
 * tenth after the first one, which is warm-up. The clock moves 20 ms with each, so that what is remembered ends within
 * the warm-up.
 */
async function measureDeliveries(): Promise<CaseRecord> {
	const payload = await createPayload(1_000);
	const clock = createSteppingClock(20);
	const webhooks = createWebhookHandler({
		secret: SECRET,
		clock,
		store: memoryStore({ maxEntries: 20_000, clock }),
		toleranceSeconds: 5,
		leaseMs: 5_000,
		maxHandlerMs: 5_000,
		retentionMs: 320_000,
		on: { inbound_message: () => undefined, unknown: () => undefined },
	});
	const heaps: number[] = [];
	for (let at = 1; at <= DELIVERED.memory; at++) {
		clock.step();
		const eventId = `evt_${at.toString(16).padStart(24, "0")}`;
		const { status } = await webhooks.handle(signDelivery(payload, eventId, clock.now()));
		if (status !== 200) throw new Error(`a new delivery got ${status}`);
		if (at % (DELIVERED.memory / 50) === 0) heaps.push(await readLiveHeap());
	}
	const name = `${DELIVERED.memory.toLocaleString("en")} deliveries to a handler`;
	return compare(name, heaps.slice(5, 10), heaps.slice(-5));
}
