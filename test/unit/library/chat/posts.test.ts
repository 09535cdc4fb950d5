import {
	Actions,
	Button,
	Card,
	CardText,
	Divider,
	emoji,
	type FetchOptions,
	Image,
	LinkButton,
	type PostableMessage,
	parseMarkdown,
	Section,
} from "chat";
import { describe, expect, test } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { CONTACT, createChatWorld, OTHER_CONTACT } from "./chat-world.ts";

/** A bot's thread with a contact, outside of an event. */
async function openThread() {
	const world = createChatWorld();
	await world.bot.initialize();
	const thread = world.bot.thread(world.adapter.encodeThreadId({ to: CONTACT }));
	const bodies = (path: string) =>
		world.local.requests
			.filter((request) => request.path === path)
			.map(({ body }) => JSON.parse(String(body)));
	return { ...world, thread, bodies };
}

const BYTES = new Uint8Array([1, 2, 3]).buffer;

async function* stream() {
	yield "Hel";
	yield "lo **you**";
}

describe("a post", () => {
	const card = Card({
		title: "Order 4711",
		imageUrl: "https://a.example/box.png",
		children: [
			CardText("On its **way**"),
			Section([Image({ url: "https://a.example/map.png", alt: "Map" })]),
			Divider(),
			Actions([
				LinkButton({ url: "https://a.example", label: "Track" }),
				Button({ id: "cancel", label: "Cancel" }),
			]),
		],
	});

	test.each<[string, PostableMessage, string]>([
		["a string", "Hello **you**", "Hello **you**"],
		["a string that is cut off within a character", "\udc4b Hello 👋\ud83d", "\ufffd Hello 👋\ufffd"],
		["a mention", `Thank you <@${CONTACT}> <@all>`, `Thank you @${CONTACT} <@all>`],
		[
			"other mentions",
			"<@ana.maria+x@icloud.example> <@88022> <@U12AB> <@here now> <@a@b>",
			"@ana.maria+x@icloud.example @88022 <@U12AB> <@here now> <@a@b>",
		],
		["a mention of a long address", `<@${"a".repeat(100)}@b.example>`, `@${"a".repeat(100)}@b.example`],
		["a mention in Markdown", { markdown: "**Hi** <@ana@icloud.example>" }, "Hi @ana@icloud.example"],
		["an emoji of Chat SDK", `Hello ${emoji.wave}`, "Hello 👋"],
		["raw text", { raw: "*Hello*" }, "*Hello*"],
		["Markdown", { markdown: "**Hello** [you](https://a.example)" }, "Hello you (https://a.example)"],
		["Markdown with a bare URL", { markdown: "See https://a.example" }, "See https://a.example"],
		[
			"Markdown with other links",
			{
				markdown:
					"a@b.example, www.b.example, [a][1], ![b](https://b.example/b.png), [c][]\n\n[1]: https://a.example",
			},
			"a@b.example, www.b.example, a (https://a.example), b (https://b.example/b.png), [c][]",
		],
		[
			"Markdown with lists",
			{ markdown: "3. **three**\n   - a\n   - [x] b\n\n4. four\n\n- > c\n- [ ] d" },
			"3. three\n- a\n- [x] b\n4. four\n\n- \nc\n- [ ] d",
		],
		["an AST", { ast: parseMarkdown("_Hello_") }, "Hello"],
		[
			"a card",
			card,
			"Order 4711\nhttps://a.example/box.png\nOn its way\nMap (https://a.example/map.png)\nTrack (https://a.example)",
		],
		["a card with a text for it", { card, fallbackText: "Your order" }, "Your order"],
		["a stream, when it has ended", stream(), "Hello you"],
	])("of %s is plain text", async (_name, message, text) => {
		const { thread, texts } = await openThread();
		await thread.post(message);
		expect(texts()).toEqual([text]);
	});

	test.each([
		'{ "type": "poll" }',
		'{ "markdown": 5 }',
		'{ "ast": { "type": "root", "children": [{ "type": "list" }] } }',
		'{ "card": { "type": "card" } }',
		'{ "card": { "type": "card", "children": [] }, "fallbackText": 5 }',
		'{ "raw": 5 }',
		"null",
	])("of %s is an error that names the forms", async (json) => {
		const { thread, adapter } = await openThread();
		const post = adapter.postMessage(thread.id, JSON.parse(json));
		expect(await catchRejection(post)).toMatchObject({
			code: "invalid_input",
			message: "A post must be a string, a card, or an object with raw, markdown, ast or card",
		});
	});

	test("with files and attachments is one message", async () => {
		const { thread, bodies } = await openThread();
		await thread.post({
			raw: "Here",
			files: [{ data: BYTES, filename: "a.pdf" }],
			attachments: [
				{ type: "image", url: "https://files.example/b.png" },
				{ type: "file", name: "c.txt", fetchData: async () => BYTES },
			],
		});
		expect(bodies("/message/attachment")).toMatchObject([
			{
				to: CONTACT,
				text: "Here",
				attachments: [
					{ name: "a.pdf", mimeType: "application/pdf", data: "AQID" },
					{ url: "https://files.example/b.png" },
					{ name: "c.txt", data: "AQID" },
				],
			},
		]);
	});

	test("of one audio attachment without a text is a voice note", async () => {
		const { thread, bodies } = await openThread();
		await thread.post({
			raw: "",
			attachments: [{ type: "audio", name: "a.mp3", data: new Blob([BYTES]) }],
		});
		expect(bodies("/message/voice")).toMatchObject([{ to: CONTACT, attachment: { name: "a.mp3" } }]);
	});

	test("of an attachment with neither bytes nor a URL is rejected", async () => {
		const { thread } = await openThread();
		for (const attachment of [{ type: "image" }, { type: "audio", url: "" }] as const) {
			const post = thread.post({ raw: "", attachments: [attachment] });
			expect(await catchRejection(post)).toMatchObject({
				code: "invalid_input",
				message: expect.stringContaining("needs data, fetchData or url"),
			});
		}
	});

	test("whose names and URLs are cut off within a character is sent", async () => {
		const { thread, bodies } = await openThread();
		await thread.post({
			raw: "Here",
			files: [{ data: BYTES, filename: "a\ud83d.pdf" }],
			attachments: [
				{ type: "image", url: "https://files.example/b\ud83d.png", name: "\udc4b.png" },
				{ type: "file", name: "c\ud83d", data: new Blob([BYTES]) },
			],
		});
		expect(bodies("/message/attachment")).toMatchObject([
			{
				attachments: [
					{ name: "a\ufffd.pdf" },
					{ name: "\ufffd.png", url: "https://files.example/b\ufffd.png" },
					{ name: "c\ufffd" },
				],
			},
		]);
	});

	test("of a file without a name is rejected", async () => {
		const { thread } = await openThread();
		const message: PostableMessage = { raw: "", files: JSON.parse('[{ "data": "AQID" }]') };
		expect(await catchRejection(thread.post(message))).toMatchObject({ code: "invalid_input" });
	});
});

describe("in a handler", () => {
	test("a message is replied to, reacted to and marked as read, and typing is shown until the post", async () => {
		const { local, bot, work, bodies } = await openThread();
		bot.onDirectMessage(async (thread, message) => {
			await thread.markAsRead();
			await thread.startTyping();
			await thread.adapter.addReaction(thread.id, message.id, emoji.thumbs_up);
			await thread.adapter.addReaction(thread.id, message.id, "party");
			await thread.adapter.removeReaction(thread.id, message.id, "heart");
			await thread.post("One");
			const reply = await thread.reply(message, "Two");
			await local.settled();
			await reply.addReaction(emoji.heart);
		});
		const { messageGuid } = await local.contact(CONTACT).reply("Hello");
		await work();
		expect(bodies("/message/read")).toEqual([{ to: CONTACT, messageGuid }]);
		expect(bodies("/message/typing").map(({ state }) => state)).toEqual(["start", "stop"]);
		expect(bodies("/message/text").map(({ replyToGuid }) => replyToGuid)).toEqual([undefined, messageGuid]);
		expect(bodies("/message/tapback").map(({ action, reaction }) => [action, reaction])).toEqual([
			["add", "like"],
			["add", "🎉"],
			["remove", "love"],
			["add", "love"],
		]);
		expect(bodies("/message/tapback").at(-1)?.messageGuid).toBe(local.sent[1]?.messageGuid);
	});

	test("typing that fails is logged, and fails no run", async () => {
		const { local, bot, work, texts, logged } = await openThread();
		bot.onDirectMessage(async (thread) => {
			local.faults.respond({ status: 500 });
			await thread.startTyping();
			await thread.post("Hello");
		});
		await local.contact(CONTACT).reply("Hello");
		await work();
		expect(texts()).toEqual(["Hello"]);
		expect(logged.join()).toContain("the typing indicator failed");
	});
});

describe("history", () => {
	test("is listed in the order of time, in pages from the newest or as a whole", async () => {
		const { local, thread, adapter } = await openThread();
		await local.contact(CONTACT).reply("one");
		await thread.post("two");
		await local.contact(CONTACT).reply("three");
		await local.settled();
		const page = await adapter.fetchMessages(thread.id, { limit: 2 });
		expect(page.messages.map(({ text, author }) => [text, author.isMe])).toEqual([
			["two", true],
			["three", false],
		]);
		const before = await adapter.fetchMessages(thread.id, { limit: 2, cursor: page.nextCursor ?? "" });
		expect(before).toMatchObject({ messages: [{ text: "one" }] });
		expect(before.nextCursor).toBe(undefined);
		const all: string[] = [];
		for await (const { text } of thread.allMessages) all.push(text);
		expect(all).toEqual(["one", "two", "three"]);
		const [first] = before.messages;
		if (first !== undefined) expect(adapter.parseMessage(first.raw)).toMatchObject({ text: "one" });
	});

	test("from the oldest on has pages of the limit, which cost one listing", async () => {
		const { local, thread, adapter } = await openThread();
		const say = async (text: string) => void (await local.contact(CONTACT).reply(text));
		for (const text of ["1", "2", "3", "4", "5"]) await say(text);
		await local.settled();
		const listings = () => local.requests.filter(({ path }) => path.startsWith("/analytics/")).length;
		const read = async (limit: number, cursor?: string) => {
			const options = { direction: "forward", limit, ...(cursor !== undefined && { cursor }) } as const;
			const { messages, nextCursor } = await adapter.fetchMessages(thread.id, options);
			return { texts: messages.map(({ text }) => text), nextCursor };
		};
		const first = await read(2);
		expect(first.texts).toEqual(["1", "2"]);
		const second = await read(2, first.nextCursor);
		expect(second.texts).toEqual(["3", "4"]);
		expect(listings()).toBe(1);
		// Another conversation, or the same one from its start, is listed again; a cursor holds all the same.
		await say("6");
		await local.settled();
		expect(await read(9)).toEqual({ texts: ["1", "2", "3", "4", "5", "6"], nextCursor: undefined });
		expect(await read(9, second.nextCursor)).toEqual({ texts: ["5", "6"], nextCursor: undefined });
		expect(listings()).toBe(3);
		expect(await read(2, "9")).toEqual({ texts: [], nextCursor: undefined });
	});

	test.each([
		'{ "limit": 0 }',
		'{ "limit": 1.5 }',
		'{ "limit": "3" }',
		'{ "limit": null }',
		'{ "cursor": "c_1" }',
		'{ "cursor": "-1" }',
		'{ "cursor": "1e0" }',
		'{ "cursor": " 1" }',
		'{ "cursor": "0x1" }',
		'{ "cursor": "99999999999999999999" }',
		'{ "cursor": "" }',
		'{ "cursor": null }',
	])("from the oldest on has no %s", async (json) => {
		const { thread, adapter } = await openThread();
		const options: FetchOptions = JSON.parse(json);
		const page = adapter.fetchMessages(thread.id, { ...options, direction: "forward" });
		expect(await catchRejection(page)).toMatchObject({
			code: "invalid_input",
			message: expect.stringContaining("limit must be an integer of 1 or more, and cursor"),
		});
	});

	test("of a group is not implemented", async () => {
		const { adapter } = await openThread();
		const group = adapter.encodeThreadId({ groupId: "g1" });
		expect(await catchRejection(adapter.fetchMessages(group))).toMatchObject({ name: "NotImplementedError" });
	});
});

test("what the gateway cannot do is Chat SDK's NotImplementedError", async () => {
	const { thread } = await openThread();
	const sent = await thread.post("Hello");
	expect(await catchRejection(sent.edit("Goodbye"))).toMatchObject({ name: "NotImplementedError" });
	expect(await catchRejection(sent.delete())).toMatchObject({ name: "NotImplementedError" });
	const scheduled = thread.schedule("Later", { postAt: new Date(2_000_000_000_000) });
	expect(await catchRejection(scheduled)).toMatchObject({ name: "NotImplementedError" });
});

test("a thread is its own channel, private between two, and known by its id", async () => {
	const { adapter, thread } = await openThread();
	expect(await adapter.fetchThread(thread.id)).toEqual({
		id: thread.id,
		channelId: thread.id,
		isDM: true,
		metadata: {},
	});
	expect(adapter.isDM?.(adapter.encodeThreadId({ groupId: "g1" }))).toBe(false);
	expect(await adapter.openDM(OTHER_CONTACT)).not.toBe(thread.id);
	await thread.channel.post("Hello");
});
