import { FAULT_KINDS, type FaultCounts } from "./faults.ts";
import type { RunEnd } from "./journal.ts";
import { countEach, type Judgement, listWrong, TRIES } from "./report.ts";

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

/** What is judged. */
export interface EventsRun {
	/** What else was counted. */
	readonly counts: Judgement["counts"];
	readonly outcome: Outcome;
	/** How often each fault was to strike, how often it was tried, and how often it struck. */
	readonly scheduled: FaultCounts;
	readonly tried: FaultCounts;
	readonly struck: FaultCounts;
	/** Receivers that ended by themselves. */
	readonly crashes: number;
	/** What went wrong with the run itself. */
	readonly problems: readonly string[];
}

/** Judges whether each event was processed once, and whether every fault struck. */
export function judgeEvents(run: EventsRun): Judgement {
	const { outcome, scheduled, tried, struck, crashes } = run;
	const { events, runs, effects } = outcome;
	const { runAgainUnnoted, ...wrong } = findWrong(outcome);
	const count = (fits: (run: JournaledRun) => boolean): number => runs.filter(fits).length;
	const counts = {
		...run.counts,
		events: events.length,
		"runs of a handler": runs.length,
		"runs after the first of an event": runs.length - new Set(runs.map(({ eventId }) => eventId)).size,
		...Object.fromEntries(FAULT_KINDS.map((kind) => [kind, `${struck[kind]} in ${tried[kind]} tries`])),
		"runs cut off": count(({ ended }) => ended === null),
		"stale writes rejected": count(({ ended }) => ended === "rejected"),
		"stale ends rejected by the store": count(({ wasRejected }) => wasRejected),
		"done, and recorded by the store": count(({ acknowledged }) => acknowledged === "noted"),
		"done, which the store could not record": count(({ acknowledged }) => acknowledged === "unnoted"),
		"run again for that": runAgainUnnoted.length,
		effects: effects.size,
		crashes,
		...countEach(wrong),
	};
	const failures = [...run.problems, ...listWrong(wrong, (eventId) => describeEvent(eventId, outcome))];
	if (crashes > 0) failures.push(`${crashes} receivers ended by themselves`);
	if (effects.size !== events.length) failures.push("there is not one effect for each event");
	const inconclusive = FAULT_KINDS.filter((kind) => struck[kind] < scheduled[kind]).map(
		(kind) => `${kind} struck ${struck[kind]} of ${scheduled[kind]} times, with ${TRIES} tries for each`,
	);
	return { counts, failures, inconclusive };
}

/** The events with a wrong outcome. */
interface Wrong {
	/** Not acknowledged, or without an effect. */
	readonly lost: string[];
	/**
	 * Processed again after the store had recorded that it is done, or by two runs with one token. A run that was cut
	 * off, that failed or that lost its lease does not count as processing: the event must run again.
	 */
	readonly doubled: string[];
	/** Two runs were under way at the same time, although the lease of the first one held until its end. */
	readonly "at once": string[];
	/** The effect is that of a run which a newer one had overtaken. */
	readonly overwritten: string[];
	/** Run again since the store could not record that the event is done: this one is as documented. */
	readonly runAgainUnnoted: string[];
}

function findWrong({ events, effects, runs }: Outcome): Wrong {
	const wrong: Wrong = { lost: [], doubled: [], "at once": [], overwritten: [], runAgainUnnoted: [] };
	const runsByEvent = Map.groupBy(runs, ({ eventId }) => eventId);
	for (const { eventId, isDelivered } of events) {
		const own = runsByEvent.get(eventId) ?? [];
		const effect = effects.get(eventId);
		if (effect === undefined || !isDelivered) wrong.lost.push(eventId);
		if (hasEqualTokens(own) || isOvertaken(own, "noted")) wrong.doubled.push(eventId);
		if (hasIntruder(own)) wrong["at once"].push(eventId);
		if (effect !== undefined && own.some((run) => mustStand(run) && run.token > effect)) {
			wrong.overwritten.push(eventId);
		}
		if (isOvertaken(own, "unnoted")) wrong.runAgainUnnoted.push(eventId);
	}
	return wrong;
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

/** Everything that the journal knows of an event. */
function describeEvent(eventId: string, { effects, runs }: Outcome): string {
	const own = runs.filter((run) => run.eventId === eventId).sort((one, other) => one.token - other.token);
	const lines = own.map((run) => `\n  ${JSON.stringify(run)}`);
	return `${eventId}, effect ${effects.get(eventId) ?? "missing"}${lines.join("")}`;
}
