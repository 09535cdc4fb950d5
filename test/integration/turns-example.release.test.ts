import { createLocalGateway, createWebhookRequest } from "messaging-gateway/testing";
import { type ListeningGateway, listen } from "messaging-gateway/testing/node";
import { expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { type PgBossExample, startPgBossExample } from "../support/pg-boss-example.ts";
import { EXAMPLE_SECRET } from "../support/prove-example.ts";
import { environmentFor } from "../support/started-example.ts";
import type { StartedProcess } from "../support/started-process.ts";
import { killWhenPrinting } from "./support/print-hooks.ts";

test("a line typed during a turn, and a repeat of an old one, get no second reply to what has one", async () => {
	await using example = await startPgBossExample("turns");
	await using gateway = await startGateway();
	const receiver = await example.start("receiver", [], { QUIET_SECONDS: "0" });
	await deliver(receiver, "first");
	await example.start("worker", [], { ...environmentOf(gateway), THINKING_MS: "3000" });
	// The turn has read the first line, and locked it.
	await eventually(async () =>
		expect(await example.query("SELECT FROM lines WHERE turn IS NULL FOR UPDATE SKIP LOCKED")).toEqual([]),
	);
	await deliver(receiver, "second");
	await eventually(() => expect(sentBy(gateway)).toHaveLength(2));
	// This one knows only what the database knows.
	await deliver(await example.start("receiver", [], { QUIET_SECONDS: "0" }), "first");
	await deliver(receiver, "third");
	await eventually(() => expect(sentBy(gateway)).toHaveLength(3));
	const lines = ["first", "second", "third"];
	expect(sentBy(gateway)).toEqual(lines.map((line) => `You wrote 1 lines: ${line}`));
});

test("a line that cannot be stored is not acknowledged, and accepted later", async () => {
	await using example = await startPgBossExample("turns");
	const receiver = await example.start("receiver");
	await example.postgres.stop("SIGKILL");
	expect((await post(receiver, "first")).status).toBe(500);
	await example.postgres.start();
	await eventually(async () => expect((await post(receiver, "first")).status).toBe(200));
	expect(await example.query("SELECT event_id FROM lines")).toEqual([{ event_id: "evt_first" }]);
	expect(await countJobs(example, "turns", "created")).toBe(1);
});

test("a worker that is killed at the end of a turn has written nothing", async () => {
	await using example = await startPgBossExample("turns");
	await using gateway = await startGateway();
	const receiver = await example.start("receiver", [], { QUIET_SECONDS: "0" });
	await example.boss.updateQueue("turns", { expireInSeconds: 1 });
	await deliver(receiver, "first");
	const doomed = await example.start("worker", killWhenPrinting("a turn of"), environmentOf(gateway));
	await eventually(() => expect(doomed.lines).toHaveLength(1));
	expect(await countJobs(example, "replies", "created")).toBe(0);
	await example.start("worker", [], environmentOf(gateway));
	await eventually(() => expect(sentBy(gateway)).toEqual(["You wrote 1 lines: first"]));
	await eventually(async () => expect(await countJobs(example, "turns", "completed")).toBe(1));
	await eventually(async () => expect(await countJobs(example, "replies", "completed")).toBe(1));
});

test("a turn that failed for good is taken again, with every line", async () => {
	await using example = await startPgBossExample("turns");
	await using gateway = await startGateway();
	const receiver = await example.start("receiver", [], { QUIET_SECONDS: "0" });
	await example.boss.updateQueue("turns", { retryLimit: 0 });
	await deliver(receiver, "first");
	await example.query("UPDATE lines SET event = 'broken by the test' || event");
	await example.start("worker", [], environmentOf(gateway));
	await eventually(async () => expect(await example.run("replay")).toEqual(["1 turns failed"]));

	await example.query("UPDATE lines SET event = replace(event, 'broken by the test', '')");
	expect(await example.run("replay", "--turns")).toEqual(["1 turns are taken again"]);
	await eventually(() => expect(sentBy(gateway)).toEqual(["You wrote 1 lines: first"]));
	expect(await example.run("replay")).toEqual(["0 turns failed"]);
});

test.each([
	{ option: "--skip", sends: [] },
	{ option: "--send", sends: ["You wrote 1 lines: first"] },
])(
	"a reply that may have been sent holds the later ones, until a person decides: $option",
	async (decision) => {
		await using example = await startPgBossExample("turns");
		await using gateway = await startGateway();
		const receiver = await example.start("receiver", [], { QUIET_SECONDS: "0" });
		await example.boss.updateQueue("replies", { expireInSeconds: 1 });
		const doomed = await example.start("worker", killWhenPrinting(": sent"), environmentOf(gateway));
		await deliver(receiver, "first");
		await eventually(() => expect(doomed.lines.some((line) => line.endsWith(": sent"))).toBe(true));
		await example.start("worker", [], environmentOf(gateway));
		await deliver(receiver, "second");
		const held = await eventually(() => findHeld(example));
		await eventually(async () => expect(await countJobs(example, "replies", "created")).toBe(1));
		expect(sentBy(gateway)).toEqual(["You wrote 1 lines: first"]);

		// The short time was for the killed worker's job: a busy machine may need longer for a reply.
		await example.query("UPDATE pgboss.job SET expire_seconds = 60 WHERE name = 'replies'");
		await example.run("replay", decision.option, held);
		const sent = ["You wrote 1 lines: first", ...decision.sends, "You wrote 1 lines: second"];
		await eventually(() => expect(sentBy(gateway)).toEqual(sent));
		for (const state of ["created", "retry", "failed"]) {
			await eventually(async () => expect(await countJobs(example, "replies", state)).toBe(0));
		}
		expect(await example.run("replay")).toEqual(["0 turns failed"]);
	},
);

function startGateway(): Promise<ListeningGateway & AsyncDisposable> {
	return listen(createLocalGateway({ rules: "off" }));
}

function environmentOf(gateway: ListeningGateway): NodeJS.Dict<string> {
	const { DATABASE_URL: _, MESSAGING_GATEWAY_WEBHOOK_SECRET: __, ...variables } = environmentFor(gateway);
	return { ...variables, THINKING_MS: "1" };
}

async function deliver(receiver: StartedProcess, text: string): Promise<void> {
	expect((await post(receiver, text)).status).toBe(200);
}

function post(receiver: StartedProcess, text: string): Promise<Response> {
	const options = { eventId: `evt_${text}`, secret: EXAMPLE_SECRET, url: `${receiver.url}/webhooks` };
	return fetch(createWebhookRequest("inbound_message", { text }, options));
}

function sentBy({ local }: ListeningGateway): string[] {
	return local.sent.map(({ text }) => text);
}

/** The id of the reply that `replay` lists. */
async function findHeld(example: PgBossExample): Promise<string> {
	const [, line = ""] = await example.run("replay");
	const [id = ""] = line.split(":");
	if (id === "") throw new Error("no reply is held");
	return id;
}

async function countJobs(example: PgBossExample, queue: string, state: string): Promise<number> {
	const rows = await example.query("SELECT FROM pgboss.job WHERE name = $1 AND state = $2", [queue, state]);
	return rows.length;
}
