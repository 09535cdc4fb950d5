import { assertOneOf } from "../check-options.ts";
import { inSeconds } from "../client/outcome-sentences.ts";
import { SendError } from "../errors.ts";
import type { SendStore } from "../stores/send-store.ts";
import { assertKey } from "./prepare-send.ts";
import { applyDecision } from "./record.ts";
import { inProgress, StoredRecords, type StoreLimit } from "./stored-record.ts";
import { type SendVerdict, sendAgainAfterMs, verdictOf } from "./verdict.ts";

/** A decision about a send that is unresolved or open. */
export type SendDecision = "accepted" | "send_again" | "give_up";

/**
 * Records your decision about a send, made by a person or a rule. A send that is proven accepted stays accepted.
 *
 * - `"accepted"`: it counts as accepted.
 * - `"send_again"`: the next `send` makes a new attempt, perhaps the second message. You can't choose it until ten
 *   minutes after the last signing, since a delayed request could still be accepted.
 * - `"give_up"`: it isn't sent any more.
 * @param options - how long a call of the store may take.
 * @returns what is known afterwards.
 * @throws SendError (`unknown_key`, `send_in_progress`, `too_early`, `store_failed`).
 */
export async function resolveSend(
	store: SendStore,
	key: string,
	decision: SendDecision,
	options?: StoreLimit,
): Promise<SendVerdict> {
	assertKey(key);
	assertOneOf("The decision", String(decision), ["accepted", "send_again", "give_up"]);
	const found = await new StoredRecords(store, options).change(key, (record, now) => {
		const verdict = verdictOf(record, now);
		if (verdict.status === "in_progress") throw inProgress(verdict.retryAfterMs);
		if (verdict.status === "accepted" && verdict.proof !== "decision") return undefined;
		const retryAfterMs = sendAgainAfterMs(record, now);
		if (decision === "send_again" && retryAfterMs > 0) throw tooEarly(retryAfterMs);
		return applyDecision(record, decision);
	});
	if (found === undefined)
		throw new SendError(
			"unknown_key",
			"Nothing was changed: this store has no send with this key. Check the key, and that this is the store that you passed to createSender",
		);
	return verdictOf(found.record, found.now);
}

function tooEarly(retryAfterMs: number): SendError {
	return new SendError(
		"too_early",
		`An earlier request could still arrive and be accepted: send_again is possible in ${inSeconds(retryAfterMs)}`,
		{ retryAfterMs },
	);
}
