import { isLoopback } from "../../../library/signing/loopback.ts";
import type { DiagnosisFinding } from "./diagnosis.ts";
import type { Responded } from "./probe.ts";
import type { ProbeResponse } from "./probe-response.ts";
import { isAboutTimestamp } from "./reasons.ts";

/** The gateway's tolerance (specification, section 5.1). */
export const TIMESTAMP_TOLERANCE_MS = 300_000;

/** What the client corrects at most: whoever sets the time of a response could use a signature of the future. */
const MAX_OFFSET_HOURS = 3;

/** A rejection at a smaller offset, a minute below the tolerance, has another cause. */
const SUSPICIOUS_MS = 240_000;

/** Slower responses are too imprecise as samples. */
const MAX_ROUND_TRIP_MS = 10_000;

/** Far more than the error of a clock that is set by NTP. */
const DRIFTING_MS = 60_000;

/** What one response shows of the gateway's clock. */
export interface ClockSample {
	/** The gateway's clock minus ours, in milliseconds. */
	readonly offsetMs: number;
	readonly roundTripMs: number;
	/** Whether it is from the gateway's body rather than a header, which a proxy may have set. */
	readonly isFromMeta: boolean;
}

/** Reads the gateway's clock from a response: from `Date`, and from `meta.timestamp` if it has one. */
export function readSamples(read: ProbeResponse): ClockSample[] {
	const { roundTripMs } = read;
	const times = [
		{ offsetMs: sampleOffset(read, dateOf(read)), isFromMeta: false },
		{ offsetMs: sampleOffset(read, Date.parse(read.success?.time ?? "")), isFromMeta: true },
	];
	return times.flatMap(({ offsetMs, isFromMeta }) =>
		offsetMs === undefined ? [] : [{ offsetMs, roundTripMs, isFromMeta }],
	);
}

/** The time in the response's `Date`, which has whole seconds; NaN if it has none. */
function dateOf({ header }: ProbeResponse): number {
	return Date.parse(header("Date") ?? "") + 500;
}

/** The gateway's clock minus ours, if `serverTime` is the gateway's in the middle of the round trip, and no cache's. */
function sampleOffset(
	{ header, roundTripMs, receivedAt }: ProbeResponse,
	serverTime: number,
): number | undefined {
	const isPrecise = roundTripMs >= 0 && roundTripMs <= MAX_ROUND_TRIP_MS && header("Age") === undefined;
	// Adding 0 turns a rounded -0 into 0.
	return isPrecise && Number.isFinite(serverTime)
		? Math.round(serverTime - (receivedAt - roundTripMs / 2)) + 0
		: undefined;
}

/** The offset that a rejection shows, if the client would correct its clock by it. */
export function measureRejection({ read, timestamp, url }: Responded): number | undefined {
	const { protocol, hostname } = new URL(url);
	const serverTime = dateOf(read);
	const isSuspicious = Math.abs(serverTime - timestamp) > SUSPICIOUS_MS || isAboutTimestamp(read);
	// Otherwise somebody between us and the gateway could set the time.
	const isTrustworthy = protocol === "https:" || isLoopback(hostname);
	const offsetMs = isSuspicious && isTrustworthy ? sampleOffset(read, serverTime) : undefined;
	const isSmall = Math.abs(offsetMs ?? 0) <= MAX_OFFSET_HOURS * 3_600_000;
	return isSmall ? offsetMs : undefined;
}

/** The offset of the quickest sample. `meta.timestamp` is more precise, but may be a mock's constant. */
export function estimateOffset(samples: readonly ClockSample[]): number | undefined {
	const fromDate = quickest(samples.filter(({ isFromMeta }) => !isFromMeta));
	const fromMeta = quickest(samples.filter(({ isFromMeta }) => isFromMeta));
	const agrees =
		fromMeta !== undefined &&
		(fromDate === undefined || Math.abs(fromMeta.offsetMs - fromDate.offsetMs) <= TIMESTAMP_TOLERANCE_MS);
	return (agrees ? fromMeta : fromDate)?.offsetMs;
}

function quickest(samples: readonly ClockSample[]): ClockSample | undefined {
	return [...samples].sort((left, right) => left.roundTripMs - right.roundTripMs)[0];
}

/** What signed calls showed about the clock. */
export interface ClockEvidence {
	readonly offsetMs: number | undefined;
	/** Whether a call was rejected with our clock and accepted with the gateway's. */
	readonly isProven: boolean;
	/** Whether a call was accepted with our clock. */
	readonly isTolerated: boolean;
	/** Whether the client corrects its clock in this situation. */
	readonly isCorrected: boolean;
}

/** The finding about the clock; `undefined` if it is correct or unknown. */
export function describeClock(evidence: ClockEvidence): DiagnosisFinding | undefined {
	const { offsetMs, isProven, isTolerated, isCorrected } = evidence;
	if (offsetMs === undefined) return undefined;
	const distance = Math.abs(offsetMs);
	const isOff = isProven || distance > TIMESTAMP_TOLERANCE_MS;
	if (!isOff && distance <= DRIFTING_MS) return undefined;
	const seconds = Math.round(distance / 1000);
	const difference = `${seconds} s ${offsetMs > 0 ? "behind" : "ahead of"}`;
	const correction = isCorrected
		? "Until then the client corrects it after the first call that is rejected."
		: `The client doesn't correct it: that requires a 401, correctClockSkew, https or a gateway on this machine, and an offset of at most ${MAX_OFFSET_HOURS} hours.`;
	const rest = distance % 3_600_000;
	const isWholeHours = distance > 3_000_000 && Math.min(rest, 3_600_000 - rest) <= 10_000;
	const zone = isWholeHours ? " A clock may be set to another time zone." : "";
	const reading = isProven
		? `Our clock is ${difference} the gateway's, which rejects that and accepts its own time.`
		: isTolerated
			? `Our clock is ${difference} the time in the responses, and our timestamp was accepted anyway: ${isOff ? `it is the time of a proxy, or the gateway accepts more than ${TIMESTAMP_TOLERANCE_MS / 1000} s` : `the gateway accepts ${TIMESTAMP_TOLERANCE_MS / 1000} s`}.`
			: `Our clock is ${difference} the time in the responses, which is the gateway's or that of a proxy in front of it; the gateway accepts ${TIMESTAMP_TOLERANCE_MS / 1000} s (section 5.1).`;
	return {
		cause: isOff ? "clock_off" : "clock_drifting",
		certainty: isProven ? "certain" : "likely",
		isBlocking: isOff && !isTolerated && !isCorrected,
		message: `${reading}${zone}`,
		fix: `Set this machine's clock by NTP; if it is right, tell the gateway's operator. ${isOff && !isTolerated ? correction : ""}`.trim(),
	};
}
