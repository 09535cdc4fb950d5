import fc from "fast-check";
import { expect, test } from "vitest";
import { nextTask } from "../../../../src/tools/local-gateway/next-task.ts";
import { cases } from "../../../support/cases.ts";
import { createWatchedGateway, stateOf, timeless } from "../../../support/controlled-gateway.ts";
import { walk } from "../../../support/gateway-walk.ts";

test("the changes are complete: applied to the first snapshot, they make the last one", async () => {
	await fc.assert(
		fc.asyncProperty(walk, fc.nat(80), async (steps, resetAt) => {
			const world = createWatchedGateway();
			for (const [at, step] of steps.entries()) {
				await step.run(world);
				if (at === resetAt) await world.control.act({ type: "reset" });
				await nextTask();
				expect(timeless(world.known()), step.name).toEqual(timeless(stateOf(world.control)));
			}
			await world.local.settled();
			await nextTask();
			expect(timeless(world.known())).toEqual(timeless(stateOf(world.control)));
		}),
		{ numRuns: cases(100) },
	);
});
