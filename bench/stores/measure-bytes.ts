import { bindNewDelivery, processNewEvent } from "./contenders.ts";
import type { StoredBytes } from "./record.ts";
import type { Sizes, Subject } from "./subject.ts";

/** How many loops load a store at the same time. */
const LOADERS = 16;

/**
 * Stores events and bound deliveries, and measures the size of each.
 * @returns undefined if it cannot be measured.
 */
export async function measureBytes(subject: Subject, count: number): Promise<StoredBytes | undefined> {
	const { store } = subject;
	const doneEvent = await measureGrowth(subject, count, () => processNewEvent(store));
	const boundDelivery = await measureGrowth(subject, count, () => bindNewDelivery(store));
	if (doneEvent === undefined || boundDelivery === undefined) return undefined;
	return { doneEvent, boundDelivery };
}

async function measureGrowth(
	subject: Subject,
	count: number,
	add: () => Promise<void>,
): Promise<Sizes | undefined> {
	await subject.reset();
	const before = await subject.measureSizes?.();
	let left = count;
	async function load(): Promise<void> {
		while (left-- > 0) await add();
	}
	await Promise.all(Array.from({ length: LOADERS }, load));
	const after = await subject.measureSizes?.();
	await subject.reset();
	if (before === undefined || after === undefined) return undefined;
	const perPiece = Object.entries(after).map(([part, size]) => [
		part,
		Math.round((size - (before[part] ?? 0)) / count),
	]);
	return { total: 0, ...Object.fromEntries(perPiece) };
}
