import { afterEach, expect, test, vi } from "vitest";
import { systemClock } from "../../../../src/library/runtime.ts";
import type { Change } from "../../../../src/tools/control/contract.ts";
import { createControlledGateway } from "../../../../src/tools/control/create-controlled-gateway.ts";
import { nextTask } from "../../../../src/tools/local-gateway/next-task.ts";
import { createWatchedGateway } from "../../../support/controlled-gateway.ts";
import { ALICE } from "../../../support/signed-client.ts";

afterEach(() => {
	vi.useRealTimers();
});

function typesOf(changes: readonly Change[]): string[] {
	return changes.map(({ type }) => type);
}

test("a status is reported when it changes, and the attempts of its webhook one after the other", async () => {
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

test("an attempt is reported when it begins, and a redelivery when it is requested", async () => {
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
	await control.act({ type: "redeliver", eventId: local.deliveries[0]?.eventId ?? "" });
	await nextTask();
	expect(known().deliveries[0]).toMatchObject({ state: "pending", attempts: [{ status: 200 }] });
	const { headers } = known().deliveries[0] ?? {};
	await local.clock.advance(2_000);
	await nextTask();
	expect(known().deliveries[0]?.headers).not.toEqual(headers);
	expect(known().deliveries[0]?.attempts).toHaveLength(1);
});

test("several changes of a thing in one task are reported once, with the last state", async () => {
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

test("moving the clock is reported, through the control and through the gateway", async () => {
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

test("after a reset the whole state is reported, and no change from before", async () => {
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
		snapshot: { messages: [], agents: [{ mappingCount: 0 }] },
	});
});

test("a request from before a reset that is processed after it reports no change", async () => {
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

test("each subscriber is called until it unsubscribes; one that subscribes twice is called twice", async () => {
	const { local, control } = createWatchedGateway();
	const called: string[] = [];
	const first = (): number => called.push("first");
	const ends = [
		control.subscribe(first),
		control.subscribe(first),
		control.subscribe(() => called.push("second")),
	];
	local.faults.skewClock(5);
	await nextTask();
	expect(called).toEqual(["first", "first", "second"]);
	ends[0]?.();
	ends[0]?.();
	local.faults.skewClock(6);
	await nextTask();
	expect(called.slice(3)).toEqual(["first", "second"]);
	for (const end of ends) end();
	local.faults.skewClock(7);
	await nextTask();
	expect(called).toHaveLength(5);
});

test("changes from before a subscription are not reported", async () => {
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
