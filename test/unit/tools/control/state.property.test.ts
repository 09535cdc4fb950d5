import fc from "fast-check";
import { expect, test } from "vitest";
import { cases } from "../../../support/cases.ts";
import {
	createWatchedGateway,
	stateOf,
	timeless,
	type WatchedGateway,
} from "../../../support/controlled-gateway.ts";
import { walk } from "../../../support/gateway-walk.ts";
import { MemoryStateFile } from "../../../support/memory-state-file.ts";

// Small enough that the oldest are dropped on the way.
const options = { maxEntries: 12 };

/** The state that outlives a run: faults and the request log do not, nor the count of rejected requests. */
function lasting({ control }: WatchedGateway): object {
	const { conversations, ...state } = stateOf(control);
	const counted = conversations.map((conversation) => ({ ...conversation, failedCount: 0 }));
	return { ...timeless({ ...state, conversations: counted }), faults: [], requests: [] };
}

/** What a file holds besides the clock, which is frozen here while the machine's is not, and the last number. */
function lastingContent({ state: { offsetMs: _, lastSequence: __, ...content } }: MemoryStateFile): object {
	return content;
}

test("wherever a run ends, the next one continues as if it had not ended", async () => {
	await fc.assert(
		fc.asyncProperty(walk, fc.nat(80), async (steps, resetAt) => {
			const state = new MemoryStateFile();
			const before = createWatchedGateway({ ...options, state });
			for (const [at, step] of steps.entries()) {
				await step.run(before);
				if (at === resetAt) await before.control.act({ type: "reset" });
			}
			const expected = lasting(before);
			await before.local[Symbol.asyncDispose]();
			const content = lastingContent(state);

			const after = createWatchedGateway({ ...options, state, clock: before.clock });
			expect(lasting(after)).toEqual(expected);
			await after.local[Symbol.asyncDispose]();
			expect(lastingContent(state)).toEqual(content);
		}),
		{ numRuns: cases(200) },
	);
});
