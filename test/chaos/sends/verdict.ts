import { type Judgement, judge, type Played } from "../report.ts";

/** What became of a send, as the gateway, the store and the workers have it. */
export interface SendOutcome {
	readonly key: string;
	readonly hasCallback: boolean;
	/** How many messages of it the gateway has accepted. */
	readonly accepted: number;
	/** Whether a worker reported it as accepted. */
	readonly isReported: boolean;
	/** The verdict in the end; `undefined` if the store does not know the key, or a worker still has it. */
	readonly status: "open" | "unresolved" | "accepted" | "given_up" | undefined;
	/** Whether an unresolved one names its attempts. */
	readonly hasEvidence: boolean;
}

/** Judges whether what the gateway accepted is what was reported, and whether every fault struck. */
export function judgeSends(played: Played, outcomes: readonly SendOutcome[]): Judgement {
	const counts = {
		sends: outcomes.length,
		messages: outcomes.reduce((sum, { accepted }) => sum + accepted, 0),
		"unresolved with callbacks": countUnresolved(outcomes, true),
		"unresolved without callbacks": countUnresolved(outcomes, false),
	};
	const describe = (key: string): string => JSON.stringify(outcomes.find((outcome) => outcome.key === key));
	return judge(played, { counts, wrong: findWrong(outcomes), describe });
}

/** The keys with a wrong outcome. */
export function findWrong(outcomes: readonly SendOutcome[]) {
	const keysWhere = (isWrong: (outcome: SendOutcome) => boolean): string[] =>
		outcomes.filter(isWrong).map(({ key }) => key);
	const isUnresolved = ({ status }: SendOutcome): boolean => status === "unresolved";
	return {
		doubled: keysWhere(({ accepted }) => accepted > 1),
		/** Reported as accepted, but the gateway has no message. */
		"falsely accepted": keysWhere(
			({ accepted, isReported, status }) => accepted === 0 && (isReported || status === "accepted"),
		),
		/** Neither accepted nor unresolved, however often it was repeated. */
		dropped: keysWhere(({ status }) => status !== "accepted" && status !== "unresolved"),
		/** Nothing shows why it is unresolved. */
		"unresolved without evidence": keysWhere((outcome) => isUnresolved(outcome) && !outcome.hasEvidence),
		/** Accepted, and unresolved although its status events come. */
		"unresolved although proven": keysWhere(
			(outcome) => isUnresolved(outcome) && outcome.hasCallback && outcome.accepted > 0,
		),
	};
}

function countUnresolved(outcomes: readonly SendOutcome[], hasCallback: boolean): string {
	const own = outcomes.filter((outcome) => outcome.hasCallback === hasCallback);
	return `${own.filter(({ status }) => status === "unresolved").length} of ${own.length}`;
}
