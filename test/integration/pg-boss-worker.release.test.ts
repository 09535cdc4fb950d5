import { createWebhookRequest } from "messaging-gateway/testing";
import { expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { type PgBossExample, startPgBossExample } from "../support/pg-boss-example.ts";
import { EXAMPLE_SECRET } from "../support/prove-example.ts";
import type { StartedProcess } from "../support/started-process.ts";
import { failWhenPrinting, killWhenPrinting } from "./support/print-hooks.ts";

const QUEUE = "webhooks";
const FAILED = "webhooks-failed";
const CONVERSATIONS = 20;
const TEXTS = 6;
/** It kills its worker. */
const DEADLY = "evt_4_2";
/** It fails until its worker is replaced. */
const FAILING = "evt_7_1";

test("a killed worker and a failed event lose nothing, and no conversation is out of order", async () => {
	await using example = await startPgBossExample("pg-boss-worker");
	const receiver = await example.start("receiver");
	await example.boss.updateQueue(QUEUE, { expireInSeconds: 1, retryBackoff: true, retryDelayMax: 1 });
	const fault = failWhenPrinting(FAILING);
	const attempts = { ATTEMPTS: "3" };
	const doomed = await example.start("worker", [...fault, ...killWhenPrinting(DEADLY)], attempts);
	await eachConversation(async (conversation) => {
		for (let at = 0; at < TEXTS; at++) {
			await deliverText(receiver, conversation, at);
			await deliverText(receiver, conversation, at);
		}
	});
	await eventually(() => expect(doomed.lines.some((line) => line.startsWith(DEADLY))).toBe(true));
	const faulty = await example.start("worker", fault, attempts);

	// The failed event is given up, and its conversation goes on.
	await eventually(async () => expect(await states(example)).toEqual({ completed: 120 }));
	expect(await states(example, FAILED)).toEqual({ created: 1 });
	// A claim of the killed worker counts, even if the event was not its turn yet.
	expect(
		await example.query("SELECT max(retry_count) AS max FROM pgboss.job WHERE name = $1", [QUEUE]),
	).toEqual([{ max: 2 }]);

	await faulty.stop();
	await example.start("worker");
	const listed = expect.stringMatching(/^[0-9a-f-]{36}: made to fail$/);
	expect(await example.run("replay")).toEqual([listed]);
	expect(await states(example, FAILED)).toEqual({ created: 1 });
	expect(await example.run("replay", "--run")).toEqual([listed]);
	await eventually(async () => expect(await states(example)).toEqual({ completed: 121 }));
	expect(await example.run("replay", "--run")).toEqual([]);
	expect(await findOrderViolations(example)).toEqual([]);
});

test("an event that comes again, to any receiver, becomes no second job", async () => {
	await using example = await startPgBossExample("pg-boss-worker");
	const receivers = [await example.start("receiver"), await example.start("receiver")];
	const worker = await example.start("worker");
	for (const receiver of [...receivers, ...receivers]) await deliverText(receiver, 1, 1);
	await eventually(async () => expect(await states(example)).toEqual({ completed: 1 }));
	for (const receiver of receivers) await deliverText(receiver, 1, 1);
	expect(await states(example)).toEqual({ completed: 1 });
	expect(worker.lines).toEqual(["evt_1_1: a text of 2 characters"]);
});

test("a text that PostgreSQL cannot store as jsonb is queued", async () => {
	await using example = await startPgBossExample("pg-boss-worker");
	const receiver = await example.start("receiver");
	const worker = await example.start("worker");
	expect((await deliver(receiver, "evt_1", { text: "\u0000 and \uD800" })).status).toBe(200);
	await eventually(() => expect(worker.lines).toEqual(["evt_1: a text of 7 characters"]));
});

test("an event that the queue cannot store is not acknowledged, and accepted later", async () => {
	await using example = await startPgBossExample("pg-boss-worker");
	const receiver = await example.start("receiver");
	await example.postgres.stop("SIGKILL");
	const response = await deliver(receiver, "evt_1");
	expect(`${response.status} ${await response.text()}`).toBe("500 handler_failed");
	await example.postgres.start();
	await eventually(async () => expect((await deliver(receiver, "evt_1")).status).toBe(200));
	const worker = await example.start("worker");
	await eventually(() => expect(worker.lines).toEqual(["evt_1: a text of 5 characters"]));
});

test("receiver and worker end on a signal", async () => {
	await using example = await startPgBossExample("pg-boss-worker");
	const started = [await example.start("receiver"), await example.start("worker")];
	expect(await Promise.all(started.map((each) => each.stop()))).toEqual([0, 0]);
});

async function eachConversation(work: (conversation: number) => Promise<void>): Promise<void> {
	await Promise.all(Array.from({ length: CONVERSATIONS }, (_, conversation) => work(conversation)));
}

async function deliverText(receiver: StartedProcess, conversation: number, at: number): Promise<void> {
	const fields = { from: `+1555000${1_000 + conversation}`, text: "!".repeat(at + 1) };
	// As a gateway does: a database that cannot connect within the receiver's limit is not acknowledged.
	await eventually(async () => {
		expect((await deliver(receiver, `evt_${conversation}_${at}`, fields)).status).toBe(200);
	});
}

function deliver(receiver: StartedProcess, eventId: string, fields: Record<string, string> = {}) {
	const options = { eventId, secret: EXAMPLE_SECRET, url: `${receiver.url}/webhooks` };
	return fetch(createWebhookRequest("inbound_message", fields, options));
}

/** How many jobs are in each state. */
async function states(example: PgBossExample, queue = QUEUE): Promise<Record<string, number>> {
	const rows = await example.query<{ state: string; count: number }>(
		"SELECT state, count(*)::int AS count FROM pgboss.job WHERE name = $1 GROUP BY state",
		[queue],
	);
	return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

/** The jobs that began before the previous one of their conversation had finished. */
function findOrderViolations(example: PgBossExample): Promise<unknown[]> {
	return example.query(
		`SELECT * FROM (
			SELECT data, started_on, lag(completed_on) OVER (PARTITION BY singleton_key ORDER BY created_on) AS finished
			FROM pgboss.job WHERE name = $1
		) AS jobs WHERE started_on < finished`,
		[QUEUE],
	);
}
