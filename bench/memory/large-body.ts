import { signWebhook, verifySignature, verifyWebhook } from "messaging-gateway/webhooks";
import { createDelivery } from "../speed/inputs.ts";
import { median } from "../stores/measure.ts";
import { type Memory, readLiveMemory, readMemory } from "./memory.ts";

const SECRET = "a-secret-of-32-characters-length";
const BODY_BYTES = 1_000_000;
const RUNS = 50;

/** The memory of verifying one body of 1 MB. */
export interface LargeBodyMemory {
	readonly name: string;
	/** All that one verification allocates, measured before garbage is collected. */
	readonly heap: number;
	readonly external: number;
	/** The peak of the process meanwhile, above the value before. */
	readonly peakRss: number;
}

/** Measures both checks on bytes, as a server has them. */
export async function measureLargeBodies(): Promise<LargeBodyMemory[]> {
	const { text } = await createDelivery(BODY_BYTES);
	const body = Buffer.from(text);
	const delivery = { body, headers: signWebhook({ body, secret: SECRET }) };
	return [
		await measureRuns("verifySignature", () => verifySignature(delivery, { secret: SECRET })),
		await measureRuns("verifyWebhook", () => verifyWebhook(delivery, { secret: SECRET })),
	];
}

async function measureRuns(name: string, run: () => unknown): Promise<LargeBodyMemory> {
	for (let at = 0; at < RUNS; at++) run();
	const start = await readLiveMemory();
	const differences: Memory[] = [];
	let peakRss = start.rss;
	for (let at = 0; at < RUNS; at++) {
		const before = readMemory();
		run();
		const after = readMemory();
		peakRss = Math.max(peakRss, after.rss);
		differences.push({
			heap: after.heap - before.heap,
			external: after.external - before.external,
			rss: after.rss - before.rss,
		});
	}
	return {
		name,
		heap: median(differences.map(({ heap }) => heap)),
		external: median(differences.map(({ external }) => external)),
		peakRss: peakRss - start.rss,
	};
}

/** A copy of the body would be this large; the limit is far below. */
export const MAX_EXTERNAL_BYTES = BODY_BYTES / 10;
