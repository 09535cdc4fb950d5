import { ClockSkew, TOLERANCE_MS } from "../../../library/client/clock-skew.ts";
import type { ReadResponse } from "../../../library/client/response.ts";
import { estimateOffset } from "./clock.ts";
import { type Examination, sendSigned } from "./examination.ts";
import { isConclusive, markOf, type ProbeEnding } from "./probe.ts";
import { readReason } from "./reasons.ts";

/** The result of the client's own signing, after a possible correction of the clock and the secret. */
export interface FirstCall {
	/** The last of the calls. */
	readonly ending: ProbeEnding;
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
 * Gets the mapping as the client does: with our clock; again with the gateway's, if the rejection points to the clock;
 * and again with a secret that was fetched again.
 */
export async function makeFirstCall(examination: Examination): Promise<FirstCall> {
	const { caller, prober, own } = examination;
	const send = (offsetMs: number) =>
		sendSigned(examination, "signed", { form: own, clockOffsetMs: offsetMs });

	const first = await send(0);
	const unknown = { clockOffsetMs: 0, measuredMs: undefined, isClockProven: false, isClockStuck: false };
	if (first.outcome === "no_response") return { ending: first, isClockCorrected: false, ...unknown };
	const { read, timestamp, request } = first;
	const skew = new ClockSkew(true);
	const measuredMs = skew.observeRejection(read, timestamp, request.parsedUrl, false)
		? skew.offsetMs
		: undefined;
	const canCorrect = measuredMs !== undefined && caller.options.correctClockSkew !== false;
	if (!isConclusive(read)) return { ending: first, isClockCorrected: canCorrect, ...unknown };
	const isRejection = read.status === 401 || readReason(read) === "timestamp";
	const offsetMs = estimateOffset(prober.samples) ?? 0;
	const isClockStuck = isRejection && measuredMs === undefined && Math.abs(offsetMs) > TOLERANCE_MS;
	const clockOffsetMs = isRejection ? (measuredMs ?? 0) : 0;
	let ending = isRejection && measuredMs !== undefined ? await send(measuredMs) : first;
	const isClockProven = ending !== first && "read" in ending && isBeyondTimestamp(read, ending.read);
	if (ending.outcome === "rejected" && !isClockStuck && (await prober.refreshSecret(ending.request))) {
		ending = await send(clockOffsetMs);
	}
	const isClockCorrected = read.status === 401 && canCorrect;
	return { ending, clockOffsetMs, measuredMs, isClockProven, isClockCorrected, isClockStuck };
}

/** Whether a response shows that another timestamp was accepted: no rejection, or one that no longer names the timestamp. */
function isBeyondTimestamp(before: ReadResponse, after: ReadResponse): boolean {
	if (!isConclusive(after) || markOf(before) === markOf(after)) return false;
	return after.status === 401
		? readReason(before) === "timestamp" && readReason(after) !== "timestamp"
		: readReason(after) !== "timestamp";
}
