/**
 * The only file of the library that touches the clock, randomness and the platform's `fetch`. The rest gets them from
 * here, or from an option by which tests replace them. The command and the console have their own.
 */

import { isDeno, nativeUuid, randomBytes } from "./host.ts";

/**
 * A source of time and timers. Pass one to the client or the local gateway to control time in tests. Functions that
 * only verify need just `now`.
 */
export interface Clock {
	/** Returns the current time in Unix milliseconds. */
	now(): number;
	/**
	 * Calls `callback` once, `delayMs` milliseconds from now.
	 * @returns a function that cancels the timer; cancelling twice, or too late, does nothing.
	 */
	setTimer(callback: () => void, delayMs: number): () => void;
	/**
	 * Returns the milliseconds since an arbitrary start, unaffected when the system clock is set. It measures
	 * durations.
	 * @default `now`
	 */
	monotonicNow?(): number;
}

/** The time for measuring durations: monotonic if the clock supports it. */
export function monotonicNow(clock: Pick<Clock, "now" | "monotonicNow">): number {
	return clock.monotonicNow?.() ?? clock.now();
}

/** The longest delay of the platform's timers, about 25 days: a longer one would fire immediately, so it is shortened. */
export const MAX_TIMER_MS = 2_147_483_647;

/** The platform's own time and timers. */
export const systemClock: Clock = {
	now: () => Date.now(),
	setTimer(callback, delayMs) {
		const timer = setTimeout(callback, Math.min(Math.max(0, delayMs), MAX_TIMER_MS));
		return () => clearTimeout(timer);
	},
	monotonicNow: () => globalThis.performance?.now() ?? Date.now(),
};

/** Resolves after this time of a clock. */
export function sleep(delayMs: number, clock: Clock = systemClock): Promise<void> {
	return new Promise((resolve) => {
		clock.setTimer(resolve, delayMs);
	});
}

/** A random version 4 UUID as a server has them: ready, where other random bytes cost many times as much. */
export function serverUuid(): string {
	const uuid: string = crypto.randomUUID();
	// A test that replaces it by a constant would let two calls pass for one.
	if (uuid === lastUuid) return crypto.getRandomValues(new Uint32Array(4)).join("-");
	lastUuid = uuid;
	return uuid;
}

let lastUuid: string | undefined;

/** A random version 4 UUID. */
export function randomUuid(): string {
	const uuid = nativeUuid();
	if (uuid !== undefined) return uuid;
	const bytes = randomBytes(16);
	// RFC 9562 section 5.4: the version in the high bits of octet 6, the variant in those of octet 8.
	bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
	bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
	const hex = toHex(bytes);
	return [8, 12, 16, 20].reduceRight((text, at) => `${text.slice(0, at)}-${text.slice(at)}`, hex);
}

/** `length` random bytes as lower-case hex. */
export function randomHex(length: number): string {
	return toHex(randomBytes(length));
}

/** Bytes as lower-case hex. */
export function toHex(bytes: Uint8Array): string {
	return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A random number from 0 (inclusive) to 1 (exclusive); for back-off, never for secrets. */
export function randomFraction(): number {
	return Math.random();
}

/**
 * The platform's `fetch`, looked up at call time: a mock may be installed later. After a reset Deno's repeats a request
 * whose body is bytes, and then reports only the second try. It reads a Blob once, and sends the same.
 */
export function platformFetch(url: string, init: RequestInit): Promise<Response> {
	const { body } = init;
	if (!isDeno() || !ArrayBuffer.isView(body)) return fetch(url, init);
	return fetch(url, { ...init, body: new Blob([body]) });
}

/** The default logger. */
export const platformConsole = {
	debug: (message: string): void => console.debug(message),
	info: (message: string): void => console.info(message),
	warn: (message: string): void => console.warn(message),
	error: (message: string): void => console.error(message),
};
