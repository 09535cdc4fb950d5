import { expect, test } from "vitest";
import { runChaos } from "../chaos/chaos.ts";
import { TEST_TIMEOUT_MS } from "../support/patience.ts";

/** The short form of `npm run chaos`. The faults come by progress, so each comes however fast the machine is. */
test.each(["redis", "postgres", "sqlite"] as const)(
	"%s: no event is lost or doubled while everything fails",
	async (store) => {
		const { counts, failures } = await runChaos({
			store,
			seed: 7,
			events: 300,
			receivers: 3,
			faults: { kill: 1, pause: 1, latePause: 1, cut: 1, restart: 1, hang: 1 },
			leaseMs: 1_000,
			limitMs: 2 * TEST_TIMEOUT_MS,
		});
		expect(failures).toEqual([]);
		// There are more if a fault had to wait for a run to strike.
		expect(counts["events"]).toBeGreaterThanOrEqual(300);
		expect(counts).toMatchObject({ effects: counts["events"], lost: 0, doubled: 0, overwritten: 0 });
	},
	3 * TEST_TIMEOUT_MS,
);
