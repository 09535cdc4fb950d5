import {
	ConfigurationError,
	memoryNonceStore,
	type NonceStore,
	type RequestVerificationError,
	verifyRequest,
} from "messaging-gateway/signing";
import { nonceStoreCases } from "messaging-gateway/testing";
import { describe, expect, test, vi } from "vitest";
import { GATEWAY_CLOCK_CASES } from "../../../support/clock-cases.ts";
import { createCountingClock } from "../../../support/counting-clock.ts";
import { fixedClock } from "../../../support/fixed-clock.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { settableClock } from "../../../support/settable-clock.ts";
import {
	NONCE as nonce,
	type SignedRequest,
	signedRequest,
	SIGNED_AT as start,
	verifierOptions,
} from "../../../support/signed-request.ts";

test.each([...nonceStoreCases(), ...GATEWAY_CLOCK_CASES])("$name", async ({ run }) => {
	await run(() => {
		const clock = settableClock(start);
		const { advance, setClock } = clock;
		return { store: memoryNonceStore({ clock }), advance, setClock };
	});
});

/** A request, and what comes to a gateway with the same nonce store after a while. */
interface Replay {
	readonly first?: SignedRequest;
	readonly afterMs?: number;
	/** By default the same request. */
	readonly again?: SignedRequest;
	readonly maxEntries?: number;
	readonly toleranceSeconds?: number;
	/** How far the second gateway's clock is behind the first one's. */
	readonly behindMs?: number;
}

/** What becomes of the second one. */
async function replayOf({ first, afterMs = 0, again = first, behindMs = 0, ...options }: Replay) {
	const clocks = { store: fixedClock(start), one: fixedClock(start), other: fixedClock(start - behindMs) };
	const { maxEntries, toleranceSeconds } = options;
	const nonceStore = memoryNonceStore({ clock: clocks.store, maxEntries });
	const gateway = (clock: typeof clocks.one) => verifierOptions({ clock, nonceStore, toleranceSeconds });
	await verifyRequest(signedRequest(first), gateway(clocks.one));
	for (const clock of Object.values(clocks)) clock.nowMs += afterMs;
	return outcomeOf(verifyRequest(signedRequest(again), gateway(clocks.other)));
}

async function outcomeOf(verifying: Promise<unknown>): Promise<string> {
	try {
		await verifying;
		return "accepted";
	} catch (error) {
		const { status, code, message } = error as RequestVerificationError;
		return `${status} ${code}: ${message}`;
	}
}

/** Timestamps that are accepted, from the earliest to the latest. */
const EDGES = { "the past edge": -300_000, now: 0, "the future edge": 300_000 };

function forEachEdge(title: string, replayAt: (timestamp: number) => Replay): Record<string, Replay> {
	const rows = Object.entries(EDGES).map(([edge, offset]) => {
		const timestamp = start + offset;
		return [`${title} ${edge}`, { first: { timestamp }, ...replayAt(timestamp) }];
	});
	return Object.fromEntries(rows);
}

/** What comes to a gateway whose clock is five minutes behind that of the one that has seen the latest timestamp. */
function toBehind(toleranceSeconds: number, moreMs: number): Record<string, Replay> {
	const toleranceMs = toleranceSeconds * 1_000;
	const first = { timestamp: start + toleranceMs };
	const afterMs = 2 * toleranceMs + 300_000 + moreMs;
	const title = `for a clock five minutes behind, with a tolerance of ${toleranceSeconds} s`;
	return { [title]: { first, afterMs, toleranceSeconds, behindMs: 300_000 } };
}

const REPLAYED = "401 nonce_replayed: the nonce was used before: sign each request with a new nonce";
const LATE = "401 timestamp_out_of_range: X-Timestamp is";

const REPLAYS: Outcomes<Replay> = {
	[REPLAYED]: {
		"the same request": {},
		"the same nonce in upper case": { again: { nonce: nonce.toUpperCase() } },
		"the same request, to a store that is full": { maxEntries: 1 },
		...forEachEdge("the last millisecond of a timestamp from", (timestamp) => ({
			afterMs: timestamp + 300_000 - start,
		})),
		// Another timestamp is a request of its own, and it needs a nonce of its own.
		...forEachEdge("900 s later, the nonce of a timestamp from", () => ({
			afterMs: 900_000,
			again: { timestamp: start + 900_000 },
		})),
		...toBehind(0, 0),
		...toBehind(0.5, 0),
		...toBehind(300, 0),
		...toBehind(3_600, 0),
	},
	accepted: {
		"another nonce": { again: { nonce: nonce.replace("3", "4") } },
		...forEachEdge("900 s and a millisecond later, the nonce of a timestamp from", () => ({
			afterMs: 900_001,
			again: { timestamp: start + 900_001 },
		})),
	},
	[`${LATE} 300 s behind the gateway's clock; 300 s are accepted`]: {
		...forEachEdge("a millisecond more than the time of a timestamp from", (timestamp) => ({
			afterMs: timestamp + 300_001 - start,
		})),
		...toBehind(300, 1),
	},
	[`${LATE} 0 s behind the gateway's clock; 0 s are accepted`]: toBehind(0, 1),
	[`${LATE} 1 s behind the gateway's clock; 0.5 s are accepted`]: toBehind(0.5, 1),
	[`${LATE} 3600 s behind the gateway's clock; 3600 s are accepted`]: toBehind(3_600, 1),
	"503 nonce_store_unavailable: the nonce couldn't be checked: the nonce store is full: 1 nonces are held": {
		"another nonce, to a store that is full": { maxEntries: 1, again: { nonce: nonce.replace("3", "4") } },
	},
};

testOutcomes(REPLAYS, replayOf);

test.each<[options: { toleranceSeconds?: number }, lifetimeMs: number]>([
	[{}, 900_001],
	[{ toleranceSeconds: 0 }, 300_001],
	[{ toleranceSeconds: 3_600 }, 7_500_001],
])(
	"the store gets the app, the nonce in lower case, and with %j a lifetime of %i ms, whatever the clock shows",
	async (options, lifetimeMs) => {
		const remember = vi.fn(async (_key: string, _ttlMs: number) => true);
		const toleranceMs = (options.toleranceSeconds ?? 300) * 1000;
		for (const offset of [-toleranceMs, 0, toleranceMs]) {
			const request = signedRequest({ nonce: nonce.toUpperCase(), timestamp: start + offset });
			await verifyRequest(request, verifierOptions({ ...options, nonceStore: { remember } }));
		}
		expect(remember.mock.calls).toEqual(Array.from({ length: 3 }, () => [`app-1:${nonce}`, lifetimeMs]));
	},
);

test("of two equal requests at once, one is accepted", async () => {
	const options = verifierOptions();
	const outcomes = [1, 2].map(() => outcomeOf(verifyRequest(signedRequest(), options)));
	expect((await Promise.all(outcomes)).sort()).toEqual([REPLAYED, "accepted"]);
});

/** A nonce store of somebody else's, and how long a gateway waits for it. */
interface Strange {
	readonly has?: () => unknown;
	readonly remember?: () => unknown;
	readonly storeTimeoutMs?: unknown;
	/** Until then, the request waits. */
	readonly waitsMs?: number;
}

/** What becomes of a request, which leaves no timer behind. */
async function strangeOf({ storeTimeoutMs, waitsMs = 0, ...methods }: Strange): Promise<string> {
	const clock = createCountingClock(start);
	const nonceStore = { remember: async () => true, ...methods } as NonceStore;
	const options = verifierOptions({ clock, nonceStore, storeTimeoutMs: storeTimeoutMs as number });
	let outcome: string | undefined;
	const verifying = outcomeOf(verifyRequest(signedRequest(), options)).then((known) => (outcome = known));
	if (waitsMs > 0) {
		await clock.advance(waitsMs - 1);
		expect(outcome).toBeUndefined();
		await clock.advance(1);
		expect(outcome).toBeDefined();
	}
	await verifying;
	expect(clock.openTimers).toBe(0);
	return outcome ?? "none";
}

const lost = new Error("connection lost");
const hang = () => new Promise<never>(() => undefined);
const UNCHECKED = "503 nonce_store_unavailable: the nonce couldn't be checked:";

/** What stores resolve to that is neither true nor false. */
const OTHERS = [{ rowCount: 0 }, { rowCount: 1 }, "0", "OK", "", [], [[]], 1, 0, null, undefined];

const unclear = (method: "has" | "remember"): Record<string, Strange> =>
	Object.fromEntries(
		OTHERS.flatMap((value) => [
			[`${method} returns ${JSON.stringify(value)}`, { [method]: () => value }],
			[`${method} resolves to ${JSON.stringify(value)}`, { [method]: async () => value }],
		]),
	);

const hangs = (ms: number): string =>
	`${UNCHECKED} no response within storeTimeoutMs, ${ms} ms. Check the store's server, and that its Pool has free connections`;

const STRANGE_STORES: Outcomes<Strange> = {
	accepted: { "remember resolves to true": { remember: async () => true } },
	[REPLAYED]: {
		"remember resolves to false": { remember: async () => false },
		"has resolves to true": { has: async () => true },
	},
	[`${UNCHECKED} its remember must resolve to true or false`]: unclear("remember"),
	[`${UNCHECKED} its has must resolve to true or false`]: unclear("has"),
	[`${UNCHECKED} its error says why`]: {
		"remember throws": {
			remember() {
				throw lost;
			},
		},
		"remember rejects": { remember: () => Promise.reject(lost) },
		"has rejects": { has: () => Promise.reject(lost) },
	},
	[hangs(5_000)]: {
		"remember hangs": { remember: hang, waitsMs: 5_000 },
		"has hangs": { has: hang, waitsMs: 5_000 },
	},
	[hangs(2_000)]: {
		"remember hangs, with storeTimeoutMs": { remember: hang, storeTimeoutMs: 2_000, waitsMs: 2_000 },
	},
	"undefined configuration: storeTimeoutMs must be a number above 0": Object.fromEntries(
		[0, -1, Number.NaN, Number.POSITIVE_INFINITY, "5"].map((storeTimeoutMs) => [
			`storeTimeoutMs of ${JSON.stringify(storeTimeoutMs)} (${storeTimeoutMs})`,
			{ storeTimeoutMs },
		]),
	),
};

testOutcomes(STRANGE_STORES, strangeOf);

describe("a nonce store of somebody else's", () => {
	test("that fails is the cause of the error", async () => {
		const options = verifierOptions({ nonceStore: { remember: () => Promise.reject(lost) } });
		await expect(verifyRequest(signedRequest(), options)).rejects.toMatchObject({ cause: lost });
	});

	test.each<[title: string, late: () => Promise<unknown>]>([
		["resolves late", async () => true],
		["rejects late", () => Promise.reject(lost)],
		["resolves late to something else", async () => []],
	])("that %s has failed by then, and ends no process", async (_title, late) => {
		const clock = createCountingClock(start);
		const remember = async () => {
			await new Promise<void>((resolve) => void clock.setTimer(resolve, 7_000));
			return late();
		};
		const options = verifierOptions({ clock, nonceStore: { remember: remember as NonceStore["remember"] } });
		const verifying = outcomeOf(verifyRequest(signedRequest(), options));
		await clock.advance(5_000);
		expect(await verifying).toBe(hangs(5_000));
		await clock.advance(2_000);
		expect(clock.openTimers).toBe(0);
	});

	test("is called with itself as `this`", async () => {
		class Store implements NonceStore {
			readonly #seen = new Set<string>();
			async has(key: string): Promise<boolean> {
				return this.#seen.has(key);
			}
			async remember(key: string): Promise<boolean> {
				return this.#seen.size !== this.#seen.add(key).size;
			}
		}
		const options = verifierOptions({ nonceStore: new Store() });
		expect(await outcomeOf(verifyRequest(signedRequest(), options))).toBe("accepted");
		expect(await outcomeOf(verifyRequest(signedRequest(), options))).toBe(REPLAYED);
	});
});

/** A key to remember for so many milliseconds, time that passes, or a key to look for. */
type Step = readonly [key: string, ttlMs: number] | number | string;

/** A store with so many entries at most, and what happens to it. */
type Story = readonly [maxEntries: number, ...steps: Step[]];

/** What each key is to the store. */
async function playOn([maxEntries, ...steps]: Story): Promise<string> {
	const clock = fixedClock(0);
	const store = memoryNonceStore({ clock, maxEntries });
	const found: string[] = [];
	for (const step of steps) {
		if (typeof step === "number") clock.nowMs += step;
		else if (typeof step === "string") found.push((await store.has?.(step)) ? "known" : "new");
		else {
			const [key, ttlMs] = step;
			const isNew = store.remember(key, ttlMs).then((value) => (value ? "new" : "known"));
			found.push(await isNew.catch((error: Error) => error.message));
		}
	}
	return found.join(", ");
}

const STORIES: Outcomes<Story> = {
	"new, new": {
		"a key whose time is over, when the store is full": [1, ["a", 1], 5, ["a", 60_000]],
		"a key at the end of its time": [9, ["a", 5], 5, ["a", 5]],
		"a look at the end of its time": [9, ["a", 5], 5, "a"],
		"another key, long after the time of the only one": [1, ["a", 1], 60_000, ["b", 1]],
	},
	"new, known": {
		"a key in the last millisecond of its time": [9, ["a", 5], 4, ["a", 5]],
		"a look in the last millisecond of its time": [9, ["a", 5], 4, "a"],
	},
	"new, new, new, new": {
		"another key, when one is over that lies below one that was remembered again": [
			2,
			["b", 1],
			["a", 1],
			5,
			["a", 600_000],
			60_000,
			["c", 1],
		],
	},
	"new, new, known": {
		"a key that was looked for only": [9, "a", ["a", 1], "a"],
	},
	"new, new, new, known": {
		"a key that was remembered again outlives the rest of its first time": [
			9,
			["a", 1],
			5_000,
			["a", 300_000],
			95_000,
			["b", 1],
			["a", 1],
		],
	},
	"new, new, the nonce store is full: 2 nonces are held, the nonce store is full: 2 nonces are held, known, new":
		{
			"a new key has room again once the time of another one is over": [
				2,
				["a", 60_000],
				["b", 60_000],
				["c", 60_000],
				["c", 60_000],
				["a", 60_000],
				90_000,
				["c", 60_000],
			],
		},
};

testOutcomes(STORIES, playOn);

describe("memoryNonceStore", () => {
	test("sets no timer", async () => {
		const clock = createCountingClock(start);
		const setTimer = vi.spyOn(clock, "setTimer");
		await verifyRequest(signedRequest(), verifierOptions({ clock, nonceStore: memoryNonceStore({ clock }) }));
		expect(setTimer).not.toHaveBeenCalled();
	});

	test("a clock that is set forward by a day, and back, forgets nothing", async () => {
		const clock = settableClock(start);
		const store = memoryNonceStore({ clock });
		await store.remember("a", 900_000);
		clock.setClock(86_400_000);
		expect(await store.remember("b", 900_000)).toBe(true);
		clock.setClock(-86_400_000);
		expect([await store.has?.("a"), await store.remember("a", 1)]).toEqual([true, false]);
		await clock.advance(900_000);
		expect([await store.has?.("a"), await store.remember("a", 1)]).toEqual([false, true]);
	});

	test("100,000 keys that come and go never fill a store of 1,000", async () => {
		const clock = fixedClock(start);
		// Ten keys a second that live ten seconds, dropped at the latest half a minute later: 400 or so at a time.
		const store = memoryNonceStore({ clock, maxEntries: 1_000 });
		for (let count = 0; count < 100_000; count++) {
			clock.nowMs += 100;
			expect(await store.remember(`key-${count}`, 10_000)).toBe(true);
		}
	});

	test("by default it holds 300,000 keys and no more", async () => {
		const store = memoryNonceStore({ clock: fixedClock(start) });
		for (let count = 0; count < 300_000; count++) await store.remember(`key-${count}`, 60_000);
		await expect(store.remember("one more", 60_000)).rejects.toThrow(/full/);
		expect(await store.remember("key-0", 60_000)).toBe(false);
	});

	test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
		"maxEntries of %s is a ConfigurationError",
		(maxEntries) => {
			const error = new ConfigurationError("maxEntries must be an integer of at least 1");
			expect(() => memoryNonceStore({ maxEntries })).toThrow(error);
		},
	);
});
