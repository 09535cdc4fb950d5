import fc from "fast-check";
import { MessagingGateway } from "messaging-gateway";
import { type LocalGatewayOptions, MAGIC_NUMBERS, type WebhookReceiver } from "messaging-gateway/testing";
import { expect, test } from "vitest";
import { createControlledGateway } from "../../src/tools/control/create-controlled-gateway.ts";
import { createWatchedGateway, type WatchedGateway } from "../support/controlled-gateway.ts";
import { walk } from "../support/gateway-walk.ts";
import { fillIn, GeneratedTests } from "../support/generated-tests.ts";
import { TEST_TIMEOUT_MS } from "../support/patience.ts";
import { createReceiver } from "../support/reply-bot.ts";

const ALICE = "+15551234567";
const BOB = "+15557654321";
const AGENT = "+15550000001";

const NASTY_TEXTS = [
	`"double", 'single' and \`back\` quotes`,
	`\${process.exit(1)} and \`\${\`nested\`}\``,
	"line one\nline two\r\n\ttabbed\u2028\u2029\0end",
	"*/ // <!-- </script> \\n \\ \\\\",
	"emoji 👩‍👩‍👧‍👦 🎉, ünïcödé, עברית, 漢字",
	"__proto__",
	" ",
];

interface Scene {
	name: string;
	key?: string;
	options?: LocalGatewayOptions;
	/** What a test says of an application that only acknowledges; without it, there is nothing to reply to. */
	missing?: "replies" | "nothing" | undefined;
	play: (world: WatchedGateway) => Promise<unknown>;
}

const failing = (call: PromiseLike<unknown>): Promise<void> =>
	Promise.resolve(call).then(
		() => Promise.reject(new Error("it was to fail")),
		() => undefined,
	);

/** A gateway whose webhooks the bot receives. */
function createBotWorld(options: LocalGatewayOptions = {}): WatchedGateway {
	const world = createWatchedGateway({ ...options, deliverTo: (request) => receive(request) });
	const receive: WebhookReceiver = createReceiver(world.gateway, world.local);
	return world;
}

/** After this time, what the application does is not taken for a reply. */
const LATER_MS = 61_000;

const SCENES: Scene[] = [
	{
		name: "texts of every kind, both ways",
		options: { rules: { consecutive: "off" } },
		missing: "replies",
		async play({ gateway, local, clock }) {
			for (const text of NASTY_TEXTS) {
				await clock.advance(LATER_MS);
				await gateway.messages.sendText({ to: ALICE, text });
				const attachments = [{ [text]: text, nested: { list: [text] } }];
				await local.contact(ALICE).reply(`echo [${text}]`, { attachments });
				await local.settled();
				await local.contact(ALICE).react(text === " " ? "love" : text.slice(0, 20));
				await local.settled();
			}
		},
	},
	{
		name: "a group",
		key: "group",
		missing: "replies",
		async play({ gateway, local, clock }) {
			const { message } = await gateway.messages.sendText({ participants: [ALICE, BOB], text: "Hi all" });
			const groupId = message.groupId ?? "";
			await clock.advance(100);
			const say = async (number: string, text: string) => {
				const said = await local.contact(number).reply(text, { groupId });
				await local.settled();
				return said.messageGuid ?? "";
			};
			await say(BOB, "Hi");
			await say(ALICE, "quote How are you?");
			await say(ALICE, "like that");
			const replyToGuid = await say(BOB, "repeat Fine, and you?");
			await local.contact(BOB).react("love", { messageGuid: local.sent[1]?.messageGuid ?? "" });
			await local.settled();
			await clock.advance(LATER_MS);
			await gateway.messages.sendText({ groupId, text: "Bye", replyToGuid });
			await gateway.messages.addTapback({ messageGuid: replyToGuid, reaction: "like" });
			await failing(gateway.messages.sendText({ groupId, text: "Bye" }));
		},
	},
	...MAGIC_NUMBERS.map(
		({ number, name }): Scene => ({
			name: `the number that ${name}`,
			key: number,
			missing: "replies",
			async play({ gateway, local, clock }) {
				await gateway.messages.sendText({ to: number, text: "Welcome" });
				await local.settled();
				await clock.advance(LATER_MS);
				await gateway.messages.sendText({ to: number, text: "Are you there?" });
				await local.settled();
				await local.contact(number).reply("Hello");
				await local.settled();
				await clock.advance(LATER_MS);
				await gateway.messages.sendText({ to: number, text: "It is me" });
			},
		}),
	),
	{
		name: "only tapbacks",
		missing: "replies",
		async play({ gateway, local, clock }) {
			const { messageGuid } = await local.contact(ALICE).reply("like me");
			await local.settled();
			await clock.advance(LATER_MS);
			await gateway.messages.addTapback({ messageGuid: messageGuid ?? "", reaction: "love" });
		},
	},
	{
		name: "attachments and a voice note",
		missing: "replies",
		async play({ gateway, control, local }) {
			const data = new Uint8Array(3_000_000).fill(7);
			const photo = { data, name: 'ph"oto.png' };
			const link = { url: "https://files.example/a.pdf?x=1&y='2'", name: "a.pdf" };
			await gateway.messages.sendAttachments({ to: ALICE, attachments: [photo, link], text: "See" });
			await failing(gateway.messages.sendAttachments({ to: ALICE, attachments: [photo, link], text: "See" }));
			await gateway.messages.sendAttachments({ to: ALICE, attachments: [{ ...photo, data: data.fill(8) }] });
			await gateway.messages.sendVoiceNote({ to: ALICE, attachment: { data, name: "a.m4a" } });
			const attachments = [{ name: "b.png", mimeType: "image/png", data: "AAEC" }];
			await control.act({ type: "reply", from: ALICE, text: "files", attachments });
			await local.settled();
		},
	},
	{
		name: "duplicates rejected, and windows that end",
		missing: "replies",
		async play({ gateway, local, clock }) {
			const send = () => gateway.messages.sendText({ to: ALICE, text: "Hi" });
			await gateway.messages.sendText({ to: BOB, text: "Hi" });
			await failing(send());
			await clock.advance(60_000);
			await failing(send());
			await clock.advance(60_000);
			await send();
			await failing(send());
			await clock.advance(299_999);
			await failing(send());
			await clock.advance(1);
			await send();
			await local.contact(ALICE).reply("repeat Hi");
			await local.settled();
			await local.contact(ALICE).reply("repeat Hello");
			await local.settled();
			await clock.advance(LATER_MS);
			await gateway.mappings.reset(ALICE);
			await send();
			await failing(send());
		},
	},
	{
		name: "too many without a reply",
		missing: "replies",
		async play({ gateway, local, clock }) {
			const send = (text: string) => gateway.messages.sendText({ to: ALICE, text });
			for (const text of ["1", "2", "3", "4", "5"]) await send(text);
			await failing(send("6"));
			await gateway.mappings.update(ALICE, { maxConsecutiveMessages: 6 });
			await send("6");
			await failing(send("7"));
			await gateway.mappings.reset(ALICE);
			await send("7");
			await local.contact(ALICE).reply("echo Enough");
			await local.settled();
			await clock.advance(LATER_MS);
			await gateway.mappings.delete(ALICE);
			await send("8");
		},
	},
	{
		name: "an application that is silent",
		missing: "nothing",
		async play({ local }) {
			await local.contact(ALICE).reply("Hi");
			await local.settled();
			await local.contact(ALICE).reply("Anybody there?");
		},
	},
	{
		name: "contacts that write faster than the application replies, and one that reads",
		missing: "replies",
		async play({ local, clock }) {
			await local.contact(ALICE).reply("echo 1");
			await local.contact(ALICE).reply("echo 2");
			await clock.advance(30);
			await local.contact(ALICE).read();
			await local.contact(ALICE).reply("echo 3");
			await local.settled();
		},
	},
	{
		name: "an application that writes to others, too",
		missing: "replies",
		async play({ local }) {
			await local.contact(ALICE).reply(`notify ${BOB}`);
			await local.settled();
			await local.contact(ALICE).reply("echo Hi");
			await local.settled();
			await local.contact(ALICE).react("love");
			await local.settled();
		},
	},
	{
		name: "faults of requests",
		async play({ gateway, local }) {
			const send = (text: string) => gateway.messages.sendText({ to: ALICE, text });
			for (const status of [503, 401, 429, 200]) {
				local.faults.respond({ status, retryAfterSeconds: 1 });
				await failing(send(`Responded with ${status}`));
			}
			local.faults.dropConnection({ when: "before" });
			await failing(send("Never arrived"));
			local.faults.dropConnection({ when: "after" });
			await failing(send("Arrived"));
			await failing(send("Arrived"));
			for (const as of ["html", "truncated", "empty"] as const) {
				local.faults.corrupt({ as });
				await failing(send(`Responded with ${as}`));
			}
			local.faults.dropConnection({ when: "after" });
			await failing(send("Arrived"));
		},
	},
	{
		name: "faults of replies",
		missing: "replies",
		async play({ gateway, local, clock }) {
			const { faults } = local;
			await local.contact(ALICE).reply("Hi");
			await local.settled();
			faults.respond({ status: 503, times: 2 });
			faults.dropConnection({ when: "before" });
			await local.contact(ALICE).reply("echo Third time lucky");
			await local.settled();
			faults.dropConnection({ when: "after" });
			await local.contact(ALICE).reply("echo Arrived");
			await local.settled();
			await clock.advance(LATER_MS);
			faults.respond({ status: 503 });
			await failing(gateway.messages.sendText({ to: ALICE, text: "By itself" }));
		},
	},
	{
		name: "messages read before their time, and some that are on their way",
		key: "+15550001006",
		async play({ gateway, local, clock }) {
			await gateway.messages.sendText({ to: "+15550001006", text: "1" });
			await clock.advance(100);
			await local.contact("+15550001006").read();
			await clock.advance(LATER_MS);
			await gateway.messages.sendText({ to: "+15550001006", text: "2", effect: "confetti" });
			await clock.advance(30);
		},
		missing: "nothing",
	},
	{
		name: "other agents, rules and delays",
		options: {
			agents: ["+15550000002", "+15550000003"],
			rules: { duplicateWindowSeconds: { contact: 5, agent: 0, account: 0 }, maxConsecutiveMessages: 3 },
			delays: { sentMs: 500, readMs: 1 },
		},
		missing: "replies",
		async play({ gateway, local, clock }) {
			await gateway.messages.sendText({ to: ALICE, text: "1", from: "+15550000003" });
			await local.contact(ALICE).reply("Hello", { to: "+15550000002" });
			await local.settled();
			await clock.advance(LATER_MS);
			await gateway.messages.sendText({ to: ALICE, text: "2", from: "+15550000002" });
			await failing(gateway.messages.sendText({ to: ALICE, text: "2", from: "+15550000003" }));
			await clock.advance(5_000);
			await gateway.messages.sendText({ to: ALICE, text: "2", statusCallback: "https://a.example/status" });
		},
	},
];

test(
	"conversations of all kinds become tests of the application, whose types are right",
	async () => {
		using tests = new GeneratedTests();
		for (const [at, { key = ALICE, options, play }] of SCENES.entries()) {
			const world = createBotWorld(options);
			await play(world);
			const { conversations } = world.control.snapshot();
			const found = conversations.find((one) => one.key === key || (key === "group" && one.groupId !== null));
			const source = await world.control.testSource(found?.key ?? "none");
			tests.write(`${at}-unfilled.test.ts`, source);
			tests.write(`${at}-silent.test.ts`, fillIn(source, "silent"));
			tests.write(`${at}-bot.test.ts`, fillIn(source, "bot"));
		}
		expect(await tests.check()).toBe("");
		const failures = await tests.run();
		expect(Object.keys(failures).length).toBe(3 * SCENES.length);
		for (const [at, { name, missing }] of SCENES.entries()) {
			const failureOf = (which: string): string => failures[`${at}-${which}.test.ts`] ?? "";
			expect(failureOf("bot"), name).toBe("");
			expect(failureOf("unfilled"), name).toMatch(
				missing === undefined ? /^$/ : /Error: Fill in createReceiver/,
			);
			expect(failureOf("silent"), name).toMatch(
				missing === "replies" ? /AssertionError: .* to match object/ : /^$/,
			);
		}
	},
	2 * TEST_TIMEOUT_MS,
);

test("a conversation in real time becomes a test, too", async () => {
	using tests = new GeneratedTests();
	const { local, control } = createControlledGateway({ deliverTo: (request) => receive(request) });
	const gateway = new MessagingGateway({ ...local.clientOptions, maxRetries: 0 });
	const receive: WebhookReceiver = createReceiver(gateway, local);
	const to = "+15550001004";
	const countMessages = () => control.snapshot().messages.length;
	await gateway.messages.sendText({ to, text: "Welcome" });
	await expect.poll(countMessages).toBe(4);
	await control.act({ type: "reply", from: to, text: "repeat Are you there?" });
	await expect.poll(countMessages).toBe(7);
	tests.write("live.test.ts", fillIn(await control.testSource(to), "bot"));
	expect(await tests.run()).toEqual({ "live.test.ts": "" });
});

/** What the application does by itself, and what a test cannot repeat: the state of agents, and faults. */
const BY_ITSELF = /^(send|addTapback|removeTapback)/;
const NOT_REPEATED =
	/^(createMapping|register|reassign|block|unblock|online|setWebhooks|fault|loseResponse|webhookFault|skew)/;

test("conversations of random walks become tests that the application passes", async () => {
	using tests = new GeneratedTests();
	let count = 0;
	for (const steps of fc.sample(walk, { numRuns: 25, seed: 20_260_801 })) {
		const world = createBotWorld({ agents: [AGENT, "+15550000002"] });
		for (const step of steps) {
			if (NOT_REPEATED.test(step.name)) continue;
			if (BY_ITSELF.test(step.name)) await world.clock.advance(LATER_MS);
			await step.run(world);
		}
		await world.local.settled();
		const { conversations, messages } = world.control.snapshot();
		const keys = conversations.filter(({ key }) =>
			messages.some((message) => message.conversationKey === key),
		);
		for (const { key } of keys) {
			const source = await world.control.testSource(key);
			tests.write(`walk-${++count}.test.ts`, fillIn(source, "bot"));
		}
	}
	expect(count).toBeGreaterThan(20);
	const failures = Object.values(await tests.run());
	expect([failures.length, failures.filter((failure) => failure !== "")]).toEqual([count, []]);
});

test("conversations of random walks through all that a gateway can do are written", async () => {
	for (const steps of fc.sample(walk, { numRuns: 25, seed: 20_260_801 })) {
		const world = createBotWorld({ agents: [AGENT, "+15550000002"] });
		for (const step of steps) await step.run(world);
		const { conversations, messages } = world.control.snapshot();
		for (const { key } of conversations) {
			if (messages.some((message) => message.conversationKey === key))
				await expect(world.control.testSource(key)).resolves.toContain("sent()");
		}
	}
});
