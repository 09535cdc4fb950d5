import { postgresInbox } from "messaging-gateway/stores/postgres";
import pg from "pg";
import { expect, test } from "vitest";
import { createInboxReceiver, createInboxTables } from "../support/inbox.ts";
import { startPgBouncer } from "../support/servers/pgbouncer-server.ts";
import { share } from "../support/shared/shared.ts";

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
