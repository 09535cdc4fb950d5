import type { Outcome } from "../errors.ts";

/** One POST, from its mark on. */
export interface SendAttempt {
	/** Random; part of this attempt's `status_callback`. */
	readonly token: string;
	/** When the mark was made, in the store's Unix milliseconds. */
	readonly postedAt: number;
	/** The latest time at which the request can have been signed, in the store's Unix milliseconds. */
	readonly signedBy: number;
	/** Whether the request had a `status_callback` of its own. */
	readonly hasCallback: boolean;
	/** How the call ended; absent while it runs, and if its worker died. */
	readonly outcome?: Outcome;
	/** The `code` of the error that the call ended with. */
	readonly errorCode?: string | undefined;
	/** The HTTP status of that error. */
	readonly httpStatus?: number | undefined;
	/** The message's id, from the response or a status event. */
	readonly messageId?: string | undefined;
	/** The status of the first verified event that came by this attempt's `status_callback`. */
	readonly deliveryStatus?: string;
	/** What the mapping showed after an unknown outcome. */
	readonly mapping?: MappingHint | undefined;
	/** Whether somebody decided to send again although this attempt may have been accepted. */
	readonly isWaived?: boolean;
}

/** What a mapping showed after an attempt whose outcome is unknown. It proves nothing: see `SendEvidence`. */
export interface MappingHint {
	/** Count of outbound messages. */
	readonly outbound: number;
	/** Count of inbound messages. */
	readonly inbound: number;
	/** Whether the window's two signatures are equal; `undefined` without an open window. */
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
	/** The fencing token: it grows with each worker that takes the send over. */
	readonly token: number;
	/** Until when the worker holds the send, in the store's Unix milliseconds. */
	readonly leaseEndsAt: number;
	/** The attempts that may have been accepted, and the last one. Others count in `refusals`. */
	readonly attempts: readonly SendAttempt[];
	/** How many attempts were certainly not accepted. */
	readonly refusals: number;
	/** An explicit decision. */
	readonly decision?: "accepted" | "give_up";
	/** The input as it is sent, if it is to be kept. */
	readonly input?: unknown;
}

/** Whether an attempt was certainly not accepted. */
export function isRefused({ outcome, deliveryStatus }: SendAttempt): boolean {
	return deliveryStatus === undefined && (outcome === "not_sent" || outcome === "rejected");
}

/** Whether an attempt was certainly accepted. */
export function isAccepted({ outcome, deliveryStatus }: SendAttempt): boolean {
	return outcome === "accepted" || deliveryStatus !== undefined;
}

/** A worker takes the send over. */
export function claimed(record: SendRecord, leaseEndsAt: number): SendRecord {
	return { ...record, token: record.token + 1, leaseEndsAt };
}

/** The posting mark: an attempt is about to be made. */
export function posted(record: SendRecord, attempt: SendAttempt): SendRecord {
	return { ...record, attempts: [...record.attempts.filter((other) => !isRefused(other)), attempt] };
}

/** What is learned about an attempt; `undefined` if the record does not have it, or already knows more. */
export function noted(
	record: SendRecord,
	token: string,
	learned: Partial<SendAttempt>,
): SendRecord | undefined {
	const before = record.attempts.find((attempt) => attempt.token === token);
	if (before === undefined || isAccepted(before)) return undefined;
	const after = { ...before, ...learned };
	return {
		...record,
		attempts: record.attempts.map((attempt) => (attempt === before ? after : attempt)),
		refusals: record.refusals + (isRefused(after) && !isRefused(before) ? 1 : 0),
	};
}

/** The send is nobody's again, if the worker with this token has it. */
export function released(record: SendRecord, token: number): SendRecord {
	return record.token === token ? { ...record, leaseEndsAt: 0 } : record;
}

/** A decision by a person, or by a rule of the application. */
export function decided(record: SendRecord, decision: "accepted" | "send_again" | "give_up"): SendRecord {
	const { decision: _, ...rest } = record;
	if (decision !== "send_again") return { ...rest, decision };
	return {
		...rest,
		attempts: record.attempts.map((attempt) =>
			isRefused(attempt) ? attempt : { ...attempt, isWaived: true },
		),
	};
}

/** Reads a record that {@link SendRecord} was written to; `undefined` if it is none. */
export function readRecord(data: string): SendRecord | undefined {
	try {
		const value: unknown = JSON.parse(data);
		return isRecord(value) ? value : undefined;
	} catch {
		return undefined;
	}
}

function isRecord(value: unknown): value is SendRecord {
	if (typeof value !== "object" || value === null) return false;
	const { id, digest, createdAt, token, leaseEndsAt, attempts } = value as Record<string, unknown>;
	return (
		typeof id === "string" &&
		typeof digest === "string" &&
		[createdAt, token, leaseEndsAt].every(Number.isFinite) &&
		Array.isArray(attempts)
	);
}
