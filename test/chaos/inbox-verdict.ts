import { ALL_STRIKES } from "./inbox-schedule.ts";
import { nameOfStrike } from "./inbox-settings.ts";
import { countEach, type Judgement, listWrong, TRIES } from "./report.ts";

/** What a run has left behind. */
export interface InboxRun {
	/** What else was counted. */
	readonly counts: Judgement["counts"];
	/** How often each strike happened, by its name. */
	readonly strikes: Readonly<Record<string, number>>;
	/** The events that were delivered, and whether they were acknowledged. */
	readonly events: readonly { readonly eventId: string; readonly isAcknowledged: boolean }[];
	/** The event of each effect: every run that commits one adds it. */
	readonly effects: readonly string[];
	/** The events that the inbox has recorded. */
	readonly records: readonly string[];
	/** What went wrong with the run itself. */
	readonly problems: readonly string[];
}

/** Judges whether each event has one effect and its record, and whether each receiver was struck at every statement. */
export function judgeInbox({ counts, strikes, events, effects, records, problems }: InboxRun): Judgement {
	const recorded = new Set(records);
	const effectsOf = Map.groupBy(effects, (eventId) => eventId);
	const idsWhere = (isWrong: (count: number, event: InboxRun["events"][number]) => boolean): string[] =>
		events
			.filter((event) => isWrong(effectsOf.get(event.eventId)?.length ?? 0, event))
			.map(({ eventId }) => eventId);
	const wrong = {
		/** Never acknowledged, or without an effect. */
		lost: idsWhere((count, { isAcknowledged }) => count === 0 || !isAcknowledged),
		doubled: idsWhere((count) => count > 1),
		/** Recorded without an effect, or the other way round. */
		torn: idsWhere((count, { eventId }) => count > 0 !== recorded.has(eventId)),
	};
	return {
		counts: { ...counts, events: events.length, ...strikes, effects: effects.length, ...countEach(wrong) },
		failures: [...problems, ...listWrong(wrong, (eventId) => eventId)],
		inconclusive: ALL_STRIKES.map(nameOfStrike)
			.filter((name) => !strikes[name])
			.map((name) => `no ${name} in ${TRIES} tries`),
	};
}
