import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { runInNewContext } from "node:vm";
import { sqliteStore } from "messaging-gateway/stores/sqlite";
import { createWebhookRequest } from "messaging-gateway/testing";
import { ConfigurationError, createWebhookHandler } from "messaging-gateway/webhooks";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { nextTask } from "../../src/tools/local-gateway/next-task.ts";
import { catchError } from "../support/catch-error.ts";
import { acquire, LEASE_MS, RETENTION_MS } from "../support/claims.ts";
import { takeTurns, testSharedStore, watchTokens } from "./support/shared-store-suite.ts";
import { ageRows } from "./support/sql-records.ts";

let folder: string;
let opened: Disposable[];

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "messaging-gateway-sqlite-"));
	opened = [];
});

afterEach(() => {
	vi.useRealTimers();
	for (const store of opened) store[Symbol.dispose]();
	rmSync(folder, { recursive: true });
});

/** A new file, opened by two stores and by the test. */
function createFile() {
	const path = join(folder, `${crypto.randomUUID()}.db`);
	const stores = [sqliteStore({ path }), sqliteStore({ path })] as const;
	const database = new DatabaseSync(path);
	opened.push(...stores, database);
	return { path, stores, database };
}

testSharedStore(async () => {
	const { stores, database } = createFile();
	const advance = async (ms: number) => database.exec(ageRows(ms));
	const { store, largestToken } = watchTokens(takeTurns(stores));
	const loseRecords = async () => {
		database.exec("DELETE FROM messaging_gateway_records");
		while (Date.now() <= largestToken()); // A token starts at the time.
	};
	return { store, advance, loseRecords };
});

test("what was done is known after the file was closed", async () => {
	const { path, stores } = createFile();
	const { token } = await acquire(stores[0]);
	await stores[0].complete("default:evt_1", token, RETENTION_MS);
	for (const store of stores) store.close();
	opened = [];
	using store = sqliteStore({ path });
	expect(await store.claim("default:evt_1", { leaseMs: 1, retentionMs: RETENTION_MS })).toEqual({
		status: "done",
	});
});

test("rows that are over are removed after one write in 50, by chance, and what lives stays", async () => {
	const random = vi.spyOn(Math, "random").mockReturnValue(1 / 50);
	onTestFinished(() => random.mockRestore());
	const { stores, database } = createFile();
	const [store] = stores;
	const rows = () => database.prepare("SELECT key FROM messaging_gateway_records").all().length;
	await acquire(store, "held");
	for (let at = 0; at < 30; at++) await store.remember(`nonce ${at}`, LEASE_MS / 2);
	expect(rows()).toBe(31);
	database.exec(ageRows(LEASE_MS / 2));
	for (let at = 0; at < 60; at++) await store.remember(`later nonce ${at}`, LEASE_MS);
	expect(rows()).toBe(91);
	// The first write of another process, which may end after it.
	random.mockReturnValueOnce(1 / 50 - Number.EPSILON);
	await stores[1].remember("last nonce", LEASE_MS);
	expect(rows()).toBe(62);
	expect((await store.claim("held", { leaseMs: 1, retentionMs: 1 })).status).toBe("in_flight");
});

test("one sweep removes 500 rows at most", async () => {
	const { stores, database } = createFile();
	const insert = database.prepare(
		"INSERT INTO messaging_gateway_records (key, state, expires_at) VALUES ($key, 'seen', 1)",
	);
	for (let at = 0; at < 700; at++) insert.run({ $key: `old ${at}` });
	expect([await stores[0].sweep(), await stores[0].sweep(), await stores[0].sweep()]).toEqual([500, 200, 0]);
});

test("binding and claiming at once commits once, or not at all", async () => {
	const { stores, database } = createFile();
	const [store] = stores;
	const times = { leaseMs: LEASE_MS, retentionMs: RETENTION_MS };
	const claim = (key: string) => store.claim(key, times, { digest: "a", ttlMs: LEASE_MS });
	database.exec(`CREATE TRIGGER broken BEFORE INSERT ON messaging_gateway_records WHEN NEW.state = 'held'
BEGIN SELECT RAISE(ABORT, 'no claims'); END`);
	await expect(claim("evt_1")).rejects.toThrow("no claims");
	expect(database.prepare("SELECT key FROM messaging_gateway_records").all()).toEqual([]);
	database.exec("DROP TRIGGER broken");
	expect(await claim("evt_2")).toEqual({ status: "acquired", token: expect.any(Number), attempt: 1 });
});

function fakeTimers(): void {
	vi.useFakeTimers({ toFake: ["Date", "performance", "setTimeout", "clearTimeout"] });
}

/** Lets time pass. @returns what each call has come to by then. */
async function advance(ms: number, calls: readonly Promise<boolean>[]): Promise<unknown[]> {
	await vi.advanceTimersByTimeAsync(ms);
	const isPending = new Promise((resolve) => setImmediate(resolve, "pending"));
	return Promise.all(calls.map((call) => Promise.race([call.catch(String), isPending])));
}

const LOCKED = "Error: database is locked";

test("a file that another process keeps locked is waited for, and no longer than a minute", async () => {
	const { stores, database } = createFile();
	const [store] = stores;
	fakeTimers();
	database.exec("BEGIN IMMEDIATE");
	const calls = [store.remember("app:1", LEASE_MS)];
	expect(await advance(59_900, calls)).toEqual(["pending"]);
	expect(await advance(100, calls)).toEqual([LOCKED]);
	const late = [store.remember("app:1", LEASE_MS)];
	expect(await advance(30, late)).toEqual(["pending"]);
	database.exec("COMMIT");
	expect(await advance(20, late)).toEqual([true]);
});

test("a handler waits for a locked file as long as storeTimeoutMs, and a claim that comes later is released", async () => {
	const { stores, database } = createFile();
	fakeTimers();
	database.exec("BEGIN IMMEDIATE");
	const handle = vi.fn();
	const webhooks = createWebhookHandler({
		secret: "local-webhook-secret",
		store: stores[0],
		storeTimeoutMs: 50,
		on: { status: handle, unknown: () => undefined },
		onError: () => undefined,
	});
	const send = async () =>
		(await webhooks.fetch(createWebhookRequest("status", {}, { eventId: "evt_1" }))).status;
	const inVain = send();
	await vi.advanceTimersByTimeAsync(50);
	expect(await inVain).toBe(503);
	database.exec("COMMIT");
	const state = () =>
		database.prepare("SELECT state, attempt FROM messaging_gateway_records WHERE token > 0").all();
	await vi.advanceTimersByTimeAsync(20);
	// The claim is committed, and then its release.
	await nextTask();
	expect(state()).toEqual([{ state: "free", attempt: 0 }]);
	expect(await send()).toBe(200);
	expect(handle).toHaveBeenCalledTimes(1);
	expect(state()).toEqual([{ state: "done", attempt: 1 }]);
});

test.each([
	["SQLITE_BUSY", 5],
	["SQLITE_BUSY_RECOVERY", 261],
	["SQLITE_BUSY_SNAPSHOT", 517],
])("a locked file is waited for, too, where its error is a %s of another realm", async (_name, errcode) => {
	const { stores, database } = createFile();
	const busy: unknown = runInNewContext(
		`Object.assign(new Error("database is locked"), { errcode: ${errcode} })`,
	);
	const { prototype } = database.prepare("SELECT 1").constructor as typeof StatementSync;
	const all = vi.spyOn(prototype, "all").mockImplementationOnce(() => {
		throw busy;
	});
	onTestFinished(() => all.mockRestore());
	expect(await stores[0].remember("app:1", 1_000)).toBe(true);
	// BEGIN in vain, and then with the statement and COMMIT.
	expect(all).toHaveBeenCalledTimes(4);
});

test("many calls wait for a locked file side by side, and the process goes on meanwhile", async () => {
	const { stores, database } = createFile();
	const [store] = stores;
	fakeTimers();
	database.exec("BEGIN IMMEDIATE");
	const calls = Array.from({ length: 20 }, (_, at) => store.remember(`app:${at}`, LEASE_MS));
	// As no time passes, a call that settles here would have blocked the process.
	expect(await advance(0, calls)).toEqual(calls.map(() => "pending"));
	database.exec("COMMIT");
	// One after the other they would take 20 times as long.
	expect(await advance(20, calls)).toEqual(calls.map(() => true));
});

test.each([
	[{ path: "/no/such/folder/records.db" }, "path can't be opened"],
	[{ path: "records.db", timeoutMs: 50 }, '"timeoutMs" of sqliteStore: set storeTimeoutMs of the handler'],
	[{ path: "records.db", timeout: 5 }, 'Unknown option "timeout" of sqliteStore'],
	[{}, "path"],
])("%j is a configuration error", (options, message) => {
	const error = catchError(() => sqliteStore(options as { path: string }));
	expect(error).toBeInstanceOf(ConfigurationError);
	expect(error).toHaveProperty("message", expect.stringContaining(message));
});
