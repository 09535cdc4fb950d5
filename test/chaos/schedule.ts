import type { Random } from "./random.ts";

/** The faults of the receivers and their store; `latePause` is between the end of a handler and the store. */
export type FaultKind = "kill" | "pause" | "latePause" | "cut" | "restart" | "hang";

/** How often each fault comes. */
export type FaultCounts = Readonly<Record<FaultKind, number>>;

/** A fault and when it comes: by progress rather than by time, so that each finds events under way. */
export interface ScheduledFault {
	readonly kind: FaultKind;
	/** How many events are done by then. */
	readonly mark: number;
}

/** No fault comes after this share of the events, so that the last one finds some as well. */
const LAST_MARK = 0.85;

/** Spreads faults over a run, in an order that the seed decides. */
export function scheduleFaults(counts: FaultCounts, events: number, random: Random): ScheduledFault[] {
	const kinds = (Object.keys(counts) as FaultKind[]).flatMap((kind) =>
		Array.from({ length: counts[kind] }, () => kind),
	);
	const share = (events * LAST_MARK) / kinds.length;
	return random
		.shuffle(kinds)
		.map((kind, at) => ({ kind, mark: Math.floor((at + random.fraction()) * share) }));
}
