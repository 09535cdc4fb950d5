import { expect, test } from "vitest";
import { runChaos } from "../chaos/chaos.ts";

/** The second is for a first run in which a fault met nothing; what is lost or doubled in either is a failure. */
const SEEDS = [7, 8];

/** The short form of `npm run chaos`. The faults come by progress, so each comes however fast the machine is. */
test.each(["redis", "postgres", "sqlite"] as const)(
	"%s: no event is lost or doubled while everything fails",
	async (store) => {
		let failures: readonly string[] = [];
		for (const seed of SEEDS) {
			const run = await runChaos({
				store,
				seed,
				events: 300,
				receivers: 3,
				faults: { kill: 1, pause: 1, latePause: 1, cut: 1, restart: 1, hang: 1 },
				leaseMs: 1_000,
				limitMs: 60_000,
			});
			expect(run.counts).toMatchObject({ events: 300, effects: 300, lost: 0, doubled: 0, overwritten: 0 });
			failures = run.failures;
			if (failures.length === 0) break;
		}
		expect(failures).toEqual([]);
	},
	180_000,
);
