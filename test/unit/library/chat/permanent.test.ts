import type { Message, Thread } from "chat";
import { InputError } from "messaging-gateway";
import type { GatewayAdapter } from "messaging-gateway/chat";
import { createWebhookRequest } from "messaging-gateway/testing";
import { PermanentWebhookError, type WebhookEvent } from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { CONTACT, createChatWorld } from "./chat-world.ts";

/** A magic number. */
const WITHOUT_TAPBACKS = "+15550001003";

type World = ReturnType<typeof createChatWorld>;

describe("a handler that fails in each run", () => {
	const given = new PermanentWebhookError("there is no such order");

	type Row = [
		title: string,
		post: (thread: Thread, adapter: GatewayAdapter, message: Message) => Promise<unknown>,
		cause: object,
	];
	/** What a bot without types may post. */
	const NO_POSTS = [
		"null",
		"42",
		"[]",
		"{}",
		'{ "raw": null }',
		'{ "markdown": null }',
		'{ "ast": null }',
		'{ "card": 1 }',
	];

	test.each<Row>([
		...NO_POSTS.map(
			(json): Row => [
				`a post of ${json}`,
				(thread, adapter) => adapter.post(thread.id, JSON.parse(json)),
				{ code: "invalid_input" },
			],
		),
		[
			"a post of nothing",
			(thread, adapter) => adapter.post(thread.id, JSON.parse("{}").text),
			{ code: "invalid_input" },
		],
		[
			"no raw text in a thread",
			(thread) => thread.post(JSON.parse('{ "raw": null }')),
			{ code: "invalid_input" },
		],
		["a text that is too long", (thread) => thread.post("a".repeat(20_000)), { code: "bad_request" }],
		[
			"a tapback where there are none",
			(thread, adapter, { id }) => adapter.addReaction(thread.id, id, "heart"),
			{ code: "unprocessable" },
		],
		["a text that is empty", (thread) => thread.post(""), { code: "invalid_input" }],
		[
			"a contact whom nobody can write to",
			async (_thread, adapter) => adapter.post(await adapter.openDM("ACME"), "Hello"),
			{ code: "invalid_input" },
		],
		[
			"a name that was used for other words",
			async (thread, adapter) => {
				await adapter.post(thread.id, "One", { key: "greeting" });
				await adapter.post(thread.id, "Two", { key: "greeting" });
			},
			{ code: "key_reused" },
		],
	])("because of %s is permanent, and the next event is answered", async (_title, post, cause) => {
		const { local, bot, adapter, take, texts, logged } = createChatWorld();
		bot.onDirectMessage(async (thread, message) => {
			if (message.text === "first") await post(thread, adapter, message);
			else await thread.post("Second");
		});
		await local.contact(WITHOUT_TAPBACKS).reply("first");
		const event = await take();
		const error = await catchRejection(adapter.process(event));
		expect(error).toBeInstanceOf(PermanentWebhookError);
		expect(error).toMatchObject({ message: expect.stringContaining(event.eventId), cause });
		expect(error).toMatchObject({ message: expect.stringContaining("keep the event") });
		await local.contact(WITHOUT_TAPBACKS).reply("second");
		await adapter.process(await take());
		expect(texts().at(-1)).toBe("Second");
		expect(logged.join()).not.toMatch(/5550001003|ACME/);
	});

	test("and says so itself is permanent as it is", async () => {
		const { local, bot, adapter, take } = createChatWorld();
		bot.onDirectMessage(() => {
			throw given;
		});
		await local.contact(CONTACT).reply("Hello");
		expect(await catchRejection(adapter.process(await take()))).toBe(given);
	});

	test("is run again while another of its posts may succeed", async () => {
		const { local, bot, adapter, take } = createChatWorld();
		bot.onDirectMessage(async (thread) => {
			thread.post("Hello").catch(() => undefined);
			await thread.post("");
		});
		await local.contact(CONTACT).reply("Hello");
		const event = await take();
		local.faults.respond({ status: 429, retryAfterSeconds: 7 });
		expect(await catchRejection(adapter.process(event))).toMatchObject({ code: "rate_limited" });
		expect(await catchRejection(adapter.process(event))).toBeInstanceOf(PermanentWebhookError);
		expect(local.sent).toHaveLength(1);
	});

	test("within the delivery is acknowledged, and the next one is answered", async () => {
		const { local, bot, responses, texts } = createChatWorld({ maxHandlerMs: 10_000 });
		bot.onDirectMessage(async (thread, { text }) => void (await thread.post(text === "first" ? "" : text)));
		await local.contact(CONTACT).reply("first");
		await local.settled();
		await local.contact(CONTACT).reply("second");
		await local.settled();
		expect(new Set(responses)).toEqual(new Set([200]));
		expect(texts()).toEqual(["second"]);
	});

	test("is no event: an InputError, which a worker that parses no JSON gets for all of them", async () => {
		const { adapter } = createChatWorld();
		const error = await catchRejection(adapter.process(JSON.parse('"{}"')));
		expect(error).toBeInstanceOf(InputError);
	});
});

describe("an event that the bot cannot read, without onUnknown", () => {
	const at = (world: World) => ({
		secret: world.local.webhookSecret,
		timestamp: world.clock.now() / 1_000,
	});

	async function createQuietWorld(): Promise<World> {
		const world = createChatWorld();
		await world.bot.initialize();
		world.logged.length = 0;
		return world;
	}

	async function process(world: World, payload: object): Promise<WebhookEvent> {
		const request = createWebhookRequest("inbound_message", JSON.parse(JSON.stringify(payload)), at(world));
		await world.bot.webhooks.gateway(request);
		const event = await world.take();
		await world.adapter.process(event);
		return event;
	}

	test("is done: one warning for each new type, and for each event of another shape", async () => {
		const world = await createQuietWorld();
		const first = await process(world, { type: "message_edited" });
		await process(world, { type: "message_edited" });
		const second = await process(world, { type: "message_unsent" });
		const shapes = [await process(world, { from: 5 }), await process(world, { from: 5 })];
		expect(world.logged).toHaveLength(4);
		for (const [index, { eventId }] of [first, second, ...shapes].entries()) {
			expect(world.logged[index]).toContain(eventId);
			expect(world.logged[index]).toContain("onUnknown");
		}
		expect(world.logged[0]).toContain("message_edited");
		expect(world.logged[2]).toContain("must be a string");
	});

	test("has a type that may be anything, which is then not shown", async () => {
		const world = await createQuietWorld();
		await process(world, { type: `call ${CONTACT}` });
		expect(world.logged).toEqual([expect.not.stringContaining("5551234567")]);
	});

	test("is not done before the log is there", async () => {
		const world = createChatWorld({ concurrency: null });
		const event: WebhookEvent = JSON.parse('{"kind":"unknown","eventId":"evt_1","data":{},"issues":[]}');
		expect(await catchRejection(world.adapter.process(event))).toMatchObject({
			code: "configuration",
			message: expect.stringContaining("bot.initialize()"),
		});
	});

	test("is read as far as it is as documented, with one warning for each shape", async () => {
		const world = await createQuietWorld();
		const raws: Message["raw"][] = [];
		world.bot.onDirectMessage((_thread, { raw }) => void raws.push(raw));
		for (const accountId of [1, 2, "three", null]) await process(world, { text: "Hello", accountId });
		expect(world.logged).toEqual([expect.stringContaining("accountId")]);
		expect(raws).toHaveLength(4);
		expect(raws[0]).toMatchObject({ type: "inbound_message", text: "Hello" });
		expect(raws[0]).not.toHaveProperty("accountId");
	});
});
