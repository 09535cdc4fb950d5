import { isCertainlyLoopback } from "../signing/loopback.ts";
import type { Answer } from "./attempt.ts";

/** Samples from slower answers say too little about the moment they were made. */
const MAX_ROUND_TRIP_MS = 10_000;
/**
 * Whoever ends TLS can have timestamps signed that are this far ahead, and use the signatures later. It serves a clock
 * that was set to its neighbour's time zone, or stood still with a machine that slept.
 */
export const MAX_OFFSET_HOURS = 3;
const MAX_OFFSET_MS = MAX_OFFSET_HOURS * 60 * 60 * 1000;
/** The gateway's tolerance (section 5.1) is five minutes; a refusal nearer than this has another cause. */
const SUSPICIOUS_MS = 4 * 60 * 1000;
const TOLERANCE_MS = 5 * 60 * 1000;
/** `Date` has whole seconds, so its true moment lies half a second later on average. */
const HALF_SECOND_MS = 500;

/** How far the gateway's clock is ahead of ours, learned from its answers. */
export class ClockSkew {
	readonly #isEnabled: boolean;
	#offsetMs: number | undefined;
	/** The offset that the last refusal has shown. Successes only adjust it, or their steps would add up. */
	#shownMs = 0;

	/** @param isEnabled - whether timestamps follow the gateway's clock at all. */
	constructor(isEnabled: boolean) {
		this.#isEnabled = isEnabled;
	}

	/** The gateway's clock minus ours, in milliseconds, or `undefined` before the first sample. */
	get offsetMs(): number | undefined {
		return this.#offsetMs;
	}

	/** A time of our clock as the gateway's clock shows it. */
	correct(now: number): number {
		return Math.round(now + (this.#offsetMs ?? 0));
	}

	/** Keeps the offset fresh with the time in the `meta` of an accepted request, near what a refusal has shown. */
	observeSuccess(answer: Answer, serverTime: number, url: URL): void {
		const offsetMs = this.#sample(answer, serverTime, url);
		if (offsetMs === undefined) return;
		// The gateway has just accepted our timestamp, so a time further from it than its tolerance is not its clock.
		const isItsClock = Math.abs(offsetMs - (this.#offsetMs ?? 0)) <= TOLERANCE_MS;
		if (isItsClock && Math.abs(offsetMs - this.#shownMs) <= TOLERANCE_MS) this.#offsetMs = offsetMs;
	}

	/**
	 * Learns from a 401 whether the timestamp was at fault.
	 * @param timestamp - the timestamp that the refused request carried.
	 * @returns whether another try would carry a better one.
	 */
	observeRefusal(answer: Answer, timestamp: number, namesTimestamp: boolean, url: URL): boolean {
		const { headers } = answer.response;
		const date = Date.parse(headers.get("Date") ?? "");
		// A cache's answer carries the time of the original one.
		if (Number.isNaN(date) || headers.has("Age")) return false;
		const serverTime = date + HALF_SECOND_MS;
		const isFarOff = Math.abs(serverTime - timestamp) > SUSPICIOUS_MS;
		if (!isFarOff && !namesTimestamp) return false;
		const offsetMs = this.#sample(answer, serverTime, url);
		if (offsetMs === undefined) return false;
		// A parallel call may have learned the same already; this one was still signed without it.
		const isBetter = isFarOff || offsetMs !== this.#offsetMs;
		this.#offsetMs = offsetMs;
		this.#shownMs = offsetMs;
		return isBetter;
	}

	#sample(answer: Answer, serverTime: number, url: URL): number | undefined {
		if (!this.#isEnabled || !isTrustworthy(url)) return undefined;
		if (answer.receivedAt - answer.sentAt > MAX_ROUND_TRIP_MS || !Number.isFinite(serverTime))
			return undefined;
		// Adding 0 turns a rounded -0 into 0.
		const offsetMs = Math.round(serverTime - (answer.sentAt + answer.receivedAt) / 2) + 0;
		return Math.abs(offsetMs) <= MAX_OFFSET_MS ? offsetMs : undefined;
	}
}

/** Whether nobody between us and the gateway could have set the time: https, or this machine. */
function isTrustworthy({ protocol, hostname }: URL): boolean {
	return protocol === "https:" || isCertainlyLoopback(hostname);
}
