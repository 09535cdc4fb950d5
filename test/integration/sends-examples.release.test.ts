import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { startExample } from "../support/started-example.ts";
import { killAtPost, startSendsExample } from "./support/sends-example.ts";

const KEY = "order-4711-shipped";

test("the two examples share one sender", () => {
	const [one, other] = ["sends-pg-boss", "sends-bullmq"].map((name) =>
		readFileSync(`examples/${name}/sender.ts`, "utf8"),
	);
	expect(one).toBe(other);
});

// On a busy machine BullMQ's lock may run out, and a job is done twice: its lines are a set.
describe.each(["sends-pg-boss", "sends-bullmq"])("%s", (name) => {
	test("of a worker that is killed after its POST, the message is sent once, and its status proves it", async () => {
		await using example = await startSendsExample(name);
		const doomed = await example.startWorker(killAtPost("after"));
		expect(await example.ship("4711")).toBe(202);
		await eventually(() => expect(example.receiver.lines).toContain(`${KEY}: has a status`));
		await eventually(() => expect(doomed.lines).toEqual(["killed"]));
		const rescuer = await example.startWorker();
		await eventually(() => expect(new Set(rescuer.lines)).toEqual(new Set([`${KEY}: accepted`])));
		expect(example.local.sent).toHaveLength(1);
		expect(await example.decide()).toEqual([]);
	});

	test("of one that is killed before its POST, nothing is sent without a decision", async () => {
		await using example = await startSendsExample(name);
		const doomed = await example.startWorker(killAtPost("before"));
		expect(await example.ship("4711")).toBe(202);
		await eventually(() => expect(doomed.lines).toEqual(["killed"]));
		// Its job runs at once: if the lease of the killed worker is not over yet, it comes back at its end.
		expect(await example.ship("4711")).toBe(202);
		const rescuer = await example.startWorker();
		await eventually(() => expect(rescuer.lines).toContain(`${KEY}: unresolved`));
		expect(example.local.requests).toEqual([]);
		expect(await example.decide()).toEqual([expect.stringMatching(`^${KEY}: {"status":"unresolved"`)]);
		await expect(example.decide(KEY, "send_again")).rejects.toThrow(/too_early/);
		expect(await example.decide(KEY, "give_up")).toEqual([]);
		expect(await example.decide()).toEqual([]);
	});

	test("a notice that a limit refuses comes back after the time that the gateway names", async () => {
		await using example = await startSendsExample(name);
		example.local.faults.respond({ status: 429, retryAfterSeconds: 1 });
		const worker = await example.startWorker();
		expect(await example.ship("4711")).toBe(202);
		await eventually(() => expect(worker.lines).toContain(`${KEY}: accepted`));
		// On a busy machine the job may lose its lock or exceed its time, and run twice.
		const refusals = worker.errors.filter(
			(line) => line.startsWith(`${KEY}: `) && !line.includes("another worker holds the lease"),
		);
		expect(refusals).toHaveLength(1);
		expect(example.local.sent).toHaveLength(1);
		expect(await worker.stop()).toBe(0);
	});

	test("an order that is shipped again sends nothing, and one with another number is not stored", async () => {
		await using example = await startSendsExample(name);
		expect(await example.ship("4711")).toBe(202);
		expect(await example.ship("4711")).toBe(202);
		const worker = await example.startWorker();
		await eventually(() => expect(worker.lines).toContain(`${KEY}: accepted`));
		expect(await example.ship("4712", "Alice")).toBe(500);
		expect(await example.decide()).toEqual([]);
		expect(example.local.sent).toHaveLength(1);
	});

	test("runs with one command: a lost response is proven by a status", async () => {
		await using example = await startExample(name, { ready: /order 4711 ships/ });
		await eventually(() => expect(example.lines).toContain("· Ctrl+C ends it"));
		const lines = [`${KEY}: accepted`, "order-4712-shipped: has a status"];
		await eventually(() => expect(example.lines).toEqual(expect.arrayContaining(lines)));
		expect(example.lines.filter((line) => line.startsWith("· the contact gets"))).toHaveLength(2);
		expect(await example.stop()).toBe(0);
	});
});

test("sends-bullmq adds the job of a receiver that had no Redis", async () => {
	await using example = await startSendsExample("sends-bullmq");
	await example.redis.stop("SIGKILL");
	expect(await example.ship("4711")).toBe(202);
	await example.redis.start();
	const worker = await example.startWorker();
	await eventually(() => expect(new Set(worker.lines)).toEqual(new Set([`${KEY}: accepted`])));
	expect(example.local.sent).toHaveLength(1);
});
