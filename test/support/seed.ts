import process from "node:process";
import fc from "fast-check";

/** The seed of a run that is asked for no other: a test is green for everybody, or red for everybody. */
const USUAL = 1;

/** The seed of all random cases, and of the order of files and tests. `npm test -- --seed N` sets it. */
export const SEED = readSeed("TEST_SEED");

// A setup file of vitest, too: every property of the run starts from it.
fc.configureGlobal({ seed: SEED });

function readSeed(name: string): number {
	const value = process.env[name] ?? String(USUAL);
	const seed = Number(value);
	if (Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31) return seed;
	throw new Error(`${name} must be an integer from 0 to 2147483647, but it is ${JSON.stringify(value)}`);
}
