import { postgresInbox } from "messaging-gateway/stores/postgres";
import { createWebhookRequest } from "messaging-gateway/testing";
import { createWebhookHandler, memoryStore, PermanentWebhookError } from "messaging-gateway/webhooks";
import pg from "pg";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { catchError } from "../support/catch-error.ts";
import { eventually } from "../support/eventually.ts";
import { PROCESS_LIFE_MS } from "../support/patience.ts";
import { share } from "../support/shared/shared.ts";
import {
	countEffects,
	createInboxReceiver,
	createInboxTables,
	type InboxWork,
	WatchedPool,
} from "./support/inbox.ts";
import { startSilentProxy } from "./support/silent-proxy.ts";

let url: string;
/** Counts, beside the pools of the receivers. */
let observer: pg.Pool;
let pool: WatchedPool;
let at = 0;

beforeAll(async () => {
	({ url } = await share("postgres"));
	observer = new pg.Pool({ connectionString: url });
	await createInboxTables(observer);
	pool = new WatchedPool(url, { max: 4 });
});

afterEach(() => {
	pool.beforeEach = (text) => text;
});

afterAll(async () => {
	await pool.end();
	await observer.end();
});

const nextId = (): string => `evt_${at++}`;

const write: InboxWork<pg.ClientBase> = ({ eventId }, { transaction }) =>
	transaction.query("INSERT INTO effects VALUES ($1)", [eventId]);

/** What is left of an event: its effects, and whether it is recorded. */
async function find(eventId: string): Promise<{ effects: number; records: number }> {
	const { rowCount } = await observer.query("SELECT FROM messaging_gateway_records WHERE key = $1", [
		`event:default:${eventId}`,
	]);
	return { effects: await countEffects(observer, eventId), records: rowCount ?? 0 };
}

/** Waits until no other connection is in a transaction: the server notices a connection's end only after a while. */
async function untilIdle(): Promise<void> {
	const open = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND xact_start IS NOT NULL
		AND backend_type = 'client backend' AND pid <> pg_backend_pid()`;
	await expect.poll(async () => (await observer.query(open)).rowCount).toBe(0);
}

test("the record and the effect are committed together, and a repeat runs nothing", async () => {
	const eventId = nextId();
	let seen: unknown;
	const receiver = createInboxReceiver(postgresInbox(pool), async (event, context) => {
		await write(event, context);
		seen = [Object.keys(context).sort(), await find(eventId)];
	});
	expect([await receiver.deliver(eventId), await receiver.deliver(eventId)]).toEqual(["200", "200"]);
	expect(seen).toEqual([["readBody", "signal", "tenant", "transaction"], { effects: 0, records: 0 }]);
	expect(await find(eventId)).toEqual({ effects: 1, records: 1 });
	expect(receiver.reports).toEqual([]);
	expect(pool.totalCount - pool.idleCount).toBe(0);
});

test.each(["evt_');DROP/**/TABLE/**/effects;--", "evt_\\'$1$$\\x41E'", 'evt_"%s"{}'])(
	"the id %s is only a value",
	async (eventId) => {
		const receiver = createInboxReceiver(postgresInbox(pool), write);
		expect([await receiver.deliver(eventId), await receiver.deliver(eventId)]).toEqual(["200", "200"]);
		expect(await find(eventId)).toEqual({ effects: 1, records: 1 });
	},
);

test("U+0000 reaches none of the inbox's columns, and a handler's only if it does not replace it", async () => {
	const secret = "local-webhook-secret";
	const settings = { secret: () => ({ tenant: "a\0b", secret }) };
	const deliverTo = async (toText: (text: string) => string) => {
		const insert = "INSERT INTO effects VALUES ($1)";
		const receiver = createInboxReceiver<pg.ClientBase>(
			postgresInbox(pool),
			(event, { transaction }) =>
				transaction.query(insert, [toText(event.kind === "inbound_message" ? event.data.text : "")]),
			settings,
		);
		return receiver.send(createWebhookRequest("inbound_message", { text: "a\0b" }));
	};
	expect(await deliverTo((text) => text)).toBe("500 handler_failed");
	expect(await deliverTo((text) => text.replaceAll("\0", "\uFFFD"))).toBe("200");
	expect(await countEffects(observer, "a\uFFFDb")).toBe(1);
});

test("a handler that throws leaves neither", async () => {
	const eventId = nextId();
	let fails = true;
	const receiver = createInboxReceiver(postgresInbox(pool), async (event, context) => {
		await write(event, context);
		if (fails) throw new Error("no");
	});
	expect(await receiver.deliver(eventId)).toBe("500 handler_failed");
	await untilIdle();
	expect(await find(eventId)).toEqual({ effects: 0, records: 0 });
	fails = false;
	expect(await receiver.deliver(eventId)).toBe("200");
	expect(await find(eventId)).toEqual({ effects: 1, records: 1 });
});

test("what a failed handler still runs in parallel never commits by itself", async () => {
	const eventId = nextId();
	const { promise: ended, resolve: end } = Promise.withResolvers<void>();
	let stray: Promise<unknown> = Promise.resolve();
	const receiver = createInboxReceiver(postgresInbox(pool), (event, context) => {
		stray = ended.then(() => write(event, context)).catch(() => undefined);
		throw new Error("no");
	});
	expect(await receiver.deliver(eventId)).toBe("500 handler_failed");
	end();
	await stray;
	expect(await find(eventId)).toEqual({ effects: 0, records: 0 });
});

test("a PermanentWebhookError undoes the effects and keeps the record", async () => {
	const eventId = nextId();
	const receiver = createInboxReceiver(postgresInbox(pool), async (event, context) => {
		await write(event, context);
		throw new PermanentWebhookError("never");
	});
	expect(await receiver.deliver(eventId)).toBe("200");
	expect(await find(eventId)).toEqual({ effects: 0, records: 1 });
	expect(await receiver.deliver(eventId)).toBe("200");
	expect(receiver.reports).toHaveLength(1);
});

test("so does one thrown after an SQL error", async () => {
	const eventId = nextId();
	const receiver = createInboxReceiver(postgresInbox(pool), async (_event, { transaction }) => {
		await transaction.query("SELECT 1 / 0").catch(() => undefined);
		throw new PermanentWebhookError("never");
	});
	expect(await receiver.deliver(eventId)).toBe("200");
	expect(await find(eventId)).toEqual({ effects: 0, records: 1 });
});

test("what a handler does not await cannot come after what is undone", async () => {
	const eventId = nextId();
	let straggle = async (): Promise<unknown> => undefined;
	let straggled: Promise<unknown> | undefined;
	pool.beforeEach = (text) => {
		if (text.startsWith("ROLLBACK TO")) straggled = straggle().catch(String);
		return text;
	};
	const receiver = createInboxReceiver(postgresInbox(pool), (event, context) => {
		straggle = async () => write(event, context);
		throw new PermanentWebhookError("never");
	});
	expect(await receiver.deliver(eventId)).toBe("200");
	expect(await straggled).toContain("await everything that a handler starts");
	expect(await find(eventId)).toEqual({ effects: 0, records: 1 });
});

test("a repeat while the first runs gets 503 at once, and holds no connection", async () => {
	const eventId = nextId();
	const { promise: ended, resolve: end } = Promise.withResolvers<void>();
	const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
	const receiver = createInboxReceiver(postgresInbox(pool), async (event, context) => {
		begin();
		await ended;
		await write(event, context);
	});
	const first = receiver.deliver(eventId);
	await begun;
	const repeats = await Promise.all(Array.from({ length: 8 }, () => receiver.deliver(eventId)));
	expect(new Set(repeats)).toEqual(new Set(["503 in_flight"]));
	expect(pool.totalCount - pool.idleCount).toBe(1);
	end();
	expect(await first).toBe("200");
	expect(await find(eventId)).toEqual({ effects: 1, records: 1 });
});

test("not even after a savepoint of the inbox's own name", async () => {
	const eventId = nextId();
	const receiver = createInboxReceiver(postgresInbox(pool), async (event, context) => {
		await write(event, context);
		await context.transaction.query("SAVEPOINT messaging_gateway_handler");
		throw new PermanentWebhookError("never");
	});
	expect(await receiver.deliver(eventId)).toBe("200");
	expect(await find(eventId)).toEqual({ effects: 0, records: 1 });
});

test("a swallowed SQL error is not acknowledged", async () => {
	const eventId = nextId();
	const receiver = createInboxReceiver(postgresInbox(pool), async (event, context) => {
		await write(event, context);
		await context.transaction.query("SELECT 1 / 0").catch(() => undefined);
	});
	expect(await receiver.deliver(eventId)).toBe("500 handler_failed");
	expect(receiver.reports[0]?.hint).toMatch(/^a statement of the handler failed, and its transaction was/);
	expect(await find(eventId)).toEqual({ effects: 0, records: 0 });
});

test.each([
	["COMMIT"],
	["\n commit and chain"],
	["END"],
	["BEGIN"],
	["start  transaction"],
	["PREPARE TRANSACTION 'one'"],
	["ROLLBACK"],
	["ABORT WORK"],
	["/* the end */COMMIT"],
	[";COMMIT"],
	[{ text: "COMMIT" }],
])("a handler's %j is not sent, and the event is not acknowledged", async (statement) => {
	const eventId = nextId();
	const receiver = createInboxReceiver(postgresInbox(pool), async (event, context) => {
		await write(event, context);
		await context.transaction.query(statement);
	});
	expect(await receiver.deliver(eventId)).toBe("500 handler_failed");
	expect(receiver.reports[0]?.message).toContain("the inbox begins and ends its transaction");
	expect(await find(eventId)).toEqual({ effects: 0, records: 0 });
});

test("a handler's release() is not passed on: another event never joins its transaction", async () => {
	const [eventId, otherId] = [nextId(), nextId()];
	const single = new WatchedPool(url, { max: 1 });
	const { promise: joined, resolve: join } = Promise.withResolvers<void>();
	let fails = true;
	let first: Promise<string> = Promise.resolve("");
	const receiver = createInboxReceiver(postgresInbox(single), async (event, context) => {
		if (event.eventId === eventId) {
			const release: unknown = Reflect.get(context.transaction, "release");
			if (typeof release === "function") release();
			return await joined;
		}
		if (fails) {
			join();
			await first;
			throw new Error("no");
		}
		await write(event, context);
	});
	first = receiver.deliver(eventId);
	const other = receiver.deliver(otherId);
	expect([await first, await other]).toEqual(["500 handler_failed", "500 handler_failed"]);
	expect(receiver.reports[0]?.message).toContain("a handler must not call release()");
	fails = false;
	// The server ends a destroyed connection, and its lock, a moment later: until then a repeat gets 503.
	await expect.poll(() => receiver.deliver(otherId)).toBe("200");
	expect(await find(otherId)).toEqual({ effects: 1, records: 1 });
	await single.end();
});

test("a handler's savepoints are its own", async () => {
	const eventId = nextId();
	const receiver = createInboxReceiver(postgresInbox(pool), async (event, context) => {
		const { transaction } = context;
		await transaction.query("SAVEPOINT before");
		await write(event, context);
		await transaction.query("ROLLBACK TO before");
		await write(event, context);
		await transaction.query("SELECT 1 / 0").catch(() => transaction.query("rollback to savepoint before"));
		await transaction.query("SAVEPOINT again");
		await transaction.query("ROLLBACK WORK TO SAVEPOINT again");
		await write(event, context);
	});
	expect(await receiver.deliver(eventId)).toBe("200");
	expect(await find(eventId)).toEqual({ effects: 1, records: 1 });
});

test.each([
	["SELECT 1; COMMIT", { effects: 1, records: 1 }],
	["SELECT 1; COMMIT; BEGIN", { effects: 1, records: 1 }],
	["SELECT 1; ROLLBACK", { effects: 0, records: 0 }],
	["SELECT 1; ROLLBACK; BEGIN", { effects: 0, records: 0 }],
])("a handler's %s is reported, and not acknowledged", async (statement, left) => {
	const eventId = nextId();
	const receiver = createInboxReceiver(postgresInbox(pool), async (event, context) => {
		await write(event, context);
		await context.transaction.query(statement);
	});
	expect(await receiver.deliver(eventId)).toBe("500 handler_failed");
	expect(receiver.reports[0]?.hint).toMatch(/^the handler ended the inbox's transaction/);
	expect(await find(eventId)).toEqual(left);
});

test.each([
	["COMMIT", "200", 2],
	["ROLLBACK", "500 handler_failed", 2],
])("after a hidden %s the rest commits by itself, and a repeat gets %s", async (end, repeated, effects) => {
	const eventId = nextId();
	const receiver = createInboxReceiver(postgresInbox(pool), async (event, context) => {
		await write(event, context);
		await context.transaction.query(`SELECT 1; ${end}`);
		await write(event, context);
	});
	expect(await receiver.deliver(eventId)).toBe("500 handler_failed");
	expect(await receiver.deliver(eventId)).toBe(repeated);
	expect(await countEffects(observer, eventId)).toBe(effects);
});

test("what a handler still runs after its end never reaches the connection's next user", async () => {
	const [eventId, nextEventId] = [nextId(), nextId()];
	const single = new WatchedPool(url, { max: 1 });
	let stray: (() => Promise<unknown>) | undefined;
	const receiver = createInboxReceiver(postgresInbox(single), async (event, context) => {
		await stray?.();
		stray = async () => write(event, context);
	});
	expect(await receiver.deliver(eventId)).toBe("200");
	expect(await receiver.deliver(nextEventId)).toBe("500 handler_failed");
	expect(receiver.reports[0]?.message).toContain("await everything that a handler starts");
	expect(await find(eventId)).toEqual({ effects: 0, records: 1 });
	await single.end();
});

test("a constraint that COMMIT checks fails the handler", async () => {
	const eventId = nextId();
	await observer.query("CREATE TABLE IF NOT EXISTS late (n int UNIQUE DEFERRABLE INITIALLY DEFERRED)");
	const receiver = createInboxReceiver(postgresInbox(pool), async (_event, { transaction }) => {
		await transaction.query("INSERT INTO late VALUES (1), (1)");
	});
	expect(await receiver.deliver(eventId)).toBe("500 handler_failed");
	expect(await find(eventId)).toEqual({ effects: 0, records: 0 });
});

test("a handler that is out of time gets its signal, and its connection never serves another", async () => {
	const eventId = nextId();
	let late: Promise<unknown> = Promise.resolve();
	let wasAborted = false;
	const receiver = createInboxReceiver(
		postgresInbox(pool),
		async (event, context) => {
			const { promise, resolve } = Promise.withResolvers<void>();
			late = promise.then(() => write(event, context)).then(String, () => "rejected");
			context.signal.addEventListener("abort", () => {
				wasAborted = true;
				setTimeout(resolve, 20);
			});
			await write(event, context);
			await new Promise(() => undefined);
		},
		{ maxHandlerMs: 100 },
	);
	expect(await receiver.deliver(eventId)).toBe("503 handler_timed_out");
	expect([wasAborted, await late]).toEqual([true, "rejected"]);
	await untilIdle();
	expect(await find(eventId)).toEqual({ effects: 0, records: 0 });
	expect(pool.totalCount - pool.idleCount).toBe(0);
});

test("the server ends the transaction of a machine that is gone", async () => {
	const eventId = nextId();
	let limit: unknown;
	const receiver = createInboxReceiver(
		postgresInbox(pool),
		async (_event, { transaction }) => {
			limit = (await transaction.query("SHOW idle_in_transaction_session_timeout")).rows[0];
		},
		{ maxHandlerMs: 40_000, storeTimeoutMs: 3_000 },
	);
	expect(await receiver.deliver(eventId)).toBe("200");
	expect(limit).toEqual({ idle_in_transaction_session_timeout: "43s" });
});

test("a connection that is lost while its handler waits ends neither the process nor the wait", async () => {
	const eventId = nextId();
	let reason: unknown;
	const receiver = createInboxReceiver(postgresInbox(pool), async (event, context) => {
		await write(event, context);
		context.signal.addEventListener("abort", () => {
			reason = context.signal.reason;
		});
		const { rows } = await context.transaction.query("SELECT pg_backend_pid() AS pid");
		await observer.query("SELECT pg_terminate_backend($1)", [rows[0]?.["pid"]]);
		await new Promise(() => undefined);
	});
	expect(await receiver.deliver(eventId)).toBe("503 store_unavailable");
	expect(reason).toMatchObject({ name: "LeaseEndedError", reason: "lost" });
	expect(receiver.reports.map(({ message }) => message)).toEqual([
		"InboxDatabaseError: the connection was lost while the handler ran",
	]);
	expect(await find(eventId)).toEqual({ effects: 0, records: 0 });
	expect(pool.totalCount - pool.idleCount).toBe(0);
});

test("a connection that is lost at COMMIT is 503, and a repeat finds what happened", async () => {
	const eventId = nextId();
	const receiver = createInboxReceiver(postgresInbox(pool), (event, context) => {
		pool.beforeEach = (text, client) => {
			if (!text.endsWith("COMMIT")) return text;
			pool.beforeEach = (other) => other;
			// The server commits, and the reply is lost.
			setImmediate(() => Reflect.get(Object(client), "connection").stream.destroy());
			return text;
		};
		return write(event, context);
	});
	expect(await receiver.deliver(eventId)).toBe("503 store_unavailable");
	await untilIdle();
	expect(await receiver.deliver(eventId)).toBe("200");
	expect(await find(eventId)).toEqual({ effects: 1, records: 1 });
});

test("without a free connection the response is 503 within storeTimeoutMs, and a late one is given back", async () => {
	const eventId = nextId();
	const clients = await Promise.all(Array.from({ length: 4 }, () => pool.connect()));
	const receiver = createInboxReceiver(postgresInbox(pool), write, { storeTimeoutMs: 100 });
	expect(await receiver.deliver(eventId)).toBe("503 store_unavailable");
	expect(receiver.reports[0]?.message).toContain("no response within storeTimeoutMs, 100 ms");
	for (const client of clients) client.release();
	await expect.poll(() => [pool.waitingCount, pool.totalCount - pool.idleCount]).toEqual([0, 0]);
	expect(await find(eventId)).toEqual({ effects: 0, records: 0 });
	expect(await createInboxReceiver(postgresInbox(pool), write).deliver(eventId)).toBe("200");
});

test("a connection that is dead without a sign is given up when it begins", async () => {
	const eventId = nextId();
	await using proxy = await startSilentProxy(url);
	const fragile = new WatchedPool(proxy.url, { max: 2 });
	const clients = await Promise.all([fragile.connect(), fragile.connect()]);
	for (const client of clients) client.release();
	proxy.silence();
	const fragileInbox = postgresInbox(fragile);
	const deliver = (storeTimeoutMs: number) =>
		createInboxReceiver(fragileInbox, write, { storeTimeoutMs }).deliver(eventId);
	expect([await deliver(50), await deliver(50)]).toEqual(Array(2).fill("503 store_unavailable"));
	expect(await deliver(PROCESS_LIFE_MS)).toBe("200");
	expect(await find(eventId)).toEqual({ effects: 1, records: 1 });
	await fragile.end();
});

test("a handler that asks its own full pool waits for itself until its time is over", async () => {
	const eventId = nextId();
	const single = new WatchedPool(url, { max: 1 });
	const receiver = createInboxReceiver(
		postgresInbox(single),
		async (event, context) => {
			await write(event, context);
			await single.query("SELECT 1");
		},
		{ maxHandlerMs: 200 },
	);
	expect(await receiver.deliver(eventId)).toBe("503 handler_timed_out");
	await untilIdle();
	expect(await find(eventId)).toEqual({ effects: 0, records: 0 });
	expect(await createInboxReceiver(postgresInbox(single), write).deliver(eventId)).toBe("200");
	await single.end();
});

test("with a limit for a connection it fails earlier", async () => {
	const eventId = nextId();
	const single = new WatchedPool(url, { max: 1, connectionTimeoutMillis: 100 });
	// The limit holds for the inbox, too, which would have to connect.
	await eventually(() => single.query("SELECT 1"));
	const receiver = createInboxReceiver(postgresInbox(single), async (event, context) => {
		await write(event, context);
		await single.query("SELECT 1");
	});
	expect(await receiver.deliver(eventId)).toBe("500 handler_failed");
	expect(receiver.reports[0]?.message).toContain("timeout exceeded when trying to connect");
	expect(await find(eventId)).toEqual({ effects: 0, records: 0 });
	await single.end();
});

test("the binding stays when the run is rolled back: a copy under another id is the same event", async () => {
	const eventId = nextId();
	const seen: string[] = [];
	const receiver = createInboxReceiver(postgresInbox(pool), (event) => {
		seen.push(event.eventId);
		throw new Error("no");
	});
	const original = createWebhookRequest("inbound_message", {}, { eventId });
	const copy = new Request(original.clone());
	copy.headers.set("X-SVC-Event-Id", nextId());
	expect([await receiver.send(original), await receiver.send(copy)]).toEqual(
		Array(2).fill("500 handler_failed"),
	);
	expect(seen).toEqual([eventId, eventId]);
});

test("a copy under the id of another event does not keep that one waiting", async () => {
	const [eventId, otherId] = [nextId(), nextId()];
	const receiver = createInboxReceiver(postgresInbox(pool), write);
	const original = createWebhookRequest("inbound_message", {}, { eventId });
	const copy = new Request(original.clone());
	copy.headers.set("X-SVC-Event-Id", otherId);
	expect(await receiver.send(original)).toBe("200");
	let meanwhile: string | undefined;
	pool.beforeEach = async (text) => {
		// The copy's first transaction is open.
		if (text === "ROLLBACK" && meanwhile === undefined) {
			meanwhile = "";
			meanwhile = await createInboxReceiver(postgresInbox(observer), write).deliver(otherId);
		}
		return text;
	};
	expect([await receiver.send(copy), meanwhile]).toEqual(["200", "200"]);
	expect([await find(eventId), await find(otherId)]).toEqual(Array(2).fill({ effects: 1, records: 1 }));
});

test("a server that runs SERIALIZABLE by default changes nothing", async () => {
	const eventId = nextId();
	const other = new WatchedPool(url, { options: "-c default_transaction_isolation=serializable" });
	const receiver = createInboxReceiver(postgresInbox(other), write);
	expect([await receiver.deliver(eventId), await receiver.deliver(eventId)]).toEqual(["200", "200"]);
	await other.end();
});

test("expired records are removed, and run again", async () => {
	const eventId = nextId();
	const inbox = postgresInbox(pool);
	const receiver = createInboxReceiver(inbox, write);
	await receiver.deliver(eventId);
	await observer.query("UPDATE messaging_gateway_records SET expires_at = 1 WHERE key = $1", [
		`event:default:${eventId}`,
	]);
	expect(await receiver.deliver(eventId)).toBe("200");
	expect(await countEffects(observer, eventId)).toBe(2);
	await observer.query("UPDATE messaging_gateway_records SET expires_at = 1");
	expect(await inbox.sweep()).toBeGreaterThan(0);
});

test.each([
	["binds", "500 handler_failed", 1],
	["commits", "200", 2],
])(
	"an inbox that %s removes expired records, by chance, from its first delivery on",
	async (_name, status, writes) => {
		const random = vi.spyOn(Math, "random").mockReturnValue(1 / 50);
		onTestFinished(() => random.mockRestore());
		const work = status === "200" ? write : () => Promise.reject(new Error("no"));
		const deliver = () => createInboxReceiver(postgresInbox(pool), work).deliver(nextId());
		const countOld = async () =>
			(await observer.query("SELECT FROM messaging_gateway_records WHERE key = 'old'")).rowCount;
		await observer.query(
			"INSERT INTO messaging_gateway_records (key, state, expires_at) VALUES ('old', 'seen', 1)",
		);
		expect([await deliver(), await countOld()]).toEqual([status, 1]);
		for (let write = 1; write < writes; write++) random.mockReturnValueOnce(1 / 50);
		random.mockReturnValueOnce(1 / 50 - Number.EPSILON);
		expect(await deliver()).toBe(status);
		await expect.poll(countOld).toBe(0);
	},
);

test("without its table, the error names what to do, and no value", async () => {
	const receiver = createInboxReceiver(postgresInbox(pool, { table: "nowhere" }), write);
	expect(await receiver.deliver(nextId())).toBe("503 store_unavailable");
	expect(receiver.reports[0]?.message).toContain(
		"the table nowhere is missing. Call createTable() once, run the SQL of postgresTable(), or pass createIfMissing: true",
	);
});

test("createIfMissing creates the table for a sweep, too", async () => {
	expect(await postgresInbox(pool, { table: "at_first_sweep", createIfMissing: true }).sweep()).toBe(0);
});

test("createIfMissing creates the table before the transaction of the first handler", async () => {
	const inbox = postgresInbox(pool, { table: "at_first_use", createIfMissing: true });
	const webhooks = createWebhookHandler({ secret: "a", inbox, on: { unknown: () => undefined } });
	await webhooks.ready();
	const { rows } = await observer.query("SELECT state FROM at_first_use");
	expect(rows).toEqual([{ state: "bound" }]);
	const receiver = createInboxReceiver(inbox, write);
	expect(await receiver.deliver(nextId())).toBe("200");
	expect(receiver.reports).toEqual([]);
});

test.each([
	[{ store: memoryStore() }, "Give either store or inbox, not both"],
	[{ leaseMs: 1_000 }, "leaseMs is for a store"],
	[{ inbox: {} }, "inbox must be"],
])("an inbox with %j is a configuration error", (options, message) => {
	const create = createWebhookHandler as (given: unknown) => unknown;
	const error = catchError(() => create({ inbox: postgresInbox(pool), on: {}, ...options }));
	expect(error).toHaveProperty("message", expect.stringContaining(message));
});
