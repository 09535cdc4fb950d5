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

/** How often a fault that has not struck is tried again until a run is inconclusive. */
export const TRIES = 10;

/** A judgement, and what it was made of: kept unless the product held. */
export interface ChaosReport extends Judgement {
	readonly journal: unknown;
}

export function verdictOf({ failures, inconclusive }: Judgement): Verdict {
	if (failures.length > 0) return "failed";
	return inconclusive.length > 0 ? "inconclusive" : "held";
}

/** Names what was wrong how often, and describes some of each. */
export function listWrong(
	wrong: Readonly<Record<string, readonly string[]>>,
	describe: (id: string) => string,
): string[] {
	const found = Object.entries(wrong).filter(([, ids]) => ids.length > 0);
	return found.flatMap(([name, ids]) => [
		`${ids.length} ${name}`,
		...ids.slice(0, 3).map((id) => `${name}: ${describe(id)}`),
	]);
}

/** How many there are of each. */
export function countEach(wrong: Readonly<Record<string, readonly string[]>>): Record<string, number> {
	return Object.fromEntries(Object.entries(wrong).map(([name, ids]) => [name, ids.length]));
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
