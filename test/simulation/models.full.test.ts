import { MessagingGateway } from "messaging-gateway";
import { createLocalGateway } from "messaging-gateway/testing";
import pg from "pg";
import { createClient } from "redis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { share } from "../support/shared/shared.ts";
import { REJECTIONS } from "./gateway.ts";
import { PlayedRedis } from "./redis.ts";
import { SUBJECT } from "./subject.ts";
import { World } from "./world.ts";

/** What the simulation says of servers, held against them. What it does not say here, they do themselves in it. */
const opened = new AsyncDisposableStack();

afterAll(() => opened.disposeAsync());

test.each(Object.entries(REJECTIONS))("the gateway %s as the local one does", async (rejection, model) => {
	await using local = createLocalGateway();
	const responses: Response[] = [];
	const gateway = new MessagingGateway({
		...local.clientOptions,
		maxRetries: 0,
		logLevel: "off",
		fetch: async (url, init) => {
			const response = await local.clientOptions.fetch(url, init);
			responses.push(response.clone());
			return response;
		},
	});
	const message = { to: "+15551234567", text: "Hello" };
	if (rejection === "refuses") await gateway.messages.sendText(message);
	else local.faults.respond({ status: model.status });
	await expect(gateway.messages.sendText(message)).rejects.toThrow();
	const response = responses.at(-1);
	expect(response?.status).toBe(model.status);
	expect(await response?.json()).toMatchObject({ ok: false, error: { code: model.code } });
});

describe("the commands of Redis", () => {
	const openClient = (url: string) => createClient({ url }).connect();
	let client: Awaited<ReturnType<typeof openClient>>;
	let played: PlayedRedis;
	const world = new World({ seed: 1 });

	beforeAll(async () => {
		const { url } = await share("redis");
		client = await openClient(url);
		opened.defer(() => client.close());
		played = opened.use(await PlayedRedis.open((await share("redis")).url));
		await played.begin(world);
	});

	test.each([
		["GET of no key", "return {redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1])}"],
		[
			"SET with an expiry",
			"return {redis.call('SET', KEYS[1], 'a', 'PX', 9000), redis.call('GET', KEYS[1])}",
		],
		[
			"SET if there is none",
			"return {redis.call('SET', KEYS[1], 'b', 'NX', 'PX', '9000'), redis.call('GET', KEYS[1])}",
		],
		["SET over another", "return {redis.call('SET', KEYS[1], 'c', 'PX', 60000), redis.call('GET', KEYS[1])}"],
		[
			"SET that keeps the expiry",
			"redis.call('SET', KEYS[1], 'd', 'KEEPTTL') local left = redis.call('PTTL', KEYS[1]) return {left > 50000, left <= 60000}",
		],
		[
			"the number of a value",
			"redis.call('SET', KEYS[1], 5, 'PX', 9000) return redis.call('GET', KEYS[1]) + 1",
		],
		["TIME", "local time = redis.call('TIME') return {type(time[1]), type(time[2]), #time}"],
	])("%s", async (_, script) => {
		const real = await client.eval(script, { keys: ["model"], arguments: [] });
		expect(await played.run(script, ["model"], [])).toEqual(real);
	});

	test("a key expires when its time has come", async () => {
		const set = "redis.call('SET', KEYS[1], 'e', 'PX', 1)";
		const get = "return {redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1])}";
		await client.eval(set, { keys: ["model"], arguments: [] });
		await played.run(set, ["model"], []);
		world.now += 1;
		const gone = await played.run(get, ["model"], []);
		await eventually(async () =>
			expect(await client.eval(get, { keys: ["model"], arguments: [] })).toEqual(gone),
		);
	});
});

describe("a connection of PostgreSQL", () => {
	let url: string;
	let observer: pg.Client;

	beforeAll(async () => {
		({ url } = await share("postgres"));
		observer = await connect();
		await observer.query("CREATE TABLE rows (name text NOT NULL)");
	});

	async function connect(): Promise<pg.Client> {
		const client = new pg.Client({ connectionString: url });
		client.on("error", () => undefined);
		await client.connect();
		opened.defer(() => client.end().catch(() => undefined));
		return client;
	}

	/** A connection in a transaction that has a row and a lock. */
	async function beginWith(name: string): Promise<pg.Client> {
		const client = await connect();
		await client.query("BEGIN");
		await client.query("SELECT pg_advisory_xact_lock(hashtext($1))", [name]);
		await client.query("INSERT INTO rows VALUES ($1)", [name]);
		return client;
	}

	async function lockOf(name: string): Promise<boolean> {
		const { rows } = await observer.query("SELECT pg_try_advisory_xact_lock(hashtext($1)) AS free", [name]);
		return rows[0]?.free;
	}

	async function countRows(name: string): Promise<number> {
		return (await observer.query("SELECT FROM rows WHERE name = $1", [name])).rowCount ?? 0;
	}

	test("that is lost takes its transaction with it, as ROLLBACK does", async () => {
		const lost = await beginWith("lost");
		const rolledBack = await beginWith("rolled back");
		expect([await lockOf("lost"), await lockOf("rolled back")]).toEqual([false, false]);
		Reflect.get(lost, "connection").stream.destroy();
		await rolledBack.query("ROLLBACK");
		await eventually(async () => expect(await lockOf("lost")).toBe(true));
		expect([await lockOf("rolled back"), await countRows("lost"), await countRows("rolled back")]).toEqual([
			true,
			0,
			0,
		]);
	});

	test("that stands idle in a transaction is ended, and says so", async () => {
		const idle = await beginWith("idle");
		const ended = new Promise<Error>((resolve) => idle.on("error", resolve));
		await idle.query("SELECT set_config('idle_in_transaction_session_timeout', '1', true)");
		expect(String(await ended)).toMatch(/idle-in-transaction timeout|terminated unexpectedly/);
		await eventually(async () => expect(await lockOf("idle")).toBe(true));
		expect(await countRows("idle")).toBe(0);
		await expect(idle.query("COMMIT")).rejects.toThrow();
	});

	test("that is lost after COMMIT was sent has committed, or has not, and never in part", async () => {
		const client = await beginWith("unknown");
		await client.query("INSERT INTO rows VALUES ('unknown')");
		client.query("COMMIT").catch(() => undefined);
		setImmediate(() => Reflect.get(client, "connection").stream.destroy());
		await eventually(async () => expect(await lockOf("unknown")).toBe(true));
		expect([0, 2]).toContain(await countRows("unknown"));
	});

	test("in a failed transaction answers COMMIT with ROLLBACK", async () => {
		const client = await beginWith("failed");
		await expect(client.query("SELECT 1 / 0")).rejects.toThrow("division by zero");
		expect((await client.query("COMMIT")).command).toBe("ROLLBACK");
	});

	test("makes one that inserts the same key wait until its transaction is over", async () => {
		const pool = new pg.Pool({ connectionString: url });
		opened.defer(() => pool.end());
		await SUBJECT.postgresInbox(pool).createTable();
		const insert =
			"INSERT INTO messaging_gateway_records (key, state, expires_at) VALUES ('k', 'done', 0) ON CONFLICT DO NOTHING";
		const first = await connect();
		const second = await connect();
		await first.query("BEGIN");
		await first.query(insert);
		await second.query("SET lock_timeout = 50");
		await expect(second.query(insert)).rejects.toMatchObject({ code: "55P03" });
		await first.query("ROLLBACK");
		expect((await second.query(insert)).rowCount).toBe(1);
	});
});
