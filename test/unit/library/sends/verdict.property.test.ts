import fc from "fast-check";
import { expect, test } from "vitest";
import { cases, HAS_ALL_CASES } from "../../../support/cases.ts";
import { histories, playHistory, type Tally } from "./history.ts";

test.each([true, false])(
	"over any history no verdict is false, nothing is sent twice without a decision, and nothing is dropped; callbacks: %s",
	async (hasCallbacks) => {
		const tally: Tally = {
			accepted: 0,
			unresolved: 0,
			given_up: 0,
			sentAgain: 0,
			lateArrivals: 0,
			provenByStatus: 0,
		};
		await fc.assert(
			fc.asyncProperty(histories, (history) => playHistory(history, hasCallbacks, tally)),
			{ numRuns: cases(150) },
		);
		const { provenByStatus, ...ends } = tally;
		if (!hasCallbacks) expect(provenByStatus).toBe(0);
		// All histories together come to every end; a tenth of them may miss one.
		if (!HAS_ALL_CASES) return;
		if (hasCallbacks) expect(provenByStatus).toBeGreaterThan(0);
		expect(Math.min(...Object.values(ends))).toBeGreaterThan(0);
	},
);
