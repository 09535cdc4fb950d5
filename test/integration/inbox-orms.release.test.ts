import { PermanentWebhookError, type WebhookHandlerSettings } from "messaging-gateway/webhooks";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OrmInbox, openDrizzle, openKysely, openTypeorm } from "../orms/open.ts";
import { share } from "../support/shared/shared.ts";
import { countEffects, createInboxReceiver, createInboxTables, type InboxReceiver } from "./support/inbox.ts";

testOrm("Drizzle", openDrizzle);
testOrm("Kysely", openKysely);
testOrm("TypeORM", openTypeorm);

/** What a handler does in the transaction, whatever its library. */
type Work = (
	event: { readonly eventId: string },
	context: { readonly transaction: (statement: string) => Promise<unknown>; readonly signal: AbortSignal },
) => unknown;

function testOrm<Handle>(
	name: string,
	open: (pool: pg.Pool, url: string) => Promise<OrmInbox<Handle>>,
): void {
	describe(name, () => testInbox(open));
}

function testInbox<Handle>(open: (pool: pg.Pool, url: string) => Promise<OrmInbox<Handle>>): void {
	let pool: pg.Pool;
	let observer: pg.Pool;
	let opened: OrmInbox<Handle>;

	beforeAll(async () => {
		const { url } = await share("postgres");
		pool = new pg.Pool({ connectionString: url, max: 4 });
		pool.on("error", () => undefined);
		// A checked-out client has no listener of these libraries.
		pool.on("connect", (client) => client.on("error", () => undefined));
		observer = new pg.Pool({ connectionString: url });
		await createInboxTables(observer);
		opened = await open(pool, url);
	});

	afterAll(async () => {
		await opened.close?.();
		await pool.end();
		await observer.end();
	});

	const insert = (eventId: string): string => `INSERT INTO effects VALUES ('${eventId}')`;

	function createReceiver(work: Work, settings: WebhookHandlerSettings = {}): InboxReceiver {
		return createInboxReceiver(
			opened.inbox,
			(event, { transaction, signal }) =>
				work(event, { signal, transaction: (statement) => opened.run(transaction, statement) }),
			settings,
		);
	}

	async function countRecords(eventId: string): Promise<number | null> {
		const statement = "SELECT FROM messaging_gateway_records WHERE key = $1";
		return (await observer.query(statement, [`event:default:${eventId}`])).rowCount;
	}

	test("record and effect commit together, once", async () => {
		const receiver = createReceiver(({ eventId }, { transaction }) => transaction(insert(eventId)));
		expect([await receiver.deliver("evt_1"), await receiver.deliver("evt_1")]).toEqual(["200", "200"]);
		expect(receiver.reports).toEqual([]);
		expect([await countEffects(observer, "evt_1"), await countRecords("evt_1")]).toEqual([1, 1]);
	});

	test("a handler that throws leaves neither; one that gives up leaves the record", async () => {
		let error = new Error("no");
		const receiver = createReceiver(async ({ eventId }, { transaction }) => {
			await transaction(insert(eventId));
			throw error;
		});
		expect(await receiver.deliver("evt_2")).toBe("500 handler_failed");
		expect([await countEffects(observer, "evt_2"), await countRecords("evt_2")]).toEqual([0, 0]);
		error = new PermanentWebhookError("never");
		expect(await receiver.deliver("evt_2")).toBe("200");
		expect([await countEffects(observer, "evt_2"), await countRecords("evt_2")]).toEqual([0, 1]);
	});

	test("a swallowed SQL error and an inner COMMIT are not acknowledged", async () => {
		let statement = "SELECT 1 / 0";
		const receiver = createReceiver(async ({ eventId }, { transaction }) => {
			await transaction(insert(eventId));
			await transaction(statement).catch(() => undefined);
		});
		expect(await receiver.deliver("evt_3")).toBe("500 handler_failed");
		expect([await countEffects(observer, "evt_3"), await countRecords("evt_3")]).toEqual([0, 0]);
		statement = "COMMIT";
		expect(await receiver.deliver("evt_3")).toBe("500 handler_failed");
		expect(await receiver.deliver("evt_3")).toBe("200");
		expect([await countEffects(observer, "evt_3"), await countRecords("evt_3")]).toEqual([1, 1]);
	});

	test("a statement that fails after the last check makes COMMIT a rollback, which is looked up", async () => {
		let stray: Promise<unknown> = Promise.resolve();
		const receiver = createReceiver(async ({ eventId }, { transaction }) => {
			await transaction(insert(eventId));
			// It is sent after the check, whose response takes at least until the next task.
			setImmediate(() => {
				stray = transaction("SELECT 1 / 0").catch(() => undefined);
			});
		});
		const response = await receiver.deliver("evt_4");
		await stray;
		const left = [await countEffects(observer, "evt_4"), await countRecords("evt_4")];
		expect([response, ...left]).toEqual(["500 handler_failed", 0, 0]);
	});

	/** Until the server has ended the connection, its transaction is open: what it takes is lost with it. */
	async function insertUntilRejected(
		transaction: (statement: string) => Promise<unknown>,
		eventId: string,
	): Promise<void> {
		for (;;) {
			try {
				await transaction(insert(eventId));
			} catch {
				return;
			}
		}
	}

	test("a handler that is out of time never commits, and its connection serves nobody else", async () => {
		let late = Promise.resolve();
		const receiver = createReceiver(
			async ({ eventId }, { transaction, signal }) => {
				const aborted = Promise.withResolvers<void>();
				signal.addEventListener("abort", () => aborted.resolve());
				await transaction(insert(eventId));
				late = aborted.promise.then(() => insertUntilRejected(transaction, eventId));
				await new Promise(() => undefined);
			},
			{ maxHandlerMs: 100 },
		);
		expect(await receiver.deliver("evt_5")).toBe("503 handler_timed_out");
		await late;
		expect([await countEffects(observer, "evt_5"), await countRecords("evt_5")]).toEqual([0, 0]);
	});
}
