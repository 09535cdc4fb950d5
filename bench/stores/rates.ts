import { createHistogram } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import type { ContenderRecord, OpenCases } from "../cases.ts";
import { newEventId } from "../inputs.ts";
import { report, withClosing } from "../measure.ts";
import { openReceiver, type Receiver, SERVERS } from "../receivers/start.ts";
import { RATES } from "../settings.ts";

/** The first rate that is tried, and the factor to the next one. */
const FIRST_RATE = 400;
const STEP = 1.15;

/** At a rate that is kept, of 100 deliveries 99 are acknowledged within this time from when they were due. */
const MAX_P99_MS = 100;

/** One of so many deliveries repeats an event that was acknowledged. */
const EVENTS_PER_REPEAT = 20;

/** Finds the highest rate that receivers keep up with, for each number of them and each store that they share. */
export const openRates: OpenCases = async function* () {
	for (const count of [1, 2, 4]) {
		const contenders: ContenderRecord[] = [];
		for (const [name, start] of Object.entries(SERVERS)) {
			report(`${name}, receivers: ${count}`);
			const rate = await withClosing(async (atEnd) => {
				const settings = { route: "webhook handler", storeUrl: await start(atEnd), connections: 64 } as const;
				const receivers: Receiver[] = [];
				while (receivers.length < count) receivers.push(await openReceiver(settings, atEnd));
				return findHighestRate(receivers);
			});
			contenders.push({ name, role: "ours", ...rate });
		}
		yield { name: count === 1 ? "1 receiver" : `${count} receivers`, unit: "a second", contenders };
	}
};

async function findHighestRate(
	receivers: readonly Receiver[],
): Promise<Pick<ContenderRecord, "costs" | "more">> {
	const producer = createProducer(receivers);
	let perSecond = FIRST_RATE;
	// The first one fails while the code is cold, and any of them if something else needs the machine for a moment.
	for (let failures = 0; failures < 3; ) {
		const { isKept } = await producer.tryRate(perSecond * STEP, RATES.triedMs);
		failures = isKept ? 0 : failures + 1;
		if (isKept) perSecond *= STEP;
	}
	for (;;) {
		const { isKept, p50Ms, p99Ms } = await producer.tryRate(perSecond, RATES.heldMs);
		if (isKept) {
			const counts = await Promise.all(receivers.map((receiver) => receiver.countProcessed()));
			const processed = counts.reduce((sum, count) => sum + count, 0);
			const { events, repeats } = producer.sent;
			if (processed !== events) throw new Error(`${processed} of ${events} events were processed`);
			return { costs: [Math.round(perSecond)], more: { p50Ms, p99Ms, events, repeats } };
		}
		perSecond /= STEP;
	}
}

/** Delivers new events at a rate, whether or not the receivers keep up with it. */
function createProducer(receivers: readonly Receiver[]) {
	const sent = { events: 0, repeats: 0 };

	async function deliver(eventId: string): Promise<void> {
		const status = await receivers[(sent.events + sent.repeats) % receivers.length]?.deliver(eventId);
		if (status !== 200) throw new Error(`a delivery got ${status}`);
	}

	/** Delivers a new event, and now and then repeats it with a new signature. */
	async function deliverNext(onAcknowledged: () => void): Promise<void> {
		const eventId = newEventId();
		const isRepeated = ++sent.events % EVENTS_PER_REPEAT === 0;
		await deliver(eventId);
		onAcknowledged();
		if (!isRepeated) return;
		sent.repeats++;
		await deliver(eventId);
	}

	async function tryRate(perSecond: number, durationMs: number) {
		const latencies = createHistogram();
		const total = Math.floor((perSecond * durationMs) / 1000);
		const start = performance.now();
		const pending = new Set<Promise<void>>();
		let begun = 0;
		while (begun < total) {
			const due = Math.min(total, Math.floor(((performance.now() - start) * perSecond) / 1000));
			// Half a second behind, it will not catch up.
			if (pending.size > perSecond / 2) break;
			for (; begun < due; begun++) {
				const dueAt = start + (begun * 1000) / perSecond;
				const delivering = deliverNext(() =>
					latencies.record(Math.max(1, Math.round((performance.now() - dueAt) * 1e6))),
				).finally(() => pending.delete(delivering));
				pending.add(delivering);
			}
			await setTimeout(1);
		}
		await Promise.all(pending);
		const read = (percent: number) => Number((latencies.percentile(percent) / 1e6).toPrecision(2));
		const [p50Ms, p99Ms] = [read(50), read(99)];
		return { isKept: begun === total && p99Ms <= MAX_P99_MS, p50Ms, p99Ms };
	}

	return { sent, tryRate };
}
