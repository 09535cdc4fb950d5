import { postgresInbox } from "messaging-gateway/stores/postgres";
import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startPgBouncer } from "../support/servers/pgbouncer-server.ts";
import { share } from "../support/shared/shared.ts";
import {
	countEffects,
	createInboxReceiver,
	createInboxTables,
	type InboxWork,
	WatchedPool,
} from "./support/inbox.ts";

let url: string;
let observer: pg.Pool;
let at = 0;

beforeAll(async () => {
	({ url } = await share("postgres"));
	observer = new pg.Pool({ connectionString: url });
	await createInboxTables(observer);
});

afterAll(() => observer.end());

const nextIds = (count: number): string[] => Array.from({ length: count }, () => `evt_named_${at++}`);

const write: InboxWork<pg.ClientBase> = ({ eventId }, { transaction }) =>
	transaction.query("INSERT INTO effects VALUES ($1)", [eventId]);

/** A pool whose texts are noted, by their first word. */
function openPool(target: string, max: number) {
	const pool = new WatchedPool(target, { max });
	const words: string[] = [];
	pool.beforeEach = (text) => {
		words.push(/EXECUTE/.test(text) ? "named" : (/^\w+/.exec(text)?.[0] ?? ""));
		return text;
	};
	onTestFinished(() => pool.end());
	return { pool, count: (word: string) => words.filter((each) => each === word).length };
}

async function expectOnce(eventIds: readonly string[]): Promise<void> {
	for (const eventId of eventIds) expect(await countEffects(observer, eventId)).toBe(1);
}

test("a connection gets its names once, for all inboxes over its pool", async () => {
	const { pool, count } = openPool(url, 1);
	const receivers = [postgresInbox(pool), postgresInbox(pool)].map((each) =>
		createInboxReceiver(each, write),
	);
	const eventIds = nextIds(12);
	for (const receiver of receivers)
		for (const eventId of eventIds) expect(await receiver.deliver(eventId)).toBe("200");
	expect([count("PREPARE"), count("named")]).toEqual([1, 24]);
	await expectOnce(eventIds);
});

test("a connection gets one listener for all inboxes over its pool, as in tests that make the app again", async () => {
	const { pool } = openPool(url, 1);
	const eventIds = nextIds(12);
	for (const eventId of eventIds)
		expect(await createInboxReceiver(postgresInbox(pool), write).deliver(eventId)).toBe("200");
	const client = await pool.connect();
	onTestFinished(() => client.release());
	// The pool's own one is there while a client is idle.
	expect(client.listenerCount("error")).toBe(1);
	await expectOnce(eventIds);
});

test.each(["DISCARD ALL", "DEALLOCATE ALL"])(
	"%s between two events costs the names, and nothing else",
	async (statement) => {
		const { pool, count } = openPool(url, 1);
		const receiver = createInboxReceiver(postgresInbox(pool), write);
		const eventIds = nextIds(3);
		for (const eventId of eventIds) {
			expect(await receiver.deliver(eventId)).toBe("200");
			await pool.query(statement);
		}
		expect([count("named"), count("ROLLBACK")]).toEqual([2, 1]);
		expect(receiver.reports).toEqual([]);
		await expectOnce(eventIds);
	},
);

test("a handler that drops the names commits, since nothing behind it has one", async () => {
	const { pool } = openPool(url, 1);
	const [eventId = ""] = nextIds(1);
	const receiver = createInboxReceiver<pg.ClientBase>(postgresInbox(pool), async (event, context) => {
		await context.transaction.query("DEALLOCATE ALL");
		await write(event, context);
	});
	expect(await receiver.deliver(eventId)).toBe("200");
	await expectOnce([eventId]);
});

test("a name that belongs to somebody else is not used", async () => {
	const { pool } = openPool(url, 1);
	for (const eventId of nextIds(1)) await createInboxReceiver(postgresInbox(pool), write).deliver(eventId);
	const { rows } = await pool.query<{ name: string }>("SELECT name FROM pg_prepared_statements");
	expect(rows).toHaveLength(3);
	const other = openPool(url, 1);
	for (const { name } of rows) await other.pool.query(`PREPARE ${name} AS SELECT 1`);
	const eventIds = nextIds(2);
	const receiver = createInboxReceiver(postgresInbox(other.pool), write);
	for (const eventId of eventIds) expect(await receiver.deliver(eventId)).toBe("200");
	expect([other.count("PREPARE"), other.count("named")]).toEqual([1, 0]);
	await expectOnce(eventIds);
});

test("one connection serves many deliveries at a time", async () => {
	const { pool } = openPool(url, 1);
	const receiver = createInboxReceiver(postgresInbox(pool), write);
	const eventIds = nextIds(16);
	const responses = await Promise.all(eventIds.map((eventId) => receiver.deliver(eventId)));
	expect(new Set(responses)).toEqual(new Set(["200"]));
	await expectOnce(eventIds);
});

test("behind a PgBouncer in transaction mode, whose servers change, each event is processed once", async () => {
	await using bouncer = await startPgBouncer(url, "transaction");
	const pools = [openPool(bouncer.url, 6).pool, openPool(bouncer.url, 6).pool];
	const receivers = pools.map((pool) => createInboxReceiver(postgresInbox(pool), write));
	const eventIds = nextIds(120);
	const responses = await Promise.all(
		eventIds.map((eventId, number) => receivers[number % receivers.length]?.deliver(eventId)),
	);
	expect(new Set(responses)).toEqual(new Set(["200"]));
	expect(receivers.flatMap(({ reports }) => reports)).toEqual([]);
	await expectOnce(eventIds);
});
