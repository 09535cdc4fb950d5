import { createAdjustableClock, type LocalGatewayOptions } from "messaging-gateway/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createControlledGateway } from "../../../../src/tools/control/create-controlled-gateway.ts";
import { StateKeeper } from "../../../../src/tools/control/state/state-keeper.ts";
import type { State } from "../../../../src/tools/control/state/state-schema.ts";
import { createWatchedGateway, type WatchedGateway } from "../../../support/controlled-gateway.ts";
import { MemoryStateFile } from "../../../support/memory-state-file.ts";
import { AGENT, ALICE, BOB } from "../../../support/signed-client.ts";

let state: MemoryStateFile;

beforeEach(() => {
	state = new MemoryStateFile();
});

afterEach(() => {
	vi.useRealTimers();
	vi.restoreAllMocks();
});

/** Ends a run and begins the next one, at the same time. */
async function restart(before: WatchedGateway, options: LocalGatewayOptions = {}): Promise<WatchedGateway> {
	const { clock } = before;
	await before.local[Symbol.asyncDispose]();
	return createWatchedGateway({ state, clock, ...options });
}

// The property holds the rest: windows, statuses, replies and tapbacks go on as if the run had not ended.
describe("over a restart", () => {
	test("a window that a reply ended stays ended, and a failed message doesn't block", async () => {
		const before = createWatchedGateway({
			state,
			rules: { duplicateWindowSeconds: { account: 0, agent: 0 } },
		});
		await before.gateway.messages.sendText({ to: ALICE, text: "Hello" });
		await before.local.contact(ALICE).reply("Hi");
		await before.gateway.messages.sendText({ to: "+15550001001", text: "Hello" });
		await before.local.settled();
		const { gateway } = await restart(before, {
			rules: { duplicateWindowSeconds: { account: 0, agent: 0 } },
		});
		await gateway.messages.sendText({ to: ALICE, text: "Hello" });
		await gateway.messages.sendText({ to: "+15550001001", text: "Hello" });
	});

	test("messages on their way continue, each at its time", async () => {
		const before = createWatchedGateway({ state });
		await before.gateway.messages.sendText({ to: "+15550001004", text: "Hello" });
		await before.clock.advance(30);
		const { local, clock } = await restart(before);
		expect(local.sent[0]?.status).toBe("sent");
		await clock.advance(9);
		expect(local.sent[0]?.status).toBe("sent");
		await clock.advance(1);
		expect(local.sent[0]?.status).toBe("delivered");
		await local.settled();
		expect(local.deliveries.map(({ kind }) => kind)).toEqual([
			"status",
			"status",
			"status",
			"inbound_message",
		]);
	});

	test("tasks that were due meanwhile run at once", async () => {
		const before = createWatchedGateway({ state });
		await before.gateway.messages.sendText({ to: "+15550001006", text: "Hello" });
		await before.clock.advance(100);
		await before.local[Symbol.asyncDispose]();
		await before.clock.advance(3_600_000);
		const after = createWatchedGateway({ state, clock: before.clock });
		await after.clock.advance(0);
		expect(after.local.sent[0]?.status).toBe("read");
	});

	test("a contact reads the unread messages, and reacts to the last one", async () => {
		const before = createWatchedGateway({ state });
		await before.gateway.messages.sendText({ to: "+15550001007", text: "Hello" });
		await before.local.settled();
		const { local, control } = await restart(before);
		await local.contact("+15550001007").read();
		await local.contact("+15550001007").react("like");
		expect(control.snapshot().messages[0]).toMatchObject({
			status: "read",
			tapbacks: [{ reaction: "like" }],
		});
	});

	test("a rejected send doesn't name a group", async () => {
		const { gateway, control } = createWatchedGateway({ state });
		const participants = [ALICE, BOB];
		await gateway.messages.sendText({ participants, groupName: "Team", text: "Hi" });
		const again = gateway.messages.sendText({ participants, groupName: "Other", text: "Hi" });
		await expect(again).rejects.toMatchObject({ status: 409 });
		expect(control.snapshot().conversations).toMatchObject([{ groupName: "Team" }]);
	});

	test("an event without a webhook URL is kept, and delivered by hand once there is one", async () => {
		const before = createWatchedGateway({ state, deliverTo: undefined });
		await before.local.contact(ALICE).reply("Is anybody there?");
		expect(before.local.deliveries).toEqual([]);
		const received: string[] = [];
		const deliverTo = async (request: Request) => {
			received.push(await request.text());
			return new Response();
		};
		const { control, local } = await restart(before, { deliverTo });
		await local.settled();
		expect(received).toEqual([]);
		const [kept] = control.deliveries({}).items;
		expect(kept).toMatchObject({ state: "kept", url: "", attempts: [] });
		await control.act({ type: "redeliver", eventId: kept?.eventId ?? "" });
		await local.settled();
		expect(received).toEqual([kept?.body]);
		expect(control.deliveries({}).items).toMatchObject([{ state: "delivered", attempts: [{ status: 200 }] }]);
	});

	test("an event that is kept can't be delivered without a URL", async () => {
		const { local, control } = createWatchedGateway({ state, deliverTo: undefined });
		await local.contact(ALICE).reply("Is anybody there?");
		const eventId = control.deliveries({}).items[0]?.eventId ?? "";
		await expect(control.act({ type: "redeliver", eventId })).rejects.toThrow(
			"There is no webhook URL for it",
		);
		expect(control.deliveries({}).items).toMatchObject([{ state: "kept", attempts: [] }]);
	});

	test("lists keep their order, and cursors stay valid", async () => {
		const before = createWatchedGateway({ state });
		for (const to of [ALICE, BOB]) await before.gateway.messages.sendText({ to, text: `Hello ${to}` });
		const page = await before.gateway.mappings.list({ limit: 1 });
		const { gateway } = await restart(before);
		await gateway.mappings.create({ userNumber: "+15559876543" });
		const next = await gateway.mappings.list({ limit: 1, cursor: page.nextCursor ?? "" });
		expect(next.mappings.map(({ userNumber }) => userNumber)).toEqual([ALICE]);
	});

	test("a nonce from before is rejected", async () => {
		const before = createWatchedGateway({ state });
		const url = `${before.local.baseUrl}/agent`;
		let headers: Headers | undefined;
		const { fetch } = before.local.clientOptions;
		const capture = (target: string, init?: RequestInit): Promise<Response> => {
			headers = new Headers(init?.headers);
			return fetch(target, init);
		};
		const { MessagingGateway } = await import("messaging-gateway");
		await new MessagingGateway({ ...before.local.clientOptions, fetch: capture }).agents.list();
		const { local } = await restart(before);
		const replay = await local.fetch(new Request(url, { headers: headers ?? new Headers() }));
		expect(await replay.json()).toMatchObject({ error: { details: { reason: "NONCE_REPLAYED" } } });
	});

	test("nonces that expired are accepted again, and leave the file", async () => {
		vi.useFakeTimers({ toFake: ["Date"] });
		const { nonceStore } = new StateKeeper(state);
		expect(await nonceStore.remember("a", 1_000)).toBe(true);
		vi.advanceTimersByTime(999);
		expect([await nonceStore.has?.("a"), await nonceStore.remember("a", 1_000)]).toEqual([true, false]);
		vi.advanceTimersByTime(1);
		expect([await nonceStore.has?.("a"), await nonceStore.remember("a", 1_000)]).toEqual([false, true]);

		const before = createWatchedGateway({ state });
		await before.gateway.agents.list();
		const after = await restart(before);
		expect(Object.keys(state.state.nonces)).toHaveLength(1);
		vi.advanceTimersByTime(3_600_000);
		await after.local[Symbol.asyncDispose]();
		expect(state.state.nonces).toEqual({});
	});

	test("faults end with their run", async () => {
		const before = createWatchedGateway({ state });
		before.local.faults.respond({ status: 500 });
		const { control } = await restart(before);
		expect(control.snapshot().faults).toEqual([]);
	});
});

describe("deliveries over a restart", () => {
	test("pending ones are delivered, with their remaining attempts", async () => {
		const before = createWatchedGateway({ state, deliverTo: () => new Response(null, { status: 500 }) });
		await before.local.contact(ALICE).reply("Hi");
		await before.clock.advance(1_500);
		expect(before.local.deliveries[0]).toMatchObject({ state: "pending", attempts: [{}, {}] });
		const { local, clock } = await restart(before, { deliverTo: () => new Response(null, { status: 500 }) });
		await clock.advance(0);
		expect(local.deliveries[0]?.attempts).toHaveLength(3);
		await local.settled();
		expect(local.deliveries[0]).toMatchObject({ state: "failed" });
		expect(local.deliveries[0]?.attempts).toHaveLength(6);
	});

	test("one that was in flight when the run ended is delivered again, under its id", async () => {
		const before = createWatchedGateway({ state, deliverTo: () => new Promise(() => {}) });
		await before.local.contact(ALICE).reply("Hi");
		const eventId = before.local.deliveries[0]?.eventId;
		const { local } = await restart(before);
		await local.settled();
		expect(local.deliveries).toMatchObject([{ eventId, state: "delivered", attempts: [{ status: 200 }] }]);
	});

	test("those of one message keep their order", async () => {
		const before = createWatchedGateway({ state, deliverTo: () => new Promise(() => {}) });
		await before.gateway.messages.sendText({ to: ALICE, text: "Hello" });
		await before.clock.advance(60);
		const statuses: string[] = [];
		const { local } = await restart(before, {
			deliverTo: async (request) => {
				const { status }: { status: string } = await request.json();
				statuses.push(status);
				return new Response(null, { status: statuses.length === 1 ? 500 : 200 });
			},
		});
		await local.settled();
		expect(statuses).toEqual(["sent", "sent", "delivered", "read"]);
	});
});

describe("options of the next run", () => {
	const hooks = "https://a.example/hooks";

	test("destinations that were set stay, unless deliverTo is another one", async () => {
		const before = createWatchedGateway({ state, deliverTo: hooks });
		await before.gateway.settings.setWebhooks({
			statusWebhookUrl: "",
			inboundWebhookUrl: "https://b.example/",
		});
		const same = await restart(before, { deliverTo: hooks });
		const changed = { inboundWebhookUrl: "https://b.example/", statusWebhookUrl: null };
		expect(same.control.snapshot().destinations).toEqual(changed);
		const none = await restart(same, { deliverTo: undefined });
		expect(none.control.snapshot().destinations).toEqual(changed);
		const other = await restart(none, { deliverTo: "https://c.example/" });
		expect(other.control.snapshot().destinations.inboundWebhookUrl).toBe("https://c.example/");
	});

	test("agents that are new are added, and the others stay as they were", async () => {
		const before = createWatchedGateway({ state });
		await before.gateway.agents.register({ agentNumber: "+15550000009", name: "Nine" });
		await before.gateway.agents.block(AGENT, { reason: "paused" });
		const after = await restart(before, { agents: [AGENT, "+15550000002"] });
		expect(after.control.snapshot().agents).toMatchObject([
			{ agentNumber: AGENT, status: "blocked", blockedReason: "paused" },
			{ agentNumber: "+15550000009", name: "Nine" },
			{ agentNumber: "+15550000002", status: "online" },
		]);
		const again = await restart(after);
		expect(again.control.snapshot().agents).toHaveLength(3);
	});

	test("with a smaller limit, the oldest are dropped for good", async () => {
		const before = createWatchedGateway({ state });
		for (const to of [ALICE, BOB, "+15559876543"]) {
			await before.gateway.messages.sendText({ to, text: `Hello ${to}` });
		}
		await before.local.settled();
		const after = await restart(before, { maxEntries: 2 });
		expect(after.local.sent.map(({ to }) => to)).toEqual([BOB, "+15559876543"]);
		const again = await restart(after);
		expect(again.local.sent).toHaveLength(2);
	});
});

test("the clock is as far ahead as it was", async () => {
	vi.useFakeTimers({ toFake: ["Date"] });
	const before = createControlledGateway({ state });
	await before.control.act({ type: "advance_clock", ms: 3_600_000 });
	await before.local[Symbol.asyncDispose]();
	vi.setSystemTime(Date.now() + 86_400_000);
	const after = createControlledGateway({ state });
	expect(after.control.snapshot().offsetMs).toBe(3_600_000);
	await after.local[Symbol.asyncDispose]();
});

describe("writing", () => {
	test("a change is written within a tenth of a second, together with later ones", async () => {
		vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
		const { local } = createWatchedGateway({ state });
		vi.advanceTimersByTime(100);
		expect(state.writes).toBe(1);
		await local.contact(ALICE).reply("1");
		vi.advanceTimersByTime(99);
		await local.contact(ALICE).reply("2");
		expect(state.writes).toBe(1);
		vi.advanceTimersByTime(1);
		expect(state.writes).toBe(2);
		expect(state.state.messages).toHaveLength(2);
	});

	test("the pause after a long write is ten times as long", async () => {
		vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
		const { local } = createWatchedGateway({ state });
		vi.spyOn(state, "replace").mockImplementation(() => vi.setSystemTime(Date.now() + 300));
		vi.advanceTimersByTime(100);
		await local.contact(ALICE).reply("1");
		vi.advanceTimersByTime(2_999);
		expect(state.replace).toHaveBeenCalledTimes(1);
		vi.advanceTimersByTime(1);
		expect(state.replace).toHaveBeenCalledTimes(2);
	});

	test("the pause after a write is as long as its content, up to half a minute", async () => {
		vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
		const { local } = createWatchedGateway({ state });
		const pauseAfter = async (length: number): Promise<number> => {
			const data = "A".repeat(length);
			const attachments = [{ name: "a", mimeType: "image/png", data }];
			await local.contact(ALICE).reply("Look", { attachments });
			vi.advanceTimersByTime(30_000);
			await local.contact(ALICE).reply("the next change");
			const { writes } = state;
			const startedAt = Date.now();
			while (state.writes === writes) vi.advanceTimersByTime(1);
			return Date.now() - startedAt;
		};
		// The file has the attachment twice: in the message, and in its webhook.
		const length = 128_000;
		const pause = await pauseAfter(length);
		expect(pause).toBeGreaterThanOrEqual(1_000);
		expect(pause).toBeLessThan(1_100);
		expect(await pauseAfter(64 * length)).toBe(30_000);
	});

	test("a failed write is reported once, and retried", async () => {
		const complaints = vi.spyOn(console, "error").mockImplementation(() => {});
		vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
		const { local } = createWatchedGateway({ state });
		state.failure = new Error("the disk is full");
		await local.contact(ALICE).reply("Hi");
		vi.advanceTimersByTime(5_000);
		expect(complaints.mock.calls).toEqual([
			["The state couldn't be written and will be retried: the disk is full"],
		]);
		state.failure = undefined;
		vi.advanceTimersByTime(1_000);
		expect(state.state.messages).toHaveLength(1);
		state.failure = new Error("the disk is full again");
		await local.contact(ALICE).reply("Hi");
		vi.advanceTimersByTime(100);
		expect(complaints).toHaveBeenCalledTimes(2);
	});

	test("the file is closed with the gateway, once everything is written", async () => {
		const { local } = createWatchedGateway({ state });
		await local.contact(ALICE).reply("Hi");
		expect(state.isClosed).toBe(false);
		await local[Symbol.asyncDispose]();
		expect(state.state.messages).toHaveLength(1);
		expect(state.isClosed).toBe(true);
		await local[Symbol.asyncDispose]();
		expect(state.writes).toBe(1);
	});
});

test("a state with members that this package doesn't know is read without them", async () => {
	const before = createWatchedGateway({ state });
	await before.local.contact(ALICE).reply("Hi");
	await before.local[Symbol.asyncDispose]();
	const saved = JSON.parse(state.content);
	const messages = saved.messages.map((message: object) => ({ ...message, isAutomatic: false }));
	state.content = JSON.stringify({ ...saved, messages, entries: [{ type: "read" }] });
	const { local, control } = createWatchedGateway({ state });
	expect(control.snapshot().messages).toMatchObject([{ from: ALICE, text: "Hi" }]);
	await local[Symbol.asyncDispose]();
	expect(state.content).not.toMatch(/isAutomatic|entries/);
});

describe("a file with another content is an error, and stays as it is", () => {
	function expectRejected(message: string): void {
		const { content } = state;
		expect(() => createWatchedGateway({ state })).toThrow(
			expect.objectContaining({ code: "configuration", message: expect.stringContaining(message) }),
		);
		expect(state).toMatchObject({ content, writes: 0, isClosed: true });
	}

	test.each(["Dear diary", "x", '{"messages": []}', "SQLite format 3\0", " "])(
		"that of another program: %j",
		(content) => {
			state.content = content;
			expectRejected("state.json isn't a state file of this package; it wasn't changed: name another file");
		},
	);

	test.each([0, 2, 99])("a state of version %d", (version) => {
		state.content = `{ "messagingGatewayState": ${version} }`;
		expectRejected(`has version ${version}, but this package needs version 3`);
	});

	test.each([
		["half a state", '{"messagingGatewayState":3,"mess', "must be an object"],
		["a state without its parts", '{"messagingGatewayState":3}', "offsetMs must be a number"],
	])("%s", (_what, content, problem) => {
		state.content = content;
		expectRejected(`The state in state.json is damaged: ${problem}; name another file, or remove this one`);
	});

	test.each<[string, (saved: State) => object]>([
		[
			"messages.0.windowId must be a number",
			({ messages }) => Object.assign(messages[0] ?? {}, { windowId: "" }),
		],
		["agents.0.isOnline must be a boolean", ({ agents }) => Object.assign(agents[0] ?? {}, { isOnline: 1 })],
		[
			"inboundWebhookUrl must be an absolute http or https URL",
			(saved) => Object.assign(saved, { inboundWebhookUrl: "file:///etc/passwd" }),
		],
		[
			"deliveries.0.statusCallback must be an https URL",
			({ deliveries }) => Object.assign(deliveries[0] ?? {}, { statusCallback: "http://a.example/" }),
		],
		[
			"messages.0.message must have a status_callback that is an https URL",
			({ messages }) => Object.assign(messages[0]?.message ?? {}, { status_callback: "file:///etc/passwd" }),
		],
	])("%s", async (problem, damage) => {
		const { local } = createWatchedGateway({ state });
		await local.contact(ALICE).reply("Hi");
		await local[Symbol.asyncDispose]();
		const saved = JSON.parse(state.content);
		damage(saved);
		Object.assign(state, { content: JSON.stringify(saved), writes: 0 });
		expectRejected(`The state in state.json is damaged: ${problem}`);
	});
});

test("the state of a frozen clock is its own", () => {
	const clock = createAdjustableClock({ frozen: true, startMs: 5_000 });
	expect(createControlledGateway({ clock, state }).local.clock.now()).toBe(5_000);
});
