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
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
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

type Call = (client: PostgresClient) => Promise<unknown>;

/** What a server rejects its first statements with, and the call that runs them. */
type Rejected = readonly [failures: readonly Error[], call: Call];

/** What a call comes to, and how many statements there were: all of them the same. */
async function outcomeOf([failures, call]: Rejected): Promise<string> {
	const { query } = createServer(failures);
	const ended = await inTime(call({ query })).catch((error: unknown) => error);
	const [first, ...repeated] = query.mock.calls;
	// A claim that is made again has its one id.
	for (const each of repeated) expect(each).toEqual(first);
	// The server's error stays as it is.
	if (ended instanceof Error) expect(failures).toContain(ended);
	const shown = ended instanceof Error ? Reflect.get(ended, "code") : JSON.stringify(ended);
	return `${query.mock.calls.length} run: ${shown}`;
}

const claim: Call = (client) => postgresStore(client).claim("a", TIMES);
const claimCreating: Call = (client) => postgresStore(client, { createIfMissing: true }).claim("a", TIMES);
const remember: Call = (client) => postgresStore(client).remember("a", 1_000);
const insert: Call = (client) =>
	postgresSendStore(client).insert("a", { id: "1", state: "open", data: "{}" });
const times = (count: number, failure: Error) => Array.from({ length: count }, () => failure);

const REJECTED: Outcomes<Rejected> = {
	'4 run: {"status":"acquired","token":7,"attempt":1}': {
		"serialization failures: nothing was executed": [times(3, failWith("40001")), claim],
		deadlocks: [times(3, failWith("40P01")), claim],
		"serialization failures in a library's errors": [times(3, wrap(failWith("40001"))), claim],
	},
	"2 run: true": { "a serialization failure in a store of sends": [[failWith("40001")], insert] },
	"40 run: true": { "39 serialization failures": [times(39, failWith("40001")), remember] },
	"40 run: 40001": { "a serialization failure for ever": [times(50, failWith("40001")), remember] },
	"1 run: 40001": {
		"one of several statements, which create a table": [
			[failWith("40001")],
			(client) => postgresStore(client).createTable(),
		],
	},
	...Object.fromEntries(
		["23505", "57014", "08006", "25P02", "55P03", "ECONNRESET"].map((code) => [
			`1 run: ${code}`,
			{ "another error": [[failWith(code)], remember] as const },
		]),
	),
	"1 run: 53300": { "no missing table, with createIfMissing": [[failWith("53300")], claimCreating] },
};

describe("statements that the database rejects at first", () => testOutcomes(REJECTED, outcomeOf));

describe("a statement that the database rejected in favour of another", () => {
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
