import { type Judgement, TRIES } from "../report.ts";

/** A line as the example stored it; its event's id is `evt_CONVERSATION_NUMBER`. */
export interface StoredLine {
	readonly event_id: string;
	readonly turn: string | null;
	/** When its transaction began, in seconds. */
	readonly stored_at: number;
	/** When it was certainly committed, in seconds of the same clock; `undefined` if it never was. */
	readonly acknowledged_at: number | undefined;
}

/** What a run of the example `turns` left behind. */
export interface TurnsOutcome {
	readonly conversations: number;
	readonly bursts: number;
	readonly linesInBurst: number;
	/** How long a conversation is quiet before its turn. A slow machine may store lines so far apart that they are two bursts. */
	readonly quietSeconds: number;
	readonly lines: readonly StoredLine[];
	/** The texts that the gateway has accepted, in their order. */
	readonly sent: readonly string[];
	readonly kills: number;
	/** Runs of a turn after the first: the others died with their workers. */
	readonly runsCutOff: number;
	/** Replies that may have been sent, and those behind them. */
	readonly repliesHeld: number;
	/** What went wrong with the run itself. */
	readonly problems: readonly string[];
}

/** Counts what was promised: one turn for each burst, nothing out of order, nothing lost, no reply twice. */
export function judgeTurns(outcome: TurnsOutcome): Judgement {
	const { conversations, bursts, linesInBurst, lines, sent, kills, runsCutOff, repliesHeld } = outcome;
	const wanted = conversations * bursts * linesInBurst;
	const replied = lines.filter(({ turn }) => turn !== null);
	const turns = new Set(replied.map(({ turn }) => turn)).size;
	const counts = {
		conversations,
		"lines delivered": wanted,
		"workers killed": kills,
		"runs of a turn cut off": runsCutOff,
		bursts: conversations * bursts,
		turns,
		...countTurns(outcome),
		"replies sent": sent.length,
		"replies held for a person": repliesHeld,
		"replies sent twice": sent.length - new Set(sent).size,
		"order violations": countOrderViolations(outcome),
		lost: wanted - replied.length,
	};
	const failures = [...outcome.problems];
	for (const name of ["turns too many", "replies sent twice", "order violations", "lost"] as const) {
		if (counts[name] !== 0) failures.push(`${counts[name]} ${name}`);
	}
	if (new Set(sent).size + repliesHeld < turns) failures.push("a reply is neither sent nor held");
	const inconclusive =
		kills === 0 || runsCutOff === 0 ? [`no run of a turn was cut off in ${TRIES} further bursts`] : [];
	return { counts, failures, inconclusive };
}

/** Compares the turns of each burst with its parts: one, and one more for each long pause in it. */
function countTurns({ lines, linesInBurst, quietSeconds }: TurnsOutcome) {
	const nameOfBurst = ({ event_id }: StoredLine): string => {
		const { conversation, number } = readId(event_id);
		return `${conversation} ${Math.floor(number / linesInBurst)}`;
	};
	const counts = { "long pauses in bursts": 0, "turns too many": 0 };
	for (const burst of Map.groupBy(lines, nameOfBurst).values()) {
		const stored = burst.toSorted((one, other) => one.stored_at - other.stored_at);
		// A turn that takes a line begins a quiet time after the line's transaction; it takes what was committed by then.
		const isLate = (
			{ acknowledged_at: at = Infinity }: StoredLine,
			previous: StoredLine | undefined,
		): boolean => previous !== undefined && at - previous.stored_at >= quietSeconds;
		const pauses = stored.filter((line, at) => isLate(line, stored[at - 1])).length;
		const turns = new Set(burst.flatMap(({ turn }) => turn ?? [])).size;
		counts["long pauses in bursts"] += pauses;
		counts["turns too many"] += Math.max(0, turns - 1 - pauses);
	}
	return counts;
}

/** Replies whose lines are not in their order, or that come after the reply to a later burst. */
function countOrderViolations({ sent, linesInBurst }: TurnsOutcome): number {
	const latestBurst = new Map<string, number>();
	const isViolation = (text: string): boolean => {
		const lines = Array.from(text.matchAll(/evt_\d+_\d+/g), ([id]) => readId(id));
		const { conversation = "", number = 0 } = lines[0] ?? {};
		const burst = Math.floor(number / linesInBurst);
		const isLate = burst < (latestBurst.get(conversation) ?? 0);
		latestBurst.set(conversation, Math.max(burst, latestBurst.get(conversation) ?? 0));
		return isLate || lines.some((line, at) => line.number <= (lines[at - 1]?.number ?? -1));
	};
	return sent.filter(isViolation).length;
}

function readId(id: string): { conversation: string; number: number } {
	const [, conversation = "", number] = id.split("_");
	return { conversation, number: Number(number) };
}
