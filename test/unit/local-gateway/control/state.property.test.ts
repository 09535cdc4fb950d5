import fc from "fast-check";
import { createAdjustableClock } from "messaging-gateway/testing";
import { expect, test } from "vitest";
import { createControl } from "../../../../src/local-gateway/control/create-control.ts";
import { readState } from "../../../../src/local-gateway/control/state/read-state.ts";
import { restoreState } from "../../../../src/local-gateway/control/state/restore-state.ts";
import { StateKeeper } from "../../../../src/local-gateway/control/state/state-keeper.ts";
import { contentOf, placeOf, thingsOf } from "../../../../src/local-gateway/control/state/to-rows.ts";
import { createGatewayCore, type GatewayCore } from "../../../../src/local-gateway/create-gateway-core.ts";
import { cases } from "../../../support/cases.ts";
import {
	createWatchedGateway,
	timeless,
	type WatchedGateway,
	watch,
} from "../../../support/controlled-gateway.ts";
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

const SUPERVISION = { keepsAttachments: true, keepsHistory: true, signatureClock: undefined };

/** The rows of everything that there is in a gateway. */
function rowsOf({ getWorld }: GatewayCore): Map<string, unknown> {
	const written = new MemoryStateStore();
	for (const thing of thingsOf(getWorld())) {
		const place = placeOf(thing);
		if (place !== undefined) written.save([{ ...place, value: contentOf(thing, getWorld()) }], false);
	}
	return lastingRows(written);
}

/** A gateway that was filled from a state. */
function restored(state: MemoryStateStore): GatewayCore {
	return createGatewayCore(options, {
		supervision: SUPERVISION,
		restore: (world) => restoreState(world, readState(state)),
	});
}

test("whatever happens, what is written is what there is", async () => {
	await fc.assert(
		fc.asyncProperty(walk, fc.nat(80), async (steps, resetAt) => {
			const state = new MemoryStateStore();
			const keeper = new StateKeeper(state, () => core.getWorld());
			const clock = createAdjustableClock({ frozen: true });
			const core: GatewayCore = createGatewayCore(
				{ ...options, clock, deliverTo: () => new Response() },
				{ supervision: SUPERVISION, restore: (_world, feed) => feed.subscribe(keeper) },
			);
			const world = watch({ local: core.local, control: createControl(core) });
			for (const [at, step] of steps.entries()) {
				await step.run(world);
				if (at === resetAt) core.local.reset();
				keeper.flush();
				expect(lastingRows(state), step.name).toEqual(rowsOf(core));
			}
			keeper.close();
		}),
		{ numRuns: cases(100) },
	);
});

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
			const core = restored(state);
			expect(rowsOf(core)).toEqual(lastingRows(state));
			await core.local[Symbol.asyncDispose]();

			const after = createWatchedGateway({ ...options, state, clock: before.clock });
			expect(lasting(after)).toEqual(expected);
			await after.local[Symbol.asyncDispose]();
		}),
		{ numRuns: cases(200) },
	);
});
