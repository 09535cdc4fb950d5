import { postgresInbox, postgresStore } from "messaging-gateway/stores/postgres";
import pg from "pg";
import { expect, test } from "vitest";
import { startPgBouncer } from "../support/servers/pgbouncer-server.ts";
import { share } from "../support/shared/shared.ts";
import { createInboxReceiver, createInboxTables } from "./support/inbox.ts";

test("PgBouncer in statement mode is named", async () => {
	const { url } = await share("postgres");
	const direct = new pg.Pool({ connectionString: url });
	await createInboxTables(direct);
	await direct.end();
	await using bouncer = await startPgBouncer(url, "statement");
	const pool = new pg.Pool({ connectionString: bouncer.url });
	pool.on("error", () => undefined);
	const receiver = createInboxReceiver(postgresInbox(pool), () => undefined);
	expect(await receiver.deliver("evt_1")).toBe("503 store_unavailable");
	expect(receiver.reports[0]?.message).toContain("use transaction mode");
	await pool.end();
});

test.each(["transaction", "statement"] as const)(
	"behind a PgBouncer in %s mode without prepared statements a store goes on without names",
	async (mode) => {
		const { url } = await share("postgres");
		await using bouncer = await startPgBouncer(url, mode);
		const pool = new pg.Pool({ connectionString: bouncer.url, max: 8 });
		pool.on("error", () => undefined);
		const table = `records_${mode}`;
		const store = postgresStore(pool, { table });
		await store.createTable();
		const times = { leaseMs: 60_000, retentionMs: 600_000 };
		const process = async (at: number) => {
			const claim = await store.claim(`default:evt_${at}`, times, { digest: `${at}`, ttlMs: 60_000 });
			return claim.status === "acquired" && store.complete(`default:evt_${at}`, claim.token, 600_000);
		};
		const isDone = await Promise.all(Array.from({ length: 200 }, (_, at) => process(at)));
		expect(isDone).toEqual(isDone.map(() => true));
		const { rows } = await pool.query(`SELECT count(*) FROM ${table} WHERE state = 'done' AND attempt = 1`);
		expect(rows).toEqual([{ count: "200" }]);
		await pool.end();
	},
);
