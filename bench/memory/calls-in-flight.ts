import { MessagingGateway } from "messaging-gateway";
import { recordResponseBody } from "../speed/fixed-response.ts";
import type { CaseRecord } from "../speed/record.ts";
import { compareEnds } from "./compare-samples.ts";
import { readLiveHeap } from "./live-heap.ts";

const CALLS = 10_000;
const ROUNDS = 5;

/** Whether calls give back what they held: all are in flight at the same time, and then have their responses. */
export async function measureCallsInFlight(): Promise<CaseRecord> {
	const body = await recordResponseBody();
	let gate = createGate();
	const gateway = new MessagingGateway({
		baseUrl: "http://localhost:1",
		appId: "app-1",
		appSecret: "a-secret-of-32-characters-length",
		async fetch() {
			await gate.pass();
			return new Response(body, { headers: { "Content-Type": "application/json" } });
		},
		timeoutMs: 600_000,
		attemptTimeoutMs: 600_000,
	});
	async function sendAll(): Promise<void> {
		gate = createGate();
		const calls = Array.from({ length: CALLS }, (_, at) =>
			gateway.messages.sendText({ to: "+15551234567", text: `Hello ${at}` }),
		);
		await gate.whenAllWait;
		gate.open();
		await Promise.all(calls);
	}

	await sendAll();
	const before: number[] = [];
	const after: number[] = [];
	for (let round = 0; round < ROUNDS; round++) {
		before.push(await readLiveHeap());
		await sendAll();
		after.push(await readLiveHeap());
	}
	return compareEnds(`${CALLS.toLocaleString("en")} calls at a time`, before, after);
}

/** Holds the calls until all have come. */
function createGate() {
	const { promise: whenAllWait, resolve: noteAll } = Promise.withResolvers<void>();
	const { promise: opened, resolve: open } = Promise.withResolvers<void>();
	let waiting = 0;
	return {
		whenAllWait,
		open,
		pass(): Promise<void> {
			if (++waiting === CALLS) noteAll();
			return opened;
		},
	};
}
