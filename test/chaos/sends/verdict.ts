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

/** The keys with a wrong outcome, and those without a known one. */
export interface SendsVerdict {
	/** More than one message without a decision. */
	readonly doubled: string[];
	/** Reported as accepted, but the gateway has no message. */
	readonly falselyAccepted: string[];
	/** Neither accepted nor unresolved, however often it was repeated. */
	readonly dropped: string[];
	/** Unresolved, and nothing shows why. */
	readonly withoutEvidence: string[];
	/** Accepted, and unresolved although its status events came. */
	readonly unproven: string[];
	/** Unresolved in the end, or until somebody decided. */
	readonly unresolved: string[];
}

/** Compares what the gateway accepted with what was reported. */
export function judgeSends(outcomes: readonly SendOutcome[]): SendsVerdict {
	const keysWhere = (fits: (outcome: SendOutcome) => boolean): string[] =>
		outcomes.filter(fits).map(({ key }) => key);
	const isUnresolved = ({ status }: SendOutcome): boolean => status === "unresolved";
	return {
		doubled: keysWhere(({ accepted, decisions }) => accepted > 1 + decisions),
		falselyAccepted: keysWhere(
			({ accepted, isReported, status }) => accepted === 0 && (isReported || status === "accepted"),
		),
		dropped: keysWhere(({ status }) => status !== "accepted" && status !== "unresolved"),
		withoutEvidence: keysWhere((outcome) => isUnresolved(outcome) && !outcome.hasEvidence),
		unproven: keysWhere((outcome) => isUnresolved(outcome) && outcome.hasCallback && outcome.accepted > 0),
		unresolved: keysWhere((outcome) => isUnresolved(outcome) || outcome.decisions > 0),
	};
}
