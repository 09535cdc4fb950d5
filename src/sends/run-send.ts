import { getMapping } from "../catalogue/mappings.ts";
import type { Message, MessageData } from "../catalogue/message.ts";
import { assertKnownKeys } from "../check-options.ts";
import { makeCall } from "../client/call.ts";
import { assertHeaders, resolveLimits } from "../client/options.ts";
import { isMessagingGatewayError, type Outcome, SendError } from "../errors.ts";
import { type Clock, monotonicNow } from "../runtime.ts";
import { isUuid } from "../signing/uuid.ts";
import type { SendInput } from "./input.ts";
import type { ResolvedSenderOptions, SendKeyOptions } from "./options.ts";
import { type AttemptPlan, newToken, type PreparedSend, prepareSend } from "./prepare-send.ts";
import {
	claimed,
	type MappingHint,
	noted,
	posted,
	released,
	type SendAttempt,
	type SendRecord,
} from "./record.ts";
import { inProgress, leaseEnded } from "./send-errors.ts";
import { change, readSend, toRow } from "./stored-record.ts";
import { type AcceptanceProof, type SendEvidence, type SendVerdict, verdictOf } from "./verdict.ts";

/** What a send came to. A send that was certainly not accepted throws instead, and its key stays open. */
export type SendResult =
	| {
			readonly status: "accepted";
			readonly proof: AcceptanceProof;
			/** The message's id, if it is known. */
			readonly messageId: string | undefined;
			/** The message of the response: only for the call that got it, since no store keeps it. */
			readonly message: Message | undefined;
	  }
	/** It may have been accepted. */
	| { readonly status: "unresolved"; readonly evidence: SendEvidence }
	/** `resolve(key, "give_up")`: nothing is sent any more. */
	| { readonly status: "given_up" };

/** A verdict that leaves nothing to send. */
type KnownVerdict = Exclude<SendVerdict, { readonly status: "open" }>;

/** A send that this worker holds. */
interface Held {
	readonly record: SendRecord;
	readonly version: number;
	/** What is left of the lease, in milliseconds, or less. */
	readonly leftMs: () => number;
}

/** How the call of an attempt ended. */
interface Ended {
	readonly outcome: Outcome;
	readonly learned: Partial<SendAttempt>;
	readonly message: Message | undefined;
	/** What it rejected with. */
	readonly error: unknown;
}

/** The longest that the mapping is waited for: it is only a hint. */
const HINT_TIMEOUT_MS = 5_000;

/** How often the end of a POST is recorded if the store fails, and how often a claim is tried. */
const MAX_TRIES = 3;

/** Makes a send, or returns what is known of it. */
export async function runSend(
	sender: ResolvedSenderOptions,
	key: string,
	input: SendInput,
	options: SendKeyOptions,
): Promise<SendResult> {
	assertKnownKeys("the send's options", options, ["signal", "timeoutMs", "attemptTimeoutMs", "headers"]);
	resolveLimits(sender.caller.options, options);
	assertHeaders(options.headers);
	const prepared = await prepareSend(sender, key, input);
	options.signal?.throwIfAborted();
	return claimAndPost(sender, key, prepared, options);
}

async function claimAndPost(
	sender: ResolvedSenderOptions,
	key: string,
	prepared: PreparedSend,
	options: SendKeyOptions,
): Promise<SendResult> {
	const { store, statusCallback } = sender;
	const held = await claim(sender, key, prepared);
	if ("known" in held) return toResult(held.known);
	const token = newToken(held.record.id);
	const { leaseEndsAt } = held.record;
	const plan = await prepared.planAttempt(token);
	const attempt = {
		token,
		postedAt: leaseEndsAt - held.leftMs(),
		signedBy: leaseEndsAt,
		hasCallback: statusCallback !== undefined,
	};
	const marked = posted(held.record, attempt);
	try {
		if (!(await store.replace(key, held.version, toRow(marked)))) {
			// Another worker took it over, or a status event proved an earlier attempt.
			return await claimAndPost(sender, key, prepared, options);
		}
	} catch (error) {
		// The mark may be there although the store failed.
		await recordEnd(sender, key, marked, token, { outcome: "not_sent" }, 1);
		throw error;
	}
	const ended = await post(sender, held, plan, options);
	const mapping = ended.outcome === "unknown" ? await readHint(sender, held, prepared, options) : undefined;
	const verdict = await recordEnd(sender, key, marked, token, { ...ended.learned, mapping }, MAX_TRIES);
	return conclude(ended, verdict);
}

/** Takes the send over, unless something is known of it: one worker at a time. */
async function claim(
	{ store, clock, leaseMs }: ResolvedSenderOptions,
	key: string,
	prepared: PreparedSend,
): Promise<Held | { readonly known: KnownVerdict }> {
	for (let tries = 0; tries < MAX_TRIES; tries++) {
		// From before the store's time is read: what is left here is over before the store's lease is.
		const leftMs = startLease(clock, leaseMs);
		const { now, version, record: found } = await readSend(store, key);
		prepared.assertSame(found);
		const known = found && verdictOf(found, now);
		if (known !== undefined && known.status !== "open") return { known };
		const record = claimed(found ?? prepared.newRecord(now), now + leaseMs);
		const row = toRow(record);
		const isOurs = await (found === undefined ? store.insert(key, row) : store.replace(key, version, row));
		if (isOurs) return { record, version: version + 1, leftMs };
	}
	throw inProgress(leaseMs);
}

/** By both clocks: one may be set back, and the other may stand still while the machine is suspended. */
function startLease(clock: Clock, leaseMs: number): () => number {
	const [startedAt, startedMonotonic] = [clock.now(), monotonicNow(clock)];
	return () => leaseMs - Math.max(clock.now() - startedAt, monotonicNow(clock) - startedMonotonic);
}

/** Makes the one attempt, within the lease. Never rejects. */
async function post(
	{ caller }: ResolvedSenderOptions,
	{ leftMs }: Held,
	{ plan, prepared }: AttemptPlan,
	options: SendKeyOptions,
): Promise<Ended> {
	let isSigned = false;
	const beforeSending = (): void => {
		if (leftMs() <= 0) throw leaseEnded();
		isSigned = true;
	};
	try {
		const limits = resolveLimits(caller.options, options);
		const left = leftMs();
		if (left <= 0) throw leaseEnded();
		const timeoutMs = Math.min(limits.timeoutMs, left);
		const attemptTimeoutMs = Math.min(limits.attemptTimeoutMs, left);
		const { data } = await makeCall(caller, {
			...plan,
			prepare: async () => prepared,
			beforeSending,
			options: { ...options, maxRetries: 0, timeoutMs, attemptTimeoutMs },
		});
		// An assumed shape may be off.
		const { message }: Partial<MessageData> = data ?? {};
		const messageId = isUuid(message?.messageId) ? message.messageId : undefined;
		return { outcome: "accepted", learned: { outcome: "accepted", messageId }, message, error: undefined };
	} catch (error) {
		const learned = describeFailure(error, isSigned, options.signal);
		return { outcome: learned.outcome, learned, message: undefined, error };
	}
}

/** What a failed call proves. The reason of the caller's signal could be any error, even one with an outcome. */
function describeFailure(error: unknown, isSigned: boolean, signal: AbortSignal | undefined) {
	const isAborted = signal?.aborted === true && signal.reason === error;
	if (isAborted || !isMessagingGatewayError(error) || !("outcome" in error))
		return { outcome: isSigned ? "unknown" : "not_sent", errorCode: "aborted" } as const;
	const httpStatus = "status" in error ? error.status : undefined;
	return { outcome: error.outcome, errorCode: error.code, httpStatus };
}

/** What the mapping shows of the contact, without its numbers. */
async function readHint(
	{ caller }: ResolvedSenderOptions,
	{ leftMs }: Held,
	{ to }: PreparedSend,
	{ signal, headers }: SendKeyOptions,
): Promise<MappingHint | undefined> {
	const timeoutMs = Math.min(HINT_TIMEOUT_MS, leftMs());
	if (typeof to !== "string" || timeoutMs <= 0) return undefined;
	try {
		const options = { signal, headers, maxRetries: 0, timeoutMs };
		const { mapping } = await caller.call(getMapping, { toNumber: to }, options);
		const { outbound, inbound, duplicate } = mapping;
		const hasEqualSignatures = duplicate
			? duplicate.lastMessageSignature === duplicate.currentMessageSignature
			: undefined;
		return { outbound, inbound, hasEqualSignatures };
	} catch {
		return undefined;
	}
}

/**
 * Records how an attempt ended, and lets go of the send. Never rejects: what is known is known without the store.
 * @returns what is known of the send.
 */
async function recordEnd(
	{ store, onError }: ResolvedSenderOptions,
	key: string,
	marked: SendRecord,
	token: string,
	learned: Partial<SendAttempt>,
	maxTries: number,
): Promise<SendVerdict> {
	const next = (record: SendRecord, now: number): SendRecord => {
		// Nothing is signed after its call has ended.
		const ended = { ...learned, signedBy: Math.min(marked.leaseEndsAt, now) };
		return released(noted(record, token, ended) ?? record, marked.token);
	};
	let failure: unknown;
	for (let tries = 0; tries < maxTries; tries++) {
		try {
			const changed = await change(store, key, next);
			if (changed !== undefined) return verdictOf(changed.record, changed.now);
			failure = new SendError("store_failed", "the store lost the record of a send that is under way");
			break;
		} catch (error) {
			failure = error;
		}
	}
	// An async onError that rejects must not go unhandled either.
	void (async () => onError?.(failure))().catch(() => undefined);
	return verdictOf(next(marked, marked.leaseEndsAt), marked.leaseEndsAt);
}

function conclude({ outcome, learned, message, error }: Ended, verdict: SendVerdict): SendResult {
	if (outcome === "accepted")
		return { status: "accepted", proof: "response", messageId: learned.messageId, message };
	// A status event may have come first.
	if (verdict.status === "accepted") return { ...verdict, message: undefined };
	const isReported = outcome === "unknown" && learned.errorCode !== "aborted";
	if (isReported && (verdict.status === "unresolved" || verdict.status === "given_up")) return verdict;
	throw error;
}

/** @throws SendError if another worker is at it. */
function toResult(known: KnownVerdict): SendResult {
	if (known.status === "in_progress") throw inProgress(known.retryAfterMs);
	return known.status === "accepted" ? { ...known, message: undefined } : known;
}
