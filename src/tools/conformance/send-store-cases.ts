import type { SendRow, SendStore, StoredSendState } from "../../library/stores/send-store.ts";
import { rule, type StoreCase, same } from "./store-case.ts";

const KEY = "order-4711-shipped";

function createRow(id: string, { state = "open", data = "{}" }: Partial<SendRow> = {}): SendRow {
	return { id, state, data };
}

async function countWinners(calls: readonly Promise<boolean>[]): Promise<number> {
	return (await Promise.all(calls)).filter((isDone) => isDone).length;
}

/** Every key in a state, read in pages. */
async function listKeys(store: SendStore, state: StoredSendState, limit: number): Promise<string[]> {
	const keys: string[] = [];
	for (let after: string | undefined; ; ) {
		const { rows } = await store.list({ state, after, limit });
		same(rows.length <= limit, true, "a page has at most as many rows as were asked for");
		if (rows.length === 0) return keys;
		keys.push(...rows.map(({ key }) => key));
		after = keys.at(-1);
	}
}

/**
 * Returns test cases for a store of sends that you write. Of concurrent writes one wins, and an outdated one changes
 * nothing. The cases can't show that a write survives a crash.
 *
 * @example
 * ```ts
 * for (const { name, run } of sendStoreCases()) {
 *   test(name, () => run(() => ({ store: myStore(), advance: (ms) => clock.advance(ms) })));
 * }
 * ```
 */
export function sendStoreCases(): readonly StoreCase<SendStore>[] {
	return [
		rule("a key that was never inserted has no row, but a time", async ({ store }) => {
			const { now, row } = await store.read(KEY);
			same([Number.isFinite(now), row], [true, undefined], "time and row");
			same(await store.replace(KEY, 1, createRow("1")), false, "a replacement");
			same(await store.find("1"), undefined, "its id");
		}),
		rule("a row is read as it was inserted, with version 1", async ({ store }) => {
			const data = JSON.stringify({ text: "ä😀'\"\\\u0000\n{}$1", depth: [[]] });
			same(await store.insert(KEY, createRow("1", { state: "unresolved", data })), true, "the insertion");
			const { row } = await store.read(KEY);
			same(
				[row?.key, row?.id, row?.version, row?.state, row?.data],
				[KEY, "1", 1, "unresolved", data],
				"the row",
			);
		}),
		rule("a key is inserted once: the first row stays", async ({ store }) => {
			same(await store.insert(KEY, createRow("1", { data: "[1]" })), true, "at first");
			same(await store.insert(KEY, createRow("2", { data: "[2]" })), false, "again");
			same((await store.read(KEY)).row?.data, "[1]", "the row");
			same([await store.find("1"), await store.find("2")], [KEY, undefined], "the ids");
		}),
		rule("of many concurrent insertions of a key one wins, and its row is there", async ({ store }) => {
			const rows = Array.from({ length: 50 }, (_, at) => createRow(`${at}`, { data: `[${at}]` }));
			const done = await Promise.all(rows.map((row) => store.insert(KEY, row)));
			same(done.filter((isDone) => isDone).length, 1, "winners");
			same((await store.read(KEY)).row?.data, rows[done.indexOf(true)]?.data, "the winner's row");
		}),
		rule("a replacement needs the current version, and adds 1 to it", async ({ store }) => {
			await store.insert(KEY, createRow("1"));
			same(
				await store.replace(KEY, 1, createRow("1", { state: "accepted", data: "[1]" })),
				true,
				"version 1",
			);
			for (const version of [0, 1, 3, -1])
				same(await store.replace(KEY, version, createRow("1", { data: "[2]" })), false, `version ${version}`);
			const { row } = await store.read(KEY);
			same([row?.version, row?.state, row?.data, row?.id], [2, "accepted", "[1]", "1"], "the row");
			same(await store.replace(KEY, 2, createRow("1", { data: "[3]" })), true, "version 2");
		}),
		rule("of many concurrent replacements of a version one wins", async ({ store }) => {
			await store.insert(KEY, createRow("1"));
			for (let version = 1; version <= 5; version++) {
				const calls = Array.from({ length: 20 }, (_, at) =>
					store.replace(KEY, version, createRow("1", { data: `[${at}]` })),
				);
				same(await countWinners(calls), 1, `winners of version ${version}`);
			}
			same((await store.read(KEY)).row?.version, 6, "the version");
		}),
		rule("what was written is read at once, by every further call", async ({ store }) => {
			await store.insert(KEY, createRow("1"));
			for (let version = 1; version <= 20; version++) {
				await store.replace(KEY, version, createRow("1", { data: `[${version}]` }));
				same((await store.read(KEY)).row?.data, `[${version}]`, `version ${version}`);
			}
		}),
		rule("a row is found by its id, also after a change", async ({ store }) => {
			await store.insert("a", createRow("id of a"));
			await store.insert("b", createRow("id of b"));
			await store.replace("b", 1, createRow("id of b", { state: "accepted" }));
			same([await store.find("id of a"), await store.find("id of b")], ["a", "b"], "the keys");
			same(await store.find("a"), undefined, "a key is no id");
		}),
		rule("keys are kept apart, whatever their characters are", async ({ store }) => {
			const keys = ["a", "A", "a%", "a_", "a'", 'a"', "a\\", "a*", "{a}", "__proto__", "$1", "a".repeat(256)];
			for (const [at, key] of keys.entries())
				same(await store.insert(key, createRow(`id ${at}`, { data: `[${at}]` })), true, key);
			for (const [at, key] of keys.entries())
				same((await store.read(key)).row?.data, `[${at}]`, `the row of ${key}`);
		}),
		rule("a list has every row of a state once, over all pages, with its contents", async ({ store }) => {
			const states = ["open", "unresolved", "accepted", "given_up"] as const;
			const keyOf = (at: number): string => `key-${at}-${"Zz~!"[at % 4]}`;
			for (let at = 0; at < 40; at++) await store.insert(keyOf(at), createRow(`id ${at}`));
			for (let at = 0; at < 40; at++)
				await store.replace(keyOf(at), 1, createRow(`id ${at}`, { state: states[at % 4] ?? "open" }));
			for (const [nth, state] of states.entries()) {
				const expected = Array.from({ length: 10 }, (_, at) => keyOf(4 * at + nth)).sort();
				for (const limit of [1, 3, 10, 100])
					same((await listKeys(store, state, limit)).sort(), expected, `${state}, ${limit} a page`);
			}
			const { now, rows } = await store.list({ state: "open", limit: 1 });
			const [row] = rows;
			same([Number.isFinite(now), row?.version, row?.data], [true, 2, "{}"], "a row in a list");
		}),
		rule("the store's time goes on as time does", async ({ store, advance }) => {
			const { now: before } = await store.read(KEY);
			await advance(1_000);
			const { now: after } = await store.read(KEY);
			same(after - before >= 1_000 && after - before < 60_000, true, `${after - before} ms passed`);
		}),
		rule("each method resolves to the values of its contract, and to no others", async ({ store }) => {
			same(await store.insert(KEY, createRow("1")), true, "an insertion");
			same(await store.insert(KEY, createRow("1")), false, "another");
			same(await store.replace(KEY, 1, createRow("1")), true, "a replacement");
			same(await store.replace(KEY, 1, createRow("1")), false, "an outdated one");
			const { row } = await store.read(KEY);
			const types = [
				typeof row?.key,
				typeof row?.id,
				typeof row?.version,
				typeof row?.state,
				typeof row?.data,
			];
			same(types, ["string", "string", "number", "string", "string"], "the types of a row");
		}),
	];
}
