import { namesTimestamp } from "../answer.ts";
import { ClockSkew } from "../clock-skew.ts";
import { describeClock, estimateOffset, TOLERANCE_MS } from "./clock.ts";
import type { DiagnosisFinding } from "./diagnosis.ts";
import { type Examination, mappingProbe } from "./examination.ts";
import type { ProbeEnding, Responded } from "./probe.ts";

/** What the client's own signing has brought, once the clock and the secret were given their chance. */
export interface FirstCall {
	/** The last of the calls. */
	readonly ending: ProbeEnding;
	/** How far ahead of ours the clock is that timestamps are to be taken from. */
	readonly clockOffsetMs: number;
	/** What is to say of the clock. */
	readonly clockFinding: DiagnosisFinding | undefined;
	/** Whether every timestamp is refused, so that there is nothing to learn from further calls. */
	readonly isClockStuck: boolean;
	/** Whether any answer has shown the gateway's clock. */
	readonly isClockKnown: boolean;
}

/**
 * Calls for the mapping as the client does: with our clock; once more with the gateway's, where the refusal
 * speaks of the clock; and once more with a secret that was fetched again.
 */
export async function makeFirstCall(examination: Examination): Promise<FirstCall> {
	const { state, prober, own } = examination;
	const send = (clockOffsetMs: number): Promise<ProbeEnding> =>
		prober.send(mappingProbe(examination, "signed", { form: own, clockOffsetMs }));

	const first = await send(0);
	const offsetMs = estimateOffset(prober.samples);
	const isClockKnown = offsetMs !== undefined;
	if (first.outcome === "no_response") {
		return { ending: first, clockOffsetMs: 0, clockFinding: undefined, isClockStuck: false, isClockKnown };
	}
	const isRefused = first.outcome === "refused";
	const measuredMs = measureClock(first);
	const clockOffsetMs = isRefused ? (measuredMs ?? 0) : 0;
	const isClockStuck = isRefused && measuredMs === undefined && Math.abs(offsetMs ?? 0) > TOLERANCE_MS;
	let ending = isRefused && measuredMs !== undefined ? await send(measuredMs) : first;
	const isProven = isRefused && (ending.outcome === "accepted" || ending.outcome === "forbidden");
	if (ending.outcome === "refused" && !isClockStuck && (await prober.refreshSecret(ending.request))) {
		ending = await send(clockOffsetMs);
	}
	const clockFinding = describeClock({
		offsetMs,
		isProven,
		isTolerated: first.outcome === "accepted",
		isCorrected: measuredMs !== undefined && state.options.correctClockSkew !== false,
	});
	return { ending, clockOffsetMs, clockFinding, isClockStuck, isClockKnown };
}

/** How far the gateway's clock is ahead, where the client itself would try again with it. */
function measureClock({ answer, read, timestamp, request }: Responded): number | undefined {
	const skew = new ClockSkew(true);
	return skew.observeRefusal(answer, timestamp, namesTimestamp(read), request.parsedUrl)
		? skew.offsetMs
		: undefined;
}
