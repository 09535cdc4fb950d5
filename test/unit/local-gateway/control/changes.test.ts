import { afterEach, expect, test, vi } from "vitest";
import type { Change } from "../../../../src/local-gateway/control/contract.ts";
import { createControlledGateway } from "../../../../src/local-gateway/control/create-controlled-gateway.ts";
import { nextTask, systemClock } from "../../../../src/runtime.ts";
import { createWatchedGateway } from "../../../support/controlled-gateway.ts";

const ALICE = "+15551234567";

afterEach(() => {
	vi.useRealTimers();
});

function typesOf(changes: readonly Change[]): string[] {
	return changes.map(({ type }) => type);
}

test("a status is told when it moves, and the attempts of its webhook one after the other", async () => {
	const { gateway, clock, changes } = createWatchedGateway();
	await gateway.messages.sendText({ to: ALICE, text: "Hello" });
	changes.length = 0;
	await clock.advance(20);
	const statuses = changes.flatMap((change) => (change.type === "message" ? [change.message.status] : []));
	expect(statuses).toEqual(["sent"]);
	const states = changes.flatMap((change) =>
		change.type === "delivery" ? [[change.delivery.state, change.delivery.attempts.length]] : [],
	);
	expect(states).toEqual([
		["pending", 0],
		["pending", 1],
		["delivered", 1],
	]);
});

test("an attempt is told when it begins, and a redelivery when it is asked for", async () => {
	const statuses = [200];
	const { local, control, known } = createWatchedGateway({
		deliverTo: () => {
			const status = statuses.shift();
			return status === undefined ? new Promise(() => {}) : new Response(null, { status });
		},
	});
	await local.contact(ALICE).reply("Hi");
	await local.settled();
	local.faults.webhooks.delay(1_000);
	await control.redeliver(local.deliveries[0]?.eventId ?? "");
	await nextTask();
	expect(known().deliveries[0]).toMatchObject({ state: "pending", attempts: [{ status: 200 }] });
	const { headers } = known().deliveries[0] ?? {};
	await local.clock.advance(2_000);
	await nextTask();
	expect(known().deliveries[0]?.headers).not.toEqual(headers);
	expect(known().deliveries[0]?.attempts).toHaveLength(1);
});

test("what one task does to a thing is told once, as it is in the end", async () => {
	const { local, gateway, changes } = createWatchedGateway();
	await gateway.messages.sendText({ to: ALICE, text: "Hello" });
	await local.clock.advance(20);
	changes.length = 0;
	await local.contact(ALICE).read();
	await nextTask();
	const messages = changes.filter(({ type }) => type === "message");
	expect(messages).toMatchObject([{ message: { status: "read" } }]);
	expect(typesOf(changes)).toContain("conversation");
});

test("a deleted mapping is told, and so is its agent", async () => {
	const { local, gateway, control, changes } = createWatchedGateway();
	await local.contact(ALICE).reply("Hi");
	await gateway.mappings.delete(ALICE);
	await nextTask();
	expect(changes).toContainEqual({ type: "agent", agent: expect.objectContaining({ mappingCount: 0 }) });
	expect(changes).toContainEqual({ type: "conversation_deleted", key: ALICE });
	expect(control.snapshot().conversations).toEqual([]);
});

test("moving the clock is told, by whomever it is moved", async () => {
	const { local, control, changes } = createWatchedGateway();
	const { now } = control.snapshot();
	await local.clock.advance(1_000);
	await nextTask();
	expect(changes).toMatchObject([{ type: "clock", now: now + 1_000 }]);
	await control.act({ type: "advance_clock", ms: 500 });
	await nextTask();
	expect(changes.at(-1)).toMatchObject({ type: "clock", now: now + 1_500 });
});

test("the offset is measured against the machine's clock", async () => {
	vi.useFakeTimers({ toFake: ["Date"] });
	const { control } = createControlledGateway();
	await control.act({ type: "advance_clock", ms: 60_000 });
	const { now, offsetMs } = control.snapshot();
	expect(offsetMs).toBe(60_000);
	expect(now).toBe(systemClock.now() + 60_000);
});

test("after a reset comes all that there is, and nothing of what was before", async () => {
	const { local, gateway, clock, control, changes } = createWatchedGateway({
		deliverTo: () => new Promise(() => {}),
	});
	await gateway.messages.sendText({ to: ALICE, text: "Hello" });
	await clock.advance(20);
	changes.length = 0;
	await control.act({ type: "reset" });
	await clock.advance(60_000);
	await local.settled();
	await nextTask();
	expect(typesOf(changes)).toEqual(["reset", "clock"]);
	expect(changes[0]).toMatchObject({
		snapshot: { messages: [], deliveries: [], agents: [{ mappingCount: 0 }] },
	});
});

test("a request of before a reset that is carried out after it changes nothing that is told", async () => {
	const { local, gateway, control, changes, clock } = createWatchedGateway();
	local.faults.delay(1_000);
	const sent = gateway.messages.sendText({ to: ALICE, text: "Hello" }).catch(() => "broken");
	await clock.advance(1);
	await control.act({ type: "reset" });
	expect(await sent).toBe("broken");
	await nextTask();
	expect(typesOf(changes).filter((type) => type === "message")).toEqual([]);
	expect(control.snapshot().messages).toEqual([]);
});

test("each subscriber is told until it ends; one that subscribes twice is told twice", async () => {
	const { local, control } = createWatchedGateway();
	const told: string[] = [];
	const first = (): number => told.push("first");
	const ends = [
		control.subscribe(first),
		control.subscribe(first),
		control.subscribe(() => told.push("second")),
	];
	local.faults.skewClock(5);
	await nextTask();
	expect(told).toEqual(["first", "first", "second"]);
	ends[0]?.();
	ends[0]?.();
	local.faults.skewClock(6);
	await nextTask();
	expect(told.slice(3)).toEqual(["first", "second"]);
	for (const end of ends) end();
	local.faults.skewClock(7);
	await nextTask();
	expect(told).toHaveLength(5);
});

test("nobody is told of what happened before", async () => {
	const { local, control } = createControlledGateway();
	await local.contact(ALICE).reply("Hi");
	const changes: Change[] = [];
	control.subscribe((change) => changes.push(change));
	await nextTask();
	expect(changes).toEqual([]);
	local.faults.skewClock(5);
	await nextTask();
	expect(typesOf(changes)).toEqual(["faults"]);
});
