import { inspect } from "node:util";
import {
	listSends,
	observeSend,
	resolveSend,
	SendError,
	type SendStore,
	type StoredSend,
} from "messaging-gateway/sends";
import { describe, expect, test, vi } from "vitest";
import { StoreError } from "../../../../src/library/store-calls/store-error.ts";
import { catchError, catchRejection, codeOf } from "../../../support/catch-error.ts";
import { collect } from "../../../support/collect.ts";
import { settle } from "../../../support/counting-clock.ts";
import { createWorld, KEY, TEXT } from "./sender-world.ts";

const hang = () => new Promise<never>(() => undefined);

const ROW: StoredSend = { key: KEY, id: "id", version: 1, state: "open", data: "{}" };

describe("a store that hangs", () => {
	test.each(["read", "insert", "replace"] as const)(
		"in %s: send rejects after storeTimeoutMs, and nothing is sent",
		async (step) => {
			const { createProcess, store, clock, posts } = createWorld();
			const sender = createProcess({ store: { ...store, [step]: hang }, storeTimeoutMs: 2_000 });
			const startedAt = clock.now();
			const error = await catchRejection(settle(clock, sender.send(KEY, TEXT), 500));
			expect(error).toMatchObject({ code: "store_failed", outcome: "not_sent" });
			expect((error as SendError).message).toBe(
				"This call sent nothing. The store failed: no response within storeTimeoutMs, 2000 ms. Check the store's server, and that its Pool has free connections. Then call again with the same key",
			);
			// The end of an attempt whose mark may be there is recorded, too, which reads and writes once more.
			expect(clock.now() - startedAt).toBeLessThanOrEqual(4 * 2_500);
			expect(posts()).toEqual([]);
		},
	);

	test("or says why it failed in a sentence of ours: send shows it, and no other message", async () => {
		const { createProcess, store } = createWorld();
		const read = async () => Promise.reject(failures.shift());
		const failures = [new StoreError("the table t is missing"), new Error("secret")];
		const sender = createProcess({ store: { ...store, read } });
		expect(await catchRejection(sender.send(KEY, TEXT))).toMatchObject({
			message:
				"This call sent nothing. The store failed: the table t is missing. Then call again with the same key",
		});
		expect(await catchRejection(sender.send(KEY, TEXT))).toMatchObject({
			message:
				"This call sent nothing. The store failed: check its server and address. Then call again with the same key",
			cause: { message: "its message is left out" },
		});
	});

	test("five seconds are the default, also of a prepare in a transaction", async () => {
		const { sender, store, clock } = createWorld();
		const startedAt = clock.now();
		const prepared = sender.prepare(KEY, TEXT, { store: { ...store, insert: hang } });
		expect(await codeOf(settle(clock, prepared, 5_000))).toBe("store_failed");
		expect(clock.now() - startedAt).toBe(5_000);
	});

	test("in resolveSend, listSends and observeSend: they reject, too", async () => {
		const { sender, store, clock, local, events } = createWorld();
		await sender.send(KEY, TEXT);
		await local.settled();
		const [event] = events;
		if (event === undefined) throw new Error("expected an event");
		const hanging: SendStore = { ...store, read: hang, find: hang, list: hang };
		const options = { storeTimeoutMs: 2_000, clock };
		const calls: (() => Promise<unknown>)[] = [
			() => resolveSend(hanging, KEY, "give_up", options),
			() => collect(listSends(hanging, { status: "open", ...options })),
			() => observeSend(hanging, event, options),
		];
		for (const call of calls) {
			const startedAt = clock.now();
			expect(await codeOf(settle(clock, call(), 1_000))).toBe("store_failed");
			expect(clock.now() - startedAt).toBeLessThanOrEqual(2_000);
		}
	});

	test("ten seconds are ten seconds: a store that takes seven for each call is waited for", async () => {
		const { createProcess, store, clock, posts } = createWorld();
		const slow = async <Value>(value: Promise<Value>): Promise<Value> => {
			await new Promise<void>((resolve) => void clock.setTimer(resolve, 7_000));
			return value;
		};
		const slowStore: SendStore = {
			...store,
			read: (...given) => slow(store.read(...given)),
			insert: (...given) => slow(store.insert(...given)),
			replace: (...given) => slow(store.replace(...given)),
		};
		const inVain = createProcess({ store: slowStore }).send(KEY, TEXT);
		expect(await codeOf(settle(clock, inVain, 500))).toBe("store_failed");
		expect(posts()).toEqual([]);
		const sender = createProcess({ store: slowStore, storeTimeoutMs: 10_000 });
		expect(await settle(clock, sender.send("another-key", TEXT), 500)).toMatchObject({ status: "accepted" });
	});

	test("after a mark whose fate is unknown: send rejects once the end is recorded", async () => {
		const { createProcess, store } = createWorld();
		const recorded = Promise.withResolvers<void>();
		let replaced = 0;
		const slow: SendStore = {
			...store,
			async replace(...given) {
				if (++replaced === 1) throw new Error("the connection is gone");
				await recorded.promise;
				return store.replace(...given);
			},
		};
		let isOver = false;
		const sent = catchRejection(createProcess({ store: slow }).send(KEY, TEXT)).finally(() => {
			isOver = true;
		});
		await vi.waitUntil(() => replaced === 2);
		expect(isOver).toBe(false);
		recorded.resolve();
		expect(await sent).toMatchObject({ code: "store_failed", outcome: "not_sent" });
	});

	test("its limit must be positive", () => {
		const { createProcess } = createWorld();
		expect(catchError(() => createProcess({ storeTimeoutMs: 0 }))).toMatchObject({ code: "configuration" });
	});
});

describe("a store that breaks its contract gets an error that names the rule", () => {
	const READ = "its read must resolve to { now, row }";
	const BOOLEAN = "must resolve to true or false";
	test.each<[step: "read" | "insert" | "replace", value: unknown, rule: string]>([
		["read", undefined, READ],
		["read", {}, READ],
		["read", { now: "2026-01-01", row: undefined }, READ],
		["read", { now: 1, row: null }, READ],
		["read", { now: 1, row: {} }, READ],
		["read", { now: 1, row: { ...ROW, version: "1" } }, READ],
		["read", { now: 1, row: { ...ROW, key: KEY.toUpperCase() } }, READ],
		["read", { now: 1, row: { ...ROW, data: undefined } }, READ],
		["read", { now: 1, row: ROW }, "its read must resolve to the data that was written, unchanged"],
		["insert", 1, `its insert ${BOOLEAN}`],
		["insert", undefined, `its insert ${BOOLEAN}`],
		["insert", { rowCount: 0 }, `its insert ${BOOLEAN}`],
		["insert", [], `its insert ${BOOLEAN}`],
		["replace", "0", `its replace ${BOOLEAN}`],
		["replace", undefined, `its replace ${BOOLEAN}`],
	])("%s resolves to %j", async (step, value, rule) => {
		const { createProcess, store, posts } = createWorld();
		const odd: object = { ...store, [step]: () => Promise.resolve(value) };
		const error = await catchRejection(createProcess({ store: odd as SendStore }).send(KEY, TEXT));
		expect(error).toBeInstanceOf(SendError);
		expect(error).toMatchObject({ code: "store_failed", outcome: "not_sent" });
		expect((error as SendError).message).toContain(rule);
		expect(inspect(error)).not.toContain("undefined,");
		expect(inspect(error)).not.toContain("[cause]: undefined");
		expect(posts()).toEqual([]);
	});

	test("a row that is gone after it was written", async () => {
		const { createProcess, store } = createWorld();
		const errors: unknown[] = [];
		let reads = 0;
		let replaced = 0;
		const forgetful: SendStore = {
			...store,
			read: async (key) => (++reads > 1 ? { now: 1, row: undefined } : store.read(key)),
			replace: async (...given) => ++replaced === 1 && (await store.replace(...given)),
		};
		const sender = createProcess({ store: forgetful, onError: (error) => errors.push(error) });
		expect(await sender.send(KEY, TEXT)).toMatchObject({ status: "accepted" });
		expect(String(errors[0])).toContain("its read must resolve to the row that was written");
	});

	test("a replace that never succeeds", async () => {
		const { sender, store } = createWorld();
		await sender.prepare(KEY, TEXT);
		const stubborn: SendStore = { ...store, replace: async () => false };
		expect(String(await catchRejection(resolveSend(stubborn, KEY, "give_up")))).toContain(
			"its replace must resolve to true for the version that read returned",
		);
	});

	test.each<[title: string, list: () => unknown]>([
		["no rows", () => ({ now: 1 })],
		["no time", () => ({ rows: [] })],
		["rows without keys", () => ({ now: 1, rows: [{}] })],
		["rows that are null", () => ({ now: 1, rows: [null] })],
		["more rows than its limit", () => ({ now: 1, rows: Array.from({ length: 101 }, () => ROW) })],
		["the first page for every `after`", () => ({ now: 1, rows: Array.from({ length: 100 }, () => ROW) })],
	])("a list with %s", async (_title, list) => {
		const { store, sender } = createWorld();
		await sender.prepare(KEY, TEXT);
		const { row } = await store.read(KEY);
		const withData = (value: unknown): unknown =>
			JSON.parse(JSON.stringify(value).replaceAll('"{}"', JSON.stringify(row?.data)));
		const odd: object = { ...store, list: async () => withData(list()) };
		const listed = collect(listSends(odd as SendStore, { status: "open" }));
		expect(String(await catchRejection(listed))).toContain("its list must resolve to { now, rows }");
	});

	test("a find that resolves to a row", async () => {
		const { sender, store, local, events } = createWorld();
		await sender.send(KEY, TEXT);
		await local.settled();
		const [event] = events;
		if (event === undefined) throw new Error("expected an event");
		const odd: object = { ...store, find: async () => ROW };
		expect(String(await catchRejection(observeSend(odd as SendStore, event)))).toContain(
			"its find must resolve to a key or undefined",
		);
	});
});
