import { Redis } from "ioredis";
import { type PostgresClient, postgresStore } from "messaging-gateway/stores/postgres";
import { fromIoredis, redisStore } from "messaging-gateway/stores/redis";
import { createWebhookRequest } from "messaging-gateway/testing";
import { createWebhookHandler, type EventStore, type HandlerContext } from "messaging-gateway/webhooks";
import { Pool } from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { share } from "../support/shared/shared.ts";
import { type DroppingProxy, startDroppingProxy } from "./support/dropping-proxy.ts";

/**
 * Delivers events of which one loses the response of its claim.
 * @param step - which of the requests of a delivery claims.
 * @returns their responses, and what the runs were.
 */
async function deliverWithALostResponse(store: EventStore, proxy: DroppingProxy, step = 1) {
	const handle = vi.fn<(event: unknown, context: HandlerContext) => void>();
	const webhooks = createWebhookHandler({
		secret: "local-webhook-secret",
		store,
		on: { status: handle, unknown: () => undefined },
	});
	const prefix = crypto.randomUUID();
	const deliver = async (eventId: string) =>
		(await webhooks.fetch(createWebhookRequest("status", {}, { eventId: `${prefix}_${eventId}` }))).status;
	// Each event is another one's neighbour: scripts are loaded, and connections open.
	const first = await deliver("evt_1");
	proxy.dropNext(step);
	const second = await deliver("evt_2");
	expect(proxy.dropped).toBe(1);
	return {
		statuses: [first, second, await deliver("evt_2")],
		attempts: handle.mock.calls.map(([, { attempt }]) => attempt),
	};
}

/** Processed at once, and once: nothing waits for a lease, and nothing runs again. */
const ONCE = { statuses: [200, 200, 200], attempts: [1, 1] };

test.each([
	["in one step", true, 1],
	["in two steps, at the binding", false, 1],
	["in two steps, at the claim", false, 2],
])(
	"ioredis, which sends again by default, %s: a claim whose response is lost finds its own",
	async (_title, oneServer, step) => {
		await using proxy = await startDroppingProxy((await share("redis")).url);
		const client = new Redis(proxy.url).on("error", () => undefined);
		onTestFinished(() => client.disconnect());
		const store = redisStore(
			{ ...fromIoredis(client), oneServer },
			{ prefix: `test ${crypto.randomUUID()}:` },
		);
		expect(await deliverWithALostResponse(store, proxy, step)).toEqual(ONCE);
	},
);

test("a client of PostgreSQL that sends the statement again finds its own claim", async () => {
	await using proxy = await startDroppingProxy((await share("postgres")).url);
	const pool = new Pool({ connectionString: proxy.url, max: 1 }).on("error", () => undefined);
	onTestFinished(() => pool.end());
	const again: PostgresClient = {
		query: (text, values) => pool.query(text, values).catch(() => pool.query(text, values)),
	};
	const store = postgresStore(again, { table: "sent_again" });
	await store.createTable();
	expect(await deliverWithALostResponse(store, proxy)).toEqual(ONCE);
});
