import { findCause } from "../../control/diagnosis/diagnose-delivery.ts";
import type { Attempt } from "../../local-gateway/delivery.ts";
import type { Attack } from "./attacks.ts";

/** Whether a receiver did what it should: `advice` is no rule of the specification, `unseen` shows nothing. */
export type Verdict = "right" | "wrong" | "advice" | "unseen";

/** What the response to a delivery shows. */
export interface Judgement {
	readonly verdict: Verdict;
	/** Whether the responses prove it. */
	readonly certainty?: "certain" | "likely";
	readonly reason?: string;
	readonly fix?: string;
}

export const RIGHT: Judgement = { verdict: "right" };

/** Judges the response to an attack. */
export function judgeAttack(attack: Attack, attempt: Attempt): Judgement {
	const { isRule, certainty, why, fix } = attack;
	const fault = { verdict: isRule ? "wrong" : "advice", certainty, fix } as const;
	if (attack.expected === "rejected") {
		if (isHandled(attempt)) return { ...fault, reason: `It acknowledged this. ${why}` };
		return judgeRejection(attack, attempt);
	}
	if (isHandled(attempt)) return RIGHT;
	return { ...fault, reason: `It didn't acknowledge this. ${why}` };
}

/** What another fault than an acknowledgement shows. */
function judgeRejection({ status: advised, why, fix }: Attack, { recorded, failure }: Attempt): Judgement {
	const { status } = recorded;
	const likely = { verdict: "advice", certainty: "likely" } as const;
	if (failure === "timed_out" || failure === "not_ended")
		return {
			...likely,
			reason: "It didn't respond in time, so anyone can keep its connections busy.",
			fix: "Respond as soon as it is clear that the delivery is wrong.",
		};
	if (failure === "connection_closed" && advised === undefined)
		return {
			...likely,
			reason: "It closed the connection without a response, as one that crashes does.",
			fix: "Read its log; respond 400 or 401 to what is wrong.",
		};
	if (status === 500)
		return {
			...likely,
			reason:
				"It failed instead of rejecting this: an error that nobody catches, which a stranger can cause.",
			fix: "Catch it, and respond 400 or 401.",
		};
	if (advised !== undefined && (status === 401 || status === 403))
		return { ...likely, reason: `It seems to read all of it. ${why}`, fix };
	return RIGHT;
}

/** Whether a webhook handler accepted a delivery; a web page is none. */
export function isHandled(attempt: Attempt): boolean {
	const cause = findCause(attempt);
	return cause === undefined || cause === "slow_response";
}
