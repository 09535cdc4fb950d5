import type { ChaosReport } from "../report.ts";
import type { JobBook } from "./job-book.ts";
import { nameOf, type PlannedSend, SCENARIOS } from "./plan.ts";
import type { SendOutcome, SendsVerdict } from "./verdict.ts";

/** What a report is made of. */
export interface SendsReportParts {
	readonly title: Readonly<Record<string, string | number>>;
	readonly planned: readonly PlannedSend[];
	readonly outcomes: readonly SendOutcome[];
	readonly verdict: SendsVerdict;
	readonly book: JobBook;
	/** What the drivers counted. */
	readonly driven: Readonly<Record<string, number>>;
	readonly crashes: number;
	/** What went wrong with the run itself. */
	readonly problems: readonly string[];
}

/** Counts everything, and lists the failures. */
export function makeSendsReport(parts: SendsReportParts): ChaosReport {
	const { title, planned, outcomes, verdict, book, driven, crashes, problems } = parts;
	const wrong = {
		"sent after its lease": book.sentAfterLease,
		"accepted after a decision": book.acceptedTooLate,
		"unresolved without evidence": verdict.withoutEvidence,
		"unresolved although proven": verdict.unproven,
		dropped: verdict.dropped,
		"falsely accepted": verdict.falselyAccepted,
		doubled: verdict.doubled,
	};
	const names = SCENARIOS.map(nameOf).filter((name) => name !== undefined);
	const counts = {
		...title,
		sends: outcomes.length,
		"two workers at once": planned.filter(({ isRaced }) => isRaced).length,
		jobs: book.size,
		...Object.fromEntries(names.map((name) => [name, book.strikes[name] ?? 0])),
		...driven,
		"late arrivals accepted": book.lateArrivals.accepted,
		"late arrivals refused": book.lateArrivals.refused,
		messages: outcomes.reduce((sum, { accepted }) => sum + accepted, 0),
		"unresolved with callbacks": describeShare(parts, true),
		"unresolved without callbacks": describeShare(parts, false),
		crashes,
		...Object.fromEntries(Object.entries(wrong).map(([name, keys]) => [name, keys.length])),
	};
	const failures = [...problems];
	for (const [name, keys] of Object.entries(wrong)) {
		if (keys.length > 0) failures.push(`${keys.length} ${name}`);
		for (const key of keys.slice(0, 3)) failures.push(`${name}: ${describeSend(key, parts)}`);
	}
	if (crashes > 0) failures.push(`${crashes} workers ended by themselves`);
	// Without these nothing was proven.
	const plannedNames = new Set(planned.map(({ scenario }) => nameOf(scenario)));
	for (const name of names)
		if (plannedNames.has(name) && !book.strikes[name]) failures.push(`there was no ${name}`);
	return { counts, failures };
}

function describeShare({ outcomes, verdict }: SendsReportParts, hasCallback: boolean): string {
	const own = outcomes.filter((outcome) => outcome.hasCallback === hasCallback);
	const unresolved = own.filter(({ key }) => verdict.unresolved.includes(key)).length;
	return `${unresolved} of ${own.length}, ${((100 * unresolved) / own.length).toFixed(1)} %`;
}

function describeSend(key: string, { planned, outcomes }: SendsReportParts): string {
	const { scenario, isRaced, hasCallback } = planned.find((send) => send.key === key) ?? {};
	const { status, accepted, decisions, isReported } = outcomes.find((outcome) => outcome.key === key) ?? {};
	return [
		`${key} is ${status}`,
		`${accepted} messages after ${decisions} decisions`,
		isReported ? "reported as accepted" : "not reported as accepted",
		`${hasCallback ? "with" : "without"} callbacks`,
		`${scenario && nameOf(scenario)}${isRaced ? ", two workers" : ""}`,
	].join(", ");
}
