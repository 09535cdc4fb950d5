import process from "node:process";

/** Whether properties are tried with all of their random cases, as in `npm run test:full`. */
export const HAS_ALL_CASES = process.env["TEST_ALL_CASES"] !== undefined;

/** How many random cases a property is tried with: all of them in `npm run test:full`, a tenth elsewhere. */
export function cases(all: number): number {
	return HAS_ALL_CASES ? all : Math.ceil(all / 10);
}
