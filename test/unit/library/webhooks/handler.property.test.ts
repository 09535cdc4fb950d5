import fc from "fast-check";
import { expect, test } from "vitest";
import { cases } from "../../../support/cases.ts";
import { createWorld, type Network, type Work } from "../../../support/webhook-world.ts";

const PROCESSES = 2;
const EVENTS = ["evt_1", "evt_2"] as const;

const work = fc.record<Work>({
	ending: fc.constantFrom("finish", "finish", "throw", "give up", "stop", "hang"),
	workMs: fc.constantFrom(0, 200, 9_000, 12_000, 29_000, 45_000),
});

/** A call may take longer than its timeout, and still take effect. */
const network = fc.record<Network>({
	latenciesMs: fc.array(fc.constantFrom(0, 0, 50, 3_000, 9_000, 30_000), { minLength: 1, maxLength: 4 }),
	failures: fc.array(fc.constantFrom(false, false, false, true), { minLength: 1, maxLength: 5 }),
});

const process = fc.nat(PROCESSES - 1);

const steps = fc.array(
	fc.oneof(
		{ weight: 5, arbitrary: fc.record({ deliver: fc.constantFrom(...EVENTS), process, work }) },
		{ weight: 4, arbitrary: fc.record({ passMs: fc.constantFrom(1, 300, 4_000, 9_999, 10_000, 31_000) }) },
		{ weight: 2, arbitrary: fc.record({ crash: process }) },
		{ weight: 2, arbitrary: fc.record({ process, network }) },
	),
	{ minLength: 5, maxLength: 40 },
);

test(
	"over any delays, failures, crashes and repeats, each event is completed once, acknowledged only when it was " +
		"finished, and never lost",
	async () => {
		await fc.assert(
			fc.asyncProperty(steps, async (drawn) => {
				const world = createWorld(PROCESSES);
				for (const step of drawn) {
					if ("deliver" in step) world.deliver(step.deliver, step.process, step.work);
					else if ("passMs" in step) await world.clock.advance(step.passMs);
					else if ("crash" in step) world.crash(step.crash);
					else world.setNetwork(step.process, step.network);
				}
				// The sender goes on and the store works again: runs that hang end after their lease and longest time.
				world.heal();
				await world.clock.advance(60_000);
				for (const eventId of EVENTS) world.deliver(eventId, 0, { ending: "finish", workMs: 0 });
				await world.clock.advance(60_000);
				expect(world.broken).toEqual([]);
				expect([...world.finished].sort()).toEqual(EVENTS);
				expect([...world.acknowledged].sort()).toEqual(EVENTS);
				expect([world.countPending(), world.clock.openTimers]).toEqual([0, 0]);
			}),
			{ numRuns: cases(150) },
		);
	},
);
