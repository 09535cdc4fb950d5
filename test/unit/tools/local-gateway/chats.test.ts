import type { LocalGateway } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { ASSUMED_LIMITS } from "../../../../src/library/catalogue/limits.ts";
import { assertSize } from "../../../../src/tools/local-gateway/attachments.ts";
import { testOutcomes } from "../../../support/outcomes.ts";
import {
	AGENT,
	ALICE,
	BOB,
	type CallResult,
	call,
	createFrozenGateway,
	FAILING,
	getMapping,
	START_MS,
	sendText,
} from "../../../support/signed-client.ts";
import {
	attaches,
	CAROL,
	calls,
	codeOf,
	play,
	responseTo,
	type Step,
	type Story,
	sends,
	sentenceOf,
	settles,
	speaks,
	tapsBack,
	waits,
	writes,
} from "./steps.ts";

describe("a group", () => {
	/** A text to a group by its members or fields. */
	const sendsTo = (target: readonly string[] | object, text = "Hello all") =>
		calls("POST", "/message/text", { text, ...(Array.isArray(target) ? { participants: target } : target) });
	/** The id of the group to which the first text went. */
	const groupIn = (local: LocalGateway) => local.sent[0]?.groupId ?? "";
	const sendsAgain =
		(text?: string): Step =>
		(local) =>
			sendsTo({ groupId: groupIn(local) }, text)(local);
	const writesInGroup =
		(contact: string): Step =>
		(local) =>
			writes(contact, { groupId: groupIn(local) })(local);
	const BOTH = sendsTo([ALICE, BOB]);
	const ONE = { rules: { maxConsecutiveMessages: 1 } };
	const OWN = { rules: { duplicateWindowSeconds: { contact: 300, agent: 0, account: 0 } } };

	describe("gets its next text with", () =>
		testOutcomes<Story>(
			{
				202: {
					"a text that one member alone got before": [OWN, BOTH, sends(ALICE, "Hello all")],
					"the same text, after a reply of a member in it": [OWN, BOTH, writesInGroup(BOB), sendsAgain()],
					"one text too many, after a reply of a member in it": [
						ONE,
						BOTH,
						writesInGroup(ALICE),
						sendsAgain("2"),
					],
				},
				"409 DUPLICATE_MESSAGE": {
					"the same text": [OWN, BOTH, sendsAgain()],
					"the same text, after a reply of a member to the agent alone": [
						OWN,
						BOTH,
						writes(BOB),
						sendsAgain(),
					],
				},
				"403 MAX_CONSECUTIVE_EXCEEDED": { "one text too many": [ONE, BOTH, sendsAgain("2")] },
			},
			(story) => codeOf(responseTo(story)),
		));

	describe("is", () =>
		testOutcomes<Story>(
			{
				"the same": {
					"for the same members in another order, one of them twice": [
						{},
						BOTH,
						sendsTo([BOB, ALICE, BOB], "2"),
					],
					"for its id": [{}, sendsTo({ participants: [ALICE, BOB], groupName: "Friends" }), sendsAgain("2")],
				},
				another: {
					"for one more member": [{}, BOTH, sendsTo([ALICE, BOB, CAROL], "2")],
					"for one member less": [{}, sendsTo([ALICE, BOB, CAROL]), sendsTo([ALICE, BOB], "2")],
				},
			},
			async (story) => {
				const [first, second] = (await play(story)).local.sent.map(({ groupId }) => groupId);
				expect([first, second]).toEqual([expect.any(String), expect.any(String)]);
				return first === second ? "the same" : "another";
			},
		));

	test("has all participants in its messages, the agent first, and a chat of its own", async () => {
		const { local } = await play([{}, BOTH, settles]);
		const groupId = groupIn(local);
		expect(local.sent).toMatchObject([
			{
				from: AGENT,
				to: ALICE,
				participants: [AGENT, ALICE, BOB],
				chatGuid: `native;+;${groupId}`,
				status: "read",
			},
		]);
	});

	test("is on no mapping", async () => {
		const { local } = await play([{}, BOTH, writesInGroup(ALICE)]);
		expect(await getMapping(local, ALICE)).toBeUndefined();
		expect((await call(local, "GET", "/mapping")).body.data.mappings).toEqual([]);
	});

	test("lets no stranger write in it", async () => {
		const message = "The contact is in no group with this id.";
		await expect(play([{}, BOTH, writesInGroup(CAROL)])).rejects.toMatchObject({
			code: "configuration",
			message,
		});
	});

	test("has no magic numbers", async () => {
		const { local } = await play([{}, sendsTo([FAILING, ALICE]), settles]);
		expect(local.sent[0]?.status).toBe("read");
	});
});

describe("typing and read receipts", () => {
	const chat = { chatGuid: `native;-;${ALICE}` };
	const types = (fields: object) => calls("POST", "/message/typing", { to: ALICE, ...fields });

	test.each<[what: string, step: Step, data: object]>([
		[
			"typing with a duration ends by itself",
			types({ state: "start", durationMs: 5_000 }),
			{ ...chat, state: "start", expiresAt: START_MS + 6_000 },
		],
		["typing without one does not", types({ state: "start" }), { ...chat, state: "start", expiresAt: null }],
		["typing stops", types({ state: "stop" }), { ...chat, state: "stop", expiresAt: null }],
		[
			"a stop has no end, even with a duration",
			types({ state: "stop", durationMs: 5_000 }),
			{ ...chat, state: "stop", expiresAt: null },
		],
		[
			"a read receipt has its time",
			calls("POST", "/message/read", { to: ALICE }),
			{ ...chat, markedAt: START_MS + 1_000 },
		],
	])("%s", async (_what, step, data) => {
		const { last } = await play([{}, sends(), writes(), waits(1), step]);
		expect((last as CallResult).body.data).toEqual(data);
	});
});

test("a repeated tapback has the same result", async () => {
	const { local } = await play([{}, sends(), settles]);
	const data = { messageGuid: local.sent[0]?.messageGuid, reaction: "love", action: "add" };
	for (let times = 0; times < 2; times++) expect((await tapsBack(local)).body.data).toEqual(data);
});

describe("attachments", () => {
	const TEN_MB = 10_000_000;
	const file = (bytes: number) => ({
		data: Buffer.alloc(bytes).toString("base64"),
		name: "a.bin",
		mimeType: "application/octet-stream",
	});

	test("have their sizes in place of their bytes", async () => {
		const url = { url: "https://files.example/a.png", name: "a.png" };
		const { body } = await responseTo([{}, attaches([file(4), file(5), file(6), url], { text: "See" })]);
		const ofSize = (size: number) => ({ name: "a.bin", mimeType: "application/octet-stream", size });
		expect(body.data.message).toMatchObject({ text: "See" });
		expect(body.data.message.attachments).toEqual([ofSize(4), ofSize(5), ofSize(6), url]);
	});

	const sendsFile = (bytes: number) => attaches([file(bytes)]);
	const FOUR = { profile: { limits: { attachmentBytes: 4 } } };

	describe("of so many bytes get", () =>
		testOutcomes<Story>(
			{
				202: {
					"as many as the limit": [FOUR, sendsFile(4)],
					"a URL": [FOUR, attaches([{ url: "https://files.example/a.png" }])],
				},
				"413 ATTACHMENT_TOO_LARGE: An attachment may have up to 4 bytes (profile.limits): give a URL instead.":
					{
						"one more": [FOUR, sendsFile(5)],
						"two more": [FOUR, sendsFile(6)],
					},
			},
			(story) => sentenceOf(responseTo(story)),
		));

	// Without a request, since hashing this much takes time.
	test("have 10 MB by default", () => {
		expect(() => assertSize(file(TEN_MB), ASSUMED_LIMITS)).not.toThrow();
		expect(() => assertSize(file(TEN_MB + 1), ASSUMED_LIMITS)).toThrow("up to 10000000 bytes");
	});

	const at = (name: string, fields: object = {}) => ({ url: `https://files.example/${name}`, ...fields });
	const AUDIO = ["mpeg", "mp3", "mp4", "m4a", "x-m4a", "aac", "x-aac", "x-caf", "caf", "wav", "wave"];
	const MORE_AUDIO = ["x-wav", "vnd.wave", "aiff", "x-aiff", "amr"];

	describe("as a voice note are", () =>
		testOutcomes<object>(
			{
				202: {
					...Object.fromEntries(
						[...AUDIO, ...MORE_AUDIO].map((type) => [
							`of audio/${type}`,
							at("a", { mimeType: `audio/${type}` }),
						]),
					),
					...Object.fromEntries(
						["mp3", "m4a", "aac", "caf", "wav", "aif", "aiff", "amr"].map((end) => [
							`.${end}`,
							at(`a.${end}`),
						]),
					),
					"with a name that ends so, whatever the URL does": at("a?id=1", { name: "a.AMR" }),
					"of a type in upper case": at("a", { mimeType: "Audio/MPEG" }),
					"bytes of such a type": { data: "AAAA", name: "a", mimeType: "audio/x-wav" },
				},
				"415 UNSUPPORTED_MEDIA_TYPE: A voice note must be MP3, M4A, AAC, CAF, WAV, AIFF or AMR: give its mimeType, or a name with such an extension.":
					{
						"of another extension": at("a.ogg"),
						"with such an extension before another": at("a.mp3.ogg"),
						"with such an extension in the query": at("a?file=a.mp3"),
						"with a name of another extension": at("a.mp3", { name: "a.ogg" }),
						"of another type, whatever the name says": at("a.mp3", { mimeType: "audio/ogg" }),
						"of a type that only begins so": at("a", { mimeType: "audio/mpegurl" }),
						"of a type that only ends so": at("a", { mimeType: "x-audio/mp3" }),
						"bytes of a video": { data: "AAAA", name: "a.mp3", mimeType: "video/mp4" },
					},
			},
			(attachment) => sentenceOf(responseTo([{}, speaks(attachment)])),
		));
});

test("a chat of a new contact is not kept if its text is rejected", async () => {
	const local = createFrozenGateway();
	await sendText(local, ALICE);
	await sendText(local, BOB);
	expect(await getMapping(local, BOB)).toBeUndefined();
});
