import { getMapping } from "../catalogue/mappings.ts";
import type { Message, MessageData } from "../catalogue/message.ts";
import { assertKnownKeys, assertOneOf } from "../check-options.ts";
import { makeCall } from "../client/call.ts";
import { type CallLimits, type CallOptions, resolveLimits } from "../client/options.ts";
import { isBare401 } from "../client/refusals.ts";
import { ApiError, AuthenticationError, isMessagingGatewayError, SendError } from "../errors.ts";
import { isUuid } from "../signing/dialect.ts";
import { type LeaseTime, startLease } from "../store-calls/lease-time.ts";
import type { ResolvedSenderOptions, SendKeyOptions } from "./options.ts";
import {
	type AttemptPlan,
	keyReused,
	newToken,
	type PreparedSend,
	prepareSend,
	type SendInput,
} from "./prepare-send.ts";
import {
	addAttempt,
	type MappingHint,
	releaseLease,
	type SendAttempt,
	type SendRecord,
	updateAttempt,
} from "./record.ts";
import { inProgress, storeFailed } from "./stored-record.ts";
import { type AcceptanceProof, type SendEvidence, type SendVerdict, verdictOf } from "./verdict.ts";

/**
 * The result of a send. If the send was certainly not accepted, `send` throws instead, and its key stays open: after no
 * connection, or a 4xx other than 408 and 499 (RFC 9110, section 15.5).
 *
 * With `kept`, the result belongs to an earlier send with another input, which `ifReused: "keep"` lets stand: the input
 * of this call was not sent.
 */
export type SendResult =
	| {
			readonly status: "accepted";
			readonly proof: AcceptanceProof;
			/** The message's id, if known. */
			readonly messageId: string | undefined;
			/** The message of the response. Only the call that got it has it, since no store keeps it. */
			readonly message?: Message | undefined;
			readonly kept?: boolean | undefined;
	  }
	/** It may have been accepted. */
	| { readonly status: "unresolved"; readonly evidence: SendEvidence; readonly kept?: boolean | undefined }
	/** Somebody decided to give up: nothing is sent any more. */
	| { readonly status: "given_up"; readonly kept?: boolean | undefined };

/** A claimed send, whose attempt is marked. */
interface Marked {
	readonly plan: AttemptPlan;
	readonly record: SendRecord;
	/** That of the mark, if it is known to be written: otherwise somebody else's change may have the same one. */
	readonly version?: number | undefined;
	readonly token: string;
	/** From before the store's time was read, so that it ends before the store's lease does. */
	readonly lease: LeaseTime;
}

interface Ended {
	readonly learned: Partial<SendAttempt>;
	readonly message?: Message | undefined;
	readonly error?: unknown;
}

/** How long to wait for the mapping, which is only a hint. */
const HINT_TIMEOUT_MS = 5_000;

/** A number that is reserved for fiction: for a read that shows whether signed requests are accepted. */
const ANY_NUMBER = "+15555550100";

/** How often a claim is tried, and how often the end of a POST is recorded if the store fails. */
const MAX_TRIES = 3;

const SEND_OPTIONS: readonly (keyof SendKeyOptions)[] = [
	"signal",
	"timeoutMs",
	"attemptTimeoutMs",
	"headers",
	"ifReused",
];

/** Makes a send, or returns what is known of it. */
export async function runSend(
	sender: ResolvedSenderOptions,
	key: string,
	input: SendInput,
	options: SendKeyOptions,
): Promise<SendResult> {
	assertKnownKeys("The call's options", options, SEND_OPTIONS, {
		maxRetries: "a sender makes one attempt, so call it again with the same key",
	});
	const { ifReused = "throw", ...callOptions } = options;
	assertOneOf("ifReused", ifReused, ["throw", "keep"]);
	const limits = resolveLimits(sender.caller.options, callOptions);
	const prepared = await prepareSend(sender, key, input, { ...callOptions, ...limits });
	for (let tries = 0; tries < MAX_TRIES; tries++) {
		if (options.signal?.aborted) throw options.signal.reason;
		const marked = await claimAndMark(sender, key, prepared, ifReused === "keep").catch((error) => {
			throw explainFailure(error, "This call sent nothing", ". Then call again with the same key");
		});
		if (marked === undefined) continue;
		if ("status" in marked) return marked;
		const confirmed = await confirmLease(sender, key, marked);
		const posted = await post(sender, confirmed, { ...callOptions, ...limits });
		const ended = await examine(sender, confirmed, posted, prepared, options);
		const { verdict, record } = await recordEnd(sender, key, confirmed, ended.learned);
		if (verdict.status === "unresolved") report(sender.onUnresolved, { key, evidence: verdict.evidence });
		// Meanwhile a call with another input may have been accepted.
		if (verdict.status !== "accepted" || prepared.isOf(record)) return conclude(ended, verdict);
		if (ifReused === "throw") throw ended.error;
		return { ...verdict, kept: true };
	}
	throw inProgress(sender.leaseMs);
}

/**
 * Claims the send and marks that an attempt is about to be made, unless its result is known already.
 * @param isKept - whether a record of another input decides, instead of an error.
 * @returns `undefined` if another worker was first, or a status event has proved an earlier attempt meanwhile.
 */
async function claimAndMark(
	sender: ResolvedSenderOptions,
	key: string,
	prepared: PreparedSend,
	isKept: boolean,
): Promise<Marked | SendResult | undefined> {
	const { records, caller, leaseMs, statusCallback } = sender;
	const lease = startLease(caller.clock, leaseMs);
	const { now, version, record: found } = await records.read(key);
	const isOther = found !== undefined && !prepared.isOf(found);
	if (isOther && !isKept) throw keyReused();
	const verdict = found && verdictOf(found, now);
	if (verdict?.status === "in_progress") throw inProgress(verdict.retryAfterMs);
	if (verdict !== undefined && verdict.status !== "open")
		return isOther ? { ...verdict, kept: true } : verdict;
	const leaseEndsAt = now + leaseMs;
	const claimed = { ...(found ?? prepared.newRecord(now)), leaseEndsAt };
	const token = newToken(claimed.id);
	const plan = await prepared.planAttempt(token, claimed.id);
	if (!(await records.write(key, version, claimed))) return undefined;
	// Until then an earlier attempt may be proved, and what was sent is its input.
	const record = addAttempt(isOther ? prepared.replaceInput(claimed) : claimed, {
		token,
		signedBy: leaseEndsAt,
		hasCallback: statusCallback !== undefined,
	});
	// A new row has version 1, and each write adds 1.
	const marked = { plan, record, token, lease };
	try {
		if (!(await records.write(key, version + 1, record))) return undefined;
		return { ...marked, version: version + 2 };
	} catch (error) {
		// The mark may be there although the store failed.
		await recordEnd(sender, key, marked, { outcome: "not_sent" });
		throw error;
	}
}

/**
 * Asks the store for the rest of the lease if the machine slept, or a clock was set. Never rejects: without an answer nothing
 * is sent.
 */
async function confirmLease(
	{ records, caller: { clock }, leaseMs }: ResolvedSenderOptions,
	key: string,
	marked: Marked,
): Promise<Marked> {
	if (marked.lease().isCertain) return marked;
	const asked = startLease(clock, leaseMs);
	const found = await records.read(key).catch(() => undefined);
	if (found?.record === undefined || found.version !== marked.version || !asked().isCertain) return marked;
	const askedMs = leaseMs - asked().leftMs;
	return { ...marked, lease: startLease(clock, found.record.leaseEndsAt - found.now - askedMs) };
}

/** Makes the one attempt, within the lease. Never rejects. */
async function post(
	{ caller }: ResolvedSenderOptions,
	{ plan, lease }: Marked,
	options: CallOptions & CallLimits,
): Promise<Ended> {
	let isSigned = false;
	const beforeSending = (): void => {
		if (!lease().isCertain)
			throw new SendError(
				"lease_ended",
				"Nothing was sent: the lease was over, or a clock was set, before the request was signed. Call again with the same key",
			);
		isSigned = true;
	};
	try {
		// A lease that is over is found when the request is signed.
		const left = Math.max(1, lease().leftMs);
		const timeoutMs = Math.min(options.timeoutMs, left);
		const attemptTimeoutMs = Math.min(options.attemptTimeoutMs, left);
		const { data } = await makeCall(caller, {
			...plan,
			beforeSending,
			keepsSecret: true,
			options: { ...options, maxRetries: 0, timeoutMs, attemptTimeoutMs },
		});
		// An assumed shape may be off.
		const { message }: Partial<MessageData> = data ?? {};
		const messageId = isUuid(message?.messageId) ? message.messageId : undefined;
		return { learned: { outcome: "accepted", messageId }, message };
	} catch (error) {
		return { learned: readOutcome(error, isSigned, options.signal), error };
	}
}

/** What a failed call proves. The reason of the caller's signal could be any error, even one with an outcome. */
function readOutcome(error: unknown, isSigned: boolean, signal: AbortSignal | undefined) {
	const isAborted = signal?.aborted === true && signal.reason === error;
	if (isAborted || !isMessagingGatewayError(error) || !("outcome" in error))
		return { outcome: isSigned ? "unknown" : "not_sent", errorCode: "aborted" } as const;
	const httpStatus = "status" in error ? error.status : undefined;
	return { outcome: error.outcome, errorCode: error.code, httpStatus };
}

/**
 * Makes one signed read if the outcome is unknown, or may be. A 401 without a reason may be the rejection of a copy, whose
 * nonce was used: only if the read is rejected as well, the send was. Otherwise what the mapping shows is a hint.
 */
async function examine(
	sender: ResolvedSenderOptions,
	marked: Marked,
	ended: Ended,
	{ to }: PreparedSend,
	options: SendKeyOptions,
): Promise<Ended> {
	const { error, learned } = ended;
	const isBare =
		error instanceof AuthenticationError &&
		isBare401({ status: 401, error: { code: error.gatewayCode, details: error.details } });
	const isUncertain = learned.outcome === "unknown" && learned.errorCode !== "aborted";
	if (!isBare && !(isUncertain && typeof to === "string")) return ended;
	const { isRejected, mapping } = await readMapping(sender, marked, to, options);
	return isBare && isRejected ? ended : { ...ended, learned: { ...learned, outcome: "unknown", mapping } };
}

/** What a read of the contact's mapping shows, without its numbers, and whether signed requests are rejected at all. */
async function readMapping(
	{ caller }: ResolvedSenderOptions,
	{ lease }: Marked,
	to: unknown,
	{ signal, headers }: SendKeyOptions,
): Promise<{ readonly isRejected: boolean; readonly mapping?: MappingHint }> {
	const timeoutMs = Math.min(HINT_TIMEOUT_MS, lease().leftMs);
	if (timeoutMs <= 0) return { isRejected: false };
	const hasContact = typeof to === "string";
	const toNumber = hasContact ? to : ANY_NUMBER;
	try {
		const options = { signal, headers, maxRetries: 0, timeoutMs };
		const { data, attempts } = await caller.call(getMapping, { toNumber }, options).withResponse();
		const { outbound, inbound, duplicate } = data.mapping;
		const hasEqualSignatures = duplicate
			? duplicate.lastMessageSignature === duplicate.currentMessageSignature
			: undefined;
		// A second attempt has another secret or another time than the rejected send.
		const isRejected = attempts > 1;
		return hasContact ? { isRejected, mapping: { outbound, inbound, hasEqualSignatures } } : { isRejected };
	} catch (rejection) {
		const isRepeated = rejection instanceof ApiError && rejection.attempts > 1;
		return { isRejected: isRepeated || rejection instanceof AuthenticationError };
	}
}

/**
 * Records how an attempt ended, and releases the send. Never rejects: the result is known even if the store fails.
 * @returns the record, and what is known of the send.
 */
async function recordEnd(
	{ records, onError }: ResolvedSenderOptions,
	key: string,
	{ record: marked, version, token, lease }: Marked,
	learned: Partial<SendAttempt>,
): Promise<{ readonly verdict: SendVerdict; readonly record: SendRecord }> {
	const { leaseEndsAt } = marked;
	const next = (record: SendRecord, now: number): SendRecord => {
		// Nothing is signed after its call has ended.
		const ended = { ...learned, signedBy: Math.min(leaseEndsAt, now) };
		return releaseLease(updateAttempt(record, token, ended) ?? record, leaseEndsAt);
	};
	let failure: unknown;
	try {
		// Mostly nobody has changed the mark. The store's time is at most this: the lease was measured from before it was read.
		const latest = leaseEndsAt - lease().leftMs;
		const ended = next(marked, latest);
		if (version !== undefined && (await records.write(key, version, ended)))
			return { verdict: verdictOf(ended, latest), record: ended };
	} catch (error) {
		failure = error;
	}
	for (let tries = 0; tries < MAX_TRIES; tries++) {
		try {
			const changed = await records.change(key, next);
			if (changed !== undefined)
				return { verdict: verdictOf(changed.record, changed.now), record: changed.record };
		} catch (error) {
			failure = error;
		}
	}
	const lost = failure ?? storeFailed("its read must resolve to the row that was written");
	report(onError, explainFailure(lost, "The result of a send wasn't recorded"));
	const record = next(marked, leaseEndsAt);
	return { verdict: verdictOf(record, leaseEndsAt), record };
}

/** A failure of the store, with what became of the send. Any other error stays as it is. */
function explainFailure(error: unknown, fate: string, wayOut = ""): unknown {
	if (!(error instanceof SendError) || error.code !== "store_failed") return error;
	const { message, cause } = error;
	return new SendError("store_failed", `${fate}. ${message}${wayOut}`, cause === undefined ? {} : { cause });
}

/** Calls a function that only observes. If it throws, or rejects, nothing else changes. */
function report<Info>(listener: ((info: Info) => unknown) | undefined, info: Info): void {
	void (async () => listener?.(info))().catch(() => undefined);
}

function conclude({ learned, message, error }: Ended, verdict: SendVerdict): SendResult {
	// A status event may have come first.
	if (verdict.status === "accepted") return { ...verdict, message };
	const isReported = learned.outcome === "unknown" && learned.errorCode !== "aborted";
	if (isReported && (verdict.status === "unresolved" || verdict.status === "given_up")) return verdict;
	throw error;
}
