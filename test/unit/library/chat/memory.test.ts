import { verifyWebhook } from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";
import { Threads } from "../../../../src/library/chat/threads.ts";
import { AgedMap } from "../../../../src/library/stores/aged-map.ts";
import { catchError } from "../../../support/catch-error.ts";
import { deliver, receiver } from "../../../support/webhook-delivery.ts";
import { inboundMessage, inboundReaction } from "../../../support/webhook-payloads.ts";
import { createChatWorld } from "./chat-world.ts";

const LONG = "a".repeat(10_000);

/** What the adapter has put into its sets and maps, of more than a thousand characters. */
async function findLongValues(work: () => Promise<void>): Promise<string[]> {
	const { add } = Set.prototype;
	const { set } = AgedMap.prototype;
	const found: string[] = [];
	const note = (value: unknown): void => {
		const text = JSON.stringify(value) ?? "";
		if (text.length > 1_000) found.push(text.slice(0, 20));
	};
	Set.prototype.add = function (value) {
		note(value);
		return add.call(this, value);
	};
	AgedMap.prototype.set = function (key, value) {
		note([key, value]);
		return set.call(this, key, value);
	};
	try {
		await work();
	} finally {
		Set.prototype.add = add;
		Reflect.deleteProperty(AgedMap.prototype, "set");
	}
	return found;
}

describe("nothing long is remembered", () => {
	test.each<[title: string, payload: object]>([
		["of a new type", { ...inboundMessage, type: LONG }],
		["of a sender that is also the receiver", { ...inboundMessage, from: LONG, to: LONG }],
		["of a number that a contact wrote to", { ...inboundMessage, to: LONG }],
		["of a contact", { ...inboundMessage, from: LONG }],
		["of a group", { ...inboundMessage, groupId: LONG, participants: [] }],
		["of a reaction", { ...inboundReaction, from: LONG, reaction: LONG, originalMessageGuid: LONG }],
	])("%s", async (_title, payload) => {
		const { bot, adapter } = createChatWorld();
		const event = verifyWebhook(deliver(JSON.stringify(payload)), receiver());
		await bot.initialize();
		expect(await findLongValues(() => adapter.process(event))).toEqual([]);
	});

	test("but of two long types each has its warning, once", async () => {
		const { bot, adapter, logged } = createChatWorld();
		await bot.initialize();
		logged.length = 0;
		for (const type of [`${LONG}1`, `${LONG}2`, `${LONG}1`])
			await adapter.process(verifyWebhook(deliver(JSON.stringify({ ...inboundMessage, type })), receiver()));
		expect(logged).toHaveLength(2);
	});

	test("and a group with a long id is answered, in this process and in the next one", async () => {
		const { bot, adapter, local, state } = createChatWorld();
		const groupId = LONG;
		const payload = { ...inboundMessage, groupId, participants: [inboundMessage.from] };
		const event = verifyWebhook(deliver(JSON.stringify(payload)), receiver());
		const tried: unknown[] = [];
		bot.onNewMessage(
			/.*/,
			async (thread) => void (await thread.post("Hello").catch((e) => tried.push(e.code))),
		);
		await bot.initialize();
		await adapter.process(event);
		// The local gateway has no such group: the post has reached it.
		expect(local.requests.map(({ path }) => path)).toEqual(["/message/text"]);
		expect(tried).toHaveLength(1);
		const next = createChatWorld({ state });
		await next.bot.initialize();
		await next.adapter.post(adapter.encodeThreadId({ groupId }), "Hello").catch(() => undefined);
		expect(next.local.requests).toHaveLength(1);
	});
});

describe("threads that are made and get no post", () => {
	test("are forgotten when a hundred thousand others were made", () => {
		const threads = new Threads("gateway");
		const make = (at: number): string => threads.make({ to: `+1555${1_000_000 + at}` });
		const [first, second] = [make(0), make(1)];
		for (let at = 2; at < 100_000; at++) make(at);
		make(0);
		const last = make(100_000);
		for (const id of [first, last]) expect(threads.decode(id)).toMatchObject({ to: expect.any(String) });
		expect(catchError(() => threads.decode(second))).toMatchObject({
			code: "configuration",
			message: expect.stringContaining("encodeThreadId right before the post"),
		});
	});

	test("are known to a state as soon as they are used", async () => {
		const { bot, adapter, state, local } = createChatWorld();
		const threadId = adapter.encodeThreadId({ to: "+15551234567" });
		await bot.initialize();
		await adapter.post(threadId, "Hello");
		const next = createChatWorld({ state });
		await next.bot.initialize();
		await next.adapter.post(threadId, "Hello");
		expect([local.sent.length, next.local.sent.length]).toEqual([1, 1]);
	});
});
