import { expect, test } from "vitest";
import { runSendsChaos } from "../chaos/sends/sends-chaos.ts";
import { TEST_TIMEOUT_MS } from "../support/patience.ts";

/** The short form of `npm run chaos`: each strike and each fault once with and once without callbacks. */
test.each(["postgres", "sqlite"] as const)(
	"%s: no send is doubled, dropped or falsely accepted while everything fails",
	async (store) => {
		const { counts, failures } = await runSendsChaos({
			store,
			seed: 7,
			sends: 48,
			workers: 4,
			limitMs: TEST_TIMEOUT_MS,
		});
		expect(failures).toEqual([]);
		// More if a send ended before its strike.
		expect(counts["sends"]).toBeGreaterThanOrEqual(48);
		expect(counts).toMatchObject({ doubled: 0, dropped: 0, "falsely accepted": 0 });
	},
	3 * TEST_TIMEOUT_MS,
);
