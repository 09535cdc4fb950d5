import fc from "fast-check";
import { eventStoreCases } from "messaging-gateway/testing";
import { ConfigurationError, type EventStore, memoryStore } from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";
import { cases } from "../../../support/cases.ts";
import { acquire, bind, LEASE_MS, look, RETENTION_MS } from "../../../support/claims.ts";
import { HANDLER_CLOCK_CASES } from "../../../support/clock-cases.ts";
import { walkBesideModel, walks, walkWithTokens } from "../../../support/event-store-walks.ts";
import { fixedClock } from "../../../support/fixed-clock.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { settableClock } from "../../../support/settable-clock.ts";

function createStore(options: { maxEntries?: number | undefined } = {}) {
	const clock = fixedClock(1_767_225_600_000);
	const store = memoryStore({ ...options, clock });
	const advance = async (ms: number) => {
		clock.nowMs += ms;
	};
	return { store, advance };
}

/** A store whose process can be restarted, which loses its records. */
function createRestartableStore() {
	const clock = settableClock(1_767_225_600_000);
	const { advance, setClock } = clock;
	let inner = memoryStore({ clock });
	const loseRecords = async () => {
		inner = memoryStore({ clock });
		await advance(1);
	};
	const store: EventStore = {
		claim: (...given) => inner.claim(...given),
		extend: (...given) => inner.extend(...given),
		complete: (...given) => inner.complete(...given),
		release: (...given) => inner.release(...given),
	};
	return { store, advance, setClock, loseRecords };
}

describe("the rules of every event store", () => {
	test.each([...eventStoreCases(), ...HANDLER_CLOCK_CASES])("$name", async ({ run }) => {
		await run(createRestartableStore);
	});
});

/** Time that passes, a claim of an event, or what a worker does with the nth token that it was given for one, or the last. */
type Step =
	| number
	| string
	| readonly [action: "extend" | "complete" | "release", key: string, nth?: number]
	| readonly [action: "bind", digest: string, key: string, ttlMs: number];

/** A store with so many entries at most, and what happens to it. */
type Story = readonly [maxEntries: number, ...steps: Step[]];

/** What comes of each step; of a claim, the attempt. */
async function playOn([maxEntries, ...steps]: Story): Promise<string> {
	const { store, advance } = createStore({ maxEntries });
	const tokens = new Map<string, number[]>();
	const claim = async (key: string): Promise<string> => {
		const claimed = await store.claim(key, { leaseMs: LEASE_MS, retentionMs: RETENTION_MS });
		if (claimed.status !== "acquired") return claimed.status;
		tokens.set(key, [...(tokens.get(key) ?? []), claimed.token]);
		return `run ${claimed.attempt}`;
	};
	const act = (step: Exclude<Step, number | string>): Promise<boolean | string> => {
		if (step[0] === "bind") return bind(store, step[1], step[2], step[3]);
		const [action, key, nth = -1] = step;
		const token = tokens.get(key)?.at(nth) ?? Number.NaN;
		if (action === "release") return store.release(key, token);
		return store[action](key, token, action === "extend" ? LEASE_MS : RETENTION_MS);
	};
	const ended: string[] = [];
	for (const step of steps) {
		if (typeof step === "number") await advance(step);
		else {
			const ending = typeof step === "string" ? claim(step) : act(step);
			ended.push(String(await ending.catch((error: Error) => error.message)));
		}
	}
	return ended.join(", ");
}

const STORIES: Outcomes<Story> = {
	"run 1, run 1, the memory store is full: it holds maxEntries, 2 events. Raise maxEntries, or use redisStore, postgresStore, …, true, in_flight, true, run 1":
		{
			"rejects further events while all are held, and what is held goes on": [
				2,
				"a",
				"b",
				"c",
				["extend", "a"],
				"b",
				["complete", "a"],
				"c",
			],
		},
	"run 1, run 1, run 2": { "can still claim its own lapsed event again": [2, "a", "b", LEASE_MS, "a"] },
	"run 1, run 1, the memory store is full: it holds maxEntries, 2 events. Raise maxEntries, or use redisStore, postgresStore, …, run 1, run 1, the memory store is full: it holds maxEntries, 2 events. Raise maxEntries, or use redisStore, postgresStore, …, false":
		{
			"makes room with the first lease that is over, to the millisecond": [
				2,
				"a",
				"b",
				LEASE_MS - 1,
				"c",
				1,
				"c",
				"d",
				"e",
				["complete", "b"],
			],
		},
	"run 1, run 1, true, true, true, true, run 1, in_flight, true": {
		"never forgets a lease that is kept, however old, while another one is over": [
			2,
			"kept",
			"over",
			["extend", "kept"],
			LEASE_MS / 2,
			["extend", "kept"],
			LEASE_MS / 2,
			["extend", "kept"],
			LEASE_MS / 2,
			["extend", "kept"],
			LEASE_MS / 2,
			"new",
			"kept",
			["complete", "kept"],
		],
	},
	"run 1, run 1, true, run 1, done": {
		"rather forgets a run whose lease is over than what is done": [
			2,
			"over",
			LEASE_MS,
			"done",
			["complete", "done"],
			"new",
			"done",
		],
	},
	"run 1, run 1, run 1, true, true, run 1, done, in_flight, run 1": {
		"forgets what was finished longest ago, whenever that was claimed": [
			3,
			"a",
			"b",
			"c",
			["complete", "b"],
			["complete", "a"],
			"d",
			"a",
			"c",
			"b",
		],
	},
	"run 1, run 2, true, run 1, true, run 1, false, false": {
		"gives a forgotten event a larger token, so that its old worker stays stale": [
			1,
			"a",
			LEASE_MS,
			"a",
			["release", "a"],
			"b",
			["release", "b"],
			"a",
			["complete", "a", 0],
			["release", "a", 1],
		],
	},
	"evt_1, evt_2, the memory store is full: it holds maxEntries, 2 deliveries. Raise maxEntries, or use redisStore, postgresStore, …, evt_1, evt_2, evt_2, the memory store is full: it holds maxEntries, 2 deliveries. Raise maxEntries, or use redisStore, postgresStore, …":
		{
			"rejects further deliveries, knows the bound ones, and makes room as they end": [
				2,
				["bind", "a", "evt_1", 1_000],
				500,
				["bind", "b", "evt_2", 1_000],
				["bind", "c", "evt_1", 1_000],
				["bind", "a", "evt_4", 1_000],
				500,
				["bind", "c", "evt_2", 1_000],
				["bind", "b", "evt_4", 1_000],
				["bind", "a", "evt_1", 1_000],
			],
		},
	"evt_1, in_flight, run 1, the memory store is full: it holds maxEntries, 1 deliveries. Raise maxEntries, or use redisStore, postgresStore, …":
		{
			"counts events and deliveries apart": [
				1,
				["bind", "a", "evt_1", LEASE_MS + 1],
				"evt_1",
				LEASE_MS,
				"evt_2",
				["bind", "b", "evt_3", 1_000],
			],
		},
	"run 1, true, done, run 1": {
		"forgets what has outlived its retention": [1, "a", ["complete", "a"], RETENTION_MS - 1, "a", 1, "a"],
	},
	"run 1, true, run 1, run 2": {
		"keeps the attempts of what was released, as long as there is room": [2, "a", ["release", "a"], "b", "a"],
	},
};

describe("a full store", () => testOutcomes(STORIES, playOn));

test("does not hold a place for runs that timed out: a thousand of them leave room for the next", async () => {
	const { store, advance } = createStore({ maxEntries: 5 });
	for (let run = 0; run < 1_000; run++) {
		await acquire(store, `evt_${run}`);
		await advance(LEASE_MS);
	}
	expect((await acquire(store, "evt_0")).attempt).toBe(1);
});
test("finds a lease that is over behind a longer one, too, before it rejects an event", async () => {
	const { store, advance } = createStore({ maxEntries: 2 });
	await store.claim("long", { leaseMs: 10 * LEASE_MS, retentionMs: 20 * LEASE_MS });
	await acquire(store, "short");
	await advance(LEASE_MS);
	expect((await acquire(store, "new")).attempt).toBe(1);
	expect(await look(store, "long")).toBe("in_flight");
});
test("starts its tokens at the time, however many come at once: those of a restarted process are larger", async () => {
	const clock = fixedClock(1_767_225_600_000);
	const store = memoryStore({ clock });
	let last = 0;
	for (let at = 0; at < 20_000; at++) last = (await acquire(store, `default:evt_${at}`)).token;
	expect(last).toBe(1_767_225_600_000);
	clock.nowMs++;
	expect((await acquire(memoryStore({ clock }), "default:evt_19999")).token).toBeGreaterThan(last);
});
test("gives larger tokens also while the clock goes back", async () => {
	const clock = fixedClock(1_767_225_600_000);
	const store = memoryStore({ clock, maxEntries: 1 });
	const { token: first } = await acquire(store, "a");
	await store.release("a", first);
	clock.nowMs -= 3_600_000;
	const { token: second } = await acquire(store, "a");
	await store.release("a", second);
	await store.release("b", (await acquire(store, "b")).token);
	const { token: third } = await acquire(store, "a");
	expect([second > first, third > second]).toEqual([true, true]);
});
test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "10", null])(
	"maxEntries %j is a configuration error",
	(maxEntries) => {
		expect(() => memoryStore({ maxEntries: maxEntries as number })).toThrow(ConfigurationError);
	},
);

describe("a clock that is set while time passes evenly", () => {
	test.each([3_600_000, -3_600_000])("by %i ms changes no lease, retention or binding", async (jumpMs) => {
		const clock = settableClock(1_767_225_600_000);
		const store = memoryStore({ clock });
		const { token } = await acquire(store, "done");
		await store.complete("done", token, RETENTION_MS);
		await acquire(store, "held");
		await bind(store, "a", "evt_1", RETENTION_MS);
		clock.nowMs += jumpMs;
		expect(await store.claim("held", { leaseMs: LEASE_MS, retentionMs: RETENTION_MS })).toEqual({
			status: "in_flight",
			retryAfterMs: LEASE_MS,
		});
		clock.elapsedMs += LEASE_MS;
		expect([await look(store, "held"), await look(store, "done")]).toEqual(["acquired", "done"]);
		clock.elapsedMs += RETENTION_MS - LEASE_MS - 1;
		expect([await look(store, "done"), await bind(store, "a", "evt_2", 1)]).toEqual(["done", "evt_1"]);
		clock.elapsedMs++;
		expect([await look(store, "done"), await bind(store, "a", "evt_2", 1)]).toEqual(["acquired", "evt_2"]);
	});
});

test("runs on the system's clock by default", async () => {
	const store = memoryStore();
	expect(await look(store)).toBe("acquired");
	expect(await look(store)).toBe("in_flight");
});

const steps = walks(1, LEASE_MS / 2, LEASE_MS - 1, LEASE_MS, LEASE_MS * 3, RETENTION_MS - 1, RETENTION_MS);

test("over any claims, extensions, ends, crashes and pauses it returns what the plain model does", async () => {
	await fc.assert(
		fc.asyncProperty(steps, (drawn) => walkBesideModel(createStore(), drawn)),
		{ numRuns: cases(500) },
	);
});

test.each([undefined, 1])(
	"only the last token given for an event does anything, and tokens only grow; with maxEntries %s",
	async (maxEntries) => {
		const canBeFull = maxEntries !== undefined;
		await fc.assert(
			fc.asyncProperty(steps, (drawn) => walkWithTokens(createStore({ maxEntries }), drawn, { canBeFull })),
			{ numRuns: cases(500) },
		);
	},
);
