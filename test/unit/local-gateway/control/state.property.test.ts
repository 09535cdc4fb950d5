import fc from "fast-check";
import { expect, test } from "vitest";
import { readState } from "../../../../src/local-gateway/control/state/read-state.ts";
import { restoreState } from "../../../../src/local-gateway/control/state/restore-state.ts";
import { contentOf, placeOf, thingsOf } from "../../../../src/local-gateway/control/state/to-rows.ts";
import { createGatewayCore } from "../../../../src/local-gateway/create-gateway-core.ts";
import { createWatchedGateway, timeless, type WatchedGateway } from "../../../support/controlled-gateway.ts";
import { walk } from "../../../support/gateway-walk.ts";
import { MemoryStateStore } from "../../../support/memory-state-store.ts";

// Small enough that the oldest are dropped on the way.
const options = { maxEntries: 12 };

/** What outlives a run: faults do not. */
function lasting({ control }: WatchedGateway): object {
	return { ...timeless(control.snapshot()), faults: [] };
}

/** All rows but the one with the clock, which stands still here while the machine's goes on. */
function lastingRows({ rows }: MemoryStateStore): Map<string, unknown> {
	return new Map(
		[...rows.values()].flatMap(({ kind, id, value }) =>
			kind === "gateway" ? [] : [[`${kind} ${id}`, typeof value === "string" ? JSON.parse(value) : value]],
		),
	);
}

/** The rows of everything that a gateway has when it was filled from a state. */
function rowsAfterRestore(state: MemoryStateStore): Map<string, unknown> {
	const core = createGatewayCore(options, {
		supervision: { keepsAttachments: true, keepsHistory: true, signatureClock: undefined },
		restore: (world) => restoreState(world, readState(state)),
	});
	const written = new MemoryStateStore();
	for (const thing of thingsOf(core.getWorld())) {
		const place = placeOf(thing);
		if (place !== undefined) written.save([{ ...place, value: contentOf(thing, core.getWorld()) }], false);
	}
	return lastingRows(written);
}

test("wherever a run ends, the next one goes on as if there had been no end", async () => {
	await fc.assert(
		fc.asyncProperty(walk, fc.nat(80), async (steps, resetAt) => {
			const state = new MemoryStateStore();
			const before = createWatchedGateway({ ...options, state });
			for (const [at, step] of steps.entries()) {
				await step.run(before);
				if (at === resetAt) await before.control.act({ type: "reset" });
			}
			const expected = lasting(before);
			await before.local[Symbol.asyncDispose]();
			expect(rowsAfterRestore(state)).toEqual(lastingRows(state));

			const after = createWatchedGateway({ ...options, state, clock: before.clock });
			expect(lasting(after)).toEqual(expected);
			await after.local[Symbol.asyncDispose]();
		}),
		{ numRuns: 200 },
	);
}, 60_000);
