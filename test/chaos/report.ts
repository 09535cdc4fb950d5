/** What a run comes to. `"inconclusive"`: nothing went wrong, but a fault never struck, so it proves less than it should. */
export type Verdict = "held" | "inconclusive" | "failed";

/** What a judge finds. */
export interface Judgement {
	/** Everything that was counted, in the order in which it is printed. */
	readonly counts: Readonly<Record<string, string | number>>;
	/** What the product did wrong, and what ended the run too soon. */
	readonly failures: readonly string[];
	/** The faults that did not strike, however often they were tried. */
	readonly inconclusive: readonly string[];
}

/** A judgement, and what it was made of: kept unless the product held. */
export interface ChaosReport extends Judgement {
	readonly journal: unknown;
}

/** What happens to processes and their store. */
export const FAULT_KINDS = ["kill", "cut", "restart", "hang"] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** How often each fault comes. */
export type FaultCounts = Readonly<Record<FaultKind, number>>;

/** How often a fault that has not struck is tried again until a run is inconclusive. */
export const TRIES = 10;

/** What happened in a run, whatever it was about. */
export interface Played {
	/** What else was counted. */
	readonly counts: Judgement["counts"];
	/** How often each fault was to strike, how often it was tried, and how often it struck. */
	readonly scheduled: FaultCounts;
	readonly tried: FaultCounts;
	readonly struck: FaultCounts;
	/** Processes that ended by themselves. */
	readonly crashes: number;
	/** What went wrong with the run itself. */
	readonly problems: readonly string[];
}

/** What a judge found out about the run's events or sends. */
export interface Findings {
	readonly counts: Judgement["counts"];
	/** The ids of those with a wrong outcome, by what is wrong. */
	readonly wrong: Readonly<Record<string, readonly string[]>>;
	/** Everything that is known of one. */
	readonly describe: (id: string) => string;
}

/** Judges whether nothing was wrong, and whether every fault struck. */
export function judge(played: Played, { counts, wrong, describe }: Findings): Judgement {
	const { scheduled, tried, struck, crashes, problems } = played;
	const found = Object.entries(wrong).filter(([, ids]) => ids.length > 0);
	const failures = [
		...problems,
		...found.flatMap(([name, ids]) => [
			`${ids.length} ${name}`,
			...ids.slice(0, 3).map((id) => `${name}: ${describe(id)}`),
		]),
	];
	if (crashes > 0) failures.push(`${crashes} processes ended by themselves`);
	return {
		counts: {
			...played.counts,
			...Object.fromEntries(FAULT_KINDS.map((kind) => [kind, `${struck[kind]} in ${tried[kind]} tries`])),
			...counts,
			crashes,
			...Object.fromEntries(Object.entries(wrong).map(([name, ids]) => [name, ids.length])),
		},
		failures,
		inconclusive: FAULT_KINDS.filter((kind) => struck[kind] < scheduled[kind]).map(
			(kind) => `${kind} struck ${struck[kind]} of ${scheduled[kind]} times, with ${TRIES} tries for each`,
		),
	};
}

export function verdictOf({ failures, inconclusive }: Judgement): Verdict {
	if (failures.length > 0) return "failed";
	return inconclusive.length > 0 ? "inconclusive" : "held";
}

/** The counts as a table, and below it why the product did not hold. */
export function formatJudgement({ counts, failures, inconclusive }: Judgement): string {
	const rows = Object.entries(counts).map(([name, value]) => [name, value.toLocaleString("en")] as const);
	const nameWidth = Math.max(...rows.map(([name]) => name.length));
	const valueWidth = Math.max(...rows.map(([, value]) => value.length));
	return [
		...rows.map(([name, value]) => `${name.padEnd(nameWidth)}  ${value.padStart(valueWidth)}`),
		...failures.map((failure) => `FAILED: ${failure}`),
		...inconclusive.map((reason) => `INCONCLUSIVE: ${reason}`),
	].join("\n");
}
