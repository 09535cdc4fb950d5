import { fork } from "node:child_process";
import type { MeasuredContender, OpenCases } from "../cases.ts";
import { converse } from "../processes.ts";
import { TESTS } from "../settings.ts";
import { KINDS } from "./test-file.ts";

/** A test of an application that sends and gets webhooks: its share of a file of tests, without what is imported. */
export const openTests: OpenCases = async function* () {
	const contenders = Object.entries(KINDS).map(
		([name, { role }]): MeasuredContender => ({
			name,
			role,
			measure: async () => ({ cost: await runFile(name) }),
		}),
	);
	yield {
		name: `a test, of ${TESTS.perFile} in a file`,
		rounds: TESTS.rounds,
		contenders,
	};
};

/** A process for each file, as test runners do. @returns the time for each test, in nanoseconds. */
async function runFile(kind: string): Promise<number> {
	const child = fork(new URL("test-file.ts", import.meta.url), [kind], { execArgv: ["--no-warnings"] });
	return converse<number>(child, `the tests with ${kind}`)();
}
