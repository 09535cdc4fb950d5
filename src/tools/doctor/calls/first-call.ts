import { estimateOffset, measureRejection, TIMESTAMP_TOLERANCE_MS } from "./clock.ts";
import { type Examination, isDecisive, sendSigned } from "./examination.ts";
import { isConclusive, markOf, type ProbeEnding, type ProbeTarget } from "./probe.ts";
import type { ProbeResponse } from "./probe-response.ts";
import { readReason } from "./reasons.ts";

/** The result of the client's own signing, after a possible correction of the clock and the secret. */
export interface FirstCall {
	/** The last of the calls. */
	readonly ending: ProbeEnding;
	/** What was requested. */
	readonly target: ProbeTarget;
	/** Whether the same call with a wrong signature succeeded. */
	readonly isForgedAccepted: boolean;
	/** The offset that was added to our clock for it. */
	readonly clockOffsetMs: number;
	/** How far the gateway's clock is ahead by the first response, if the client itself would use it. */
	readonly measuredMs: number | undefined;
	/** Whether the gateway's clock made a difference. */
	readonly isClockProven: boolean;
	/** Whether the client corrects its clock after such a response. */
	readonly isClockCorrected: boolean;
	/** Whether every timestamp is rejected: further calls show nothing. */
	readonly isClockStuck: boolean;
}

/**
 * Gets a mapping with a wrong signature, so that it is known how the gateway rejects one, and then as the client does: with
 * our clock; again with the gateway's, if the rejection points to the clock; and again with a secret that was fetched again.
 */
export async function makeFirstCall(examination: Examination): Promise<FirstCall> {
	const { caller, prober, own } = examination;
	const { forged, target } = await forgeFirst(examination);
	const isForgedAccepted = isDecisive(forged) && forged.read.success !== undefined;
	if (isDecisive(forged) && !isForgedAccepted) prober.rejections.add(markOf(forged.read));
	const send = (clockOffsetMs: number) =>
		sendSigned(examination, "signed", { form: own, clockOffsetMs }, target);

	// What is in the way of a wrong signature is in the way of a right one.
	const first = isDecisive(forged) ? await send(0) : forged;
	const known = { target, isForgedAccepted };
	const unknown = { clockOffsetMs: 0, measuredMs: undefined, isClockProven: false, isClockStuck: false };
	if (first.outcome === "no_response") {
		return { ending: first, isClockCorrected: false, ...known, ...unknown };
	}
	const { read } = first;
	const measuredMs = measureRejection(first);
	const canCorrect = measuredMs !== undefined && caller.options.correctClockSkew !== false;
	if (!isConclusive(read)) return { ending: first, isClockCorrected: canCorrect, ...known, ...unknown };
	const isRejection = read.status === 401 || readReason(read) === "timestamp";
	const offsetMs = estimateOffset(prober.samples) ?? 0;
	const isClockStuck = isRejection && measuredMs === undefined && Math.abs(offsetMs) > TIMESTAMP_TOLERANCE_MS;
	const clockOffsetMs = isRejection ? (measuredMs ?? 0) : 0;
	let ending = isRejection && measuredMs !== undefined ? await send(measuredMs) : first;
	const isClockProven = ending !== first && "read" in ending && isBeyondTimestamp(read, ending.read);
	if (ending.outcome === "rejected" && !isClockStuck && (await prober.refreshSecret())) {
		ending = await send(clockOffsetMs);
	}
	const isClockCorrected = read.status === 401 && canCorrect;
	return { ending, clockOffsetMs, measuredMs, isClockProven, isClockCorrected, isClockStuck, ...known };
}

/** Makes the first call with a wrong signature, for a contact in whose path nothing is escaped if the gateway has such contacts. */
async function forgeFirst(examination: Examination): Promise<{ forged: ProbeEnding; target: ProbeTarget }> {
	const { own, mapping, plainMapping, spacedMapping } = examination;
	const send = (target: ProbeTarget) =>
		sendSigned(examination, "wrongly_signed", { form: own, clockOffsetMs: 0, isForged: true }, target);
	const forged = await send(plainMapping);
	const plain = { forged, target: plainMapping };
	if (!isDecisive(forged) || spacedMapping === undefined) return plain;
	const { status } = forged.read;
	if ([200, 401, 403].includes(status)) return plain;
	// Such a response may be about the contact, before any signature is checked, or be the same for both.
	const other = await send(mapping);
	const isSame = isDecisive(other) && markOf(other.read) === markOf(forged.read);
	return isSame && (status === 404 || status === 405) ? plain : { forged: other, target: mapping };
}

/** Whether a response shows that another timestamp was accepted: no rejection, or one that no longer names the timestamp. */
function isBeyondTimestamp(before: ProbeResponse, after: ProbeResponse): boolean {
	if (!isConclusive(after) || markOf(before) === markOf(after)) return false;
	return after.status === 401
		? readReason(before) === "timestamp" && readReason(after) !== "timestamp"
		: readReason(after) !== "timestamp";
}
