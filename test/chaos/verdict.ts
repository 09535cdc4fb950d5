import type { RunEnd } from "./journal.ts";

/** A run of a handler, as the journal has it in the end. */
export interface JournaledRun extends RunEnd {
	readonly eventId: string;
	readonly worker: string;
	readonly token: number;
	/** In the order of the journal, as is `endedAt`. */
	readonly beganAt: number;
	readonly endedAt: number | null;
	/** `null` if it never ended: its process was killed. */
	readonly ended: "written" | "rejected" | "failed" | null;
}

/** The results of all events. */
export interface Outcome {
	/** The events that were delivered, and whether they were acknowledged. */
	readonly events: readonly { readonly eventId: string; readonly isDelivered: boolean }[];
	/** The tokens of the effects, by event. */
	readonly effects: ReadonlyMap<string, number>;
	readonly runs: readonly JournaledRun[];
}

/** The events with a wrong outcome. */
export interface Verdict {
	/** Not acknowledged, or without an effect. */
	readonly lost: string[];
	/**
	 * Processed again after the store had recorded that it is done, or by two runs with one token. A run that was cut
	 * off, that failed or that lost its lease does not count as processing: the event must run again.
	 */
	readonly doubled: string[];
	/** Two runs were under way at the same time, although the lease of the first one held until its end. */
	readonly atOnce: string[];
	/** The effect is that of a run which a newer one had overtaken. */
	readonly overwritten: string[];
	/** Run again since the store could not record that the event is done, as documented. */
	readonly runAgainUnnoted: string[];
}

/** Finds the events with a wrong outcome. */
export function judge({ events, effects, runs }: Outcome): Verdict {
	const verdict: Verdict = { lost: [], doubled: [], atOnce: [], overwritten: [], runAgainUnnoted: [] };
	const runsByEvent = Map.groupBy(runs, ({ eventId }) => eventId);
	for (const { eventId, isDelivered } of events) {
		const own = runsByEvent.get(eventId) ?? [];
		const effect = effects.get(eventId);
		if (effect === undefined || !isDelivered) verdict.lost.push(eventId);
		if (hasEqualTokens(own) || isOvertaken(own, "noted")) verdict.doubled.push(eventId);
		if (hasIntruder(own)) verdict.atOnce.push(eventId);
		if (effect !== undefined && own.some((run) => mustStand(run) && run.token > effect)) {
			verdict.overwritten.push(eventId);
		}
		if (isOvertaken(own, "unnoted")) verdict.runAgainUnnoted.push(eventId);
	}
	return verdict;
}

function hasEqualTokens(runs: readonly JournaledRun[]): boolean {
	return new Set(runs.map(({ token }) => token)).size < runs.length;
}

/**
 * Whether a run has a greater token than one that was acknowledged. Tokens show the order of claims, which the order of
 * the notes does not: a worker may be paused between its claim and its first note.
 */
function isOvertaken(runs: readonly JournaledRun[], how: RunEnd["acknowledged"]): boolean {
	const done = runs.filter(({ acknowledged }) => acknowledged === how).map(({ token }) => token);
	return runs.some(({ token }) => token > Math.min(...done));
}

/** Whether a run began before one with a smaller token had ended, whose lease held. */
function hasIntruder(runs: readonly JournaledRun[]): boolean {
	return runs.some(
		({ wasHeld, endedAt, token }) =>
			wasHeld && endedAt !== null && runs.some((other) => other.token > token && other.beganAt < endedAt),
	);
}

function mustStand({ ended, acknowledged }: JournaledRun): boolean {
	return ended === "written" || acknowledged === "noted";
}
