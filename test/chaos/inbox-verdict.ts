/** What a run has left behind. */
export interface InboxJournal {
	/** The events that were delivered, and whether they were acknowledged. */
	readonly events: readonly { readonly eventId: string; readonly isAcknowledged: boolean }[];
	/** The event of each effect: every run that commits one adds it. */
	readonly effects: readonly string[];
	/** The events that the inbox has recorded. */
	readonly records: readonly string[];
}

/** The events with a wrong outcome. */
export interface InboxVerdict {
	/** Never acknowledged, or without an effect. */
	readonly lost: string[];
	/** With more than one effect. */
	readonly doubled: string[];
	/** Recorded without an effect, or the other way round. */
	readonly torn: string[];
}

/** Finds the events with a wrong outcome. */
export function judgeInbox({ events, effects, records }: InboxJournal): InboxVerdict {
	const recorded = new Set(records);
	const counts = new Map<string, number>();
	for (const eventId of effects) counts.set(eventId, (counts.get(eventId) ?? 0) + 1);
	const verdict: InboxVerdict = { lost: [], doubled: [], torn: [] };
	for (const { eventId, isAcknowledged } of events) {
		const count = counts.get(eventId) ?? 0;
		if (count === 0 || !isAcknowledged) verdict.lost.push(eventId);
		if (count > 1) verdict.doubled.push(eventId);
		if (count > 0 !== recorded.has(eventId)) verdict.torn.push(eventId);
	}
	return verdict;
}
