import { MessagingGateway } from "messaging-gateway";
import { createLocalGateway, createWebhookRequest, type RecordedDelivery } from "messaging-gateway/testing";
import { expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { PROCESS_LIFE_MS } from "../support/patience.ts";
import { EXAMPLE_SECRET } from "../support/prove-example.ts";
import { type QueueExample, startQueueExample } from "./support/queue-example.ts";

const ALICE = "+15551234567";
const TEXTS = 12;
const CONVERSATIONS = 20;
/** So short that the jobs of a worker that was killed are soon given to another one. */
const lockDurationMs = 500;

test("a job whose workers are killed is done by the next one, and no other is lost", async () => {
	await using example = await startQueueExample();
	const deadly = "a text of 13 characters";
	const doomed = [
		await example.startWorker({ killedBy: deadly, lockDurationMs }),
		await example.startWorker({ killedBy: deadly, lockDurationMs }),
	];
	await using local = createLocalGateway({
		webhookSecret: EXAMPLE_SECRET,
		deliverTo: `${example.receiver.url}/webhooks`,
		rules: "off",
	});
	await converse(local);

	const { deliveries } = local;
	const expected = deliveries.map(expectedLine);
	const lastLine = expected.find((line) => line.endsWith(deadly));
	const timesPrinted = () => doomed.map(({ lines }) => lines.filter((line) => line === lastLine).length);
	// The second one got the job of the first, and died of it too.
	await eventually(() => expect(timesPrinted()).toEqual([1, 1]));
	const rescuer = await example.startWorker({ lockDurationMs });
	await allCompleted(example, deliveries.length);

	expect(deliveries).toHaveLength(5 * TEXTS);
	expect(deliveries.map(({ state }) => state)).toEqual(deliveries.map(() => "delivered"));
	expect(deliveries.flatMap(({ attempts }) => attempts).length).toBeGreaterThan(deliveries.length);
	expect(new Set(example.lines)).toEqual(new Set(expected));
	expect(rescuer.lines).toContain(lastLine);
});

test("a kill leaves every conversation in order, and a failed event is replayed", async () => {
	await using example = await startQueueExample();
	const doomed = [
		await example.startWorker({ killedBy: "evt_4_2:", failedBy: "evt_7_1:", lockDurationMs }),
		await example.startWorker({ killedBy: "evt_4_2:", failedBy: "evt_7_1:", lockDurationMs }),
	];
	await Promise.all(
		Array.from({ length: CONVERSATIONS }, async (_, conversation) => {
			for (let at = 0; at < TEXTS; at++) await deliverText(example, conversation, at);
		}),
	);
	await eventually(() => {
		for (const { lines } of doomed) expect(lines.some((line) => line.startsWith("evt_4_2:"))).toBe(true);
	});
	const faulty = await example.startWorker({ failedBy: "evt_7_1:", lockDurationMs });
	const total = CONVERSATIONS * TEXTS;
	await eventually(async () => {
		expect(await example.countJobs()).toMatchObject({
			completed: total - 1,
			failed: 1,
			waiting: 0,
			active: 0,
		});
	});
	expect(findOrderViolations(await example.completions())).toEqual([]);

	await faulty.stop();
	await example.startWorker({ lockDurationMs });
	expect(await example.replay()).toEqual(["event-evt_7_1: made to fail"]);
	expect(await example.replay("--run")).toEqual(["event-evt_7_1: made to fail"]);
	await allCompleted(example, total);
	expect(await example.replay("--run")).toEqual([]);
	// The later events of its conversation did not wait for it.
	expect(findOrderViolations(await example.completions())).toEqual(["event-evt_7_1"]);
	expect(await example.overlaps()).toEqual([]);
});

test("every event id becomes one job", async () => {
	await using example = await startQueueExample();
	const worker = await example.startWorker();
	const eventIds = [
		"evt_1",
		"evt:1",
		"evt:1:2",
		"0",
		"42",
		"-5",
		"meta",
		"wait",
		"%3A",
		"!\"#$&'()*+-./;<=>?@[\\]^`{|}",
		"%".repeat(256),
	];
	const deliverAll = async () => {
		for (const eventId of eventIds) expect((await deliver(example, eventId)).status).toBe(200);
	};
	await deliverAll();
	await deliverAll();
	// A receiver may die before the store has noted that the queue has the event.
	await example.client.del(await example.client.keys("messaging-gateway:*"));
	await deliverAll();
	await allCompleted(example, eventIds.length);
	expect(worker.lines.toSorted()).toEqual(
		eventIds.map((eventId) => `${eventId}: an unknown event of type news`).toSorted(),
	);
});

test("an event that the queue cannot store is rejected, and accepted later", async () => {
	await using example = await startQueueExample();
	const { redis, client } = example;
	await example.startWorker();

	await redis.stop("SIGKILL");
	expect(await rejection(example, "evt_stopped")).toBe("503 store_unavailable");
	// At once: it waited for none of the limits that a Redis is given to answer.
	expect(await reasonOf(example, "evt_stopped")).not.toMatch(/timed out|no response within/);
	await redis.start();
	await comesThrough(example, "evt_stopped");

	await client.call("CLIENT", "PAUSE", PROCESS_LIFE_MS, "WRITE");
	expect(await rejection(example, "evt_hanging")).toBe("503 store_unavailable");
	// Sooner than the store gives up by itself: a hanging queue is bounded by the same.
	expect(await reasonOf(example, "evt_hanging")).toMatch(/Command timed out/);
	await client.call("CLIENT", "UNPAUSE");
	await comesThrough(example, "evt_hanging");

	// The store responds, but no queue does.
	const counters = example.queues.map((queue) => queue.toKey("id"));
	for (const counter of counters) await client.set(counter, "not a number");
	expect(await rejection(example, "evt_rejected")).toBe("500 handler_failed");
	await client.del(counters);
	await comesThrough(example, "evt_rejected");
	await allCompleted(example, 3);
});

test("receiver and worker end on a signal", async () => {
	await using example = await startQueueExample();
	const worker = await example.startWorker();
	await deliver(example, "evt_1");
	await allCompleted(example, 1);
	expect(await Promise.all([worker.stop(), example.receiver.stop()])).toEqual([0, 0]);
});

/** Texts, replies and reactions, one of them deadly; of each round one event comes twice. */
async function converse(local: ReturnType<typeof createLocalGateway>): Promise<void> {
	const gateway = new MessagingGateway(local.clientOptions);
	const contact = local.contact(ALICE);
	for (let at = 1; at <= TEXTS; at++) {
		local.faults.webhooks.repeat();
		await gateway.messages.sendText({ to: ALICE, text: `Text number ${at}` });
		await local.settled();
		await contact.reply("!".repeat(at + 6));
		await contact.react("love");
	}
	await local.settled();
}

function expectedLine({ eventId, kind, body }: RecordedDelivery): string {
	const data = JSON.parse(body);
	if (kind === "status") return `${eventId}: ${data.messageId} is ${data.status}`;
	return `${eventId}: ${kind === "inbound_message" ? `a text of ${data.text.length} characters` : "a reaction: love"}`;
}

async function deliverText({ receiver }: QueueExample, conversation: number, at: number): Promise<void> {
	const eventId = `evt_${conversation}_${at}`;
	const options = { eventId, secret: EXAMPLE_SECRET, url: `${receiver.url}/webhooks` };
	const from = `+1555000${1_000 + conversation}`;
	const request = createWebhookRequest("inbound_message", { from }, options);
	expect((await fetch(request)).status).toBe(200);
}

/** The jobs that were completed after a later one of their conversation. */
function findOrderViolations(jobIds: readonly string[]): string[] {
	const latest = new Map<string, number>();
	return jobIds.filter((id) => {
		const [, conversation = "", at] = id.split("_");
		const last = latest.get(conversation) ?? -1;
		latest.set(conversation, Math.max(last, Number(at)));
		return Number(at) < last;
	});
}

/** Delivers an event of an unknown type. */
function deliver({ receiver }: QueueExample, eventId: string): Promise<Response> {
	const options = { eventId, secret: EXAMPLE_SECRET, url: `${receiver.url}/webhooks` };
	return fetch(createWebhookRequest("status", { type: "news", messageId: eventId }, options));
}

async function rejection(example: QueueExample, eventId: string): Promise<string> {
	const response = await deliver(example, eventId);
	return `${response.status} ${await response.text()}`;
}

/** What the receiver has written about an event that it rejected. */
function reasonOf({ receiver }: QueueExample, eventId: string): Promise<string> {
	return eventually(() => {
		const at = receiver.errors.findIndex((line) => line.includes(` ${eventId}`));
		if (at === -1) throw new Error(`nothing was written about ${eventId}`);
		return receiver.errors.slice(at).join("\n");
	});
}

async function comesThrough(example: QueueExample, eventId: string): Promise<void> {
	await eventually(async () => expect((await deliver(example, eventId)).status).toBe(200));
	await eventually(() => expect(example.lines).toContain(`${eventId}: an unknown event of type news`));
}

/** Waits until as many jobs are completed, and expects no others, and that BullMQ has noted each of them once. */
async function allCompleted(example: QueueExample, count: number): Promise<void> {
	const others = { active: 0, delayed: 0, failed: 0, waiting: 0, prioritized: 0, "waiting-children": 0 };
	const expected = { ...others, completed: count };
	await eventually(async () => expect(await example.countJobs()).toMatchObject(expected));
	const ids = await example.completions();
	expect([ids.length, new Set(ids).size]).toEqual([count, count]);
}
