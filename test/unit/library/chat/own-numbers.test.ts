import { inspect } from "node:util";
import { MessagingGateway } from "messaging-gateway";
import { createLocalGateway } from "messaging-gateway/testing";
import { verifyWebhook } from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";
import { catchError } from "../../../support/catch-error.ts";
import { deliver, receiver } from "../../../support/webhook-delivery.ts";
import { inboundMessage, inboundReaction } from "../../../support/webhook-payloads.ts";
import { type ChatWorldOptions, createChatWorld } from "./chat-world.ts";

const [CONTACT, AGENT, OTHER_AGENT] = ["+15551234567", "+15550000001", "+15550000002"] as const;

/** A message of the contact to the agent, changed. */
const message = (changed: object = {}) => ({ ...inboundMessage, from: CONTACT, to: AGENT, ...changed });
const reaction = (changed: object = {}) => ({ ...inboundReaction, from: CONTACT, to: AGENT, ...changed });
const GROUP = { groupId: "chat863", participants: [CONTACT, AGENT, OTHER_AGENT] };

/** A bot that notes who wrote, or reacted. */
function createListener(options: ChatWorldOptions = {}) {
	const { bot, adapter, logged } = createChatWorld(options);
	const seen: string[] = [];
	bot.onDirectMessage((_thread, { author }) => void seen.push(author.userId));
	bot.onNewMessage(/.*/, (_thread, { author }) => void seen.push(author.userId));
	bot.onReaction(({ user }) => void seen.push(user.userId));
	let count = 0;
	return {
		seen,
		logged,
		async play(...payloads: readonly object[]): Promise<void> {
			await bot.initialize();
			logged.length = 0;
			for (const payload of payloads) {
				const headers = { "x-svc-event-id": `evt_${++count}` };
				await adapter.process(verifyWebhook(deliver(JSON.stringify(payload), headers), receiver()));
			}
		},
	};
}

describe("a number to which a contact wrote is the bot's own", () => {
	const fromAgent = message({ from: AGENT, to: CONTACT });

	test.each<[title: string, lesson: object]>([
		["of a message", message()],
		["whose nulls were left out", message({ groupId: undefined, participants: [CONTACT, AGENT] })],
	])("%s", async (_title, lesson) => {
		const { play, seen, logged } = createListener();
		await play(
			lesson,
			fromAgent,
			fromAgent,
			message(GROUP),
			message({ ...GROUP, from: AGENT }),
			reaction({ from: AGENT }),
		);
		expect(seen).toEqual([CONTACT, CONTACT]);
		expect(logged).toEqual([expect.stringMatching(/your own number .*evt_2/)]);
		expect(logged.join()).not.toContain(AGENT);
	});

	test.each<[title: string, ...lessons: object[]]>([
		["of a group", message(GROUP)],
		["of an empty group id", message({ groupId: "" })],
		["of an echo", message({ outbound: true })],
		["of an echo whose direction was left out", message({ outbound: undefined })],
		[
			"of a status",
			{ ...message({ outbound: true, type: undefined }), status: "sent", status_callback: null, error: null },
		],
		["of a reaction of ours", reaction({ outbound: true })],
		["of a reaction", reaction()],
		["of an event of a new type", message({ type: "message_edited" })],
		["of another process", message()],
	])("but not one %s", async (title, lesson) => {
		const { play, seen } = createListener({ onUnknown: () => undefined });
		await (title === "of another process" ? createListener() : { play }).play(lesson);
		seen.length = 0;
		await play(fromAgent);
		expect(seen).toEqual([AGENT]);
	});

	test("and what it sends teaches nothing: of an echo that calls itself inbound, the contact is heard", async () => {
		const { play, seen } = createListener();
		await play(message(), message({ from: AGENT, to: CONTACT }), message());
		expect(seen).toEqual([CONTACT, CONTACT]);
	});

	test("as long as it is one of the last thousand", async () => {
		const { play, seen } = createListener();
		const agents = Array.from({ length: 1_000 }, (_, at) => `+1666${1_000_000 + at}`);
		await play(
			message(),
			...agents.slice(1).map((to) => message({ to })),
			message(),
			message({ to: agents[0] }),
		);
		seen.length = 0;
		await play(message({ from: AGENT, to: CONTACT }), message({ from: agents[1], to: CONTACT }));
		expect(seen).toEqual([agents[1]]);
	});
});

describe("ownNumbers", () => {
	test("are ignored from the first message on, and nothing is learned", async () => {
		const { play, seen, logged } = createListener({ ownNumbers: [OTHER_AGENT] });
		await play(
			message(),
			message({ from: OTHER_AGENT }),
			message({ ...GROUP, from: OTHER_AGENT }),
			message({ from: AGENT, to: CONTACT }),
		);
		expect(seen).toEqual([CONTACT, AGENT]);
		expect(logged).toHaveLength(1);
	});

	test("that are none turn learning off", async () => {
		const { play, seen } = createListener({ ownNumbers: [] });
		await play(message(), message({ from: AGENT, to: CONTACT }));
		expect(seen).toEqual([CONTACT, AGENT]);
	});

	test("that are e-mail addresses may be written in any case", async () => {
		const { play, seen } = createListener({ ownNumbers: ["Bot@A.example"] });
		await play(message({ from: "bot@a.example" }), message({ from: "BOT@a.example" }), message());
		expect(seen).toEqual([CONTACT]);
	});

	test("that only a profile allows are allowed", async () => {
		const profile = { handlePattern: "urn:agent:[0-9]" };
		const gateway = new MessagingGateway({ ...createLocalGateway().clientOptions, profile });
		const { play, seen } = createListener({ gateway, ownNumbers: ["urn:agent:7", "88022"] });
		await play(message({ from: "urn:agent:7" }), message({ from: "88022" }), message());
		expect(seen).toEqual([CONTACT]);
	});

	test.each<[given: unknown, message: string]>([
		["+15550000001", "ownNumbers must be a list"],
		[{}, "ownNumbers must be a list"],
		[[15550000001], "ownNumbers[0] must be a number in E.164"],
		[[""], "ownNumbers[0] must be a number in E.164"],
		[["15550000001"], "ownNumbers[0] must be a number in E.164"],
		[["+1 555 000 0001"], "ownNumbers[0] must be a number in E.164"],
		[["urn:agent:7"], "ownNumbers[0] must be a number in E.164"],
		[["hello"], "ownNumbers[0] must be a number in E.164"],
		[["+15550000001", "(555) 000-0001"], "ownNumbers[1] must be a number in E.164"],
	])("that are %j are a mistake, which names what is wrong and not the number", (ownNumbers, message) => {
		const options: ChatWorldOptions = JSON.parse(JSON.stringify({ ownNumbers }));
		const error = catchError(() => createChatWorld(options));
		expect(error).toMatchObject({ code: "configuration", message: expect.stringContaining(message) });
		for (const given of [ownNumbers].flat())
			if (given !== "") expect(inspect(error)).not.toContain(String(given));
	});
});

test.each<[title: string, payload: object]>([
	["a message", message({ from: AGENT })],
	["a message in a group", message({ ...GROUP, from: AGENT })],
	["a reaction", reaction({ from: AGENT })],
])("%s to oneself is ignored, with one warning", async (_title, payload) => {
	const { play, seen, logged } = createListener({ ownNumbers: [] });
	await play(payload, payload);
	expect(seen).toEqual([]);
	expect(logged).toHaveLength(1);
});

describe("two numbers of one bot in the local gateway", () => {
	test.each<[answers: number, title: string, options: ChatWorldOptions]>([
		[0, "that are given", { ownNumbers: [AGENT, OTHER_AGENT] }],
		[1, "that it learns", {}],
		[10, "that it does not know", { ownNumbers: [] }],
	])("make %i answers of it in 10 rounds to numbers %s", async (answers, _title, options) => {
		const { local, bot, gateway, adapter, queue } = createChatWorld({
			...options,
			agents: [AGENT, OTHER_AGENT],
			onStatus: () => undefined,
		});
		bot.onDirectMessage(async (thread, { text }) => void (await thread.post(`${Number(text) + 1}`)));
		await bot.initialize();
		await gateway.messages.sendText({ from: AGENT, to: OTHER_AGENT, text: "0" });
		for (let round = 0; round < 10; round++) {
			await local.settled();
			for (const json of queue.splice(0)) await adapter.process(JSON.parse(json));
		}
		expect(local.sent).toHaveLength(1 + answers);
	});

	test("that writes to itself get no answer", async () => {
		const { local, bot, gateway, work } = createChatWorld({ agents: [AGENT] });
		bot.onDirectMessage(async (thread) => void (await thread.post("Who is there?")));
		await bot.initialize();
		await gateway.messages.sendText({ to: AGENT, text: "Hello" });
		await work();
		expect(local.sent).toHaveLength(1);
		expect(local.deliveries.map(({ kind }) => kind)).toContain("inbound_message");
	});
});
