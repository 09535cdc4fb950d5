import {
	type PostgresInbox,
	type PostgresTransactions,
	postgresInbox,
} from "messaging-gateway/stores/postgres";
import { createWebhookHandler, type InboxEnding, PermanentWebhookError } from "messaging-gateway/webhooks";
import { describe, expect, test, vi } from "vitest";
import { createCountingClock, settle } from "../../../support/counting-clock.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { throwing } from "../../../support/throwing.ts";
import { deliver, receiver, signedAt } from "../../../support/webhook-delivery.ts";
import { inboundMessage } from "../../../support/webhook-payloads.ts";
import { createDyingPool } from "./dying-pool.ts";

/** What the server of a test responds with where it is not as usual. */
interface Server {
	readonly locked?: boolean;
	readonly isolation?: string;
	/** Whether the event is recorded already. */
	readonly isKnown?: boolean;
	readonly isOurs?: boolean;
	/** Whether the transaction before COMMIT is another one. */
	readonly isOther?: boolean;
	readonly commit?: string;
	/** Whether it has one result for several statements. */
	readonly hasOneResult?: boolean;
	readonly failure?: Error;
	/** What became of a transaction whose COMMIT nobody saw. */
	readonly status?: string;
	/** The statement that fails the first time that it is run, and the code of its error. */
	readonly failsAt?: readonly [statement: string, code: string];
}

interface Result {
	readonly rows: Record<string, unknown>[];
	readonly command: string;
}

/** What a delivery of the test is bound to. */
const BOUND_KEY = "default:evt_1";
const BINDING = { digest: "digest", ttlMs: 1_000 };
const TIMES = { retentionMs: 60_000, storeTimeoutMs: 2_000, maxHandlerMs: 10_000 };

/** The rows of a statement. */
function respondWith(server: Server, text: string): Record<string, unknown>[] {
	if (text.includes("pg_try_advisory_xact_lock"))
		return [{ locked: server.locked ?? true, isolation: server.isolation ?? "read committed", pid: 1 }];
	if (text.includes("pg_current_xact_id()")) return server.isKnown ? [] : [{ xid: "7" }];
	if (text.includes("pg_xact_status"))
		return server.status === "" ? [] : [{ status: server.status ?? "committed" }];
	if (text.includes("is_ours")) return [{ is_ours: server.isOurs ?? true, state: "done" }];
	if (text.includes("if_assigned") && server.isOther) throw failWith("2201E");
	if (text.includes("'bound'")) return [{ bound_key: `event:${BOUND_KEY}` }];
	return [];
}

/** As `pg` has it; its types, and ours, know only one. */
function oneOrAll(results: Result[]): Result {
	const [first] = results;
	if (first === undefined) throw new Error("no statement");
	return results.length === 1 ? first : (results as Result[] & Result);
}

const failWith = (code: string): Error => Object.assign(new Error("private"), { code });

/** The statements of a text, each behind the name by which it is executed. */
function createReader() {
	const named = new Map<string, string>();
	return (text: string): { readonly name: string; readonly statement: string }[] =>
		text.split(";\n").map((statement) => {
			const [, verb, name = "", rest = ""] =
				/^(PREPARE|EXECUTE) (\w+)(?: AS )?([\s\S]*)/.exec(statement) ?? [];
			if (verb === "PREPARE") named.set(name, rest);
			const executed = verb === "EXECUTE" ? (named.get(name) ?? "") : statement;
			const [word = ""] = /^\s*\w+( TO| AND)?/.exec(executed) ?? [];
			const isBinding = executed.includes("'bound'") && verb !== "PREPARE";
			return {
				name: `${verb === "EXECUTE" ? "named " : ""}${isBinding ? "BIND" : word}`,
				statement: executed,
			};
		});
}

/** A pool whose only client responds like a server, and notes the statements. */
function createPool(server: Server = {}) {
	const statements: string[] = [];
	const released: (boolean | undefined)[] = [];
	const read = createReader();
	let hasFailed = false;
	const query = async (text: string) => {
		if (server.failure !== undefined) throw server.failure;
		const results = read(text).map(({ name, statement }) => {
			statements.push(name);
			if (server.failsAt?.[0] === name && !hasFailed) {
				hasFailed = true;
				throw failWith(server.failsAt[1]);
			}
			const command = statement === "COMMIT" ? (server.commit ?? "COMMIT") : "";
			return { rows: respondWith(server, statement), command };
		});
		return oneOrAll(server.hasOneResult ? results.slice(-1) : results);
	};
	const client = {
		query,
		release: (isDestroyed?: boolean) => released.push(isDestroyed),
		on: () => undefined,
	};
	return { pool: { query, connect: async () => client }, statements, released };
}

/** A library that begins and ends transactions itself, and may let a connection be destroyed. */
function createLibrary(server: Server = {}, canDestroy = false) {
	const { pool, statements } = createPool(server);
	const transaction: PostgresTransactions<object>["transaction"] = async (work) => {
		statements.push("(begins)");
		const destroy = () => void statements.push("(destroyed)");
		try {
			const result = await work({ query: pool.query, handle: {}, ...(canDestroy && { destroy }) });
			statements.push("(commits)");
			return result;
		} catch (error) {
			statements.push("(rolls back)");
			throw error;
		}
	};
	return { source: { transaction }, statements };
}

async function respondTo(server: Server, handle: () => unknown = () => undefined) {
	const { pool, statements, released } = createPool(server);
	return { ...(await deliverTo(postgresInbox(pool), handle)), statements, released };
}

async function deliverTo(inbox: PostgresInbox<unknown>, handle: () => unknown) {
	const onError = vi.fn();
	const work = vi.fn(handle);
	const on = { inbound_message: work, unknown: work };
	const webhooks = createWebhookHandler({ ...receiver(), inbox, onError, on });
	const { status, body } = await webhooks.handle(deliver(JSON.stringify(inboundMessage)));
	return {
		response: `${status} ${body}`.trim(),
		runs: work.mock.calls.length,
		problems: onError.mock.calls.map(([error]) => String(error)),
	};
}

/** What a transaction begins with, over a connection that has the names, and over one that has none. */
const NAMES = ["PREPARE", "PREPARE", "PREPARE"];
const OPENING = ["BEGIN", "named BIND", "COMMIT AND", "named WITH", "named INSERT", "SAVEPOINT"];
const NAMELESS = OPENING.map((name) => name.replace("named ", ""));
const CLOSING = ["SELECT", "COMMIT"];

/** A delivery to an inbox over a server, by a pool or by a library. */
interface Delivery extends Server {
	readonly by?: "library";
	readonly handle?: () => unknown;
}

/** The response, how often the handler ran, and what the application hears of it: nothing private. */
async function outcomeOf({ by, handle = () => undefined, ...server }: Delivery): Promise<string> {
	const inbox =
		by === "library" ? postgresInbox(createLibrary(server).source) : postgresInbox(createPool(server).pool);
	const { response, runs, problems } = await deliverTo(inbox, handle);
	expect(problems.join()).not.toContain("private");
	return [`${response}, runs: ${runs}`, ...problems].join(", ");
}

const failure = (code: string) => ({ failure: failWith(code) });
const by = "library" as const;

const RESPONSES: Outcomes<Delivery> = {
	"200, runs: 1": {
		"an event": {},
		"an event, by a library": { by },
	},
	"200, runs: 0": {
		"an event that was recorded before": { isKnown: true },
		"an event that was recorded before, by a library": { by, isKnown: true },
	},
	"503 in_flight, runs: 0": {
		"another worker has the lock": { locked: false },
		"another worker has the lock, by a library": { by, locked: false },
	},
	"500 handler_failed, runs: 0, BrokenTransactionError: the inbox's transaction must be READ COMMITTED: set its isolation level":
		{
			"another isolation level": { isolation: "serializable" },
			"another isolation level, by a library": { by, isolation: "serializable" },
		},
	"500 handler_failed, runs: 0, BrokenTransactionError: query runs outside the transaction: it must use the transaction's connection":
		{
			"statements run outside the transaction": { isKnown: true, isOurs: false },
			"statements run outside the transaction, by a library": { by, isKnown: true, isOurs: false },
			"no transaction, by a library": { by, failsAt: ["WITH", "25P01"] },
		},
	"503 store_unavailable, runs: 0, InboxDatabaseError: the inbox's database failed: the connection was lost or misused":
		{
			"the database fails": { failure: new Error("private") },
			"the database fails, by a library": { by, failure: new Error("private") },
		},
	"503 store_unavailable, runs: 0, StoreError: the inbox's Pool must return a result for each statement of a text, as that of pg does":
		{
			"the pool has one result for several statements": { hasOneResult: true },
		},
	"503 store_unavailable, runs: 0, InboxDatabaseError: PgBouncer is in statement mode, which has no transactions: use transaction mode":
		{
			"PgBouncer is in statement mode": {
				failure: new Error("prepared statement in statement pooling mode"),
			},
		},
	"503 store_unavailable, runs: 0, InboxDatabaseError: the table messaging_gateway_records is missing. Call createTable() once, run the SQL of postgresTable(), or pass createIfMissing: true":
		{
			"a missing table": failure("42P01"),
		},
	"503 store_unavailable, runs: 0, InboxDatabaseError: the database is read-only: connect to the primary, for example with target_session_attrs=read-write":
		{
			"a read-only database": failure("25006"),
		},
	"503 store_unavailable, runs: 0, InboxDatabaseError: the database's user may not write to messaging_gateway_records: grant it SELECT, INSERT, UPDATE and DELETE, and USAGE on its schema":
		{
			"a user without permission": failure("42501"),
		},
	"503 store_unavailable, runs: 0, InboxDatabaseError: the inbox's database failed: 57P01": {
		"another error": failure("57P01"),
	},
	"500 handler_failed, runs: 1, BrokenTransactionError: a statement of the handler failed, and its transaction was rolled back":
		{
			"COMMIT rolled back": { commit: "ROLLBACK" },
			"COMMIT rolled back, by a library": { by, status: "aborted" },
			"a statement of the handler failed, and was swallowed": { failsAt: ["COMMIT", "25P02"] },
			"the transaction was gone at COMMIT": { failsAt: ["COMMIT", "25P01"] },
			"the savepoint is gone": { failsAt: ["SELECT", "3B001"] },
		},
	"503 store_unavailable, runs: 1, InboxDatabaseError: the commit isn't confirmed": {
		"a commit of which nothing is known": { by, status: "in progress" },
		"a commit that the server has forgotten": { by, status: "" },
	},
	"500 handler_failed, runs: 1, BrokenTransactionError: the handler ended the inbox's transaction: it must not commit or roll back, and an ORM must not begin its own":
		{
			"the handler ended the transaction": { isOther: true },
			"the handler ended the transaction, by a library": { by, isOther: true },
		},
	"500 handler_failed, runs: 1, BrokenTransactionError: COMMIT was rejected (23503)": {
		"COMMIT breaks a deferred constraint": { failsAt: ["COMMIT", "23503"] },
	},
	"500 handler_failed, runs: 1, BrokenTransactionError: COMMIT was rejected (40001)": {
		"COMMIT is a serialization failure": { failsAt: ["COMMIT", "40001"] },
	},
	"503 store_unavailable, runs: 1, InboxDatabaseError: the inbox's database failed: P2340": {
		"COMMIT fails otherwise, in a code with 23": { failsAt: ["COMMIT", "P2340"] },
	},
	"500 handler_failed, runs: 1, Error: no": {
		"a handler that fails": { handle: throwing(new Error("no")) },
		"a handler that fails, by a library": { by, handle: throwing(new Error("no")) },
	},
	"200, runs: 1, PermanentWebhookError: never": {
		"a permanent failure": { handle: throwing(new PermanentWebhookError("never")) },
		"a permanent failure, by a library": { by, handle: throwing(new PermanentWebhookError("never")) },
	},
};

describe("an inbox in PostgreSQL", () => testOutcomes(RESPONSES, outcomeOf));

/** How a run ends, over a pool or a library. */
interface Run extends Server {
	readonly ending: InboxEnding;
	readonly by?: "library" | "library that can destroy";
}

/** What a run resolves to, and the statements after those that open the transaction. */
async function statementsOf({ ending, by, ...server }: Run): Promise<string> {
	const clock = createCountingClock();
	const library = createLibrary(server, by === "library that can destroy");
	const pool = createPool(server);
	const inbox: PostgresInbox<unknown> =
		by === undefined ? postgresInbox(pool.pool) : postgresInbox(library.source);
	const statements = by === undefined ? pool.statements : library.statements;
	let opened = 0;
	const work = async () => {
		opened = statements.length;
		return ending;
	};
	const { status } = await settle(clock, inbox.run(BOUND_KEY, work, { ...TIMES, clock }, BINDING));
	await clock.advance(0);
	const released =
		by === undefined
			? [`released ${pool.released.map((isDestroyed) => (isDestroyed ? "destroyed" : "whole"))}`]
			: [];
	return [status, ...statements.slice(opened), ...released].join(", ");
}

const ENDINGS: Outcomes<Run> = {
	"ended, SELECT, COMMIT, released whole": {
		commit: { ending: "commit" },
	},
	"ended, ROLLBACK TO, SELECT, COMMIT, released whole": {
		"commit of the record alone": { ending: "undo" },
	},
	"ended, released destroyed": {
		"roll back": { ending: "roll_back" },
		abandon: { ending: "abandon" },
	},
	"ended, SELECT, (commits), (begins), SELECT, (commits)": {
		"commit, by a library": { ending: "commit", by: "library" },
	},
	"ended, ROLLBACK TO, SELECT, (commits), (begins), SELECT, (commits)": {
		"commit of the record alone, by a library": { ending: "undo", by: "library" },
	},
	"ended, (rolls back)": {
		"roll back, by a library": { ending: "roll_back", by: "library" },
	},
	"ended, (destroyed), (rolls back)": {
		"roll back, by a library that can destroy": { ending: "roll_back", by: "library that can destroy" },
		"abandon, by a library that can destroy": { ending: "abandon", by: "library that can destroy" },
	},
	"ended, (begins), SELECT, (commits), (rolls back)": {
		"abandon, by a library: the server ends its connection": { ending: "abandon", by: "library" },
	},
	"ended, (begins), SELECT, (rolls back)": {
		"abandon, by a library, and the server is away at first": {
			ending: "abandon",
			by: "library",
			failsAt: ["SELECT", "57P01"],
		},
	},
};

describe("a run ends with", () => testOutcomes(ENDINGS, statementsOf));

test("of an inbox in PostgreSQL each step is one statement or several", async () => {
	const { statements, released } = await respondTo({});
	expect(statements).toEqual([...NAMES, ...OPENING, ...CLOSING]);
	expect(released).toEqual([false]);
});

describe("a receiver whose first transaction does not begin", () => {
	/** Delivers an event twice. */
	async function deliverTwice(server: Server, createIfMissing?: boolean) {
		const { pool, statements, released } = createPool(server);
		const handle = vi.fn();
		const webhooks = createWebhookHandler({
			...receiver(),
			inbox: postgresInbox(pool, { createIfMissing }),
			onError: () => undefined,
			on: { inbound_message: handle, unknown: handle },
		});
		const respond = async () => (await webhooks.handle(deliver(JSON.stringify(inboundMessage)))).status;
		return {
			responses: [await respond(), await respond()],
			runs: handle.mock.calls.length,
			statements,
			released,
		};
	}

	test.each([
		["a name that is gone: its first statement", "26000", "named BIND", [...NAMES, "BEGIN", "named BIND"]],
		["a name that is gone: a later one", "26000", "named INSERT", [...NAMES, ...OPENING.slice(0, -1)]],
		["a name that is there already", "42P05", "PREPARE", ["PREPARE"]],
	])("for %s, begins again without names, and stays with that", async (_title, code, name, before) => {
		const { responses, runs, statements, released } = await deliverTwice({ failsAt: [name, code] });
		expect([responses, runs]).toEqual([[200, 200], 2]);
		const again = [...NAMELESS, ...CLOSING];
		expect(statements).toEqual([...before, "ROLLBACK", ...again, ...again]);
		expect(released).toEqual([false, false]);
	});

	test.each([
		["whose binding fails", "named BIND"],
		["that fails when the binding is committed", "named WITH"],
	])("%s, runs nothing, gives its connection back, and the next one runs", async (_title, name) => {
		const { responses, runs, statements, released } = await deliverTwice({ failsAt: [name, "53200"] });
		expect([responses, runs, released]).toEqual([[503, 200], 1, [false, false]]);
		const failed = OPENING.slice(0, OPENING.indexOf(name) + 1);
		expect(statements).toEqual([...NAMES, ...failed, "ROLLBACK", ...OPENING, ...CLOSING]);
	});

	test("for its table, which createIfMissing creates, begins again", async () => {
		const { responses, runs, statements, released } = await deliverTwice(
			{ failsAt: ["PREPARE", "42P01"] },
			true,
		);
		expect([responses, runs, released]).toEqual([[200, 200], 2, [false, false, false, false]]);
		expect(statements.slice(0, 3)).toEqual(["PREPARE", "ROLLBACK", "DO"]);
	});
});

test("a table that COMMIT finds missing makes no handler run twice", async () => {
	const { pool } = createPool({ failsAt: ["COMMIT", "42P01"] });
	const inbox = postgresInbox(pool, { createIfMissing: true });
	const work = vi.fn(async () => "commit" as const);
	const times = { ...TIMES, clock: createCountingClock() };
	await expect(inbox.run("default:evt_1", work, times, BINDING)).rejects.toThrow(
		"the inbox's database failed",
	);
	expect(work).toHaveBeenCalledOnce();
});

test("one connection is enough for many deliveries at a time", async () => {
	const read = createReader();
	const pool = createDyingPool(/^never$/, (text) =>
		oneOrAll(read(text).map(({ statement }) => ({ rows: respondWith({}, statement), command: statement }))),
	);
	const inbox = postgresInbox(pool);
	const times = { ...TIMES, clock: createCountingClock() };
	const runs = Array.from({ length: 8 }, () => inbox.run(BOUND_KEY, async () => "commit", times, BINDING));
	expect(await Promise.all(runs)).toEqual(runs.map(() => ({ status: "ended" })));
	expect(pool.opened).toBe(1);
});

test("a delivery that is bound to another key runs nothing and leaves no record", async () => {
	const { pool, statements, released } = createPool();
	const work = vi.fn(async () => "commit" as const);
	const times = { ...TIMES, clock: createCountingClock() };
	const result = await postgresInbox(pool).run("default:evt_2", work, times, BINDING);
	expect(result).toEqual({ status: "bound_elsewhere", boundKey: BOUND_KEY });
	expect(work).not.toHaveBeenCalled();
	expect(statements).toEqual([...NAMES, ...OPENING, "ROLLBACK"]);
	expect(released).toEqual([false]);
});

describe("a connection that is dead without a sign is destroyed when its time is over", () => {
	test.each([
		["its names", /^PREPARE/],
		["the binding and the record", /^BEGIN/],
		["COMMIT", /COMMIT$/],
	])("at %s", async (_title, silentAt) => {
		const clock = createCountingClock(signedAt * 1000);
		const read = createReader();
		const pool = createDyingPool(silentAt, (text) =>
			oneOrAll(read(text).map(({ statement }) => ({ rows: respondWith({}, statement), command: statement }))),
		);
		const webhooks = createWebhookHandler({
			...receiver(),
			clock,
			inbox: postgresInbox(pool),
			on: { unknown: () => undefined },
			onError: () => undefined,
		});
		const respond = async () =>
			(await settle(clock, webhooks.handle(deliver(JSON.stringify(inboundMessage))))).status;
		expect(await respond()).toBe(503);
		expect(clock.now()).toBe(signedAt * 1000 + 5_000);
		expect(await respond()).toBe(200);
		expect(pool.opened).toBe(2);
	});
});

test.each([
	[15_000, 200, 21_000],
	[undefined, 503, 5_000],
])(
	"storeTimeoutMs %s limits the beginning, of two steps, and COMMIT, each of which takes seven seconds: %i",
	async (storeTimeoutMs, status, endsAfterMs) => {
		const clock = createCountingClock(signedAt * 1000);
		const { pool } = createPool();
		const client = await pool.connect();
		const query = async (text: string) => {
			await new Promise<void>((resolve) => void clock.setTimer(resolve, 7_000));
			return client.query(text);
		};
		const webhooks = createWebhookHandler({
			...receiver(),
			clock,
			inbox: postgresInbox({ query, connect: async () => ({ ...client, query }) }),
			on: { unknown: () => undefined },
			onError: () => undefined,
			...(storeTimeoutMs && { storeTimeoutMs }),
		});
		const handling = webhooks.handle(deliver(JSON.stringify(inboundMessage)));
		expect((await settle(clock, handling, 500)).status).toBe(status);
		expect(clock.now() - signedAt * 1000).toBeLessThanOrEqual(endsAfterMs);
	},
);

test("a connection has a listener before its pool goes on: an error may have come with it", async () => {
	const listening: string[] = [];
	const client = {
		query: async () => ({ rows: [{ bound_key: "event:evt_1" }], command: "" }),
		release: () => undefined,
		on: (event: string) => listening.push(event),
	};
	let before: readonly string[] = [];
	const connect = (callback?: (...results: never[]) => void): Promise<typeof client> => {
		if (callback) Reflect.apply(callback, undefined, [undefined, client]);
		before = [...listening];
		return Promise.resolve(client);
	};
	const inbox = postgresInbox({ query: client.query, connect });
	const times = { ...TIMES, clock: createCountingClock() };
	await expect(inbox.run("evt_1", async () => "commit", times, BINDING)).rejects.toThrow();
	expect(before).toEqual(["error"]);
	expect(listening).toEqual(["error"]);
});

describe("a server's response that comes late, before timers that were due or stood still", () => {
	/** An inbox whose process is away while its transaction opens, and again while it asks the server. */
	function createLate({ wallMs, monotonicMs }: { wallMs: number; monotonicMs: number }, asked: string) {
		const time = { wallMs: 0, monotonicMs: 0 };
		const { pool, statements } = createPool();
		const beAway = (): void => {
			time.wallMs += wallMs;
			time.monotonicMs += monotonicMs;
		};
		const answer = async (client: Awaited<ReturnType<typeof pool.connect>>, text: string) => {
			if (text.startsWith("BEGIN") || (text === "SELECT 1" && asked === "late")) beAway();
			if (text === "SELECT 1" && asked === "ended") throw new Error("the transaction was ended");
			return client.query(text);
		};
		const connect = async () => {
			const client = await pool.connect();
			return { ...client, query: (text: string) => answer(client, text) };
		};
		const query = async (text: string) => (await connect()).query(text);
		const inbox = postgresInbox({ query, connect });
		const work = vi.fn(async () => "commit" as const);
		const clock = {
			now: () => time.wallMs,
			monotonicNow: () => time.monotonicMs,
			setTimer: () => () => undefined,
		};
		return { run: () => inbox.run(BOUND_KEY, work, { ...TIMES, clock }, BINDING), work, statements };
	}

	const AWAY = [
		["a standstill", { wallMs: 2_000, monotonicMs: 2_000 }],
		["a sleep", { wallMs: 86_400_000, monotonicMs: 0 }],
	] as const;

	test.each([...AWAY, ["a clock that was set back", { wallMs: -86_400_000, monotonicMs: 0 }] as const])(
		"after %s: the server is asked, and the handler starts",
		async (_title, away) => {
			const { run, work, statements } = createLate(away, "open");
			expect(await run()).toEqual({ status: "ended" });
			expect(work).toHaveBeenCalledOnce();
			expect(statements.slice(-3)).toEqual(["SELECT", "SELECT", "COMMIT"]);
		},
	);

	test.each(AWAY)(
		"after %s, and the server has ended the transaction: it does not start",
		async (_, away) => {
			const { run, work, statements } = createLate(away, "ended");
			await expect(run()).rejects.toThrow();
			expect(work).not.toHaveBeenCalled();
			expect(statements).not.toContain("COMMIT");
		},
	);

	test.each(AWAY)(
		"after %s, and the response to that is late as well: it does not start",
		async (_, away) => {
			const { run, work, statements } = createLate(away, "late");
			await expect(run()).rejects.toThrow("no response within storeTimeoutMs, 2000 ms");
			expect(work).not.toHaveBeenCalled();
			expect(statements).not.toContain("COMMIT");
		},
	);
});
