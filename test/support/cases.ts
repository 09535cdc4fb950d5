import process from "node:process";

/** How many random cases a property is tried with: all of them in `npm test`, a tenth in the fast loop. */
export function cases(all: number): number {
	return process.env["TEST_FEW_CASES"] === undefined ? all : Math.ceil(all / 10);
}
