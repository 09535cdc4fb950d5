import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MUTANTS } from "../mutants/mutants.ts";
import { MUTANTS as SIMULATED } from "../simulation/mutants.ts";

const ALL = [...MUTANTS, ...Object.values(SIMULATED).flat()];

test.each(ALL.map((mutant) => [mutant.id, mutant] as const))(
	"%s can be planted: its text is in its file once",
	(_id, { file, find }) => {
		expect(readFileSync(file, "utf8").split(find)).toHaveLength(2);
	},
);
