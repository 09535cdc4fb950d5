import { type LocalGateway, type LocalGatewayOptions, MAGIC_NUMBERS } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import {
	AGENT,
	ALICE,
	BOB,
	call,
	createFrozenGateway,
	FAILING,
	getMapping,
	outcomeOf,
	pathOf,
	sendText,
} from "../../../support/signed-client.ts";

const OTHER_AGENT = "+15550000002";
const FALLS_BACK = "+15550001002";
const WITHOUT_NATIVE = "+15550001003";

function createGateway(options: LocalGatewayOptions = {}) {
	return createFrozenGateway({ deliverTo: () => new Response(), ...options });
}

/** A gateway that has sent one text. */
async function sendFirst(to = ALICE, options: LocalGatewayOptions = {}) {
	const local = createGateway(options);
	await sendText(local, to);
	return local;
}

/** The same, with everything done that follows. */
async function sendAndSettle(to = ALICE) {
	const local = await sendFirst(to);
	await local.settled();
	return local;
}

const payloads = (local: LocalGateway) => local.deliveries.map(({ body }) => JSON.parse(body));
const statuses = (local: LocalGateway) => local.sent.map(({ status }) => status);

/** What the webhooks reported: each status, or the kind of event. */
const story = (local: LocalGateway) => payloads(local).map(({ type, status }) => type ?? status);

test("an ordinary contact: queued, then sent, delivered and read, each at its time", async () => {
	const local = createGateway();
	const startMs = local.clock.now();
	const { message } = (await sendText(local, ALICE)).body.data;
	expect(message).toMatchObject({ status: "queued", chatGuid: null, messageGuid: null });
	await local.settled();
	expect(story(local)).toEqual(["sent", "delivered", "read"]);
	expect(payloads(local).map(({ timestamp_ms }) => timestamp_ms - startMs)).toEqual([20, 40, 60]);
	const found = await outcomeOf(call(local, "GET", `/message/${message.messageId}`));
	expect(found).toEqual([200, { message: local.sent[0] }]);
	expect(local.sent[0]).toMatchObject({ status: "read", messageGuid: expect.any(String) });
});

test("the delays can be set", async () => {
	const local = await sendFirst(ALICE, { delays: { sentMs: 0, deliveredMs: 1_000, readMs: 500 } });
	await local.clock.advance(999);
	expect(statuses(local)).toEqual(["sent"]);
	await local.clock.advance(1);
	expect(statuses(local)).toEqual(["read"]);
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
		expect(story(await sendAndSettle(number))).toEqual(STORIES[name]);
	});

	test("a failure has a reason", async () => {
		const local = await sendAndSettle(FAILING);
		expect(local.sent[0]).toMatchObject({ status: "failed", error: "the message could not be sent" });
		expect(payloads(local)[0]).toMatchObject({ messageGuid: expect.any(String) });
	});

	test("only the one that reads late reads later", async () => {
		const local = await sendFirst("+15550001006");
		await local.clock.advance(4_999);
		expect(statuses(local)).toEqual(["delivered"]);
		await local.clock.advance(1);
		expect(statuses(local)).toEqual(["read"]);
	});

	test("a reply comes from the contact, to the agent that wrote", async () => {
		const local = await sendAndSettle("+15550001004");
		expect(payloads(local).at(-1)).toMatchObject({ from: "+15550001004", to: AGENT });
	});

	test("a reaction names the message", async () => {
		const local = await sendAndSettle("+15550001005");
		expect(payloads(local).at(-1)).toMatchObject({
			reaction: "love",
			originalText: "Hello",
			originalMessageGuid: local.sent[0]?.messageGuid,
		});
	});

	test("a reaction can be taken back, if it is there", async () => {
		const local = await sendAndSettle();
		const alice = local.contact(ALICE);
		const isMissing = { message: expect.stringContaining("no such reaction") };
		await alice.react("like");
		await expect(alice.react("love", { action: "remove" })).rejects.toMatchObject(isMissing);
		await alice.react("like", { action: "remove" });
		await expect(alice.react("like", { action: "remove" })).rejects.toMatchObject(isMissing);
		await local.settled();
		const [added, removed] = payloads(local).slice(-2);
		expect(added).toMatchObject({ reaction: "like", outbound: false });
		expect(added).not.toHaveProperty("removed");
		expect(removed).toMatchObject({ reaction: "like", outbound: false, from: ALICE, removed: true });
	});

	test.each([OTHER_AGENT, AGENT])(
		"a message to the agent %s arrives there, once it is delivered",
		async (to) => {
			const local = createGateway({ agents: [AGENT, OTHER_AGENT] });
			await call(local, "POST", "/message/text", { from: AGENT, to, text: "Hello" });
			await local.clock.advance(39);
			expect(local.deliveries.map(({ kind }) => kind)).toEqual(["status"]);
			await local.settled();
			expect(payloads(local).filter(({ type }) => type === "inbound_message")).toMatchObject([
				{ from: AGENT, to, text: "Hello", outbound: false, groupId: null, nativeMessageNumber: to },
			]);
		},
	);

	test("a message of a group goes to no agent", async () => {
		const local = createGateway({ agents: [AGENT, OTHER_AGENT] });
		const participants = [OTHER_AGENT, ALICE];
		await call(local, "POST", "/message/text", { from: AGENT, participants, text: "Hello" });
		await local.settled();
		expect(new Set(local.deliveries.map(({ kind }) => kind))).toEqual(new Set(["status"]));
	});

	test.each([
		[WITHOUT_NATIVE, false, "SMS"],
		[FALLS_BACK, true, "native"],
		[ALICE, true, "native"],
	])("the capability of %s", async (number, native, service) => {
		const local = createGateway();
		const capability = { number, native, service, checkedAt: local.clock.now() };
		expect(await outcomeOf(call(local, "GET", pathOf("/capability", number)))).toEqual([200, capability]);
	});

	test("without the native network there are no tapbacks", async () => {
		const local = await sendAndSettle(WITHOUT_NATIVE);
		const tapback = { messageGuid: local.sent[0]?.messageGuid, action: "add", reaction: "love" };
		const outcome = await outcomeOf(call(local, "POST", "/message/tapback", tapback));
		expect(outcome).toEqual([422, "NATIVE_UNSUPPORTED"]);
	});
});

describe("a contact that acts", () => {
	test("reads what was sent, and only that", async () => {
		const local = await sendFirst();
		await local.clock.advance(20);
		await sendText(local, ALICE, "second");
		await local.contact(ALICE).read();
		expect(statuses(local)).toEqual(["read", "queued"]);
		await local.settled();
		expect(local.deliveries).toHaveLength(6);
	});

	test("does not read what went by SMS, or was never sent", async () => {
		const local = await sendAndSettle(FALLS_BACK);
		await local.contact(FALLS_BACK).read();
		await local.contact(BOB).read();
		expect(statuses(local)).toEqual(["delivered"]);
	});

	test("writes first, and is mapped", async () => {
		const local = createGateway();
		const message = await local.contact(ALICE).reply("Anyone there?", { attachments: [{ name: "a.png" }] });
		expect(message).toMatchObject({ from: ALICE, to: AGENT, outbound: false, text: "Anyone there?" });
		const now = local.clock.now();
		expect(await getMapping(local, ALICE)).toMatchObject({ inbound: 1, respondedAt: null, receivedAt: now });
		await local.settled();
		expect(payloads(local)).toMatchObject([{ type: "inbound_message", attachments: [{ name: "a.png" }] }]);
		expect(local.sent).toEqual([]);
	});

	test("writes to another agent", async () => {
		const local = createGateway({ agents: [AGENT, OTHER_AGENT] });
		await sendText(local, ALICE, "Hi", { from: AGENT });
		for (const contact of [ALICE, BOB]) {
			const message = await local.contact(contact).reply("Hi", { to: OTHER_AGENT });
			expect(message.to).toBe(OTHER_AGENT);
		}
	});

	test("reacts to a message of its choice", async () => {
		const local = await sendFirst();
		await sendText(local, ALICE, "second");
		await local.settled();
		await local.contact(ALICE).react("like");
		await local.contact(ALICE).react("🎉", { messageGuid: local.sent[0]?.messageGuid ?? "" });
		await local.settled();
		expect(payloads(local).slice(-2)).toMatchObject([
			{ reaction: "like", originalText: "second" },
			{ reaction: "🎉", originalText: "Hello" },
		]);
	});

	test("gets an error for what is impossible", async () => {
		const local = createGateway({ agents: [] });
		const alice = local.contact(ALICE);
		const configuration = { code: "configuration" };
		expect(() => local.contact("5550100")).toThrow(expect.objectContaining(configuration));
		expect(() => local.agent(AGENT).goOffline()).toThrow(expect.objectContaining(configuration));
		for (const impossible of [
			alice.reply("Hi"),
			alice.reply("Hi", { to: AGENT }),
			alice.reply("Hi", { groupId: "nope" }),
			alice.react("love"),
			alice.react("love", { messageGuid: "nope" }),
		]) {
			await expect(impossible).rejects.toMatchObject(configuration);
		}
	});
});

describe("an agent that is offline", () => {
	const NOBODY = [503, "NO_AGENT_AVAILABLE"];

	test("keeps its messages waiting, and sends them when it is back", async () => {
		const local = await sendFirst();
		local.agent(AGENT).goOffline();
		await sendText(local, ALICE, "second");
		await local.settled();
		expect(statuses(local)).toEqual(["queued", "queued"]);
		local.agent(AGENT).goOnline();
		await local.settled();
		expect(statuses(local)).toEqual(["read", "read"]);
	});

	test("does not hold back messages that were sent already", async () => {
		const local = await sendFirst();
		await local.clock.advance(20);
		local.agent(AGENT).goOffline();
		await local.settled();
		expect(statuses(local)).toEqual(["read"]);
	});

	test("gets no new contacts", async () => {
		const local = createGateway();
		local.agent(AGENT).goOffline();
		expect(await outcomeOf(sendText(local, ALICE))).toEqual(NOBODY);
		expect(local.sent).toEqual([]);
	});

	test("gets the message of a new contact that got a 503, if messages are queued without an agent", async () => {
		const local = createGateway({ readings: ["a 503 comes after a message was queued"] });
		local.agent(AGENT).goOffline();
		expect(await outcomeOf(sendText(local, ALICE))).toEqual(NOBODY);
		expect(local.sent).toMatchObject([{ to: ALICE, status: "queued" }]);
		local.agent(AGENT).goOnline();
		await local.settled();
		expect(local.sent).toMatchObject([{ to: ALICE, status: "read" }]);
		expect((await sendText(local, ALICE, "Another")).status).toBe(202);
	});

	test("that is blocked gets no message, and neither does a gateway without agents", async () => {
		for (const agents of [[], [AGENT]]) {
			const local = createGateway({ agents, readings: ["a 503 comes after a message was queued"] });
			if (agents.length > 0) await call(local, "POST", pathOf("/agent", AGENT, "/block"));
			expect((await sendText(local, ALICE)).status).toBe(503);
			expect(local.sent).toEqual([]);
		}
	});
});
