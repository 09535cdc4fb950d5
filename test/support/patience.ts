import process from "node:process";

/**
 * How long tests wait before they give up. All of it is a multiple of one minute, which the environment variable
 * TEST_PATIENCE stretches: 3 suits a machine that is a third as fast, or that has three times as much to do. No test
 * waits for a time to pass, so a green run takes as long as its work, whatever this is set to.
 */
const BASE_MS = 60_000 * readFactor("TEST_PATIENCE");

/** The longest wait for a state within a test. */
export const WAIT_MS = BASE_MS;

/** The longest that a test may take. */
export const TEST_TIMEOUT_MS = 4 * BASE_MS;

/** The longest that a hook may take: some build a whole application. */
export const HOOK_TIMEOUT_MS = 10 * BASE_MS;

/** The longest life of a process that tests start. It only ends what they have lost; some serve a whole file. */
export const PROCESS_LIFE_MS = 20 * BASE_MS;

function readFactor(name: string): number {
	const value = process.env[name] ?? "1";
	const factor = Number(value);
	if (Number.isFinite(factor) && factor > 0) return factor;
	throw new Error(`${name} must be a number above 0, but it is ${JSON.stringify(value)}`);
}
