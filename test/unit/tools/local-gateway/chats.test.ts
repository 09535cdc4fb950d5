import {
	createAdjustableClock,
	createLocalGateway,
	type LocalGatewayOptions,
} from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { ASSUMED_LIMITS } from "../../../../src/library/catalogue/limits.ts";
import { assertSize } from "../../../../src/tools/local-gateway/attachments.ts";
import { AGENT, ALICE, BOB, call, getMapping, sendText } from "./signed-client.ts";

const CAROL = "+15559876543";

function createGateway(options: LocalGatewayOptions = {}) {
	return createLocalGateway({ clock: createAdjustableClock({ frozen: true }), ...options });
}

describe("groups", () => {
	const sendToGroup = (local: ReturnType<typeof createGateway>, fields: object, text = "Hello all") =>
		call(local, "POST", "/message/text", { text, ...fields });

	test("the same set of participants is the same group", async () => {
		const local = createGateway();
		const group = async (fields: object, text: string) =>
			(await sendToGroup(local, fields, text)).body.data.message.groupId;
		const id = await group({ participants: [ALICE, BOB], groupName: "Friends" }, "1");
		expect(await group({ participants: [BOB, ALICE, BOB] }, "2")).toBe(id);
		expect(await group({ groupId: id }, "3")).toBe(id);
		expect(await group({ participants: [ALICE, BOB, CAROL] }, "4")).not.toBe(id);
	});

	test("a message to one names all participants", async () => {
		const local = createGateway();
		const { body } = await sendToGroup(local, { participants: [ALICE, BOB] });
		expect(body.data.message).toMatchObject({
			from: AGENT,
			to: ALICE,
			groupId: expect.any(String),
			participants: [AGENT, ALICE, BOB],
		});
	});

	test("an unknown one is 404", async () => {
		const local = createGateway();
		for (const [path, fields] of [
			["/message/text", { text: "Hi" }],
			["/message/typing", { state: "start" }],
			["/message/read", {}],
		] as const) {
			const { status, body } = await call(local, "POST", path, { groupId: "nope", ...fields });
			expect([status, body.error.code]).toEqual([404, "GROUP_NOT_FOUND"]);
		}
	});

	test("its duplicate window is its own, and any participant's reply in it clears it", async () => {
		const windows = { contact: 300, agent: 0, account: 0 };
		const local = createGateway({ rules: { duplicateWindowSeconds: windows } });
		const first = await sendToGroup(local, { participants: [ALICE, BOB] });
		const { groupId } = first.body.data.message;
		expect((await sendText(local, ALICE, "Hello all")).status).toBe(202);
		expect((await sendToGroup(local, { groupId })).status).toBe(409);
		await local.contact(BOB).reply("Not in the group");
		expect((await sendToGroup(local, { groupId })).status).toBe(409);
		await local.contact(BOB).reply("Hi all", { groupId });
		expect((await sendToGroup(local, { groupId })).status).toBe(202);
	});

	test("it counts like a contact, and no mapping shows it", async () => {
		const local = createGateway({ rules: { maxConsecutiveMessages: 1 } });
		const { groupId } = (await sendToGroup(local, { participants: [ALICE, BOB] }, "1")).body.data.message;
		expect((await sendToGroup(local, { groupId }, "2")).status).toBe(403);
		await local.contact(ALICE).reply("Hi all", { groupId });
		expect((await sendToGroup(local, { groupId }, "2")).status).toBe(202);
		expect(await getMapping(local, ALICE)).toBeUndefined();
		expect((await call(local, "GET", "/mapping")).body.data.mappings).toEqual([]);
	});

	test("a stranger cannot write in it", async () => {
		const local = createGateway();
		const { groupId } = (await sendToGroup(local, { participants: [ALICE, BOB] })).body.data.message;
		await expect(local.contact(CAROL).reply("Hi", { groupId })).rejects.toMatchObject({
			code: "configuration",
		});
	});

	test("a magic number is ordinary there", async () => {
		const local = createGateway();
		await sendToGroup(local, { participants: ["+15550001001", ALICE] });
		await local.settled();
		expect(local.sent[0]?.status).toBe("read");
	});
});

describe("typing and read receipts", () => {
	test("typing with a duration ends by itself", async () => {
		const local = createGateway();
		await sendText(local, ALICE);
		const typing = async (fields: object) =>
			(await call(local, "POST", "/message/typing", { to: ALICE, ...fields })).body.data;
		const chatGuid = `native;-;${ALICE}`;
		const expiresAt = local.clock.now() + 5_000;
		expect(await typing({ state: "start", durationMs: 5_000 })).toEqual({
			chatGuid,
			state: "start",
			expiresAt,
		});
		expect(await typing({ state: "start" })).toEqual({ chatGuid, state: "start", expiresAt: null });
		expect(await typing({ state: "stop" })).toEqual({ chatGuid, state: "stop", expiresAt: null });
	});

	test("a read receipt has a time", async () => {
		const local = createGateway();
		await local.contact(ALICE).reply("Hi");
		const { body } = await call(local, "POST", "/message/read", { to: ALICE });
		expect(body.data).toEqual({ chatGuid: `native;-;${ALICE}`, markedAt: local.clock.now() });
	});
});

test("a repeated tapback has the same result; an unknown message is 404", async () => {
	const local = createGateway();
	await sendText(local, ALICE);
	await local.settled();
	const data = { messageGuid: local.sent[0]?.messageGuid, reaction: "love", action: "add" };
	for (let times = 0; times < 2; times++) {
		expect((await call(local, "POST", "/message/tapback", data)).body.data).toEqual(data);
	}
	const { status, body } = await call(local, "POST", "/message/tapback", { ...data, messageGuid: "nope" });
	expect([status, body.error.code]).toEqual([404, "MESSAGE_NOT_FOUND"]);
});

describe("attachments", () => {
	const TEN_MB = 10_000_000;
	const sendFile = (local: ReturnType<typeof createGateway>, attachment: object) =>
		call(local, "POST", "/message/attachment", { to: ALICE, attachments: [attachment] });
	const file = (bytes: number) => ({
		data: Buffer.alloc(bytes).toString("base64"),
		name: "a.bin",
		mimeType: "application/octet-stream",
	});

	test("their bytes are not kept", async () => {
		const local = createGateway();
		const url = { url: "https://files.example/a.png", name: "a.png" };
		const attachments = [file(4), url];
		const { body } = await call(local, "POST", "/message/attachment", {
			to: ALICE,
			attachments,
			text: "See",
		});
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
		const { status, body } = await sendFile(createGateway(), file(TEN_MB + 1));
		expect([status, body.error.code]).toEqual([413, "ATTACHMENT_TOO_LARGE"]);
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
		const { status, body } = await call(createGateway(), "POST", "/message/voice", { to: ALICE, attachment });
		expect(status).toBe(expected);
		if (expected === 415) expect(body.error.code).toBe("UNSUPPORTED_MEDIA_TYPE");
	});
});
