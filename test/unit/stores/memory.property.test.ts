import fc from "fast-check";
import { memoryStore } from "messaging-gateway/webhooks";
import { expect, test } from "vitest";
import { EventStoreModel } from "../../support/event-store-model.ts";
import { fixedClock } from "../../support/fixed-clock.ts";

const LEASE_MS = 1_000;
const RETENTION_MS = 10_000;
const KEYS = ["default:evt_1", "default:evt_2"] as const;
const START_MS = 1_767_225_600_000;

/**
 * What happens next: a worker acts on an event with the last token it was given, stale or not; it crashes, and
 * forgets its tokens; or time passes, which is how a worker pauses past its lease.
 */
const steps = fc.array(
	fc.oneof(
		{
			weight: 8,
			arbitrary: fc.record({
				act: fc.constantFrom("claim", "claim", "extend", "complete", "release", "crash"),
				worker: fc.nat(2),
				key: fc.constantFrom(...KEYS),
			}),
		},
		{
			weight: 3,
			arbitrary: fc.record({
				pauseMs: fc.constantFrom(
					1,
					LEASE_MS / 2,
					LEASE_MS - 1,
					LEASE_MS,
					LEASE_MS * 3,
					RETENTION_MS - 1,
					RETENTION_MS,
				),
			}),
		},
	),
	{ minLength: 20, maxLength: 80 },
);

type Step = typeof steps extends fc.Arbitrary<(infer Item)[]> ? Item : never;
type Action = Exclude<Step, { pauseMs: number }>;

function createWorld(maxEntries?: number) {
	const clock = fixedClock(START_MS);
	const store = memoryStore({ clock, ...(maxEntries === undefined ? {} : { maxEntries }) });
	const tokens = new Map<string, number>();
	const holder = ({ worker, key }: Action) => `${worker} ${key}`;
	const token = (action: Action) => tokens.get(holder(action)) ?? 0;

	async function act(action: Action) {
		const { key } = action;
		switch (action.act) {
			case "claim": {
				const claim = await store.claim(key, { leaseMs: LEASE_MS, retentionMs: RETENTION_MS });
				if (claim.status === "acquired") tokens.set(holder(action), claim.token);
				return claim;
			}
			case "extend":
				return store.extend(key, token(action), LEASE_MS);
			case "complete":
				return store.complete(key, token(action), RETENTION_MS);
			case "release":
				return store.release(key, token(action));
			default:
				tokens.delete(holder(action));
				return undefined;
		}
	}
	return { clock, act, token };
}

function actOnModel(model: EventStoreModel, { act, key }: Action, token: number) {
	switch (act) {
		case "claim":
			return model.claim(key, LEASE_MS, RETENTION_MS);
		case "extend":
			return model.extend(key, token, LEASE_MS);
		case "complete":
			return model.complete(key, token, RETENTION_MS);
		case "release":
			return model.release(key, token);
		default:
			return undefined;
	}
}

test("over any claims, extensions, ends, crashes and pauses it answers as the plain model does", async () => {
	await fc.assert(
		fc.asyncProperty(steps, async (drawn) => {
			const model = new EventStoreModel();
			const { clock, act, token } = createWorld();
			for (const step of drawn) {
				if ("pauseMs" in step) {
					clock.nowMs += step.pauseMs;
					model.nowMs += step.pauseMs;
					continue;
				}
				const expected = actOnModel(model, step, token(step));
				expect(await act(step)).toEqual(expected);
			}
		}),
		{ numRuns: 500 },
	);
});

test.each([undefined, 1])(
	"only the last token given for an event does anything, once, and tokens only grow; with maxEntries %s",
	async (maxEntries) => {
		await fc.assert(
			fc.asyncProperty(steps, async (drawn) => {
				const { clock, act, token } = createWorld(maxEntries);
				const last = new Map<string, number>();
				const ended = new Set<string>();
				for (const step of drawn) {
					if ("pauseMs" in step) {
						clock.nowMs += step.pauseMs;
						continue;
					}
					const used = token(step);
					const result = await act(step).catch((error: Error) => error);
					if (result instanceof Error) {
						// A store with room for one event, which is held: it refuses rather than forgets.
						expect([maxEntries, result.message]).toEqual([1, expect.stringContaining("full")]);
					} else if (typeof result === "object" && result.status === "acquired") {
						expect(result.token).toBeGreaterThan(last.get(step.key) ?? 0);
						last.set(step.key, result.token);
					} else if (result === true) {
						expect(used).toBe(last.get(step.key));
						expect(ended).not.toContain(`${step.key} ${used}`);
						if (step.act !== "extend") ended.add(`${step.key} ${used}`);
					}
				}
			}),
			{ numRuns: 500 },
		);
	},
);
