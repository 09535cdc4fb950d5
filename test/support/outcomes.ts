import { describe, expect, test } from "vitest";

/** What leads to each outcome: rows under the whole outcome, each by what it is. */
export type Outcomes<Row> = Readonly<Record<string, Readonly<Record<string, Row>>>>;

/** A test for each row: what leads to an outcome leads to this one. */
export function testOutcomes<Row>(
	outcomes: Outcomes<Row>,
	outcomeOf: (row: Row) => string | Promise<string>,
): void {
	describe.each(Object.entries(outcomes))("%s", (outcome, rows) => {
		test.each(Object.entries(rows))("%s", async (_what, row) => {
			expect(await outcomeOf(row)).toBe(outcome);
		});
	});
}
