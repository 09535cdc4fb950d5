import fc from "fast-check";
import type { StoreSubject } from "messaging-gateway/testing";
import type { EventStore } from "messaging-gateway/webhooks";
import { expect } from "vitest";
import { LEASE_MS, RETENTION_MS } from "./claims.ts";
import { EventStoreModel } from "./event-store-model.ts";

const KEYS = ["default:evt_1", "default:evt_2"] as const;

const action = fc.record({
	act: fc.constantFrom("claim", "claim", "extend", "complete", "release", "hand back", "crash"),
	worker: fc.nat(2),
	key: fc.constantFrom(...KEYS),
});

type Action = typeof action extends fc.Arbitrary<infer Drawn> ? Drawn : never;
type Step = Action | { pauseMs: number };

/**
 * What happens one after the other: a worker acts on an event with the last token it was given, stale or not; it
 * crashes, and forgets its tokens; or time passes, which is how a worker pauses past its lease.
 */
export function walks(...pausesMs: number[]): fc.Arbitrary<Step[]> {
	const pause = fc.record({ pauseMs: fc.constantFrom(...pausesMs) });
	return fc.array(fc.oneof({ weight: 8, arbitrary: action }, { weight: 3, arbitrary: pause }), {
		minLength: 20,
		maxLength: 80,
	});
}

/** The tokens that the workers remember. */
class Hands {
	readonly #tokens = new Map<string, number>();

	/** 0, which nobody is given, where a worker has none. */
	token({ worker, key }: Action): number {
		return this.#tokens.get(`${worker} ${key}`) ?? 0;
	}

	take({ worker, key }: Action, token: number): void {
		this.#tokens.set(`${worker} ${key}`, token);
	}

	drop({ worker, key }: Action): void {
		this.#tokens.delete(`${worker} ${key}`);
	}
}

async function act(store: EventStore, hands: Hands, step: Action) {
	const { key } = step;
	switch (step.act) {
		case "claim": {
			const claim = await store.claim(key, { leaseMs: LEASE_MS, retentionMs: RETENTION_MS });
			if (claim.status === "acquired") hands.take(step, claim.token);
			return claim;
		}
		case "extend":
			return store.extend(key, hands.token(step), LEASE_MS);
		case "complete":
			return store.complete(key, hands.token(step), RETENTION_MS);
		case "release":
			return store.release(key, hands.token(step));
		case "hand back":
			return store.release(key, hands.token(step), { unused: true });
		default:
			hands.drop(step);
			return undefined;
	}
}

/** Expects the answers of the plain model; the tokens themselves are each store's own. */
export async function walkBesideModel(
	{ store, advance }: StoreSubject<EventStore>,
	steps: readonly Step[],
	{ toleranceMs = 0 } = {},
): Promise<void> {
	const model = new EventStoreModel();
	const [hands, modelHands] = [new Hands(), new Hands()];
	for (const step of steps) {
		if ("pauseMs" in step) {
			await advance(step.pauseMs);
			model.nowMs += step.pauseMs;
			continue;
		}
		const expected = await act(model, modelHands, step);
		const answer = await act(store, hands, step);
		if (typeof answer !== "object" || typeof expected !== "object") {
			expect(answer).toBe(expected);
			continue;
		}
		expect(answer.status).toBe(expected.status);
		if (answer.status === "acquired")
			expect(answer).toMatchObject({ attempt: "attempt" in expected && expected.attempt });
		if (answer.status === "in_flight" && expected.status === "in_flight") {
			expect(answer.retryAfterMs).toBeLessThanOrEqual(expected.retryAfterMs);
			expect(answer.retryAfterMs).toBeGreaterThanOrEqual(expected.retryAfterMs - toleranceMs);
		}
	}
}

/**
 * Expects that tokens only grow, and that only the last one given for an event does anything: until it lets the
 * event go or completes it, and of these one. A store without room may refuse.
 */
export async function walkWithTokens(
	{ store, advance }: StoreSubject<EventStore>,
	steps: readonly Step[],
	{ canBeFull = false } = {},
): Promise<void> {
	const hands = new Hands();
	const last = new Map<string, number>();
	const endings = new Map<string, string>();
	for (const step of steps) {
		if ("pauseMs" in step) {
			await advance(step.pauseMs);
			continue;
		}
		const used = hands.token(step);
		const result = await act(store, hands, step).catch((error: Error) => error);
		if (result instanceof Error) {
			expect([canBeFull, result.message]).toEqual([true, expect.stringContaining("full")]);
		} else if (typeof result === "object" && result.status === "acquired") {
			expect(result.token).toBeGreaterThan(last.get(step.key) ?? 0);
			last.set(step.key, result.token);
		} else if (result === true) {
			expect(used).toBe(last.get(step.key));
			const ending = endings.get(`${step.key} ${used}`);
			expect(ending === undefined || (ending === "complete" && step.act === "complete")).toBe(true);
			if (step.act !== "extend") endings.set(`${step.key} ${used}`, step.act);
		}
	}
}
