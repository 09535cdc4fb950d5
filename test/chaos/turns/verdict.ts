/** What a run of the example `turns` left behind. */
export interface TurnsOutcome {
	readonly conversations: number;
	readonly bursts: number;
	readonly linesInBurst: number;
	readonly lines: readonly { event_id: string; conversation: string; turn: string | null }[];
	/** The texts that the gateway has accepted, in their order. */
	readonly sent: readonly string[];
	readonly kills: number;
	/** Runs of a turn after the first: the others died with their workers. */
	readonly runsCutOff: number;
	/** Replies that may have been sent, and those behind them. */
	readonly repliesHeld: number;
}

/** What a run came to. */
export interface TurnsVerdict {
	/** Everything that was counted, in the order in which it is printed. */
	readonly counts: Readonly<Record<string, number>>;
	/** Why the run failed; empty if it did not. */
	readonly failures: readonly string[];
}

/** Counts what was promised: one turn for each burst, nothing out of order, nothing lost, no reply twice. */
export function judgeTurns(outcome: TurnsOutcome): TurnsVerdict {
	const { conversations, bursts, linesInBurst, lines, sent, kills, runsCutOff, repliesHeld } = outcome;
	const linesOfTurn = Map.groupBy(lines, ({ turn }) => turn);
	const wanted = conversations * bursts * linesInBurst;
	const turns = [...linesOfTurn.keys()].filter((turn) => turn !== null).length;
	const replies = sent.map(readNumbers);
	const counts = {
		conversations,
		"lines delivered": wanted,
		"workers killed": kills,
		"runs of a turn cut off": runsCutOff,
		bursts: conversations * bursts,
		turns,
		"replies sent": sent.length,
		"replies held for a person": repliesHeld,
		"replies sent twice": sent.length - new Set(sent).size,
		"order violations": countOrderViolations(replies),
		lost: wanted - lines.filter(({ turn }) => turn !== null).length,
	};
	const failures: string[] = [];
	if (turns !== conversations * bursts) failures.push(`${turns} turns for ${conversations * bursts} bursts`);
	for (const name of ["replies sent twice", "order violations", "lost"] as const) {
		if (counts[name] !== 0) failures.push(`${counts[name]} ${name}`);
	}
	if (new Set(sent).size + repliesHeld < turns) failures.push("a reply is neither sent nor held");
	// Without these nothing was proven.
	if (kills === 0 || runsCutOff === 0) failures.push("no run of a turn was cut off");
	return { counts, failures };
}

interface ReplyLines {
	readonly conversation: string;
	readonly numbers: readonly number[];
}

/** The lines that a reply quotes: their text is their event's id. */
function readNumbers(text: string): ReplyLines {
	const ids = Array.from(text.matchAll(/evt_(\d+)_(\d+)/g));
	return { conversation: ids[0]?.[1] ?? "", numbers: ids.map((match) => Number(match[2])) };
}

/** Lines that come after a later one of their conversation, within a reply or in the replies one after the other. */
function countOrderViolations(replies: readonly ReplyLines[]): number {
	let violations = 0;
	for (const ofOne of Map.groupBy(replies, ({ conversation }) => conversation).values()) {
		const numbers = ofOne.flatMap((reply) => reply.numbers);
		violations += numbers.filter((number, at) => number <= (numbers[at - 1] ?? -1)).length;
	}
	return violations;
}
