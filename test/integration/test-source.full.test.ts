import fc from "fast-check";
import { MessagingGateway } from "messaging-gateway";
import { type LocalGatewayOptions, MAGIC_NUMBERS } from "messaging-gateway/testing";
import { expect, test } from "vitest";
import { createControlledGateway } from "../../src/tools/control/create-controlled-gateway.ts";
import { createWatchedGateway, type WatchedGateway } from "../support/controlled-gateway.ts";
import { walk } from "../support/gateway-walk.ts";
import { GeneratedTests } from "../support/generated-tests.ts";
import { TEST_TIMEOUT_MS } from "../support/patience.ts";

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
	play: (world: WatchedGateway) => Promise<unknown>;
}

const failing = (call: PromiseLike<unknown>): Promise<void> =>
	Promise.resolve(call).then(
		() => Promise.reject(new Error("it was to fail")),
		() => undefined,
	);

const SCENES: Scene[] = [
	{
		name: "texts of every kind, both ways",
		options: { rules: { consecutive: "off" } },
		async play({ gateway, local }) {
			for (const text of NASTY_TEXTS) {
				await gateway.messages.sendText({ to: ALICE, text });
				await local.contact(ALICE).reply(text, { attachments: [{ [text]: text, nested: { list: [text] } }] });
				await local.settled();
				await local.contact(ALICE).react(text === " " ? "love" : text.slice(0, 20));
			}
		},
	},
	{
		name: "a group",
		key: "group",
		async play({ gateway, local, clock }) {
			const { message } = await gateway.messages.sendText({ participants: [ALICE, BOB], text: "Hi all" });
			const groupId = message.groupId ?? "";
			await clock.advance(100);
			await local.contact(BOB).reply("Hi", { groupId });
			const reply = await local.contact(ALICE).reply("Hello", { groupId });
			await gateway.messages.sendText({
				groupId,
				text: "How are you?",
				replyToGuid: reply.messageGuid ?? "",
			});
			await gateway.messages.addTapback({ messageGuid: reply.messageGuid ?? "", reaction: "like" });
			await failing(gateway.messages.sendText({ groupId, text: "How are you?" }));
			await local.settled();
			await local.contact(BOB).react("love", { messageGuid: local.sent[0]?.messageGuid ?? "" });
		},
	},
	...MAGIC_NUMBERS.map(
		({ number, name }): Scene => ({
			name: `the number that ${name}`,
			key: number,
			async play({ gateway, local }) {
				await gateway.messages.sendText({ to: number, text: "Hello" });
				await local.settled();
				await gateway.messages.sendText({ to: number, text: "Are you there?" });
				await local.settled();
				await local.contact(number).reply("Who is it?");
				await gateway.messages.sendText({ to: number, text: "It is me" });
			},
		}),
	),
	{
		name: "a tapback on a reply that came by itself",
		key: "+15550001004",
		async play({ gateway, local, control }) {
			await gateway.messages.sendText({ to: "+15550001004", text: "Hello" });
			await local.settled();
			const messageGuid = control.snapshot().messages.at(-1)?.messageGuid ?? "";
			await gateway.messages.addTapback({ messageGuid, reaction: "love", partIndex: 0 });
			await gateway.messages.removeTapback({ messageGuid, reaction: "love", partIndex: 0 });
		},
	},
	{
		name: "attachments and a voice note",
		async play({ gateway, control }) {
			const data = new Uint8Array(3_000_000).fill(7);
			const photo = { data, name: 'ph"oto.png' };
			const link = { url: "https://files.example/a.pdf?x=1&y='2'", name: "a.pdf" };
			await gateway.messages.sendAttachments({ to: ALICE, attachments: [photo, link], text: "See" });
			await failing(gateway.messages.sendAttachments({ to: ALICE, attachments: [photo, link], text: "See" }));
			await gateway.messages.sendAttachments({ to: ALICE, attachments: [{ ...photo, data: data.fill(8) }] });
			await gateway.messages.sendVoiceNote({ to: ALICE, attachment: { data, name: "a.m4a" } });
			const attachments = [{ name: "b.png", mimeType: "image/png", data: "AAEC" }];
			await control.act({ type: "reply", from: ALICE, text: "", attachments });
		},
	},
	{
		name: "duplicates rejected, and windows that end",
		async play({ gateway, local, clock }) {
			const send = () => gateway.messages.sendText({ to: ALICE, text: "Hello" });
			await gateway.messages.sendText({ to: BOB, text: "Hello" });
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
			await local.contact(ALICE).reply("Stop");
			await failing(send());
			await gateway.mappings.reset(ALICE);
			await failing(send());
		},
	},
	{
		name: "too many without a reply",
		async play({ gateway, local }) {
			const send = (text: string) => gateway.messages.sendText({ to: ALICE, text });
			for (const text of ["1", "2", "3", "4", "5"]) await send(text);
			await failing(send("6"));
			await gateway.mappings.update(ALICE, { maxConsecutiveMessages: 6 });
			await send("6");
			await failing(send("7"));
			await gateway.mappings.reset(ALICE);
			await send("7");
			await local.contact(ALICE).reply("Enough");
			await gateway.mappings.delete(ALICE);
			await send("8");
		},
	},
	{
		name: "an agent that is offline, and one that was",
		async play({ gateway, local }) {
			await gateway.messages.sendText({ to: ALICE, text: "1" });
			local.agent(AGENT).goOffline();
			await gateway.messages.sendText({ to: ALICE, text: "2" });
			local.agent(AGENT).goOnline();
			await local.settled();
			local.agent(AGENT).goOffline();
			await gateway.messages.sendText({ to: ALICE, text: "3" });
			await local.contact(ALICE).reply("Hi");
			await gateway.messages.sendText({ to: ALICE, text: "4" });
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
		name: "messages read before their time, and some that are on their way",
		key: "+15550001006",
		async play({ gateway, local, clock }) {
			await gateway.messages.sendText({ to: "+15550001006", text: "1" });
			await clock.advance(100);
			await local.contact("+15550001006").read();
			await gateway.messages.sendText({ to: "+15550001006", text: "2", effect: "confetti" });
			await clock.advance(30);
		},
	},
	{
		name: "other agents, rules and delays",
		options: {
			agents: ["+15550000002", "+15550000003"],
			rules: { duplicateWindowSeconds: { contact: 5, agent: 0, account: 0 }, maxConsecutiveMessages: 3 },
			delays: { sentMs: 500, readMs: 1 },
		},
		async play({ gateway, local, clock }) {
			await gateway.messages.sendText({ to: ALICE, text: "1", from: "+15550000003" });
			await local.contact(ALICE).reply("Hi", { to: "+15550000002" });
			await gateway.messages.sendText({ to: ALICE, text: "2", from: "+15550000002" });
			await failing(gateway.messages.sendText({ to: ALICE, text: "2", from: "+15550000003" }));
			await clock.advance(5_000);
			await gateway.messages.sendText({ to: ALICE, text: "2", statusCallback: "https://a.example/status" });
		},
	},
];

/** Writes the tests of five requests. */
async function writeRequestTests(tests: GeneratedTests): Promise<void> {
	const { gateway, control } = createWatchedGateway();
	const testOfLast = (): Promise<string> => {
		const last = control.requests({ limit: 1 }).items[0];
		return control.requestTest(last?.requestId ?? "");
	};
	await gateway.messages.sendText({ to: ALICE, text: 'Say "hi"\n\u2028' });
	tests.write("accepted.test.ts", await testOfLast());
	await gateway.messages.sendText({ to: ALICE, text: 'Say "hi"\n\u2028' }).catch(() => undefined);
	tests.write("duplicate.test.ts", await testOfLast());
	await gateway.request("POST", "/no/such/path", { body: { a: 1 } }).catch(() => undefined);
	tests.write("unknown.test.ts", await testOfLast());
	await gateway.request("POST", "/message/text", { body: { to: 1 } }).catch(() => undefined);
	tests.write("invalid.test.ts", await testOfLast());
	await gateway.agents.list({ status: "online", limit: 1 });
	tests.write("query.test.ts", await testOfLast());
}

test(
	"conversations and requests of all kinds become tests that pass, and whose types are right",
	async () => {
		using tests = new GeneratedTests();
		for (const [at, { key = ALICE, options = {}, play }] of SCENES.entries()) {
			const world = createWatchedGateway(options);
			await play(world);
			const { conversations } = world.control.snapshot();
			const found = conversations.find((one) => one.key === key || (key === "group" && one.groupId !== null));
			tests.write(`scene-${at}.test.ts`, await world.control.testSource(found?.key ?? "none"));
		}
		await writeRequestTests(tests);
		expect(await tests.check()).toBe("");
		const { passed, failures } = await tests.run();
		expect(failures).toBe("[]");
		expect(passed).toBe(SCENES.length + 5);
	},
	2 * TEST_TIMEOUT_MS,
);

test("a conversation in real time becomes a test, too", async () => {
	using tests = new GeneratedTests();
	const { local, control } = createControlledGateway({ deliverTo: () => new Response() });
	const gateway = new MessagingGateway(local.clientOptions);
	await gateway.messages.sendText({ to: "+15550001004", text: "Hello" });
	await expect.poll(() => control.snapshot().messages.length).toBe(2);
	await gateway.messages.sendText({ to: "+15550001004", text: "Are you there?" });
	await failing(gateway.messages.sendText({ to: "+15550001004", text: "Are you there?" }));
	await control.act({ type: "reply", from: "+15550001004", text: "Yes" });
	tests.write("live.test.ts", await control.testSource("+15550001004"));
	expect(await tests.run()).toEqual({ passed: 1, failures: "[]" });
});

test("conversations of random walks become tests that pass", async () => {
	using tests = new GeneratedTests();
	let count = 0;
	for (const steps of fc.sample(walk, { numRuns: 25, seed: 20_260_801 })) {
		const world = createWatchedGateway({ agents: [AGENT, "+15550000002"] });
		for (const step of steps) await step.run(world);
		const { conversations, messages } = world.control.snapshot();
		const keys = conversations.filter(({ key }) =>
			messages.some((message) => message.conversationKey === key),
		);
		for (const { key } of keys) tests.write(`walk-${++count}.test.ts`, await world.control.testSource(key));
	}
	expect(count).toBeGreaterThan(20);
	expect(await tests.run()).toEqual({ passed: count, failures: "[]" });
});
