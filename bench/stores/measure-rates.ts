import { createHistogram, type RecordableHistogram } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { signWebhook } from "messaging-gateway/webhooks";
import { createClient } from "redis";
import { Pool } from "undici";
import { startPostgres } from "../../test/support/servers/postgres-server.ts";
import { startRedis } from "../../test/support/servers/redis-server.ts";
import { createDelivery } from "../speed/inputs.ts";
import { type RunningReceiver, startReceiver } from "../speed/start-receiver.ts";
import { newEventId } from "./keys.ts";
import type { SustainedRate } from "./record.ts";

const SECRET = "a-secret-of-32-characters-length";
const RECEIVERS = [1, 2];

/** Connections to each receiver. */
const CONNECTIONS = 64;

/** The first rate that is tried, and the factor to the next one. */
const FIRST_RATE = 400;
const STEP = 1.15;

/** How long a rate is tried, and how long the highest one must hold. */
const TRIED_MS = 3_000;
const HELD_MS = 10_000;

/** At a rate that is kept, of 100 deliveries 99 are acknowledged within this time from when they were due. */
const MAX_P99_MS = 100;

/** One of so many deliveries repeats an event that was acknowledged. */
const EVENTS_PER_REPEAT = 20;

/** Finds the highest rate that receivers keep up with, for each store and number of receivers. */
export async function measureRates(onStep: (step: string) => void): Promise<SustainedRate[]> {
	const rates: SustainedRate[] = [];
	for (const [store, open] of Object.entries(STORES)) {
		for (const count of RECEIVERS) {
			await using stack = new AsyncDisposableStack();
			const storeUrl = await open(stack);
			onStep(`${store}, receivers: ${count}`);
			const producer = await Producer.start(storeUrl, count, stack);
			rates.push({ store, receivers: count, ...(await producer.findHighestRate(onStep)) });
		}
	}
	return rates;
}

const STORES: Readonly<Record<string, (stack: AsyncDisposableStack) => Promise<string>>> = {
	async "Redis, appendfsync everysec"(stack) {
		const { url } = stack.use(await startRedis());
		const client = await createClient({ url }).connect();
		await client.configSet({ appendonly: "yes", appendfsync: "everysec" });
		client.destroy();
		return url;
	},
	async "PostgreSQL, synchronous_commit on"(stack) {
		return stack.use(await startPostgres()).url;
	},
};

/** What happened at one rate. */
interface Trial {
	readonly isKept: boolean;
	readonly p50Ms: number;
	readonly p99Ms: number;
}

/** Delivers new events at a rate, whether or not the receivers keep up with it. */
class Producer {
	readonly #receivers: readonly RunningReceiver[];
	readonly #pools: readonly Pool[];
	readonly #text: string;
	#events = 0;
	#repeats = 0;

	private constructor(receivers: readonly RunningReceiver[], pools: readonly Pool[], text: string) {
		this.#receivers = receivers;
		this.#pools = pools;
		this.#text = text;
	}

	/** Starts the receivers. */
	static async start(storeUrl: string, count: number, stack: AsyncDisposableStack): Promise<Producer> {
		const receivers: RunningReceiver[] = [];
		const pools: Pool[] = [];
		for (let started = 0; started < count; started++) {
			const receiver = await startReceiver({ route: "webhook handler", secret: SECRET, storeUrl });
			stack.defer(() => receiver.stop());
			receivers.push(receiver);
			const pool = new Pool(receiver.url, { connections: CONNECTIONS });
			stack.defer(() => pool.destroy());
			pools.push(pool);
		}
		const { text } = await createDelivery(1_000);
		return new Producer(receivers, pools, text);
	}

	async findHighestRate(onStep: (step: string) => void): Promise<Omit<SustainedRate, "store" | "receivers">> {
		let perSecond = FIRST_RATE;
		// The first one fails while the code is cold, and any of them if something else needs the machine for a moment.
		for (let failures = 0; failures < 3; ) {
			const { isKept } = await this.#try(perSecond * STEP, TRIED_MS);
			failures = isKept ? 0 : failures + 1;
			if (isKept) perSecond *= STEP;
		}
		for (;;) {
			onStep(`${Math.round(perSecond)} a second for ${HELD_MS / 1000} s`);
			const { isKept, p50Ms, p99Ms } = await this.#try(perSecond, HELD_MS);
			if (isKept) {
				await this.#assertProcessedOnce();
				return {
					perSecond: Math.round(perSecond),
					p50Ms,
					p99Ms,
					events: this.#events,
					repeats: this.#repeats,
				};
			}
			perSecond /= STEP;
		}
	}

	async #try(perSecond: number, durationMs: number): Promise<Trial> {
		const latencies = createHistogram();
		const total = Math.floor((perSecond * durationMs) / 1000);
		const start = performance.now();
		const pending = new Set<Promise<void>>();
		let sent = 0;
		while (sent < total) {
			const due = Math.min(total, Math.floor(((performance.now() - start) * perSecond) / 1000));
			// Half a second behind, it will not catch up.
			if (pending.size > perSecond / 2) break;
			for (; sent < due; sent++) {
				const delivering = this.#deliver(start + (sent * 1000) / perSecond, latencies).finally(() =>
					pending.delete(delivering),
				);
				pending.add(delivering);
			}
			await setTimeout(1);
		}
		await Promise.all(pending);
		const [p50Ms = 0, p99Ms = 0] = [50, 99].map((percent) =>
			Number((latencies.percentile(percent) / 1e6).toPrecision(2)),
		);
		return { isKept: sent === total && p99Ms <= MAX_P99_MS, p50Ms, p99Ms };
	}

	/** Delivers a new event, and now and then repeats it with a new signature. */
	async #deliver(dueAt: number, latencies: RecordableHistogram): Promise<void> {
		const eventId = newEventId();
		const isRepeated = ++this.#events % EVENTS_PER_REPEAT === 0;
		await this.#post(eventId);
		latencies.record(Math.max(1, Math.round((performance.now() - dueAt) * 1e6)));
		if (!isRepeated) return;
		this.#repeats++;
		await this.#post(eventId);
	}

	async #post(eventId: string): Promise<void> {
		const pool = this.#pools[(this.#events + this.#repeats) % this.#pools.length];
		const body = this.#text.replace("The kitchen", eventId);
		const headers = { ...signWebhook({ body, secret: SECRET, eventId }) };
		const response = await pool?.request({ method: "POST", path: "/webhooks", headers, body });
		await response?.body.dump();
		if (response?.statusCode !== 200) throw new Error(`a delivery got ${response?.statusCode}`);
	}

	async #assertProcessedOnce(): Promise<void> {
		const counts = await Promise.all(this.#receivers.map((receiver) => receiver.countProcessed()));
		const processed = counts.reduce((sum, count) => sum + count, 0);
		if (processed !== this.#events) throw new Error(`${processed} of ${this.#events} events were processed`);
	}
}
