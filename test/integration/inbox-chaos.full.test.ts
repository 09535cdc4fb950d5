import { postgresInbox } from "messaging-gateway/stores/postgres";
import pg from "pg";
import { expect, test } from "vitest";
import { runInboxChaos } from "../chaos/inbox-chaos.ts";
import { createInboxReceiver, createInboxTables } from "../support/inbox.ts";
import { TEST_TIMEOUT_MS } from "../support/patience.ts";
import { startPgBouncer } from "../support/servers/pgbouncer-server.ts";
import { share } from "../support/shared/shared.ts";

/** The short form of `npm run chaos`: each kind of strike before each statement, once. */
test.each([
	["PostgreSQL", false],
	["PgBouncer in transaction mode", true],
])(
	"%s: every event has one effect, without a fencing check in the handler",
	async (_name, isPooled) => {
		const { counts, failures } = await runInboxChaos({ events: 105, seed: 1, isPooled });
		expect(failures).toEqual([]);
		expect(counts).toMatchObject({ effects: 105, lost: 0, doubled: 0, torn: 0 });
		expect(counts["kills"]).toBeGreaterThan(0);
	},
	6 * TEST_TIMEOUT_MS,
);

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
