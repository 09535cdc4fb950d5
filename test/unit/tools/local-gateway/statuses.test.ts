import {
	createAdjustableClock,
	createLocalGateway,
	type LocalGateway,
	type LocalGatewayOptions,
	MAGIC_NUMBERS,
} from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { AGENT, ALICE, BOB, call, sendText } from "./signed-client.ts";

function createGateway(options: LocalGatewayOptions = {}) {
	const clock = createAdjustableClock({ frozen: true });
	return createLocalGateway({ clock, deliverTo: () => new Response(), ...options });
}

/** What the webhooks reported: each status, or the kind of event. */
function story(local: LocalGateway): string[] {
	return local.deliveries.map(({ kind, body }) => (kind === "status" ? JSON.parse(body).status : kind));
}

test("an ordinary contact: queued, then sent, delivered and read, each at its time", async () => {
	const local = createGateway();
	const startMs = local.clock.now();
	const { body } = await sendText(local, ALICE);
	expect(body.data.message).toMatchObject({ status: "queued", chatGuid: null, messageGuid: null });
	await local.settled();
	expect(story(local)).toEqual(["sent", "delivered", "read"]);
	const times = local.deliveries.map((delivery) => JSON.parse(delivery.body).timestamp_ms - startMs);
	expect(times).toEqual([20, 40, 60]);
	const found = await call(local, "GET", `/message/${body.data.message.messageId}`);
	expect(found.body.data.message).toEqual(local.sent[0]);
	expect(local.sent[0]).toMatchObject({ status: "read", messageGuid: expect.any(String) });
});

test("the delays can be set", async () => {
	const local = createGateway({ delays: { sentMs: 0, deliveredMs: 1_000, readMs: 500 } });
	await sendText(local, ALICE);
	await local.clock.advance(999);
	expect(local.sent[0]?.status).toBe("sent");
	await local.clock.advance(1);
	expect(local.sent[0]?.status).toBe("read");
});

test("an unknown message is 404", async () => {
	const { status, body } = await call(createGateway(), "GET", "/message/nope");
	expect([status, body.error.code]).toEqual([404, "MESSAGE_NOT_FOUND"]);
});

describe("magic numbers", () => {
	const STORIES: Record<(typeof MAGIC_NUMBERS)[number]["name"], string[]> = {
		"always fails": ["failed"],
		"falls back to SMS": ["sent", "SMS_FALLBACK", "delivered"],
		"without the native network": ["SMS_FALLBACK", "delivered"],
		replies: ["sent", "delivered", "read", "inbound_message"],
		reacts: ["sent", "delivered", "read", "inbound_reaction"],
		"reads late": ["sent", "delivered", "read"],
		"never replies": ["sent", "delivered"],
	};

	test.each(MAGIC_NUMBERS.map(({ name, number }) => [name, number] as const))("%s", async (name, number) => {
		const local = createGateway();
		await sendText(local, number);
		await local.settled();
		expect(story(local)).toEqual(STORIES[name]);
	});

	test("a failure has a reason", async () => {
		const local = createGateway();
		await sendText(local, "+15550001001");
		await local.settled();
		expect(local.sent[0]).toMatchObject({ status: "failed", error: "the message could not be sent" });
		expect(JSON.parse(local.deliveries[0]?.body ?? "")).toMatchObject({ messageGuid: expect.any(String) });
	});

	test("only the one that reads late reads later", async () => {
		const local = createGateway();
		await sendText(local, "+15550001006");
		await local.clock.advance(4_999);
		expect(local.sent[0]?.status).toBe("delivered");
		await local.clock.advance(1);
		expect(local.sent[0]?.status).toBe("read");
	});

	test("a reply comes from the contact, to the agent that wrote", async () => {
		const local = createGateway();
		await sendText(local, "+15550001004");
		await local.settled();
		expect(JSON.parse(local.deliveries.at(-1)?.body ?? "")).toMatchObject({
			from: "+15550001004",
			to: AGENT,
		});
	});

	test("a reaction names the message", async () => {
		const local = createGateway();
		await sendText(local, "+15550001005", "What a day");
		await local.settled();
		expect(JSON.parse(local.deliveries.at(-1)?.body ?? "")).toMatchObject({
			reaction: "love",
			originalText: "What a day",
			originalMessageGuid: local.sent[0]?.messageGuid,
		});
	});

	test.each([
		["+15550001003", false, "SMS"],
		["+15550001002", true, "native"],
		[ALICE, true, "native"],
	])("the capability of %s", async (number, native, service) => {
		const local = createGateway();
		const { body } = await call(local, "GET", `/capability/${encodeURIComponent(number)}`);
		expect(body.data).toEqual({ number, native, service, checkedAt: local.clock.now() });
	});

	test("without the native network there are no tapbacks", async () => {
		const local = createGateway();
		await sendText(local, "+15550001003");
		await local.settled();
		const tapback = { messageGuid: local.sent[0]?.messageGuid, action: "add", reaction: "love" };
		const { status, body } = await call(local, "POST", "/message/tapback", tapback);
		expect([status, body.error.code]).toEqual([422, "NATIVE_UNSUPPORTED"]);
	});
});

describe("a contact that acts", () => {
	test("reads what was sent, and only that", async () => {
		const local = createGateway();
		await sendText(local, ALICE, "first");
		await local.clock.advance(20);
		await sendText(local, ALICE, "second");
		await local.contact(ALICE).read();
		expect(local.sent.map(({ status }) => status)).toEqual(["read", "queued"]);
		await local.settled();
		expect(local.deliveries).toHaveLength(6);
	});

	test("does not read what went by SMS, or was never sent", async () => {
		const local = createGateway();
		await sendText(local, "+15550001002");
		await local.settled();
		await local.contact("+15550001002").read();
		await local.contact(BOB).read();
		expect(local.sent[0]?.status).toBe("delivered");
	});

	test("writes first, and is mapped", async () => {
		const local = createGateway();
		const message = await local.contact(ALICE).reply("Anyone there?", { attachments: [{ name: "a.png" }] });
		expect(message).toMatchObject({ from: ALICE, to: AGENT, outbound: false, text: "Anyone there?" });
		const { body } = await call(local, "GET", `/mapping/${encodeURIComponent(ALICE)}`);
		expect(body.data.mapping).toMatchObject({ inbound: 1, respondedAt: null, receivedAt: local.clock.now() });
		await local.settled();
		expect(JSON.parse(local.deliveries[0]?.body ?? "")).toMatchObject({
			type: "inbound_message",
			attachments: [{ name: "a.png" }],
		});
		expect(local.sent).toEqual([]);
	});

	test("writes to another agent", async () => {
		const local = createGateway({ agents: [AGENT, "+15550000002"] });
		await sendText(local, ALICE, "Hi", { from: AGENT });
		expect(await local.contact(ALICE).reply("Hi", { to: "+15550000002" })).toMatchObject({
			to: "+15550000002",
		});
		expect(await local.contact(BOB).reply("Hi", { to: "+15550000002" })).toMatchObject({
			to: "+15550000002",
		});
	});

	test("reacts to a message of its choice", async () => {
		const local = createGateway();
		await sendText(local, ALICE, "first");
		await sendText(local, ALICE, "second");
		await local.settled();
		await local.contact(ALICE).react("like");
		const messageGuid = local.sent[0]?.messageGuid ?? "";
		await local.contact(ALICE).react("🎉", { messageGuid });
		await local.settled();
		const reactions = local.deliveries.slice(-2).map(({ body }) => JSON.parse(body));
		expect(reactions.map(({ reaction, originalText }) => [reaction, originalText])).toEqual([
			["like", "second"],
			["🎉", "first"],
		]);
	});

	test("gets an error for what is impossible", async () => {
		const local = createGateway({ agents: [] });
		const alice = local.contact(ALICE);
		const configuration = { code: "configuration" };
		expect(() => local.contact("555")).toThrow(expect.objectContaining(configuration));
		await expect(alice.reply("Hi")).rejects.toMatchObject(configuration);
		await expect(alice.reply("Hi", { to: AGENT })).rejects.toMatchObject(configuration);
		await expect(alice.reply("Hi", { groupId: "nope" })).rejects.toMatchObject(configuration);
		await expect(alice.react("love")).rejects.toMatchObject(configuration);
		await expect(alice.react("love", { messageGuid: "nope" })).rejects.toMatchObject(configuration);
		expect(() => local.agent(AGENT).goOffline()).toThrow(expect.objectContaining(configuration));
	});
});

describe("an agent that is offline", () => {
	test("keeps its messages waiting, and sends them when it is back", async () => {
		const local = createGateway();
		await sendText(local, ALICE, "first");
		local.agent(AGENT).goOffline();
		await sendText(local, ALICE, "second");
		await local.settled();
		expect(local.sent.map(({ status }) => status)).toEqual(["queued", "queued"]);
		local.agent(AGENT).goOnline();
		await local.settled();
		expect(local.sent.map(({ status }) => status)).toEqual(["read", "read"]);
	});

	test("does not hold back messages that were sent already", async () => {
		const local = createGateway();
		await sendText(local, ALICE);
		await local.clock.advance(20);
		local.agent(AGENT).goOffline();
		await local.settled();
		expect(local.sent[0]?.status).toBe("read");
	});

	test("gets no new contacts", async () => {
		const local = createGateway();
		local.agent(AGENT).goOffline();
		const { status, body } = await sendText(local, ALICE);
		expect([status, body.error.code]).toEqual([503, "NO_AGENT_AVAILABLE"]);
		expect(local.sent).toEqual([]);
	});

	test("gets the message of a new contact that got a 503, if messages are queued without an agent", async () => {
		const local = createGateway({ rules: { withoutAgent: "queue" } });
		local.agent(AGENT).goOffline();
		const { status, body } = await sendText(local, ALICE);
		expect([status, body.error.code]).toEqual([503, "NO_AGENT_AVAILABLE"]);
		expect(local.sent).toMatchObject([{ to: ALICE, status: "queued" }]);
		local.agent(AGENT).goOnline();
		await local.settled();
		expect(local.sent).toMatchObject([{ to: ALICE, status: "read" }]);
		expect((await sendText(local, ALICE, "Another")).status).toBe(202);
	});

	test("that is blocked gets no message, and neither does a gateway without agents", async () => {
		for (const agents of [[], [AGENT]]) {
			const local = createGateway({ agents, rules: { withoutAgent: "queue" } });
			if (agents.length > 0) await call(local, "POST", `/agent/${encodeURIComponent(AGENT)}/block`);
			const { status } = await sendText(local, ALICE);
			expect(status).toBe(503);
			expect(local.sent).toEqual([]);
		}
	});
});
