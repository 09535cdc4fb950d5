import type { Judgement } from "../report.ts";

/** What a run of a bot left behind. A line's event is `evt_CONTACT_NUMBER`, and the bot's answer to it ends with that. */
export interface ChatOutcome {
	readonly bursts: number;
	readonly lines: number;
	/** The texts that the gateway has accepted, in their order. */
	readonly sent: readonly string[];
	/** The events whose answer may have been sent: a person decides. */
	readonly unresolved: readonly string[];
	readonly kills: number;
	/** Runs of the bot after the first for an event. */
	readonly runsAgain: number;
	/** What went wrong with the run itself. */
	readonly problems: readonly string[];
}

/** What became of the lines, whoever answered them. */
export function countAnswers({
	lines,
	sent,
	unresolved,
}: Pick<ChatOutcome, "lines" | "sent" | "unresolved">) {
	const answered = sent.flatMap((text) => /evt_\d+_\d+$/.exec(text)?.[0] ?? []);
	return {
		answers: answered.length,
		"held for a person": unresolved.filter((eventId) => !answered.includes(eventId)).length,
		lost: lines - new Set([...answered, ...unresolved]).size,
		"answered twice": answered.length - new Set(answered).size,
		"out of order": countOrderViolations(answered),
	};
}

/** Counts what was promised: an answer to each line or a record of its doubt, none twice, in order for each contact. */
export function judgeChat(outcome: ChatOutcome): Judgement {
	const { bursts, lines, kills, runsAgain } = outcome;
	const counts = {
		bursts,
		lines,
		"workers killed": kills,
		"runs again": runsAgain,
		...countAnswers(outcome),
	};
	const failures = [...outcome.problems];
	for (const name of ["lost", "answered twice", "out of order"] as const) {
		if (counts[name] !== 0) failures.push(`${counts[name]} ${name}`);
	}
	return { counts, failures, inconclusive: runsAgain === 0 ? ["no run of the bot was cut off"] : [] };
}

function countOrderViolations(answered: readonly string[]): number {
	const latest = new Map<string, number>();
	return answered.filter((eventId) => {
		const [, contact = "", number] = eventId.split("_");
		const before = latest.get(contact) ?? -1;
		latest.set(contact, Math.max(before, Number(number)));
		return Number(number) < before;
	}).length;
}
