import { MessagingGateway } from "messaging-gateway";
import { recordResponseBody } from "../speed/clients.ts";
import { type Memory, readLiveMemory } from "./memory.ts";

/** How many calls are in flight at the same time. */
export const CALLS = 10_000;

/** The memory of calls in flight, beyond that before them. */
export interface CallsMemory {
	readonly inFlight: Memory;
	/** Once all have a response, and the responses are dropped. */
	readonly afterwards: Memory;
}

/** Starts calls on a fetch that responds once all are made; a first run before it pays for one-time costs. */
export async function measureCallsInFlight(): Promise<CallsMemory> {
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
	const send = async (at: number): Promise<void> => {
		await gateway.messages.sendText({ to: "+15551234567", text: `Hello ${at}` });
	};
	async function sendAll(): Promise<Memory> {
		gate = createGate();
		const calls = Array.from({ length: CALLS }, (_, at) => send(at));
		await gate.whenAllWait;
		const inFlight = await readLiveMemory();
		gate.open();
		await Promise.all(calls);
		return inFlight;
	}
	await sendAll();
	const before = await readLiveMemory();
	const inFlight = await sendAll();
	return { inFlight: subtract(inFlight, before), afterwards: subtract(await readLiveMemory(), before) };
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

function subtract(memory: Memory, before: Memory): Memory {
	return {
		heap: memory.heap - before.heap,
		external: memory.external - before.external,
		rss: memory.rss - before.rss,
	};
}
