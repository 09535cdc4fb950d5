import { MessagingGateway } from "messaging-gateway";
import { createSender } from "messaging-gateway/sends";
import {
	type PostgresClient,
	postgresInbox,
	postgresSendStore,
	postgresStore,
} from "messaging-gateway/stores/postgres";
import { Pool as PgPool } from "pg";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { createCountingClock } from "../../../support/counting-clock.ts";
import { createReceiver } from "../../../support/webhook-receiver.ts";

const TIMES = { leaseMs: 60_000, retentionMs: 600_000 };
const BINDING = { digest: "d", ttlMs: 1_000 };
const createInboxTimes = () => ({
	retentionMs: 60_000,
	storeTimeoutMs: 2_000,
	maxHandlerMs: 10_000,
	clock: createCountingClock(),
});
const ROW = { key: "a", token: "7", attempt: 1 };

const failWith = (code: string, message = "private") => Object.assign(new Error(message), { code });
/** As a library does. */
const wrap = (cause: Error) => new Error("private", { cause });

/** A server that rejects the first statements, and the texts that it got. */
function createServer(failures: readonly unknown[], row: Record<string, unknown> = ROW) {
	const left = [...failures];
	const query = vi.fn<PostgresClient["query"]>(async () => {
		const failure = left.shift();
		if (failure !== undefined) throw failure;
		return { rows: [row] };
	});
	return { query };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The outcome, with the time passing that pauses take. */
async function inTime<Value>(promise: Promise<Value>): Promise<Value> {
	promise.catch(() => undefined);
	await vi.runAllTimersAsync();
	return promise;
}

test("createIfMissing creates nothing after another failure than that of a missing table", async () => {
	const failure = failWith("53300");
	const { query } = createServer([failure]);
	const store = postgresStore({ query }, { createIfMissing: true });
	expect(await catchRejection(store.claim("a", TIMES))).toBe(failure);
	expect(query).toHaveBeenCalledOnce();
});

describe("a statement that the database rejected in favour of another", () => {
	test.each([
		["40001", failWith("40001")],
		["40P01", failWith("40P01")],
		["40001 in a library's error", wrap(failWith("40001"))],
	])("%s: is tried again, since nothing was executed", async (_title, failure) => {
		const { query } = createServer([failure, failure, failure]);
		const store = postgresStore({ query });
		expect(await inTime(store.claim("a", TIMES))).toMatchObject({ status: "acquired", token: 7 });
		expect(query).toHaveBeenCalledTimes(4);
		const [first, ...repeated] = query.mock.calls;
		// The same claim: it has one id.
		for (const call of repeated) expect(call).toEqual(first);
	});

	test("is given up after 40 attempts, with the server's error as it is", async () => {
		const failure = failWith("40001");
		const { query } = createServer(Array.from({ length: 50 }, () => failure));
		expect(await catchRejection(inTime(postgresStore({ query }).remember("a", 1_000)))).toBe(failure);
		expect(query).toHaveBeenCalledTimes(40);
	});

	test.each(["23505", "57014", "08006", "25P02", "55P03", "ECONNRESET"])(
		"another error, %s, is not",
		async (code) => {
			const { query } = createServer([failWith(code)]);
			await expect(inTime(postgresStore({ query }).remember("a", 1_000))).rejects.toMatchObject({ code });
			expect(query).toHaveBeenCalledTimes(1);
		},
	);

	test("is tried again by a store of sends as well", async () => {
		const { query } = createServer([failWith("40001")]);
		expect(
			await inTime(postgresSendStore({ query }).insert("a", { id: "1", state: "open", data: "{}" })),
		).toBe(true);
		expect(query).toHaveBeenCalledTimes(2);
	});

	test("reaches the application in a transaction of its own, where a second try could only say 25P02", async () => {
		const { query } = createServer([failWith("40001"), failWith("25P02")]);
		const gateway = new MessagingGateway({
			baseUrl: "https://gateway.example",
			appId: "app-1",
			appSecret: "secret",
		});
		const store = postgresSendStore({ query: () => expect.unreachable() });
		const sender = createSender({ gateway, store, digestSecret: "a secret" });
		const preparing = sender.prepare(
			"order-1",
			{ to: "+15551234567", text: "Once" },
			{ store: store.inTransaction({ query }) },
		);
		expect(await catchRejection(inTime(preparing))).toMatchObject({
			code: "store_failed",
			cause: { code: "40001" },
		});
		expect(query).toHaveBeenCalledTimes(1);
	});

	test("is tried again by an inbox that sweeps, on the connection that it has", async () => {
		const { query } = createServer([failWith("40001")]);
		const release = vi.fn();
		const client = {
			query: async (text: string, values: (string | number)[] = []) => ({
				...(await query(text, values)),
				command: "",
			}),
			release,
			on: () => undefined,
		};
		const inbox = postgresInbox({ query: client.query, connect: async () => client });
		expect(await inTime(inbox.sweep())).toBe(1);
		expect(release.mock.calls).toEqual([[false], [false]]);
	});

	test("is tried again by an inbox that binds a delivery in a transaction of an ORM", async () => {
		const { query } = createServer([failWith("40001")], { bound_key: "event:b" });
		const inbox = postgresInbox({ transaction: (work) => work({ query, handle: {} }) });
		const running = inbox.run("a", async () => "commit", createInboxTimes(), BINDING);
		expect(await inTime(running)).toEqual({ status: "bound_elsewhere", boundKey: "b" });
	});

	test("that creates a table is not: several statements may be in it", async () => {
		const { query } = createServer([failWith("40001")]);
		await expect(inTime(postgresStore({ query }).createTable())).rejects.toMatchObject({ code: "40001" });
		expect(query).toHaveBeenCalledTimes(1);
	});
});

describe("names of statements are given up, and nothing is lost", () => {
	/** A Pool of pg, as far as the store can see. */
	class Pool {
		readonly totalCount = 0;
		readonly waitingCount = 0;
		readonly seen: unknown[] = [];
		failure: Error;

		constructor(failure: Error) {
			this.failure = failure;
		}

		connect(): undefined {
			return undefined;
		}

		async query(given: unknown): Promise<{ rows: Record<string, unknown>[] }> {
			this.seen.push(typeof given);
			if (typeof given !== "string") throw this.failure;
			return { rows: [ROW] };
		}
	}
	for (const name of ["totalCount", "waitingCount"])
		Object.defineProperty(Pool.prototype, name, { get: () => 0, configurable: true });

	test.each([
		failWith("26000"),
		failWith("42P05"),
		failWith("0A000", "cached plan must not change result type"),
		new Error(
			"Prepared statements must be unique - 'messaging_gateway_1' was used for a different statement",
		),
	])("after %s", async (failure) => {
		const pool = new Pool(failure);
		const store = postgresStore(pool as unknown as PostgresClient);
		expect(await store.remember("a", 1_000)).toBe(true);
		expect(await store.remember("b", 1_000)).toBe(true);
		expect(pool.seen).toEqual(["object", "string", "string"]);
	});

	test("but not after another error", async () => {
		const pool = new Pool(failWith("0A000", "feature not supported"));
		const store = postgresStore(pool as unknown as PostgresClient);
		await expect(store.remember("a", 1_000)).rejects.toThrow("feature not supported");
		expect(pool.seen).toEqual(["object"]);
	});
});

test.each([
	[
		"25006",
		"the database is read-only: connect to the primary, for example with target_session_attrs=read-write",
	],
	[
		"42501",
		"the database's user may not write to messaging_gateway_records: grant it SELECT, INSERT, UPDATE and DELETE, and USAGE on its schema",
		"permission denied for schema private",
	],
	[
		"42501",
		"row-level security rejects the rows of messaging_gateway_records: turn it off for this table, or add a policy for the database's user",
		'new row violates row-level security policy for table "messaging_gateway_records"',
	],
	[
		"42703",
		"the table messaging_gateway_records lacks a column: it was created for something else, so name another one with `table`",
		'column "token" of relation "messaging_gateway_records" does not exist',
	],
	["42703", "42703; its error says why", 'column "tenant" of relation "audit_log" does not exist'],
	["42703", "42703; its error says why", 'record "new" has no field "tenant"'],
	[
		"",
		"its Pool gave no connection in time: give the store a Pool of its own, since handlers may hold those of a shared one, and check that the server is up",
		"timeout exceeded when trying to connect",
	],
])("%s is 503 with a sentence that names the fix", async (code, sentence, message?: string) => {
	vi.useRealTimers();
	for (const failure of [failWith(code, message), wrap(failWith(code, message))]) {
		const { query } = createServer([failure]);
		const { respond, reports } = createReceiver({ store: postgresStore({ query }) });
		expect(await respond()).toBe("503 store_unavailable, again in 5 s");
		expect(reports[0]?.hint).toContain(`The store failed: ${sentence}. The event wasn't acknowledged`);
		const reported = reports[0]?.error;
		if (sentence.endsWith("its error says why")) expect(reported).toBe(failure);
		else expect(reported).toMatchObject({ name: "StoreError", cause: failure });
	}
});

test("a Pool that was ended is 503 with a sentence, in a store and in an inbox", async () => {
	vi.useRealTimers();
	const pool = new PgPool();
	await pool.end();
	const ended = "the Pool was ended: end it once the server has stopped and its requests are done";
	const store = createReceiver({ store: postgresStore(pool) });
	expect(await store.respond()).toBe("503 store_unavailable, again in 5 s");
	expect(store.reports[0]?.hint).toContain(`The store failed: ${ended}. The event wasn't acknowledged`);
	const running = postgresInbox(pool).run("a", async () => "commit", createInboxTimes(), BINDING);
	await expect(running).rejects.toThrow(ended);
});
