import { eventStoreCases, nonceStoreCases, type StoreSubject } from "messaging-gateway/testing";
import { type EventStore, memoryStore } from "messaging-gateway/webhooks";
import { expect, onTestFinished, test, vi } from "vitest";
import { fixedClock } from "../../support/fixed-clock.ts";

/** A store in memory with a fault. */
function breakStore(fault: (inner: EventStore) => Partial<EventStore>): StoreSubject<EventStore> {
	const clock = fixedClock(1_767_225_600_000);
	let inner = memoryStore({ clock });
	let store: EventStore = { ...inner, ...fault(inner) };
	return {
		store: {
			claim: (...given) => store.claim(...given),
			extend: (...given) => store.extend(...given),
			complete: (...given) => store.complete(...given),
			release: (...given) => store.release(...given),
		},
		async advance(ms) {
			clock.nowMs += ms;
		},
		async loseRecords() {
			inner = memoryStore({ clock });
			store = { ...inner, ...fault(inner) };
			clock.nowMs++;
		},
	};
}

const FAULTS: readonly [title: string, broken: string, fault: (inner: EventStore) => Partial<EventStore>][] =
	[
		[
			"counts claims that nothing ran under",
			"a claim that is released unused is no attempt",
			(inner) => ({ release: (key, token) => inner.release(key, token) }),
		],
		[
			"binds no delivery",
			"a claim binds the delivery, and claims its event",
			(inner) => ({ claim: (key, times) => inner.claim(key, times) }),
		],
		[
			"does not say which key a delivery is bound to",
			"a claim with a delivery resolves to the values of its contract",
			(inner) => ({
				async claim(...given) {
					const { boundKey: _, ...claim } = await inner.claim(...given);
					return claim;
				},
			}),
		],
		[
			"claims the given key of a copy, and not the bound one",
			"a copy under another key finds the bound event, and leaves no record of its key",
			(inner) => {
				const bound = new Map<string, string>();
				return {
					async claim(key, times, binding) {
						const claim = await inner.claim(key, times);
						if (binding === undefined) return claim;
						const boundKey = bound.get(binding.digest) ?? key;
						bound.set(binding.digest, boundKey);
						return boundKey === key ? claim : { ...claim, boundKey };
					},
				};
			},
		],
		[
			"prolongs a binding with each copy",
			"a binding ends with its time, and a repeat does not prolong it",
			(inner) => {
				let bound: string | undefined;
				return {
					async claim(key, times, binding) {
						if (binding === undefined) return inner.claim(key, times);
						bound ??= key;
						const claim = await inner.claim(bound, times);
						return bound === key ? claim : { ...claim, boundKey: bound };
					},
				};
			},
		],
		[
			"resolves a completion to a number",
			"each step resolves to the values of its contract, and to no others",
			(inner) => ({ complete: async (...given) => Number(await inner.complete(...given)) as never }),
		],
		[
			"does not return how long a lease lasts",
			"each step resolves to the values of its contract, and to no others",
			(inner) => ({
				async claim(...given) {
					const claim = await inner.claim(...given);
					return claim.status === "in_flight" ? ({ status: "in_flight" } as never) : claim;
				},
			}),
		],
		[
			"releases only what it holds, and forgets that nothing ran",
			"a late claim whose lease is over is released too, unless another worker holds the event",
			(inner) => ({
				release: async (key, token, options) => options?.unused !== true && inner.release(key, token),
			}),
		],
		[
			"counts its tokens from one after a restart",
			"tokens grow over lost records, however many events came at once",
			(inner) => {
				const mine = new Map<number, number>();
				const theirs = (token: number) => [...mine].find(([, own]) => own === token)?.[0] ?? -1;
				return {
					async claim(...given) {
						const claim = await inner.claim(...given);
						if (claim.status !== "acquired") return claim;
						if (!mine.has(claim.token)) mine.set(claim.token, mine.size + 1);
						return { ...claim, token: mine.get(claim.token) ?? 0 };
					},
					extend: (key, token, leaseMs) => inner.extend(key, theirs(token), leaseMs),
					complete: (key, token, retentionMs) => inner.complete(key, theirs(token), retentionMs),
					release: (key, token, options) => inner.release(key, theirs(token), options),
				};
			},
		],
	];

test.each(FAULTS)("a store that %s breaks the rule: %s", async (_title, name, fault) => {
	const rule = eventStoreCases().find((candidate) => candidate.name === name);
	await expect(rule?.run(() => breakStore(fault))).rejects.toThrow(/expected/);
});

test("a store that cannot lose its records passes without it", async () => {
	const { loseRecords: _, ...subject } = breakStore(() => ({}));
	for (const { run } of eventStoreCases().filter(({ name }) => name.includes("lost")))
		await expect(run(() => subject)).resolves.toBeUndefined();
});

test.each(["claim", "extend", "complete", "release"] as const)(
	"a store whose %s never answers breaks a rule after 30 seconds, and no case waits for ever",
	async (method) => {
		vi.useFakeTimers();
		onTestFinished(() => void vi.useRealTimers());
		const silent = () => breakStore(() => ({ [method]: () => new Promise<never>(() => undefined) }));
		const outcomes = eventStoreCases().map(({ run }) => run(silent).catch((error: Error) => error.message));
		await vi.advanceTimersByTimeAsync(30_000);
		const sentence = `${method} did not settle within 30 s: let it reject if the store is silent`;
		expect(await Promise.all(outcomes)).toContain(sentence);
		expect(vi.getTimerCount()).toBe(0);
	},
);

test("a store keeps its own `this`, and may be frozen", async () => {
	class Nonces {
		readonly #seen = new Set<string>();
		async remember(key: string): Promise<boolean> {
			return this.#seen.size !== this.#seen.add(key).size;
		}
	}
	const [first] = nonceStoreCases();
	const subject = () => ({ store: Object.freeze(new Nonces()), advance: async () => undefined });
	await expect(first?.run(subject)).resolves.toBeUndefined();
});
