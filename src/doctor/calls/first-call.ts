import { ClockSkew, TOLERANCE_MS } from "../../client/clock-skew.ts";
import { describeClock, estimateOffset } from "./clock.ts";
import type { DiagnosisFinding } from "./diagnosis.ts";
import { type Examination, mappingProbe } from "./examination.ts";
import type { ProbeEnding, Responded } from "./probe.ts";

/** The result of the client's own signing, after a possible correction of the clock and the secret. */
export interface FirstCall {
	/** The last of the calls. */
	readonly ending: ProbeEnding;
	/** The offset to add to our clock for further timestamps. */
	readonly clockOffsetMs: number;
	/** The finding about the clock. */
	readonly clockFinding: DiagnosisFinding | undefined;
	/** Whether every timestamp is rejected: further calls show nothing. */
	readonly isClockStuck: boolean;
	/** Whether any response has shown the gateway's clock. */
	readonly isClockKnown: boolean;
}

/**
 * Gets the mapping as the client does: with our clock; again with the gateway's, if the rejection points to the clock;
 * and again with a secret that was fetched again.
 */
export async function makeFirstCall(examination: Examination): Promise<FirstCall> {
	const { caller, prober, own } = examination;
	const send = (clockOffsetMs: number): Promise<ProbeEnding> =>
		prober.send(mappingProbe(examination, "signed", { form: own, clockOffsetMs }));

	const first = await send(0);
	const offsetMs = estimateOffset(prober.samples);
	const isClockKnown = offsetMs !== undefined;
	if (first.outcome === "no_response") {
		return { ending: first, clockOffsetMs: 0, clockFinding: undefined, isClockStuck: false, isClockKnown };
	}
	const isRejected = first.outcome === "rejected";
	const measuredMs = measureClock(first);
	const clockOffsetMs = isRejected ? (measuredMs ?? 0) : 0;
	const isClockStuck = isRejected && measuredMs === undefined && Math.abs(offsetMs ?? 0) > TOLERANCE_MS;
	let ending = isRejected && measuredMs !== undefined ? await send(measuredMs) : first;
	const isProven = isRejected && (ending.outcome === "accepted" || ending.outcome === "forbidden");
	if (ending.outcome === "rejected" && !isClockStuck && (await prober.refreshSecret(ending.request))) {
		ending = await send(clockOffsetMs);
	}
	const clockFinding = describeClock({
		offsetMs,
		isProven,
		isTolerated: first.outcome === "accepted",
		isCorrected: measuredMs !== undefined && caller.options.correctClockSkew !== false,
	});
	return { ending, clockOffsetMs, clockFinding, isClockStuck, isClockKnown };
}

/** How far the gateway's clock is ahead, if the client itself would try again with it. */
function measureClock({ read, timestamp, request }: Responded): number | undefined {
	const skew = new ClockSkew(true);
	return skew.observeRejection(read, timestamp, request.parsedUrl) ? skew.offsetMs : undefined;
}
