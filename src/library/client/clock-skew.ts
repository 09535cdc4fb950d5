import { isCertainlyLoopback } from "../signing/loopback.ts";
import { namesTimestamp } from "./refusals.ts";
import { metaTime, type ReadResponse } from "./response.ts";

/** Slower responses are too imprecise as samples. */
const MAX_ROUND_TRIP_MS = 10_000;
/**
 * Whoever terminates TLS can make the client sign timestamps this far ahead, and use the signatures later. The limit
 * covers a clock that was set to a neighbouring time zone, or stopped while the machine slept.
 */
const MAX_OFFSET_MS = 10_800_000;
/** A rejection at a smaller offset, a minute below the tolerance, has another cause. */
const SUSPICIOUS_MS = 240_000;
/** The gateway's tolerance (specification, section 5.1). */
export const TOLERANCE_MS = 300_000;
/** `Date` is truncated to seconds, so the true time is half a second later on average. */
const HALF_SECOND_MS = 500;

/** How far the gateway's clock is ahead of ours, learned from its responses. */
export class ClockSkew {
	readonly #isEnabled: boolean;
	#offsetMs: number | undefined;
	/** The offset from the last rejection. Successes may only adjust it, or their steps would add up. */
	#rejectionOffsetMs = 0;

	/** @param isEnabled - whether timestamps follow the gateway's clock at all. */
	constructor(isEnabled: boolean) {
		this.#isEnabled = isEnabled;
	}

	/** The gateway's clock minus ours, in milliseconds, or `undefined` before the first sample. */
	get offsetMs(): number | undefined {
		return this.#offsetMs;
	}

	/** Converts a time of our clock to the gateway's clock. */
	correct(now: number): number {
		return Math.round(now + (this.#offsetMs ?? 0));
	}

	/** Updates the offset from the `meta` of an accepted request, within the tolerance of the last rejection's offset. */
	observeSuccess(response: ReadResponse, url: URL): void {
		const offsetMs = this.#sample(response, metaTime(response), url);
		if (offsetMs === undefined) return;
		// The gateway has just accepted our timestamp, so a time further from it than its tolerance is not its clock.
		const isItsClock = Math.abs(offsetMs - (this.#offsetMs ?? 0)) <= TOLERANCE_MS;
		if (isItsClock && Math.abs(offsetMs - this.#rejectionOffsetMs) <= TOLERANCE_MS) this.#offsetMs = offsetMs;
	}

	/**
	 * Learns from a 401 whether the timestamp was wrong.
	 * @param timestamp - the timestamp of the rejected request.
	 * @param isCopy - whether it may be the refusal of a copy: then only a timestamp that the gateway cannot have accepted
	 * counts, since the request itself was refused for it, too.
	 * @returns whether another try would have a better timestamp.
	 */
	observeRejection(response: ReadResponse, timestamp: number, url: URL, isCopy: boolean): boolean {
		const serverTime = dateOf(response);
		const isFarOff = Math.abs(serverTime - timestamp) > (isCopy ? TOLERANCE_MS : SUSPICIOUS_MS);
		if (!isFarOff && (isCopy || !namesTimestamp(response))) return false;
		const offsetMs = this.#sample(response, serverTime, url);
		if (offsetMs === undefined) return false;
		// A parallel call may have learned the same offset already; this request was signed without it.
		const isBetter = isFarOff || offsetMs !== this.#offsetMs;
		this.#offsetMs = offsetMs;
		this.#rejectionOffsetMs = offsetMs;
		return isBetter;
	}

	#sample(response: ReadResponse, serverTime: number, url: URL): number | undefined {
		// Otherwise somebody between us and the gateway could set the time.
		const isTrustworthy = url.protocol === "https:" || isCertainlyLoopback(url.hostname);
		if (!this.#isEnabled || !isTrustworthy) return undefined;
		const offsetMs = sampleOffset(response, serverTime);
		return offsetMs !== undefined && Math.abs(offsetMs) <= MAX_OFFSET_MS ? offsetMs : undefined;
	}
}

/**
 * Whether a request that is too old by a response's `Date` may have been in time when it was sent: the machine slept, or the
 * clock is just within the tolerance. A 401 may then be that of a copy, and the request itself accepted.
 * @param timestamp - the timestamp of the request.
 * @param sentAt - when it was sent, by our clock.
 */
export function wasInTime(response: ReadResponse, timestamp: number, sentAt: number): boolean {
	const ageMs = dateOf(response) - timestamp;
	const elapsedMs = Math.max(response.roundTripMs, response.receivedAt - sentAt);
	return ageMs > TOLERANCE_MS && ageMs - elapsedMs <= TOLERANCE_MS;
}

/** The time in the response's `Date`; NaN if it has none. */
export function dateOf({ headers }: ReadResponse): number {
	return Date.parse(headers.get("Date") ?? "") + HALF_SECOND_MS;
}

/**
 * The gateway's clock minus ours, in milliseconds, if `serverTime` is the gateway's in the middle of the round trip.
 * `undefined` for a time that is not known, and for a response that is slow or from a cache.
 */
export function sampleOffset(
	{ headers, roundTripMs, receivedAt }: ReadResponse,
	serverTime: number,
): number | undefined {
	const isPrecise = roundTripMs >= 0 && roundTripMs <= MAX_ROUND_TRIP_MS && !headers.has("Age");
	if (!isPrecise || !Number.isFinite(serverTime)) return undefined;
	// Adding 0 turns a rounded -0 into 0.
	return Math.round(serverTime - (receivedAt - roundTripMs / 2)) + 0;
}
