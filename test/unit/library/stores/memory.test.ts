import fc from "fast-check";
import { eventStoreCases } from "messaging-gateway/testing";
import { ConfigurationError, type EventStore, memoryStore } from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";
import { cases } from "../../../support/cases.ts";
import { acquire, bind, LEASE_MS, look, RETENTION_MS } from "../../../support/claims.ts";
import { HANDLER_CLOCK_CASES } from "../../../support/clock-cases.ts";
import { walkBesideModel, walks, walkWithTokens } from "../../../support/event-store-walks.ts";
import { fixedClock } from "../../../support/fixed-clock.ts";
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

describe("a full store", () => {
	test("rejects further events while all are held, and what is held goes on", async () => {
		const { store } = createStore({ maxEntries: 2 });
		const { token } = await acquire(store, "a");
		await acquire(store, "b");
		await expect(acquire(store, "c")).rejects.toThrow(
			"the memory store is full: it holds maxEntries, 2 events",
		);
		expect(await store.extend("a", token, LEASE_MS)).toBe(true);
		expect(await look(store, "b")).toBe("in_flight");
		expect(await store.complete("a", token, RETENTION_MS)).toBe(true);
		expect((await acquire(store, "c")).attempt).toBe(1);
	});

	test("can still claim its own lapsed event again", async () => {
		const { store, advance } = createStore({ maxEntries: 2 });
		await acquire(store, "a");
		await acquire(store, "b");
		await advance(LEASE_MS);
		expect((await acquire(store, "a")).attempt).toBe(2);
	});

	test("makes room with the first lease that is over, to the millisecond", async () => {
		const { store, advance } = createStore({ maxEntries: 2 });
		await acquire(store, "a");
		const { token: late } = await acquire(store, "b");
		await advance(LEASE_MS - 1);
		await expect(acquire(store, "c")).rejects.toThrow("full");
		await advance(1);
		expect((await acquire(store, "c")).attempt).toBe(1);
		expect((await acquire(store, "d")).attempt).toBe(1);
		await expect(acquire(store, "e")).rejects.toThrow("full");
		expect(await store.complete("b", late, RETENTION_MS)).toBe(false);
	});

	test("does not hold a place for runs that timed out: a thousand of them leave room for the next", async () => {
		const { store, advance } = createStore({ maxEntries: 5 });
		for (let run = 0; run < 1_000; run++) {
			await acquire(store, `evt_${run}`);
			await advance(LEASE_MS);
		}
		expect((await acquire(store, "evt_0")).attempt).toBe(1);
	});

	test("never forgets a lease that is kept, however old, while another one is over", async () => {
		const { store, advance } = createStore({ maxEntries: 2 });
		const { token } = await acquire(store, "kept");
		await acquire(store, "over");
		for (let beat = 0; beat < 4; beat++) {
			expect(await store.extend("kept", token, LEASE_MS)).toBe(true);
			await advance(LEASE_MS / 2);
		}
		expect((await acquire(store, "new")).attempt).toBe(1);
		expect(await look(store, "kept")).toBe("in_flight");
		expect(await store.complete("kept", token, RETENTION_MS)).toBe(true);
	});

	test("finds a lease that is over behind a longer one, too, before it rejects an event", async () => {
		const { store, advance } = createStore({ maxEntries: 2 });
		await store.claim("long", { leaseMs: 10 * LEASE_MS, retentionMs: 20 * LEASE_MS });
		await acquire(store, "short");
		await advance(LEASE_MS);
		expect((await acquire(store, "new")).attempt).toBe(1);
		expect(await look(store, "long")).toBe("in_flight");
	});

	test("rather forgets a run whose lease is over than what is done", async () => {
		const { store, advance } = createStore({ maxEntries: 2 });
		await acquire(store, "over");
		await advance(LEASE_MS);
		await store.complete("done", (await acquire(store, "done")).token, RETENTION_MS);
		await acquire(store, "new");
		expect(await look(store, "done")).toBe("done");
	});

	test("forgets what was finished longest ago, whenever that was claimed", async () => {
		const { store } = createStore({ maxEntries: 3 });
		const tokens = new Map<string, number>();
		for (const key of ["a", "b", "c"]) tokens.set(key, (await acquire(store, key)).token);
		for (const key of ["b", "a"]) await store.complete(key, tokens.get(key) ?? 0, RETENTION_MS);
		await acquire(store, "d");
		expect([await look(store, "a"), await look(store, "c")]).toEqual(["done", "in_flight"]);
		expect((await acquire(store, "b")).attempt).toBe(1);
	});

	test("gives a forgotten event a larger token still, so that its old worker stays stale", async () => {
		const { store, advance } = createStore({ maxEntries: 1 });
		const { token: stale } = await acquire(store, "a");
		await advance(LEASE_MS);
		const { token: second } = await acquire(store, "a");
		await store.release("a", second);
		await store.release("b", (await acquire(store, "b")).token);
		const { token, attempt } = await acquire(store, "a");
		expect([token > second, attempt]).toEqual([true, 1]);
		expect(await store.complete("a", stale, RETENTION_MS)).toBe(false);
		expect(await store.release("a", second)).toBe(false);
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

	test("rejects further deliveries, knows the bound ones, and makes room as they end", async () => {
		const { store, advance } = createStore({ maxEntries: 2 });
		await bind(store, "a", "evt_1", 1_000);
		await advance(500);
		await bind(store, "b", "evt_2", 1_000);
		await expect(bind(store, "c", "evt_1", 1_000)).rejects.toThrow("maxEntries, 2 deliveries");
		expect(await bind(store, "a", "evt_4", 1_000)).toBe("evt_1");
		await advance(500);
		expect(await bind(store, "c", "evt_2", 1_000)).toBe("evt_2");
		expect(await bind(store, "b", "evt_4", 1_000)).toBe("evt_2");
		await expect(bind(store, "a", "evt_1", 1_000)).rejects.toThrow("maxEntries, 2 deliveries");
	});

	test("counts events and deliveries apart", async () => {
		const { store, advance } = createStore({ maxEntries: 1 });
		expect(await bind(store, "a", "evt_1", LEASE_MS + 1)).toBe("evt_1");
		expect(await look(store, "evt_1")).toBe("in_flight");
		await advance(LEASE_MS);
		expect((await acquire(store, "evt_2")).attempt).toBe(1);
		await expect(bind(store, "b", "evt_3", 1_000)).rejects.toThrow("maxEntries, 1 deliveries");
	});
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
