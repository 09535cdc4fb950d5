/** The most that two clocks may differ, or one before and after it is set. */
const CLOCK_DIFFERENCE_MS = 300_000;

/**
 * How long what was accepted is remembered, in milliseconds, so that a copy of it is known for as long as any process can
 * accept it. A constant: what is left of a timestamp's time by our own clock is too short if that clock is ahead of another
 * one, or is set back.
 * @param behindMs - how far an accepted timestamp may lie behind a process's clock.
 * @param aheadMs - how far it may lie ahead of it.
 */
export function rememberedMs(behindMs: number, aheadMs: number): number {
	return behindMs + aheadMs + CLOCK_DIFFERENCE_MS;
}
