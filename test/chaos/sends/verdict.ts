import { countEach, type Judgement, listWrong, TRIES } from "../report.ts";
import { type PlannedSend, SCENARIO_NAMES } from "./plan.ts";

/** What became of a send, as the gateway, the store and the workers have it. */
export interface SendOutcome {
	readonly key: string;
	readonly hasCallback: boolean;
	/** How many messages of it the gateway has accepted. */
	readonly accepted: number;
	/** How often somebody decided to send again. */
	readonly decisions: number;
	/** Whether a worker reported it as accepted. */
	readonly isReported: boolean;
	/** The verdict in the end; `undefined` if the store does not know the key, or a worker still has it. */
	readonly status: "open" | "unresolved" | "accepted" | "given_up" | undefined;
	/** Whether an unresolved one names its attempts. */
	readonly hasEvidence: boolean;
}

/** What is judged. */
export interface SendsRun {
	/** What else was counted. */
	readonly counts: Judgement["counts"];
	readonly planned: readonly Pick<PlannedSend, "key" | "scenario" | "isRaced">[];
	readonly outcomes: readonly SendOutcome[];
	/** How often each strike and each fault happened. */
	readonly strikes: Readonly<Record<string, number>>;
	/** Keys that a worker sent although its lease was over before it signed. */
	readonly sentAfterLease: readonly string[];
	/** Keys of which a request was held back, and accepted after somebody had decided to send again. */
	readonly acceptedTooLate: readonly string[];
	/** Status events that the receiver has not got: what they would prove is open. */
	readonly undelivered: number;
	/** Workers that ended by themselves. */
	readonly crashes: number;
	/** What went wrong with the run itself. */
	readonly problems: readonly string[];
}

/** Judges whether what the gateway accepted is what was reported, and whether everything planned has happened. */
export function judgeSends(run: SendsRun): Judgement {
	const { planned, outcomes, strikes, crashes, undelivered } = run;
	const { unproven, ...found } = findWrong(outcomes);
	const wrong = {
		"sent after its lease": run.sentAfterLease,
		"accepted after a decision": run.acceptedTooLate,
		...found,
		"unresolved although proven": undelivered === 0 ? unproven : [],
	};
	const failures = [...run.problems, ...listWrong(wrong, (key) => describeSend(key, run))];
	if (crashes > 0) failures.push(`${crashes} workers ended by themselves`);
	const inconclusive = SCENARIO_NAMES.filter((name) => !strikes[name]).map(
		(name) => `no ${name} in ${TRIES} tries`,
	);
	if (unproven.length > 0 && undelivered > 0)
		inconclusive.push(`${unproven.length} unresolved, as ${undelivered} status events are on their way`);
	return {
		counts: {
			...run.counts,
			sends: outcomes.length,
			"two workers at once": planned.filter(({ isRaced }) => isRaced).length,
			...Object.fromEntries(SCENARIO_NAMES.map((name) => [name, strikes[name] ?? 0])),
			messages: outcomes.reduce((sum, { accepted }) => sum + accepted, 0),
			"unresolved with callbacks": describeShare(outcomes, true),
			"unresolved without callbacks": describeShare(outcomes, false),
			crashes,
			...countEach(wrong),
		},
		failures,
		inconclusive,
	};
}

/** The keys with a wrong outcome. */
export function findWrong(outcomes: readonly SendOutcome[]) {
	const keysWhere = (isWrong: (outcome: SendOutcome) => boolean): string[] =>
		outcomes.filter(isWrong).map(({ key }) => key);
	const isUnresolved = ({ status }: SendOutcome): boolean => status === "unresolved";
	return {
		/** More than one message without a decision. */
		doubled: keysWhere(({ accepted, decisions }) => accepted > 1 + decisions),
		/** Reported as accepted, but the gateway has no message. */
		"falsely accepted": keysWhere(
			({ accepted, isReported, status }) => accepted === 0 && (isReported || status === "accepted"),
		),
		/** Neither accepted nor unresolved, however often it was repeated. */
		dropped: keysWhere(({ status }) => status !== "accepted" && status !== "unresolved"),
		/** Nothing shows why it is unresolved. */
		"unresolved without evidence": keysWhere((outcome) => isUnresolved(outcome) && !outcome.hasEvidence),
		/** Accepted, and unresolved although its status events come. */
		unproven: keysWhere((outcome) => isUnresolved(outcome) && outcome.hasCallback && outcome.accepted > 0),
	};
}

/** How many were unresolved in the end, or until somebody decided. */
function describeShare(outcomes: readonly SendOutcome[], hasCallback: boolean): string {
	const own = outcomes.filter((outcome) => outcome.hasCallback === hasCallback);
	const unresolved = own.filter(({ status, decisions }) => status === "unresolved" || decisions > 0).length;
	return `${unresolved} of ${own.length}, ${((100 * unresolved) / own.length).toFixed(1)} %`;
}

function describeSend(key: string, { planned, outcomes }: SendsRun): string {
	const isIt = (send: { readonly key: string }): boolean => send.key === key;
	return JSON.stringify({ ...planned.find(isIt), ...outcomes.find(isIt) });
}
