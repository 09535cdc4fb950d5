import process from "node:process";

/** How many random cases a property is tried with: all of them in `npm run test:full`, a tenth elsewhere. */
export function cases(all: number): number {
	return process.env["TEST_ALL_CASES"] === undefined ? Math.ceil(all / 10) : all;
}
