import type { Outcome } from "../errors.ts";

/** An attempt with an unknown outcome. */
export interface UncertainAttempt {
	/** The latest time at which the request may have been signed, in the store's Unix milliseconds. */
	readonly signedBy: number;
	/** Whether the request had its own `status_callback`, so a status event can still prove that it was accepted. */
	readonly hasCallback: boolean;
	/** How the call ended, or `undefined` while it runs, and if its worker died. */
	readonly outcome?: Outcome;
	/** The `code` of the error that the call ended with. */
	readonly errorCode?: string | undefined;
	/** The HTTP status of that error. */
	readonly httpStatus?: number | undefined;
	/** The mapping right after an unknown outcome: a hint, no proof. */
	readonly mapping?: MappingHint | undefined;
}

/** One POST, from its mark on. */
export interface SendAttempt extends UncertainAttempt {
	/** Random; part of this attempt's `status_callback`. */
	readonly token: string;
	/** The message's id, from the response or a status event. */
	readonly messageId?: string | undefined;
	/** The status of the first verified event that came by this attempt's `status_callback`. */
	readonly deliveryStatus?: string;
	/** Whether somebody decided to send again although this attempt may have been accepted. */
	readonly isWaived?: boolean;
}

/** A mapping after an attempt with an unknown outcome. It proves nothing: see `SendEvidence`. */
export interface MappingHint {
	/** How many messages you had sent. */
	readonly outbound: number;
	/** How many messages the contact had sent. */
	readonly inbound: number;
	/** Whether the window's two signatures are equal, or `undefined` without an open window. */
	readonly hasEqualSignatures?: boolean | undefined;
}

/** Everything that is known of a send: what the verdict is drawn from. */
export interface SendRecord {
	/** Random; part of every attempt's token. */
	readonly id: string;
	/** A keyed digest of key, operation and input. */
	readonly digest: string;
	/** When the intent was written, in the store's Unix milliseconds. */
	readonly createdAt: number;
	/** Until when a worker holds the send, in the store's Unix milliseconds: later for each one that takes it over. */
	readonly leaseEndsAt: number;
	/** The attempts that may have been accepted, and the last one. */
	readonly attempts: readonly SendAttempt[];
	/** An explicit decision. */
	readonly decision?: "accepted" | "give_up";
	/** The input as it is sent, if it is to be kept. */
	readonly input?: unknown;
}

export function isNotAccepted({ outcome, deliveryStatus }: SendAttempt): boolean {
	return deliveryStatus === undefined && (outcome === "not_sent" || outcome === "rejected");
}

export function isAccepted({ outcome, deliveryStatus }: SendAttempt): boolean {
	return outcome === "accepted" || deliveryStatus !== undefined;
}

/** The record with the mark that an attempt is about to be made. */
export function addAttempt(record: SendRecord, attempt: SendAttempt): SendRecord {
	return { ...record, attempts: [...record.attempts.filter((other) => !isNotAccepted(other)), attempt] };
}

/** The record with what was learned about an attempt; `undefined` if it lacks the attempt or already knows more. */
export function updateAttempt(
	record: SendRecord,
	token: string,
	learned: Partial<SendAttempt>,
): SendRecord | undefined {
	const before = record.attempts.find((attempt) => attempt.token === token);
	if (before === undefined || isAccepted(before)) return undefined;
	return {
		...record,
		attempts: record.attempts.map((attempt) => (attempt === before ? { ...before, ...learned } : attempt)),
	};
}

/** Ends the lease, if it is still the one that ends at this time. */
export function releaseLease(record: SendRecord, leaseEndsAt: number): SendRecord {
	return record.leaseEndsAt === leaseEndsAt ? { ...record, leaseEndsAt: 0 } : record;
}

/** The record with a decision by a person, or by a rule of the application. */
export function applyDecision(
	record: SendRecord,
	decision: "accepted" | "send_again" | "give_up",
): SendRecord {
	const { decision: _, ...rest } = record;
	if (decision !== "send_again") return { ...rest, decision };
	return {
		...rest,
		attempts: record.attempts.map((attempt) =>
			isNotAccepted(attempt) ? attempt : { ...attempt, isWaived: true },
		),
	};
}

/** Parses a {@link SendRecord}; `undefined` if the string is not one. */
export function readRecord(data: string): SendRecord | undefined {
	try {
		const value: Partial<SendRecord> | null = JSON.parse(data);
		return isRecord(value) ? value : undefined;
	} catch {
		return undefined;
	}
}

/** Whether it has what an attempt depends on. */
function isRecord(value: Partial<SendRecord> | null): value is SendRecord {
	return (
		typeof value?.digest === "string" && Number.isFinite(value.leaseEndsAt) && Array.isArray(value.attempts)
	);
}
