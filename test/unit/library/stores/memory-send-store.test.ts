import { memorySendStore, type SendStore } from "messaging-gateway/sends";
import { createAdjustableClock, sendStoreCases } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";

function createSubject(break_: (inner: SendStore) => Partial<SendStore> = () => ({})) {
	const clock = createAdjustableClock({ frozen: true, startMs: 1_767_225_600_000 });
	const inner = memorySendStore({ clock });
	return { store: { ...inner, ...break_(inner) }, advance: (ms: number) => clock.advance(ms) };
}

describe("the rules of every store of sends", () => {
	test.each(sendStoreCases())("$name", async ({ run }) => {
		await run(() => createSubject());
	});
});

describe("each rule is broken by some store", () => {
	const FAULTS: readonly [fault: string, broken: string, fault: (inner: SendStore) => Partial<SendStore>][] =
		[
			[
				"has no time",
				"a key that was never inserted has no row, but a time",
				(inner) => ({ read: async (key) => ({ ...(await inner.read(key)), now: Number.NaN }) }),
			],
			[
				"changes the data",
				"a row is read as it was inserted, with version 1",
				(inner) => ({
					insert: (key, row) => inner.insert(key, { ...row, data: row.data.replace("ä", "a") }),
				}),
			],
			[
				"inserts over a row",
				"a key is inserted once: the first row stays",
				(inner) => ({
					async insert(key, row) {
						if (await inner.insert(key, row)) return true;
						return inner.replace(key, (await inner.read(key)).row?.version ?? 0, row);
					},
				}),
			],
			[
				"lets every concurrent insertion win",
				"of many concurrent insertions of a key one wins, and its row is there",
				(inner) => ({ insert: async (key, row) => (await inner.insert(key, row)) || true }),
			],
			[
				"ignores the version",
				"a replacement needs the current version, and adds 1 to it",
				(inner) => ({
					replace: async (key, _version, row) =>
						inner.replace(key, (await inner.read(key)).row?.version ?? 0, row),
				}),
			],
			[
				"reads, compares and writes apart",
				"of many concurrent replacements of a version one wins",
				(inner) => ({
					async replace(key, version, row) {
						const { row: found } = await inner.read(key);
						if (found?.version !== version) return false;
						await Promise.resolve();
						await inner.replace(key, (await inner.read(key)).row?.version ?? 0, row);
						return true;
					},
				}),
			],
			[
				"reads from a copy that is behind",
				"what was written is read at once, by every further call",
				(inner) => {
					let last: Awaited<ReturnType<SendStore["read"]>> | undefined;
					return {
						async read(key) {
							const behind = last;
							last = await inner.read(key);
							return behind ?? last;
						},
					};
				},
			],
			[
				"finds keys by keys",
				"a row is found by its id, also after a change",
				(inner) => ({
					find: async (id) =>
						(await inner.find(id)) ?? ((await inner.read(id)).row === undefined ? undefined : id),
				}),
			],
			[
				"folds the case of keys",
				"keys are kept apart, whatever their characters are",
				(inner) => ({ insert: (key, row) => inner.insert(key.toLowerCase(), row) }),
			],
			[
				"lists a page's last row again",
				"a list has every row of a state once, over all pages, with its contents",
				(inner) => ({
					list: async (options) => {
						const { now, rows } = await inner.list(options);
						return { now, rows: options.after === undefined ? rows : rows.slice(1) };
					},
				}),
			],
			[
				"stands still",
				"the store's time goes on as time does",
				(inner) => ({ read: async (key) => ({ ...(await inner.read(key)), now: 1 }) }),
			],
			[
				"resolves to a count",
				"each method resolves to the values of its contract, and to no others",
				(inner) => ({ replace: async (...given) => Number(await inner.replace(...given)) as never }),
			],
		];

	test("the table has every rule", () => {
		expect(FAULTS.map(([, broken]) => broken)).toEqual(sendStoreCases().map(({ name }) => name));
	});

	test.each(FAULTS)("a store that %s", async (_name, broken, fault) => {
		const found = sendStoreCases().find(({ name }) => name === broken);
		await expect(found?.run(() => createSubject(fault))).rejects.toThrow();
	});
});

test("a full store rejects further sends, and forgets none by itself", async () => {
	const clock = createAdjustableClock({ frozen: true, startMs: 1_767_225_600_000 });
	const store = memorySendStore({ maxEntries: 2, clock });
	await store.insert("a", { id: "1", state: "accepted", data: "{}" });
	await store.insert("b", { id: "2", state: "open", data: "{}" });
	await expect(store.insert("c", { id: "3", state: "open", data: "{}" })).rejects.toThrow(
		"the memory store is full: it holds maxEntries, 2 sends. Raise maxEntries, or use sqliteSendStore, postgresSendStore, …",
	);
	await clock.advance(1_000);
	expect(await store.sweep(1_001)).toBe(0);
	expect(await store.sweep(1_000)).toBe(1);
	expect([await store.find("1"), await store.find("2")]).toEqual([undefined, "b"]);
	expect(await store.insert("c", { id: "3", state: "open", data: "{}" })).toBe(true);
});

const OPTIONS: Outcomes<object> = {
	accepted: { "no options": {}, "room for one": { maxEntries: 1 } },
	"maxEntries must be an integer of at least 1": {
		"no room": { maxEntries: 0 },
		"half an entry": { maxEntries: 1.5 },
		"room without bounds": { maxEntries: Number.POSITIVE_INFINITY },
		"room that is no number": { maxEntries: "5" },
	},
	'Unknown option "max" of memorySendStore: remove it, or use maxEntries, clock': {
		"an unknown option": { max: 1 },
	},
};

describe("the options", () =>
	testOutcomes(OPTIONS, (options) => {
		try {
			memorySendStore(options);
			return "accepted";
		} catch (error) {
			expect(error).toMatchObject({ code: "configuration" });
			return (error as Error).message;
		}
	}));
