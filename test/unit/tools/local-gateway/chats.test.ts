import type { LocalGateway } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { ASSUMED_LIMITS } from "../../../../src/library/catalogue/limits.ts";
import { assertSize } from "../../../../src/tools/local-gateway/attachments.ts";
import {
	AGENT,
	ALICE,
	BOB,
	call,
	createFrozenGateway,
	FAILING,
	getMapping,
	outcomeOf,
	sendText,
} from "../../../support/signed-client.ts";

const CAROL = "+15559876543";

describe("groups", () => {
	const both = { participants: [ALICE, BOB] };
	const sendToGroup = (local: LocalGateway, fields: object, text = "Hello all") =>
		call(local, "POST", "/message/text", { text, ...fields });
	const messageTo = async (local: LocalGateway, fields: object, text?: string) =>
		(await sendToGroup(local, fields, text)).body.data.message;

	test("the same set of participants is the same group", async () => {
		const local = createFrozenGateway();
		const group = async (fields: object, text: string) => (await messageTo(local, fields, text)).groupId;
		const id = await group({ ...both, groupName: "Friends" }, "1");
		expect(await group({ participants: [BOB, ALICE, BOB] }, "2")).toBe(id);
		expect(await group({ groupId: id }, "3")).toBe(id);
		expect(await group({ participants: [ALICE, BOB, CAROL] }, "4")).not.toBe(id);
	});

	test("a message to one names all participants", async () => {
		expect(await messageTo(createFrozenGateway(), both)).toMatchObject({
			from: AGENT,
			to: ALICE,
			groupId: expect.any(String),
			participants: [AGENT, ALICE, BOB],
		});
	});

	test("its duplicate window is its own, and any participant's reply in it clears it", async () => {
		const windows = { contact: 300, agent: 0, account: 0 };
		const local = createFrozenGateway({ rules: { duplicateWindowSeconds: windows } });
		const { groupId } = await messageTo(local, both);
		expect((await sendText(local, ALICE, "Hello all")).status).toBe(202);
		expect((await sendToGroup(local, { groupId })).status).toBe(409);
		await local.contact(BOB).reply("Not in the group");
		expect((await sendToGroup(local, { groupId })).status).toBe(409);
		await local.contact(BOB).reply("Hi all", { groupId });
		expect((await sendToGroup(local, { groupId })).status).toBe(202);
	});

	test("it counts like a contact, and no mapping shows it", async () => {
		const local = createFrozenGateway({ rules: { maxConsecutiveMessages: 1 } });
		const { groupId } = await messageTo(local, both, "1");
		expect((await sendToGroup(local, { groupId }, "2")).status).toBe(403);
		await local.contact(ALICE).reply("Hi all", { groupId });
		expect((await sendToGroup(local, { groupId }, "2")).status).toBe(202);
		expect(await getMapping(local, ALICE)).toBeUndefined();
		expect((await call(local, "GET", "/mapping")).body.data.mappings).toEqual([]);
	});

	test("a stranger cannot write in it", async () => {
		const local = createFrozenGateway();
		const { groupId } = await messageTo(local, both);
		const reply = local.contact(CAROL).reply("Hi", { groupId });
		await expect(reply).rejects.toMatchObject({ code: "configuration" });
	});

	test("a magic number is ordinary there", async () => {
		const local = createFrozenGateway();
		await sendToGroup(local, { participants: [FAILING, ALICE] });
		await local.settled();
		expect(local.sent[0]?.status).toBe("read");
	});
});

describe("typing and read receipts", () => {
	test("typing with a duration ends by itself", async () => {
		const local = createFrozenGateway();
		await sendText(local, ALICE);
		const expiresAt = local.clock.now() + 5_000;
		for (const [fields, ends] of [
			[{ state: "start", durationMs: 5_000 }, expiresAt],
			[{ state: "start" }, null],
			[{ state: "stop" }, null],
		] as const) {
			const { body } = await call(local, "POST", "/message/typing", { to: ALICE, ...fields });
			expect(body.data).toEqual({ chatGuid: `native;-;${ALICE}`, state: fields.state, expiresAt: ends });
		}
	});

	test("a read receipt has a time", async () => {
		const local = createFrozenGateway();
		await local.contact(ALICE).reply("Hi");
		const { body } = await call(local, "POST", "/message/read", { to: ALICE });
		expect(body.data).toEqual({ chatGuid: `native;-;${ALICE}`, markedAt: local.clock.now() });
	});
});

test("a repeated tapback has the same result", async () => {
	const local = createFrozenGateway();
	await sendText(local, ALICE);
	await local.settled();
	const data = { messageGuid: local.sent[0]?.messageGuid, reaction: "love", action: "add" };
	for (let times = 0; times < 2; times++) {
		expect((await call(local, "POST", "/message/tapback", data)).body.data).toEqual(data);
	}
});

describe("attachments", () => {
	const TEN_MB = 10_000_000;
	const sendFiles = (attachments: object[], text?: string) =>
		call(createFrozenGateway(), "POST", "/message/attachment", { to: ALICE, attachments, text });
	const file = (bytes: number) => ({
		data: Buffer.alloc(bytes).toString("base64"),
		name: "a.bin",
		mimeType: "application/octet-stream",
	});

	test("their bytes are not kept", async () => {
		const url = { url: "https://files.example/a.png", name: "a.png" };
		const { body } = await sendFiles([file(4), url], "See");
		expect(body.data.message).toMatchObject({
			text: "See",
			attachments: [{ name: "a.bin", mimeType: "application/octet-stream", size: 4 }, url],
		});
		expect(body.data.message.attachments[0]).not.toHaveProperty("data");
	});

	test.each([
		[TEN_MB, true],
		[TEN_MB + 1, false],
		[TEN_MB + 2, false],
	])("one of %d bytes fits: %s", (bytes, fits) => {
		const check = () => assertSize(file(bytes), ASSUMED_LIMITS);
		if (fits) expect(check).not.toThrow();
		else expect(check).toThrow(expect.objectContaining({ code: "ATTACHMENT_TOO_LARGE" }));
	});

	// Hashing this much takes time.
	test("one that is too large is 413", async () => {
		expect(await outcomeOf(sendFiles([file(TEN_MB + 1)]))).toEqual([413, "ATTACHMENT_TOO_LARGE"]);
	});

	test.each<[object, number]>([
		[{ url: "https://files.example/a.m4a" }, 202],
		[{ url: "https://files.example/a?id=1", name: "a.AMR" }, 202],
		[{ url: "https://files.example/a", mimeType: "audio/aac" }, 202],
		[{ data: "AAAA", name: "a", mimeType: "audio/x-wav" }, 202],
		[{ url: "https://files.example/a.ogg" }, 415],
		[{ url: "https://files.example/a.mp3", mimeType: "audio/ogg" }, 415],
		[{ data: "AAAA", name: "a.mp3", mimeType: "video/mp4" }, 415],
	])("the voice note %j gets %d", async (attachment, expected) => {
		const local = createFrozenGateway();
		const { status, body } = await call(local, "POST", "/message/voice", { to: ALICE, attachment });
		expect(status).toBe(expected);
		if (expected === 415) expect(body.error.code).toBe("UNSUPPORTED_MEDIA_TYPE");
	});
});
