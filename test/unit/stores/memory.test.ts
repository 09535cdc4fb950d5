import { bindingCases, eventStoreCases } from "messaging-gateway/testing";
import { ConfigurationError, memoryStore } from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";
import { acquire, LEASE_MS, look, RETENTION_MS } from "../../support/claims.ts";
import { fixedClock } from "../../support/fixed-clock.ts";

function createStore(options: { maxEntries?: number } = {}) {
	const clock = fixedClock(1_767_225_600_000);
	const store = memoryStore({ ...options, clock });
	const advance = async (ms: number) => {
		clock.nowMs += ms;
	};
	return { store, advance };
}

describe("the rules of every event store", () => {
	test.each([...eventStoreCases(), ...bindingCases()])("$name", async ({ run }) => {
		await run(createStore);
	});
});

describe("to the millisecond", () => {
	test("a lease is over when its time is, and not before", async () => {
		const { store, advance } = createStore();
		await acquire(store);
		await advance(LEASE_MS - 1);
		expect(await store.claim("default:evt_1", { leaseMs: LEASE_MS, retentionMs: RETENTION_MS })).toEqual({
			status: "in_flight",
			retryAfterMs: 1,
		});
		await advance(1);
		expect(await look(store)).toBe("acquired");
	});

	test("a done event is forgotten when its retention is over, and not before", async () => {
		const { store, advance } = createStore();
		await store.complete("default:evt_1", (await acquire(store)).token, 5_000);
		await advance(4_999);
		expect(await look(store)).toBe("done");
		await advance(1);
		expect(await look(store)).toBe("acquired");
	});

	test("a binding ends when its time is over, and not before", async () => {
		const { store, advance } = createStore();
		await store.bind("a", "evt_1", 5_000);
		await advance(4_999);
		expect(await store.bind("a", "evt_2", 5_000)).toBe("evt_1");
		await advance(1);
		expect(await store.bind("a", "evt_2", 5_000)).toBe("evt_2");
	});
});

describe("a full store", () => {
	test("refuses further events while all are held, and what is held goes on", async () => {
		const { store } = createStore({ maxEntries: 2 });
		const { token } = await acquire(store, "a");
		await acquire(store, "b");
		await expect(acquire(store, "c")).rejects.toThrow("the memory store is full: 2 events are held");
		expect(await store.extend("a", token, LEASE_MS)).toBe(true);
		expect(await look(store, "b")).toBe("in_flight");
		expect(await store.complete("a", token, RETENTION_MS)).toBe(true);
		expect((await acquire(store, "c")).attempt).toBe(1);
	});

	test("still takes a lapsed event of its own again", async () => {
		const { store, advance } = createStore({ maxEntries: 2 });
		await acquire(store, "a");
		await acquire(store, "b");
		await advance(LEASE_MS);
		expect((await acquire(store, "a")).attempt).toBe(2);
	});

	test("does not forget a lapsed event, until it has outlived its retention", async () => {
		const { store, advance } = createStore({ maxEntries: 1 });
		await acquire(store, "a");
		await advance(RETENTION_MS - 1);
		await expect(acquire(store, "b")).rejects.toThrow("full");
		await advance(1);
		expect((await acquire(store, "b")).attempt).toBe(1);
		await expect(acquire(store, "a")).rejects.toThrow("full");
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

	test("rather forgets a worker that outlived its retention than what is done", async () => {
		const { store, advance } = createStore({ maxEntries: 2 });
		await acquire(store, "a");
		await advance(RETENTION_MS);
		await store.complete("b", (await acquire(store, "b")).token, RETENTION_MS);
		await acquire(store, "c");
		expect(await look(store, "b")).toBe("done");
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

	test("starts its tokens at the time, so that those of a restarted process are larger", async () => {
		const { store } = createStore();
		expect((await acquire(store)).token).toBe(1_767_225_600_000);
		expect((await acquire(store, "default:evt_2")).token).toBe(1_767_225_600_001);
	});

	test("keeps a stale token stale beyond the retention", async () => {
		const { store, advance } = createStore();
		const { token: stale } = await acquire(store);
		await advance(RETENTION_MS);
		const { token } = await acquire(store);
		expect(token).toBeGreaterThan(stale);
		expect(await store.complete("default:evt_1", stale, RETENTION_MS)).toBe(false);
	});

	test("refuses further signatures, knows the bound ones, and makes room as they end", async () => {
		const { store, advance } = createStore({ maxEntries: 2 });
		await store.bind("a", "evt_1", 1_000);
		await advance(500);
		await store.bind("b", "evt_2", 1_000);
		await expect(store.bind("c", "evt_3", 1_000)).rejects.toThrow("2 signatures are bound");
		expect(await store.bind("a", "evt_4", 1_000)).toBe("evt_1");
		await advance(500);
		expect(await store.bind("c", "evt_3", 1_000)).toBe("evt_3");
		expect(await store.bind("b", "evt_4", 1_000)).toBe("evt_2");
		await expect(store.bind("a", "evt_1", 1_000)).rejects.toThrow("full");
	});

	test("counts events and signatures apart", async () => {
		const { store } = createStore({ maxEntries: 1 });
		await store.bind("a", "evt_1", 1_000);
		expect((await acquire(store)).attempt).toBe(1);
	});
});

test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "10", null])(
	"maxEntries %j is a configuration error",
	(maxEntries) => {
		expect(() => memoryStore({ maxEntries: maxEntries as number })).toThrow(ConfigurationError);
	},
);

test("runs on the system's clock by default", async () => {
	const store = memoryStore();
	expect(await look(store)).toBe("acquired");
	expect(await look(store)).toBe("in_flight");
});
