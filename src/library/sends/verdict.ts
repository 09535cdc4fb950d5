import { isAccepted, isNotAccepted, type SendRecord, type UncertainAttempt } from "./record.ts";

/**
 * How long after the last signing a send may be repeated: five minutes for the gateway's tolerance (specification,
 * section 5.1), and five for a clock of ours that is ahead. Until then a delayed request can still be accepted.
 */
export const LATE_ARRIVAL_MS = 10 * 60_000;

/** The proof that a send was accepted: the response, a status event, or somebody's decision. */
export type AcceptanceProof = "response" | "status" | "decision";

/** Hints about an unresolved send, for a person or a rule. None of them is a proof. */
export interface SendEvidence {
	/** The attempts that may have been accepted. */
	readonly attempts: readonly UncertainAttempt[];
	/** In how many milliseconds you can call `resolveSend(store, key, "send_again")`. It is 0 if you can now. */
	readonly sendAgainAfterMs: number;
}

/** Whether a send was accepted, as far as it is known. */
export type SendVerdict =
	| {
			readonly status: "accepted";
			readonly proof: AcceptanceProof;
			/** The message's id, if known. */
			readonly messageId: string | undefined;
	  }
	/** Somebody decided to give up: nothing is sent any more. */
	| { readonly status: "given_up" }
	/** A worker is processing it. */
	| { readonly status: "in_progress"; readonly retryAfterMs: number }
	/** It was certainly not accepted (RFC 9110, section 15.5), or somebody decided to send again: the next `send` makes an attempt. */
	| { readonly status: "open" }
	/** It may have been accepted. */
	| { readonly status: "unresolved"; readonly evidence: SendEvidence };

/**
 * Derives what is known of a send from its record. Only proofs decide; hints never do.
 * @param now - the store's time, in Unix milliseconds.
 */
export function verdictOf(record: SendRecord, now: number): SendVerdict {
	const accepted = record.attempts.find(isAccepted);
	if (accepted !== undefined) {
		const proof = accepted.outcome === "accepted" ? "response" : "status";
		return { status: "accepted", proof, messageId: accepted.messageId };
	}
	if (record.decision === "accepted") return { status: "accepted", proof: "decision", messageId: undefined };
	if (record.decision === "give_up") return { status: "given_up" };
	if (record.leaseEndsAt > now) return { status: "in_progress", retryAfterMs: record.leaseEndsAt - now };
	const uncertain = record.attempts.filter((attempt) => !isNotAccepted(attempt) && !attempt.isWaived);
	if (uncertain.length === 0) return { status: "open" };
	return {
		status: "unresolved",
		evidence: {
			attempts: uncertain.map(({ token, ...shown }) => shown),
			sendAgainAfterMs: sendAgainAfterMs(record, now),
		},
	};
}

/** How long a request of an earlier attempt may still arrive and be accepted, in milliseconds. */
export function sendAgainAfterMs({ attempts }: SendRecord, now: number): number {
	const last = Math.max(
		0,
		...attempts.filter((attempt) => !isNotAccepted(attempt)).map(({ signedBy }) => signedBy),
	);
	return Math.max(0, last + LATE_ARRIVAL_MS - now);
}
