import fc from "fast-check";
import { createAdjustableClock } from "messaging-gateway/testing";
import { expect, test } from "vitest";
import { cases } from "../../../support/cases.ts";
import {
	createWatchedGateway,
	stateOf,
	timeless,
	type WatchedGateway,
} from "../../../support/controlled-gateway.ts";
import { type Step, walk } from "../../../support/gateway-walk.ts";
import { MemoryStateFile } from "../../../support/memory-state-file.ts";
import { START_MS } from "../../../support/signed-client.ts";

// Small enough that the oldest are dropped on the way.
const options = { maxEntries: 12 };

/** The state that outlives a run: faults and the request log do not, nor the count of rejected requests. */
function lasting({ control }: WatchedGateway): object {
	const { conversations, ...state } = stateOf(control);
	const counted = conversations.map((conversation) => ({ ...conversation, failedCount: 0 }));
	return { ...timeless({ ...state, conversations: counted }), faults: [], requests: [] };
}

/** What stays over a restart: the time and the file. */
function createSurroundings() {
	const clock = createAdjustableClock({ frozen: true, startMs: START_MS });
	return { ...options, clock, state: new MemoryStateFile() };
}

async function run(world: WatchedGateway, steps: readonly Step[]): Promise<void> {
	for (const step of steps) {
		await step.run(world);
		// What is due at once is done with the step, and after a restart by a timer.
		await world.clock.advance(0);
	}
}

/** All that there is at the end, in the file too, with random ids and signatures numbered as they come. */
async function endOf(world: WatchedGateway, file: MemoryStateFile): Promise<unknown> {
	await world.local.settled();
	const state = lasting(world);
	await world.local[Symbol.asyncDispose]();
	// The machine's time is not frozen here.
	const { offsetMs: _, nonces: __, ...content } = file.state;
	const known = new Map<string, number>();
	const numberOf = (id: string): string => {
		if (!known.has(id)) known.set(id, known.size);
		return `#${known.get(id)}`;
	};
	const ids = /[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{24,}/g;
	return JSON.parse(JSON.stringify({ state, content }).replace(ids, numberOf));
}

test("wherever a run ends, the next one continues as if it had not ended", async () => {
	await fc.assert(
		fc.asyncProperty(walk, walk, fc.nat(80), async (steps, then, resetAt) => {
			// Faults end with their run, and with them the webhooks that they repeat or hold back.
			const first = steps.filter(({ name }) => !name.startsWith("webhookFault"));
			const [uninterrupted, interrupted] = [createSurroundings(), createSurroundings()];
			const [whole, before] = [createWatchedGateway(uninterrupted), createWatchedGateway(interrupted)];
			for (const world of [whole, before]) {
				await run(world, first.slice(0, resetAt));
				if (resetAt < first.length) await world.control.act({ type: "reset" });
				await run(world, first.slice(resetAt));
				await world.control.act({ type: "clear_faults" });
			}
			const expected = lasting(before);
			await before.local[Symbol.asyncDispose]();

			const after = createWatchedGateway(interrupted);
			expect(lasting(after)).toEqual(expected);
			for (const world of [whole, after]) await run(world, then);
			expect(await endOf(after, interrupted.state)).toEqual(await endOf(whole, uninterrupted.state));
		}),
		{ numRuns: cases(150) },
	);
});
