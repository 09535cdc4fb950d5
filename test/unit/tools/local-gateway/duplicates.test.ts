import type { LocalGateway, LocalGatewayOptions } from "messaging-gateway/testing";
import { beforeAll, describe, expect, test } from "vitest";
import {
	AGENT,
	ALICE,
	BOB,
	call,
	createFrozenGateway,
	FAILING,
	getMapping,
	pathOf,
	sendText,
} from "../../../support/signed-client.ts";

const OTHER_AGENT = "+15550000002";
const CAROL = "+15559876543";

function createGateway(options: LocalGatewayOptions = {}) {
	return createFrozenGateway({ agents: [AGENT, OTHER_AGENT], ...options });
}

function only(scope: "contact" | "agent" | "account"): LocalGatewayOptions {
	const off = { contact: 0, agent: 0, account: 0 };
	const seconds = { contact: 300, agent: 120, account: 60 };
	return { rules: { duplicateWindowSeconds: { ...off, [scope]: seconds[scope] } } };
}

async function scopeOf(response: ReturnType<typeof call>): Promise<string | number> {
	const { status, body } = await response;
	return status === 409 ? body.error.details.scope : status;
}

describe("windows", () => {
	test.each([
		["contact", 300, ALICE, AGENT],
		["agent", 120, BOB, AGENT],
		["account", 60, BOB, OTHER_AGENT],
	] as const)("%s: blocked for %d s, and free once they are over", async (scope, seconds, to, from) => {
		const local = createGateway(only(scope));
		await sendText(local, ALICE, "Hello", { from: AGENT });
		await local.clock.advance(seconds * 1000 - 1);
		expect(await scopeOf(sendText(local, to, "Hello", { from }))).toBe(scope);
		await local.clock.advance(1);
		expect(await scopeOf(sendText(local, to, "Hello", { from }))).toBe(202);
	});

	test.each([
		["agent", ALICE, AGENT, "the same contact"],
		["agent", BOB, OTHER_AGENT, "another agent"],
		["contact", BOB, AGENT, "another contact"],
	] as const)("%s: not for %s from %s, %s", async (scope, to, from, _difference) => {
		const local = createGateway(only(scope));
		await sendText(local, ALICE, "Hello", { from: AGENT });
		expect(await scopeOf(sendText(local, to, "Hello", { from }))).toBe(202);
	});

	test("are checked in the order contact, agent, account", async () => {
		const local = createGateway();
		await sendText(local, ALICE, "Hello", { from: AGENT });
		expect(await scopeOf(sendText(local, ALICE, "Hello", { from: AGENT }))).toBe("contact");
		expect(await scopeOf(sendText(local, BOB, "Hello", { from: AGENT }))).toBe("agent");
		expect(await scopeOf(sendText(local, BOB, "Hello", { from: OTHER_AGENT }))).toBe("account");
	});

	test('rules: "off" turns all of them off', async () => {
		const local = createGateway({ rules: "off" });
		for (let times = 0; times < 10; times++) expect(await scopeOf(sendText(local, ALICE))).toBe(202);
	});
});

describe("a reply", () => {
	test("clears the contact's window only", async () => {
		const local = createGateway();
		await sendText(local, ALICE);
		await local.contact(ALICE).reply("Hi");
		expect(await scopeOf(sendText(local, ALICE))).toBe("account");
		await local.clock.advance(60_000);
		expect(await scopeOf(sendText(local, BOB, "Hello", { from: AGENT }))).toBe("agent");
		expect(await scopeOf(sendText(local, ALICE))).toBe(202);
	});

	test("is a message of this contact: a reaction clears nothing, nor does another contact", async () => {
		const local = createGateway(only("contact"));
		await sendText(local, ALICE);
		await local.settled();
		await local.contact(ALICE).react("love");
		await local.contact(BOB).reply("Hi");
		expect(await scopeOf(sendText(local, ALICE))).toBe("contact");
	});

	test("starts a new window with the next message, at once", async () => {
		const local = createGateway(only("contact"));
		await sendText(local, ALICE);
		await local.contact(ALICE).reply("Hi");
		expect(await scopeOf(sendText(local, ALICE))).toBe(202);
		expect(await scopeOf(sendText(local, ALICE))).toBe("contact");
	});
});

describe("equal messages", () => {
	const file = (name: string) => ({ url: `https://files.example/${name}` });

	test.each([
		["whitespace around the text", " Hello\n", {}, 409],
		["another text", "hello", {}, 202],
		["another effect", "Hello", { effect: "slam" }, 409],
	])("%s", async (_name, text, fields, expected) => {
		const local = createGateway();
		await sendText(local, ALICE, "Hello");
		expect((await sendText(local, ALICE, text, fields)).status).toBe(expected);
	});

	test("the order of attachments counts, and so does the kind", async () => {
		const local = createGateway();
		const send = async (path: string, fields: object) =>
			(await call(local, "POST", path, { to: ALICE, ...fields })).status;
		expect(await send("/message/attachment", { attachments: [file("a.mp3"), file("b.mp3")] })).toBe(202);
		expect(await send("/message/attachment", { attachments: [file("b.mp3"), file("a.mp3")] })).toBe(202);
		expect(await send("/message/attachment", { attachments: [file("b.mp3"), file("a.mp3")] })).toBe(409);
		expect(await send("/message/attachment", { attachments: [file("a.mp3")] })).toBe(202);
		expect(await send("/message/voice", { attachment: file("a.mp3") })).toBe(202);
	});

	test("tapbacks, typing and read receipts are exempt", async () => {
		const local = createGateway();
		await sendText(local, ALICE);
		await local.settled();
		const messageGuid = local.sent[0]?.messageGuid;
		for (let times = 0; times < 2; times++) {
			const tapback = { messageGuid, action: "add", reaction: "love" };
			expect((await call(local, "POST", "/message/tapback", tapback)).status).toBe(200);
			expect((await call(local, "POST", "/message/typing", { to: ALICE, state: "start" })).status).toBe(200);
			expect((await call(local, "POST", "/message/read", { to: ALICE })).status).toBe(200);
		}
		expect((await getMapping(local, ALICE)).duplicate.isDuplicate).toBe(false);
	});
});

test("the rejection names the rule, the scope, the seconds left and the option", async () => {
	const local = createGateway();
	await sendText(local, ALICE, "Very private");
	await local.clock.advance(100_500);
	const { body } = await sendText(local, ALICE, "Very private");
	expect(body.error.code).toBe("DUPLICATE_MESSAGE");
	expect(body.error.details).toMatchObject({
		isDuplicate: true,
		lastMessageSignature: expect.stringMatching(/^[0-9a-f]{64}$/),
		currentMessageSignature: body.error.details.lastMessageSignature,
		timeRemaining: 199.5,
		rule: "duplicate",
		scope: "contact",
		option: "rules.duplicateWindowSeconds.contact",
		messageId: local.sent[0]?.messageId,
	});
	expect(body.error.message).toMatch(
		/duplicate rule, scope contact.*200 s.*rules\.duplicateWindowSeconds\.contact.*`messaging-gateway dev`, DUPLICATE_SAME_NUMBER_WINDOW_SECONDS/,
	);
	expect(JSON.stringify(body)).not.toContain("private");
});

test("a message that fails before it is sent releases its signature", async () => {
	const local = createGateway();
	await sendText(local, FAILING);
	await local.settled();
	expect((await getMapping(local, FAILING)).duplicate).toBeUndefined();
	expect(await scopeOf(sendText(local, FAILING))).toBe(202);
	await local.settled();
	expect(await scopeOf(sendText(local, CAROL))).toBe(202);
});

describe("on the mapping", () => {
	/** The signatures of texts, which are the same for all contacts. */
	const texts = new Map<string, string>();

	beforeAll(async () => {
		for (const text of ["P", "Q"]) {
			const local = createGateway();
			await sendText(local, CAROL, text);
			texts.set((await getMapping(local, CAROL)).duplicate.currentMessageSignature, text);
		}
	});

	/** The comparison on the contact's mapping, with the texts in place of their signatures. */
	async function duplicateOf(local: LocalGateway) {
		const { duplicate } = await getMapping(local, ALICE);
		const { lastMessageSignature, currentMessageSignature, ...rest } = duplicate;
		return { ...rest, last: texts.get(lastMessageSignature), current: texts.get(currentMessageSignature) };
	}

	test("an accepted attempt is compared with itself", async () => {
		const local = createGateway(only("contact"));
		await sendText(local, ALICE, "P");
		await local.clock.advance(1_000);
		const message = expect.stringContaining("would be blocked");
		const expected = { isDuplicate: false, last: "P", current: "P", timeRemaining: 299, message };
		expect(await duplicateOf(local)).toEqual(expected);
	});

	test("a blocked attempt is compared with the message that it repeats, with the time left of that one", async () => {
		const local = createGateway(only("contact"));
		await sendText(local, ALICE, "P");
		await local.clock.advance(100_000);
		await sendText(local, ALICE, "Q");
		await local.clock.advance(1_000);
		await sendText(local, ALICE, "P");
		const message = expect.stringContaining("was blocked");
		const expected = { isDuplicate: true, last: "P", current: "P", timeRemaining: 199, message };
		expect(await duplicateOf(local)).toEqual(expected);
	});

	test("blocked by a message to another contact, it is compared with that one while its window is open", async () => {
		const local = createGateway();
		await sendText(local, BOB, "Q", { from: AGENT });
		await local.clock.advance(10_000);
		await sendText(local, ALICE, "P", { from: AGENT });
		await sendText(local, ALICE, "Q", { from: AGENT });
		const blocked = { isDuplicate: true, last: "Q", current: "Q", timeRemaining: 110 };
		expect(await duplicateOf(local)).toMatchObject(blocked);
		await local.clock.advance(110_000);
		// Nothing blocks Q any more; what is open is the window of P.
		const open = { isDuplicate: false, last: "P", current: "Q", timeRemaining: 190 };
		expect(await duplicateOf(local)).toMatchObject(open);
	});

	test("blocked by a message that failed meanwhile, it is no duplicate any more", async () => {
		const local = createGateway();
		await sendText(local, ALICE, "P", { from: AGENT });
		await sendText(local, FAILING, "Q", { from: AGENT });
		await sendText(local, ALICE, "Q", { from: AGENT });
		expect(await duplicateOf(local)).toMatchObject({ isDuplicate: true });
		await local.settled();
		expect(await duplicateOf(local)).toMatchObject({ isDuplicate: false, last: "P" });
	});

	test("an attempt that another rule rejects is no duplicate of the last accepted message", async () => {
		const local = createGateway({ rules: { maxConsecutiveMessages: 1 } });
		await sendText(local, ALICE, "P");
		expect((await sendText(local, ALICE, "Q")).status).toBe(403);
		const rejected = { isDuplicate: false, last: "P", current: "Q", timeRemaining: 300 };
		expect(await duplicateOf(local)).toMatchObject(rejected);
	});

	test("it is absent once the window is over, cleared by a reply, reset, or off", async () => {
		const local = createGateway();
		const isAbsent = async () => !("duplicate" in (await getMapping(local, ALICE)));
		await sendText(local, ALICE);
		await local.clock.advance(299_999);
		expect(await isAbsent()).toBe(false);
		await local.clock.advance(1);
		expect(await isAbsent()).toBe(true);
		await sendText(local, ALICE);
		await local.contact(ALICE).reply("Hi");
		expect(await isAbsent()).toBe(true);
		await sendText(local, ALICE, "Once more");
		await call(local, "POST", pathOf("/mapping", ALICE, "/reset"));
		expect(await isAbsent()).toBe(true);
	});
});

test("a blocked send is not counted and not mapped", async () => {
	const local = createGateway();
	await sendText(local, ALICE);
	await sendText(local, ALICE);
	await sendText(local, BOB, "Hello", { from: AGENT });
	expect(await getMapping(local, ALICE)).toMatchObject({ outbound: 1, consecutiveCount: 1 });
	expect(await getMapping(local, BOB)).toBeUndefined();
	expect(local.sent).toHaveLength(1);
});
