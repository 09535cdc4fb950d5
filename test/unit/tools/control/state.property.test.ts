import fc from "fast-check";
import { createAdjustableClock } from "messaging-gateway/testing";
import { expect, test } from "vitest";
import { createControl } from "../../../../src/tools/control/create-control.ts";
import { readState } from "../../../../src/tools/control/state/read-state.ts";
import { restoreState } from "../../../../src/tools/control/state/restore-state.ts";
import { StateKeeper } from "../../../../src/tools/control/state/state-keeper.ts";
import { contentOf, placeOf, thingsOf } from "../../../../src/tools/control/state/to-rows.ts";
import {
	createGatewayCore,
	type GatewayCore,
} from "../../../../src/tools/local-gateway/create-gateway-core.ts";
import { UNSUPERVISED } from "../../../../src/tools/local-gateway/supervision.ts";
import { cases } from "../../../support/cases.ts";
import {
	createWatchedGateway,
	stateOf,
	timeless,
	type WatchedGateway,
	watch,
} from "../../../support/controlled-gateway.ts";
import { walk } from "../../../support/gateway-walk.ts";
import { MemoryStateStore } from "../../../support/memory-state-store.ts";

// Small enough that the oldest are dropped on the way.
const options = { maxEntries: 12 };

/** The state that outlives a run: faults and the request log do not. */
function lasting({ control }: WatchedGateway): object {
	return { ...timeless(stateOf(control)), faults: [], requests: [] };
}

/** All rows except the one with the clock, which is frozen here while the machine's is not. */
function lastingRows({ rows }: MemoryStateStore): Map<string, unknown> {
	return new Map(
		[...rows.values()].flatMap(({ kind, id, value }) =>
			kind === "gateway" ? [] : [[`${kind} ${id}`, typeof value === "string" ? JSON.parse(value) : value]],
		),
	);
}

const SUPERVISION = {
	...UNSUPERVISED,
	keepsAttachments: true,
	keepsHistory: true,
	signatureClock: undefined,
};

/** The rows of all things in a gateway. */
function rowsOf({ getWorld }: GatewayCore): Map<string, unknown> {
	const written = new MemoryStateStore();
	for (const thing of thingsOf(getWorld())) {
		const place = placeOf(thing);
		if (place !== undefined) written.save([{ ...place, value: contentOf(thing, getWorld()) }], false);
	}
	return lastingRows(written);
}

/** A gateway that was restored from a state. */
function restored(state: MemoryStateStore): GatewayCore {
	return createGatewayCore(options, {
		supervision: SUPERVISION,
		restore: (world) => restoreState(world, readState(state)),
	});
}

test("the written rows always match the gateway", async () => {
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

test("wherever a run ends, the next one continues as if it had not ended", async () => {
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
