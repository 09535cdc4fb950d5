import { createAdjustableClock } from "messaging-gateway/testing";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { ConversationView, MessageView } from "../../../../src/tools/control/contract.ts";
import { createControlledGateway } from "../../../../src/tools/control/create-controlled-gateway.ts";
import { createWatchedGateway, type WatchedGateway } from "../../../support/controlled-gateway.ts";
import { AGENT, ALICE, BOB } from "../../../support/signed-client.ts";

/** 2026-01-01T00:00:00Z. */
const NOW_MS = 1_767_225_600_000;

const messagesOf = ({ control }: WatchedGateway) => control.snapshot().messages;

function conversationOf({ control }: WatchedGateway, key = ALICE): ConversationView {
	const found = control.snapshot().conversations.find((conversation) => conversation.key === key);
	if (found === undefined) throw new Error(`no conversation ${key}`);
	return found;
}

async function sendAndSettle(world: WatchedGateway, text = "Hello", to = ALICE): Promise<MessageView> {
	await world.gateway.messages.sendText({ to, text });
	await world.local.settled();
	const [message] = messagesOf(world).slice(-1);
	if (message === undefined) throw new Error("nothing was sent");
	return message;
}

describe("messages", () => {
	test("sent messages, with their kind, effect and the message they reply to", async () => {
		const world = createWatchedGateway();
		const { gateway, local } = world;
		await gateway.messages.sendText({ to: ALICE, text: "Hello", effect: "confetti", replyToGuid: "guid" });
		await gateway.messages.sendVoiceNote({
			to: ALICE,
			attachment: { url: "https://a.example/a.mp3", name: "a.mp3" },
		});
		await gateway.messages.sendAttachments({ to: ALICE, attachments: [{ url: "https://a.example/a.png" }] });
		await local.contact(ALICE).reply("Hi");
		const messages = messagesOf(world);
		expect(messages).toMatchObject([
			{ text: "Hello", effect: "confetti", replyToGuid: "guid", kind: "text", conversationKey: ALICE },
			{ kind: "voice", attachments: [{ name: "a.mp3" }] },
			{ kind: "attachments", tapbacks: [] },
			{ kind: "text", outbound: false, text: "Hi" },
		]);
		expect(messages[1]).not.toHaveProperty("effect");
		const sequences = messages.map(({ sequence }) => sequence);
		expect(sequences).toEqual([...sequences].sort((left, right) => left - right));
	});

	test("a snapshot holds the youngest 200, the oldest first", async () => {
		const world = createWatchedGateway({ deliverTo: undefined });
		for (let at = 0; at < 202; at++) await world.local.contact(ALICE).reply(String(at));
		const texts = messagesOf(world).map(({ text }) => text);
		expect([texts.length, texts[0], texts.at(-1)]).toEqual([200, "2", "201"]);
	});

	test.each([
		["on", "enforce"],
		["off", "off"],
		[{ consecutive: "warn" }, "warn"],
	] as const)("a snapshot shows the mode of the consecutive rule: rules %j", (rules, consecutive) => {
		expect(createWatchedGateway({ rules }).control.snapshot().consecutive).toBe(consecutive);
	});
});

describe("tapbacks", () => {
	test("the agent's and the contact's; a second one of the same replaces the first", async () => {
		const world = createWatchedGateway();
		const { messageGuid } = await sendAndSettle(world);
		const guid = { messageGuid: messageGuid ?? "" };
		await world.local.contact(ALICE).react("like");
		await world.local.contact(ALICE).react("laugh");
		await world.gateway.messages.addTapback({ ...guid, reaction: "love" });
		await world.gateway.messages.addTapback({ ...guid, reaction: "question", partIndex: 1 });
		expect(messagesOf(world)[0]?.tapbacks).toEqual([
			{ by: ALICE, reaction: "laugh" },
			{ by: AGENT, reaction: "love" },
			{ by: AGENT, reaction: "question", partIndex: 1 },
		]);
	});

	test("only the very same one is removed", async () => {
		const world = createWatchedGateway();
		const reply = await world.local.contact(ALICE).reply("Hi");
		const guid = { messageGuid: reply.messageGuid ?? "" };
		await world.gateway.messages.addTapback({ ...guid, reaction: "love" });
		await world.gateway.messages.removeTapback({ ...guid, reaction: "like" });
		await world.gateway.messages.removeTapback({ ...guid, reaction: "love", partIndex: 1 });
		expect(messagesOf(world)[0]?.tapbacks).toHaveLength(1);
		await world.gateway.messages.removeTapback({ ...guid, reaction: "love" });
		expect(messagesOf(world)[0]?.tapbacks).toEqual([]);
	});
});

test.each<[string, durationMs: number | undefined, end: (world: WatchedGateway) => Promise<unknown>]>([
	["it stops", undefined, ({ gateway }) => gateway.messages.stopTyping({ to: ALICE })],
	["its time is over", 5_000, ({ clock }) => clock.advance(1)],
	["the message is there", undefined, (world) => sendAndSettle(world, "Here it is")],
])("typing lasts until %s", async (_when, durationMs, end) => {
	const world = createWatchedGateway();
	const until = () => conversationOf(world).typingUntil;
	await sendAndSettle(world);
	expect(until()).toBeNull();
	await world.gateway.messages.startTyping({ to: ALICE, durationMs });
	const endsAt = durationMs === undefined ? Number.MAX_SAFE_INTEGER : world.clock.now() + durationMs;
	await world.clock.advance(durationMs === undefined ? 86_400_000 : durationMs - 1);
	expect(until()).toBe(endsAt);
	await end(world);
	expect(until()).toBeNull();
});

describe("read receipts", () => {
	test("for all messages, or up to one; never back", async () => {
		const world = createWatchedGateway();
		const first = await world.local.contact(ALICE).reply("1");
		const second = await world.local.contact(ALICE).reply("2");
		expect(conversationOf(world).readUpTo).toBeNull();
		const sequenceOf = (id: string) => messagesOf(world).find(({ messageId }) => messageId === id)?.sequence;
		const markRead = (messageGuid: string | null) =>
			world.gateway.messages.markRead({ to: ALICE, messageGuid: messageGuid ?? "" });
		await markRead(second.messageGuid);
		const readUpTo = { sequence: sequenceOf(second.messageId), at: world.clock.now() };
		expect(conversationOf(world).readUpTo).toEqual(readUpTo);
		await markRead(first.messageGuid);
		await markRead("unknown");
		expect(conversationOf(world).readUpTo).toEqual(readUpTo);
		const third = await world.local.contact(ALICE).reply("3");
		await world.gateway.messages.markRead({ to: ALICE });
		expect(conversationOf(world).readUpTo?.sequence).toBeGreaterThan(sequenceOf(third.messageId) ?? 0);
	});

	test("a message of another chat changes nothing", async () => {
		const world = createWatchedGateway();
		await world.local.contact(ALICE).reply("Hi");
		const { messageGuid } = await world.local.contact(BOB).reply("Hi");
		await world.gateway.messages.markRead({ to: ALICE, messageGuid: messageGuid ?? "" });
		expect(conversationOf(world).readUpTo).toBeNull();
	});
});

describe("duplicate windows", () => {
	test("those of a message, with their ends; a reply ends the contact's own", async () => {
		const world = createWatchedGateway();
		const startMs = world.clock.now();
		const { messageId } = await sendAndSettle(world);
		expect(conversationOf(world).windows).toEqual([
			{ messageId, scope: "contact", endsAt: startMs + 300_000 },
			{ messageId, scope: "agent", endsAt: startMs + 120_000 },
			{ messageId, scope: "account", endsAt: startMs + 60_000 },
		]);
		await world.local.contact(ALICE).reply("Hi");
		const scopes = () => conversationOf(world).windows.map(({ scope }) => scope);
		expect(scopes()).toEqual(["agent", "account"]);
		const advanceTo = (seconds: number) => world.clock.advance(startMs + seconds * 1_000 - world.clock.now());
		await advanceTo(59.5);
		expect(scopes()).toEqual(["agent", "account"]);
		await advanceTo(60);
		expect(scopes()).toEqual(["agent"]);
		await advanceTo(120);
		expect(scopes()).toEqual([]);
	});

	test("none of a message that failed before it was sent, or where windows are off", async () => {
		const world = createWatchedGateway();
		await sendAndSettle(world, "Hello", "+15550001001");
		expect(conversationOf(world, "+15550001001").windows).toEqual([]);
		const lax = createWatchedGateway({ rules: "off" });
		await sendAndSettle(lax);
		expect(conversationOf(lax).windows).toEqual([]);
	});
});

test("conversations show the behaviour of a magic number; groups name their members", async () => {
	const world = createWatchedGateway();
	await sendAndSettle(world, "Hello", "+15550001007");
	await world.gateway.messages.sendText({ participants: [ALICE, BOB], text: "Hi all" });
	expect(conversationOf(world, "+15550001007").behaviour).toContain("there is no reply");
	const [, group] = world.control.snapshot().conversations;
	expect(group).toMatchObject({ contacts: [ALICE, BOB], counters: { outbound: 1 }, groupId: group?.key });
	expect(group).not.toHaveProperty("behaviour");
});

describe("attachments", () => {
	const file = { name: "a.txt", mimeType: "text/plain" };

	test("the bytes of both sides are kept under an id, which no webhook and no response contains", async () => {
		const world = createWatchedGateway();
		const { gateway, control, local } = world;
		const sent = await gateway.messages.sendAttachments({
			to: ALICE,
			attachments: [{ url: "https://a.example/b" }, { ...file, data: new Uint8Array([1, 2, 255]) }],
		});
		await control.act({ type: "reply", from: ALICE, text: "", attachments: [{ ...file, data: "AAEC" }] });
		await local.settled();
		const [outbound, inbound] = messagesOf(world);
		const [linked, kept] = outbound?.attachments ?? [];
		expect(linked).toEqual({ url: "https://a.example/b" });
		expect(kept).toEqual({ ...file, size: 3, id: expect.any(String) });
		expect(control.attachment(String(kept?.["id"]))).toMatchObject({
			bytes: new Uint8Array([1, 2, 255]),
			...file,
		});
		const received = control.attachment(String(inbound?.attachments[0]?.["id"]));
		expect(received.bytes).toEqual(new Uint8Array([0, 1, 2]));
		expect(sent.message.attachments[1]).toEqual({ ...file, size: 3 });
		for (const { body } of local.deliveries) expect(body).not.toContain('"id"');
	});

	test("bytes aren't kept if the option is off, or in the plain gateway", async () => {
		const world = createWatchedGateway({ keepAttachments: false });
		const attachments = [{ ...file, data: new Uint8Array([1]) }];
		await world.gateway.messages.sendAttachments({ to: ALICE, attachments });
		expect(messagesOf(world)[0]?.attachments[0]).toEqual({ ...file, size: 1 });
		expect(() => world.control.attachment("none")).toThrow(expect.objectContaining({ code: "not_found" }));
	});

	test("an id that a test gave its own attachment is removed", async () => {
		const world = createWatchedGateway();
		await world.local.contact(ALICE).reply("See", { attachments: [{ id: "theirs", name: "a.png" }] });
		expect(messagesOf(world)[0]?.attachments).toEqual([{ name: "a.png" }]);
	});

	test("go with their message", async () => {
		const world = createWatchedGateway({ maxEntries: 1, deliverTo: undefined });
		const reply = (text: string) =>
			world.control.act({ type: "reply", from: ALICE, text, attachments: [{ ...file, data: "AAEC" }] });
		await reply("1");
		const id = String(messagesOf(world)[0]?.attachments[0]?.["id"]);
		await reply("2");
		expect(() => world.control.attachment(id)).toThrow("n't kept");
	});
});

describe("deliveries", () => {
	test("every attempt with what was sent, and the result of verifying it", async () => {
		const statuses = [500, 200];
		const world = createWatchedGateway({
			deliverTo: () => new Response(null, { status: statuses.shift() ?? 200 }),
		});
		const { local, control } = world;
		local.faults.webhooks.tamper();
		const { messageId } = await local.contact(ALICE).reply("Hi");
		await local.settled();
		const [delivery] = control.deliveries({}).items;
		expect(delivery).toMatchObject({
			kind: "inbound_message",
			state: "delivered",
			messageId,
			conversationKey: ALICE,
			createdAt: expect.any(Number),
			attempts: [
				{ status: 500, check: { isValid: false, code: "signature_mismatch" }, sentBody: expect.any(String) },
				{ status: 200, check: { isValid: true } },
			],
		});
		expect(delivery?.attempts[0]?.sentBody).not.toBe(delivery?.body);
		expect(delivery?.attempts[1]).not.toHaveProperty("sentBody");
		expect(delivery?.attempts[1]?.headers).toEqual(delivery?.headers);
		expect(delivery?.attempts[0]?.headers).not.toEqual(delivery?.headers);
	});

	test("users' tests see them unchanged", async () => {
		const { local } = createWatchedGateway();
		await local.contact(ALICE).reply("Hi");
		await local.settled();
		const [delivery] = local.deliveries;
		expect(Object.keys(delivery ?? {}).sort()).toEqual(
			["eventId", "kind", "url", "headers", "body", "attempts", "state"].sort(),
		);
		expect(Object.keys(delivery?.attempts[0] ?? {}).sort()).toEqual(["at", "status", "timestamp"]);
	});
});

describe("signatures keep to the machine's time when the clock is moved", () => {
	afterEach(() => {
		vi.useRealTimers();
	});

	test("of requests and of webhooks", async () => {
		vi.useFakeTimers({ toFake: ["Date"], now: NOW_MS });
		const received: string[] = [];
		const { local, control } = createControlledGateway({
			deliverTo: (request) => {
				received.push(request.headers.get("X-SVC-Timestamp") ?? "");
				return new Response();
			},
		});
		await control.act({ type: "advance_clock", ms: 86_400_000 });
		await local.contact(ALICE).reply("Hi");
		await local.settled();
		expect(received).toEqual([String(NOW_MS / 1000)]);
		const health = await local.fetch(new Request(`${local.baseUrl}/health`));
		expect(Date.parse(health.headers.get("Date") ?? "")).toBe(NOW_MS);
		expect(local.clientOptions.clock.now()).toBe(NOW_MS);
		expect(control.deliveries({}).items[0]?.attempts[0]?.check).toEqual({ isValid: true });
	});

	test("a given clock is used for signatures, too", () => {
		const clock = createAdjustableClock({ frozen: true, startMs: 5_000 });
		const { local } = createControlledGateway({ clock });
		expect(local.clientOptions.clock.now()).toBe(5_000);
	});
});
