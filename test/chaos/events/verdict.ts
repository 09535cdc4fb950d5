import { type Judgement, judge, type Played } from "../report.ts";

/** A run of a handler, as the journal has it in the end. */
export interface JournaledRun {
	readonly eventId: string;
	readonly worker: number;
	/** In the order of the store's claims, or of the inbox's commits. */
	readonly token: number;
	/** In the order of the journal, as is `endedAt`: `null` if it never ended, as its process was killed. */
	readonly beganAt: number;
	readonly endedAt: number | null;
	readonly hasEffect: boolean;
	/** Whether the lease still held when the run ended. */
	readonly wasHeld: boolean;
	/** Whether the run was acknowledged, and whether the store could record it. */
	readonly acknowledged: "noted" | "unnoted" | null;
}

/** The results of all events. */
export interface Outcome {
	/** The events that were delivered, and whether they were acknowledged. */
	readonly events: readonly { readonly eventId: string; readonly isDelivered: boolean }[];
	readonly runs: readonly JournaledRun[];
	/** The events that an inbox has recorded beside their effects; absent without an inbox. */
	readonly records?: readonly string[];
}

/** Judges whether each event was processed once, and whether every fault struck. */
export function judgeEvents(played: Played, outcome: Outcome): Judgement {
	const { events, runs } = outcome;
	const count = (fits: (run: JournaledRun) => boolean): number => runs.filter(fits).length;
	const { runAgainUnnoted, ...wrong } = findWrong(outcome);
	const counts = {
		events: events.length,
		"runs of a handler": runs.length,
		"runs after the first of an event": runs.length - new Set(runs.map(({ eventId }) => eventId)).size,
		"runs cut off": count(({ endedAt }) => endedAt === null),
		"done, and recorded by the store": count(({ acknowledged }) => acknowledged === "noted"),
		"done, which the store could not record": count(({ acknowledged }) => acknowledged === "unnoted"),
		"run again for that": runAgainUnnoted.length,
	};
	return judge(played, { counts, wrong, describe: (eventId) => describeEvent(eventId, runs) });
}

function findWrong({ events, runs, records }: Outcome) {
	const runsByEvent = Map.groupBy(runs, ({ eventId }) => eventId);
	const recorded = records && new Set(records);
	const idsWhere = (isWrong: (runs: readonly JournaledRun[], eventId: string) => boolean): string[] =>
		events.map(({ eventId }) => eventId).filter((id) => isWrong(runsByEvent.get(id) ?? [], id));
	const delivered = new Set(events.filter(({ isDelivered }) => isDelivered).map(({ eventId }) => eventId));
	const hasEffect = (own: readonly JournaledRun[]): boolean => own.some((run) => run.hasEffect);
	const known = new Set(events.map(({ eventId }) => eventId));
	return {
		/** Not acknowledged, or without an effect. */
		lost: idsWhere((own, eventId) => !delivered.has(eventId) || !hasEffect(own)),
		/**
		 * Processed again after the store had recorded that it is done, or by two runs with one token. A run that was cut
		 * off, that failed or that lost its lease does not count as processing: the event must run again.
		 */
		doubled: idsWhere((own) => hasEqualTokens(own) || isOvertaken(own, "noted")),
		/** Acknowledged and recorded by a run that had no effect, or with an effect and no record, or the other way round. */
		torn: idsWhere(
			(own, eventId) =>
				own.some(({ acknowledged, hasEffect }) => acknowledged !== null && !hasEffect) ||
				(recorded !== undefined && recorded.has(eventId) !== hasEffect(own)),
		),
		/** Two runs were under way at the same time, although the lease of the first one held until its end. */
		"at once": idsWhere(hasIntruder),
		/** Runs of events that nobody sent. */
		unsent: [...runsByEvent.keys()].filter((eventId) => !known.has(eventId)),
		/** Run again since the store could not record that the event is done: this one is as documented. */
		runAgainUnnoted: idsWhere((own) => isOvertaken(own, "unnoted")),
	};
}

function hasEqualTokens(runs: readonly JournaledRun[]): boolean {
	return new Set(runs.map(({ token }) => token)).size < runs.length;
}

/**
 * Whether a run has a greater token than one that was acknowledged. Tokens show the order of claims, which the order of
 * the notes does not: a process may have to wait between its claim and its first note.
 */
function isOvertaken(runs: readonly JournaledRun[], how: JournaledRun["acknowledged"]): boolean {
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

/** Everything that the journal knows of an event. */
function describeEvent(eventId: string, runs: readonly JournaledRun[]): string {
	const own = runs.filter((run) => run.eventId === eventId).sort((one, other) => one.token - other.token);
	return [eventId, ...own.map((run) => `  ${JSON.stringify(run)}`)].join("\n");
}
