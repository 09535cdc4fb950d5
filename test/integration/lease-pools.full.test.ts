import { postgresStore } from "messaging-gateway/stores/postgres";
import { createWebhookRequest } from "messaging-gateway/testing";
import { createWebhookHandler } from "messaging-gateway/webhooks";
import { Pool } from "pg";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { share } from "../support/shared/shared.ts";

const LEASE_MS = 1_500;
const STATEMENT_SECONDS = 3;
const SECRET = "webhook-secret-1";

let url: string;

beforeAll(async () => {
	({ url } = await share("postgres"));
});

function openPool(): Pool {
	const pool = new Pool({ connectionString: url, max: 1 }).on("error", () => undefined);
	onTestFinished(() => pool.end());
	return pool;
}

/** An event whose handler's statement takes longer than the lease, and a repeat of it when the lease would be over. */
async function deliverTwice(name: string, storePool: Pool, pool: Pool) {
	const store = postgresStore(storePool, { table: `records_${name}` });
	await store.createTable();
	await pool.query(`CREATE TABLE effects_${name} (event_id text)`);
	const startedAt = performance.now();
	const reports: { name: string; hint: string; atMs: number }[] = [];
	const webhooks = createWebhookHandler({
		secret: SECRET,
		store,
		leaseMs: LEASE_MS,
		onError: (error, { hint }) => {
			reports.push({ name: (error as Error).name, hint, atMs: performance.now() - startedAt });
		},
		on: {
			unknown: () => undefined,
			inbound_message: async ({ eventId }) => {
				await pool.query(
					`WITH slow AS (SELECT pg_sleep(${STATEMENT_SECONDS})) INSERT INTO effects_${name} SELECT $1 FROM slow`,
					[eventId],
				);
			},
		},
	});
	const request = () => createWebhookRequest("inbound_message", {}, { secret: SECRET, eventId: "evt_1" });
	const first = webhooks.fetch(request());
	await new Promise((resolve) => setTimeout(resolve, LEASE_MS + 200));
	const second = webhooks.fetch(request());
	const statuses = [(await first).status, (await second).status];
	const { rows } = await pool.query(`SELECT event_id FROM effects_${name}`);
	return { statuses, effects: rows.length, reports };
}

test("a store with a Pool of its own keeps the lease over a long statement: one effect", async () => {
	const { statuses, effects, reports } = await deliverTwice("own", openPool(), openPool());
	expect([statuses, effects, reports]).toEqual([[200, 503], 1, []]);
});

test("a store that shares the handler's Pool says so before the lease ends", async () => {
	const pool = openPool();
	const { reports } = await deliverTwice("shared", pool, pool);
	expect(reports[0]).toMatchObject({
		name: "LateHeartbeatError",
		hint: expect.stringContaining("give the store a Pool of its own"),
	});
	expect(reports[0]?.atMs).toBeLessThan(LEASE_MS);
});
