import type { Courier } from "./courier.ts";
import type { Faults } from "./faults.ts";
import type { FaultCounts, FaultKind } from "./schedule.ts";
import type { JournaledRun, Outcome, Verdict } from "./verdict.ts";

/** What a run came to. */
export interface ChaosReport {
	/** Everything that was counted, in the order in which it is printed. */
	readonly counts: Readonly<Record<string, string | number>>;
	/** Why the run failed; empty if it did not. */
	readonly failures: readonly string[];
}

/** What a report is made of. */
export interface ReportParts {
	readonly title: Readonly<Record<string, string | number>>;
	readonly outcome: Outcome;
	readonly verdict: Verdict;
	readonly courier: Courier;
	readonly faults: Faults;
	readonly scheduled: FaultCounts;
	readonly crashes: number;
	readonly seconds: number;
	/** What went wrong with the run itself. */
	readonly problems: readonly string[];
}

/** Counts everything, and lists the failures. */
export function makeReport(parts: ReportParts): ChaosReport {
	const { outcome, verdict, courier, faults, crashes } = parts;
	const { events, runs, effects } = outcome;
	const { outages } = faults;
	const count = (fits: (run: JournaledRun) => boolean): number => runs.filter(fits).length;
	const counts = {
		...parts.title,
		seconds: Math.round(parts.seconds),
		events: events.length,
		deliveries: courier.deliveries,
		"runs of a handler": runs.length,
		"runs after the first of an event": runs.length - new Set(runs.map(({ eventId }) => eventId)).size,
		kills: faults.counts.kill,
		"runs cut off by them": count(({ ended }) => ended === null),
		"pauses within a handler": faults.counts.pause,
		"pauses between handler and store": faults.counts.latePause,
		restarts: faults.counts.restart,
		hangs: faults.counts.hang,
		cuts: faults.counts.cut,
		"connections cut": faults.connectionsCut,
		"repeats suppressed": courier.count("repeat"),
		"held off while a run was under way": courier.count("503 in_flight") + courier.count("503 lease_lost"),
		"deliveries without a response": courier.count("none"),
		"503 without the store": courier.count("503 store_unavailable") + outages.rejections,
		"longest such response to a probe": `${Math.round(outages.longestResponseMs)} ms`,
		"longest way back to work": `${Math.round(outages.longestRecoveryMs)} ms`,
		"stale writes rejected": count(({ ended }) => ended === "rejected"),
		"stale ends rejected by the store": count(({ wasRejected }) => wasRejected),
		"done, and recorded by the store": count(({ acknowledged }) => acknowledged === "noted"),
		"done, which the store could not record": count(({ acknowledged }) => acknowledged === "unnoted"),
		"run again for that": verdict.runAgainUnnoted.length,
		effects: effects.size,
		crashes,
		"at once": verdict.atOnce.length,
		overwritten: verdict.overwritten.length,
		lost: verdict.lost.length,
		doubled: verdict.doubled.length,
	};
	return { counts, failures: [...parts.problems, ...outages.problems, ...findFailures(parts, counts)] };
}

function findFailures(
	{ verdict, faults, scheduled, outcome, crashes }: ReportParts,
	counts: ChaosReport["counts"],
): string[] {
	const failures: string[] = [];
	for (const name of ["lost", "doubled", "atOnce", "overwritten"] as const) {
		const ids = verdict[name];
		if (ids.length > 0) failures.push(`${ids.length} ${name}`);
		for (const id of ids.slice(0, 3)) failures.push(`${name}: ${describeEvent(id, outcome)}`);
	}
	if (crashes > 0) failures.push(`${crashes} receivers ended by themselves`);
	if (outcome.effects.size !== outcome.events.length) failures.push("there is not one effect for each event");
	for (const kind of Object.keys(scheduled) as FaultKind[]) {
		if (faults.counts[kind] < scheduled[kind])
			failures.push(`${kind}: ${faults.counts[kind]} of ${scheduled[kind]}`);
	}
	// Without these nothing was proven.
	const needed = {
		"runs cut off by them": scheduled.kill,
		"stale writes rejected": scheduled.pause,
		"stale ends rejected by the store": scheduled.latePause,
	};
	for (const [name, wanted] of Object.entries(needed)) {
		if (wanted > 0 && counts[name] === 0) failures.push(`there were no ${name}`);
	}
	return failures;
}

/** Everything that the journal knows of an event. */
function describeEvent(eventId: string, { effects, runs }: Outcome): string {
	const own = runs.filter((run) => run.eventId === eventId).sort((one, other) => one.token - other.token);
	const start = own[0]?.beganAt ?? 0;
	const seconds = (at: number | null): string => (at === null ? "?" : (at - start).toFixed(3));
	const lines = own.map(({ worker, token, ended, acknowledged, wasHeld, wasRejected, beganAt, endedAt }) =>
		[
			`  token ${token}, worker ${worker}, ${seconds(beganAt)} to ${seconds(endedAt)} s: ${ended ?? "cut off"}`,
			wasHeld ? "lease held" : "lease over",
			wasRejected ? "rejected by the store" : `acknowledged: ${acknowledged ?? "no"}`,
		].join(", "),
	);
	return [`${eventId}, effect ${effects.get(eventId) ?? "missing"}`, ...lines].join("\n");
}

/** The counts as a table, and the failures below. */
export function formatReport({ counts, failures }: ChaosReport): string {
	const rows = Object.entries(counts).map(([name, value]) => [name, value.toLocaleString("en")] as const);
	const [nameWidth, valueWidth] = [0, 1].map((at) => Math.max(...rows.map((row) => (row[at] ?? "").length)));
	const lines = rows.map(
		([name, value]) => `${name.padEnd(nameWidth ?? 0)}  ${value.padStart(valueWidth ?? 0)}`,
	);
	return [...lines, ...failures.map((failure) => `FAILED: ${failure}`)].join("\n");
}
