import type { MessageData } from "../catalogue/message.ts";
import type { CallPlan, PreparedCall } from "../client/call.ts";
import { invalidInput } from "../client/request.ts";
import { ConfigurationError, SendError } from "../errors.ts";
import { randomHex } from "../runtime.ts";
import { constantTimeEqual, utf8 } from "../signing/bytes.ts";
import { canonicalize } from "../signing/canonical-json.ts";
import { encodeInput, type SendInput } from "./input.ts";
import { type ResolvedSenderOptions, readDigestKeys } from "./options.ts";
import type { SendRecord } from "./record.ts";

/** A send whose input was checked; nothing is written yet. */
export interface PreparedSend {
	/** A record without a lease. */
	readonly newRecord: (now: number) => SendRecord;
	/** Throws a `SendError` if the record is there, and of another input. */
	readonly assertSame: (record: SendRecord | undefined) => void;
	/** The call of an attempt with this token. Throws an `InputError` if the input is invalid. */
	readonly planAttempt: (token: string) => Promise<AttemptPlan>;
	/** The number of the contact, unless it goes to a group. */
	readonly to: unknown;
}

export interface AttemptPlan {
	readonly plan: Omit<CallPlan<MessageData>, "options">;
	readonly prepared: PreparedCall;
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

/** Checks key and input, and computes the digest. */
export async function prepareSend(
	{ caller, statusCallback, digestSecret, keepInput }: ResolvedSenderOptions,
	key: string,
	input: SendInput,
): Promise<PreparedSend> {
	assertKey(key);
	const { operation, fields } = await encodeInput(input, caller.profile?.limits?.attachmentBytes);
	const identity = canonicalize([key, operation.id, fields]);
	const keys = readDigestKeys(digestSecret);
	const digest = keys[0].signHex(identity);

	async function planAttempt(token: string): Promise<AttemptPlan> {
		const url = statusCallback?.(token);
		if (url !== undefined && !(typeof url === "string" && url.includes(token)))
			throw new ConfigurationError("statusCallback must return a URL with the token in it");
		const plan = caller.plan(operation, url === undefined ? fields : { ...fields, statusCallback: url });
		return { plan, prepared: await plan.prepare() };
	}

	return {
		planAttempt,
		to: fields["to"],
		newRecord: (now) => ({
			id: randomHex(ID_BYTES),
			digest,
			createdAt: now,
			leaseEndsAt: 0,
			attempts: [],
			...(keepInput && { input: fields }),
		}),
		assertSame(record) {
			if (record === undefined) return;
			const written = utf8(record.digest);
			const isSame = keys.some((each) => constantTimeEqual(utf8(each.signHex(identity)), written));
			if (isSame) return;
			const reason = "the key has another input, or digestSecret is not the same in all processes";
			throw new SendError("key_reused", reason);
		},
	};
}
