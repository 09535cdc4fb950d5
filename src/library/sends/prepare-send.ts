import { invalidInput } from "../catalogue/invalid-input.ts";
import type { MessageData } from "../catalogue/message.ts";
import type { Operation } from "../catalogue/operation.ts";
import { sendAttachments, sendText, sendVoiceNote } from "../catalogue/sends.ts";
import {
	dropEmptyContent,
	encodeAttachments,
	encodeVoiceNote,
	type SendAttachmentsInput,
	type SendMessageInput,
	type SendVoiceNoteInput,
} from "../client/attachments.ts";
import { createInputTimeout } from "../client/attempt-failure.ts";
import type { CallPlan } from "../client/call.ts";
import type { Caller } from "../client/caller.ts";
import { CALL_TIMED_OUT, Deadline } from "../client/deadline.ts";
import type { CallOptions } from "../client/options.ts";
import { noCanonicalForm, normalizeInput } from "../client/request.ts";
import { toSafeCause } from "../client/safe-cause.ts";
import { ConfigurationError, SendError } from "../errors.ts";
import { howToSet, readEnvironment } from "../host.ts";
import { randomHex } from "../runtime.ts";
import { constantTimeEqual, utf8 } from "../signing/bytes.ts";
import { canonicalize } from "../signing/canonical-json.ts";
import { describeSecretProblem, hmacKeyOf } from "../signing/hash.ts";
import type { HmacKey } from "../signing/hashing.ts";
import { secretSentence } from "../signing/pasted-secret.ts";
import type { SendRecord } from "./record.ts";

/** Each member of a union without a field. */
type Without<Union, Name extends string> = Union extends unknown
	? { [Field in keyof Union as Exclude<Field, Name>]: Union[Field] }
	: never;

/** A text, attachments or a voice note to send. The sender sets `statusCallback` itself. */
export type SendInput = Without<SendMessageInput | SendVoiceNoteInput, "statusCallback">;

/** A send whose input was checked; nothing is written yet. */
export interface PreparedSend {
	/** A record without a lease. */
	readonly newRecord: (now: number) => SendRecord;
	/** The record, for this input from now on. */
	readonly replaceInput: (record: SendRecord) => SendRecord;
	/** Whether the record is of this input. */
	readonly isOf: (record: SendRecord) => boolean;
	/** The call of an attempt with this token. Throws an `InputError` if the input is invalid. */
	readonly planAttempt: (token: string, recordId: string) => Promise<AttemptPlan>;
	/** The contact's handle, unless it goes to a group. */
	readonly to: unknown;
}

/** The call of one attempt, with its request prepared. */
export type AttemptPlan = Omit<CallPlan<MessageData>, "options">;

/** The options of a sender that shape a send. */
interface SendForm {
	readonly caller: Caller;
	readonly statusCallback?: ((token: string) => string) | undefined;
	readonly digestSecret?: string | readonly string[] | undefined;
	readonly keepInput: boolean;
}

const ID_BYTES = 16;

/** The id of the record, and a random part that nobody can guess. */
const TOKEN = /send_([0-9a-f]{32})[0-9a-f]{32}/;

export function newToken(recordId: string): string {
	return `send_${recordId}${randomHex(ID_BYTES)}`;
}

/** The token in a URL, and the id of its record. */
export function findToken(url: string): { token: string; recordId: string } | undefined {
	const [token, recordId] = TOKEN.exec(url) ?? [];
	return token !== undefined && recordId !== undefined ? { token, recordId } : undefined;
}

/** Rejects a key that a store could change or a log could not show. */
export function assertKey(key: unknown): asserts key is string {
	if (typeof key !== "string" || !/^[!-~]{1,256}$/.test(key))
		throw invalidInput("key", "must be a string of 1 to 256 visible ASCII characters");
}

/**
 * Checks key and input, and computes the digest.
 * @param options - how long the attachments may take.
 */
export async function prepareSend(
	{ caller, statusCallback, digestSecret, keepInput }: SendForm,
	key: string,
	input: SendInput,
	options: Pick<CallOptions, "signal" | "timeoutMs">,
): Promise<PreparedSend> {
	assertKey(key);
	const { operation, fields } = await encodeInput(caller, input, options);
	let identity: string;
	try {
		identity = canonicalize([key, operation.id, fields]);
	} catch (error) {
		// What the client says of it, if that is more.
		await caller.plan(operation, fields).prepare();
		throw noCanonicalForm(error);
	}
	const keys = readDigestKeys(digestSecret);
	const digest = keys[0].signHex(identity);

	async function planAttempt(token: string, recordId: string): Promise<AttemptPlan> {
		let url: unknown;
		try {
			url = statusCallback?.(token);
		} catch (error) {
			throw new ConfigurationError("Your statusCallback threw, and nothing was sent", {
				cause: toSafeCause(error),
			});
		}
		// Without a return a function gives undefined, and no status would find the send.
		if (statusCallback !== undefined && !(typeof url === "string" && url.includes(token)))
			throw new ConfigurationError(
				'statusCallback must put its token into the URL: (token) => "https://app.example/webhooks?send=" + token',
			);
		const given = url === undefined ? fields : { ...fields, statusCallback: url };
		// The same for all attempts of a send: with another one, a second attempt would be a second message.
		const plan = caller.plan(operation, given, undefined, recordId);
		const prepared = await plan.prepare();
		return { ...plan, prepare: async () => prepared };
	}

	const written = { digest, ...(keepInput && { input: fields }) };
	return {
		planAttempt,
		to: fields["to"],
		newRecord: (now) => ({
			id: randomHex(ID_BYTES),
			createdAt: now,
			leaseEndsAt: 0,
			attempts: [],
			...written,
		}),
		replaceInput: ({ input, ...record }) => ({ ...record, ...written }),
		isOf({ digest: written }) {
			return keys.some((each) => constantTimeEqual(utf8(each.signHex(identity)), utf8(written)));
		},
	};
}

export function keyReused(): SendError {
	return new SendError(
		"key_reused",
		'Not sent: this key belongs to another message. Use a new key, or ifReused: "keep" to keep that message. If the input is the same, give all processes one digestSecret',
	);
}

/**
 * Reads an input once, so that later changes to it, or a stream that is used up, do not matter.
 * @throws InputError if it is not an object, sets `statusCallback`, or an attachment cannot be read.
 * @throws TimeoutError if the attachments take too long.
 */
async function encodeInput(
	caller: Caller,
	input: SendInput,
	options: Pick<CallOptions, "signal" | "timeoutMs">,
): Promise<{ operation: Operation<unknown, MessageData>; fields: Readonly<Record<string, unknown>> }> {
	const fields = normalizeInput(input);
	const content = dropEmptyContent(fields);
	// Without any content, the operation of what was given says so.
	const given: object = "text" in content || "attachments" in content ? content : fields;
	const maxBytes = caller.profile?.limits?.attachmentBytes;
	if ("statusCallback" in given)
		throw invalidInput("statusCallback", "is an option of createSender: leave it out here");
	if ("attachments" in given) {
		const reading = encodeAttachments(given as SendAttachmentsInput, maxBytes);
		return {
			operation: sendAttachments,
			fields: await readInTime(caller, sendAttachments.id, reading, options),
		};
	}
	if ("attachment" in given) {
		const reading = encodeVoiceNote(given as SendVoiceNoteInput, maxBytes);
		return { operation: sendVoiceNote, fields: await readInTime(caller, sendVoiceNote.id, reading, options) };
	}
	return { operation: sendText, fields: { ...given } };
}

/** Waits for attachments, which may be streams, no longer than for a call. */
async function readInTime(
	{ clock, limits, skew }: Caller,
	operationId: string,
	reading: Promise<object>,
	{ signal, timeoutMs = limits.timeoutMs }: Pick<CallOptions, "signal" | "timeoutMs">,
): Promise<Readonly<Record<string, unknown>>> {
	const deadline = new Deadline(clock, timeoutMs, signal);
	try {
		return { ...(await deadline.limit(reading)) };
	} catch (error) {
		if (error !== CALL_TIMED_OUT) throw error;
		const { offsetMs: clockOffsetMs } = skew;
		throw createInputTimeout({ operationId, outcome: "not_sent", attempts: 0, clockOffsetMs }, timeoutMs);
	} finally {
		deadline.release();
	}
}

/** @throws ConfigurationError if one of the secrets is unusable. */
export function assertDigestSecret(secret: SendForm["digestSecret"]): void {
	const [first, ...others] = [secret].flat();
	for (const each of [first, ...others]) {
		const problem = describeSecretProblem(each);
		if (problem !== undefined) throw unusable(problem);
	}
}

/** The keys of the digests; one unusable secret makes all of them unusable. */
function readDigestKeys(secret: SendForm["digestSecret"]): readonly [HmacKey, ...HmacKey[]] {
	const [first, ...others] = [secret ?? readEnvironment("MESSAGING_GATEWAY_DIGEST_SECRET")].flat();
	return [hmacKeyOf(first, unusable), ...others.map((other) => hmacKeyOf(other, unusable))];
}

function unusable(problem: string): ConfigurationError {
	return new ConfigurationError(
		secretSentence(
			"digestSecret",
			problem,
			`Pass it to createSender, or ${howToSet("MESSAGING_GATEWAY_DIGEST_SECRET")}. Make one: \`openssl rand -hex 32\``,
		),
	);
}
