import { type LocalGateway, type LocalGatewayOptions, MAGIC_NUMBERS } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { testOutcomes } from "../../../support/outcomes.ts";
import {
	AGENT,
	ALICE,
	BOB,
	call,
	createFrozenGateway,
	FAILING,
	getMapping,
	outcomeOf,
	pathOf,
	START_MS,
} from "../../../support/signed-client.ts";
import {
	blocks,
	calls,
	goesOffline,
	goesOnline,
	maps,
	OTHER_AGENT,
	play,
	reacts,
	responseTo,
	type Step,
	type Story,
	sends,
	sentenceOf,
	settles,
	tapsBack,
	waits,
	writes,
} from "./steps.ts";

const FALLS_BACK = "+15550001002";
const WITHOUT_NATIVE = "+15550001003";
const REPLIES = "+15550001004";
const REACTS = "+15550001005";
const READS_LATE = "+15550001006";
const NEVER_REPLIES = "+15550001007";

/** A gateway whose receiver acknowledges. */
const ORDINARY: LocalGatewayOptions = { deliverTo: () => new Response() };
const READING: LocalGatewayOptions = { ...ORDINARY, readings: ["a 503 comes after a message was queued"] };
const TWO_AGENTS: LocalGatewayOptions = { ...ORDINARY, agents: [AGENT, OTHER_AGENT] };

const reads =
	(contact = ALICE): Step =>
	(local) =>
		local.contact(contact).read();
const sendsToAgent = (to: string) => sends(to, "Hello", { from: AGENT });

const payloads = (local: LocalGateway) => local.deliveries.map(({ body }) => JSON.parse(body));
const statuses = (local: LocalGateway) => local.sent.map(({ status }) => status);

describe("the webhooks of a text report", () =>
	testOutcomes<Story>(
		{
			"sent 0.02, delivered 0.04, read 0.06": {
				"an ordinary contact": [ORDINARY, sends(), settles],
				"a contact that opens its chat later": [ORDINARY, sends(), settles, reads(), reads(BOB), settles],
				"an agent that goes offline, which holds back no message that was sent": [
					ORDINARY,
					sends(),
					waits(0.02),
					goesOffline,
					settles,
				],
				"a message of a group with an agent, which goes to no agent": [
					TWO_AGENTS,
					calls("POST", "/message/text", { from: AGENT, participants: [OTHER_AGENT, ALICE], text: "Hello" }),
					settles,
				],
			},
			"failed 0.02": { "a contact that always fails": [ORDINARY, sends(FAILING), settles] },
			"sent 0.02, SMS_FALLBACK 0.02, delivered 0.04": {
				"a contact that falls back to SMS": [ORDINARY, sends(FALLS_BACK), settles],
				"a contact that opens its chat, which reads no SMS": [
					ORDINARY,
					sends(FALLS_BACK),
					settles,
					reads(FALLS_BACK),
					settles,
				],
			},
			"SMS_FALLBACK 0.02, delivered 0.04": {
				"a contact without the native network": [ORDINARY, sends(WITHOUT_NATIVE), settles],
			},
			"sent 0.02, delivered 0.04, read 0.06, inbound_message 0.08": {
				"a contact that replies": [ORDINARY, sends(REPLIES), settles],
			},
			"sent 0.02, delivered 0.04, read 0.06, inbound_reaction 0.08": {
				"a contact that reacts": [ORDINARY, sends(REACTS), settles],
			},
			"sent 0.02, delivered 0.04, read 5": {
				"a contact that reads late": [ORDINARY, sends(READS_LATE), settles],
			},
			"sent 0.02, delivered 0.04": {
				"a contact that never replies": [ORDINARY, sends(NEVER_REPLIES), settles],
			},
			"sent 0.02, delivered 0.04, inbound_message 0.04, read 0.06": {
				"an agent, to which it is delivered": [TWO_AGENTS, sendsToAgent(OTHER_AGENT), settles],
				"the agent that sends it": [TWO_AGENTS, sendsToAgent(AGENT), settles],
			},
			"sent 0, delivered 1, read 1": {
				"delays of its own, none before the one before it": [
					{ ...ORDINARY, delays: { sentMs: 0, deliveredMs: 1_000, readMs: 500 } },
					sends(),
					settles,
				],
			},
			"sent 0.02, delivered 0.03, read 0.03, sent 0.05, delivered 0.07, read 0.09": {
				"a contact that opens its chat, which reads what was sent": [
					ORDINARY,
					sends(),
					waits(0.03),
					sends(ALICE, "second"),
					reads(),
					settles,
				],
			},
			"sent 1, delivered 1.02, read 1.04": {
				"an agent that was offline, and is back": [
					ORDINARY,
					maps(),
					goesOffline,
					sends(),
					waits(1),
					goesOnline,
					settles,
				],
				"reading: an agent that was offline, for a new contact that got a 503": [
					READING,
					goesOffline,
					sends(),
					waits(1),
					goesOnline,
					settles,
				],
			},
			"": {
				"an agent that is offline": [ORDINARY, sends(), goesOffline, sends(ALICE, "second"), settles],
			},
		},
		async (story) => {
			const { local } = await play(story);
			const events = payloads(local).map(
				({ type, status, timestamp_ms }) => `${type ?? status} ${(timestamp_ms - START_MS) / 1_000}`,
			);
			expect(local.deliveries.map(({ kind }) => kind)).toEqual(
				payloads(local).map(({ type }) => type ?? "status"),
			);
			return events.join(", ");
		},
	));

test("a message is queued without ids, and is found with its last status", async () => {
	const { local, last } = await play([ORDINARY, sends()]);
	const { message } = (last as Awaited<ReturnType<typeof call>>).body.data;
	expect(message).toMatchObject({ status: "queued", chatGuid: null, messageGuid: null, error: null });
	await local.settled();
	const found = await outcomeOf(call(local, "GET", `/message/${message.messageId}`));
	expect(found).toEqual([200, { message: local.sent[0] }]);
	expect(local.sent[0]).toMatchObject({
		status: "read",
		chatGuid: `native;-;${ALICE}`,
		messageGuid: expect.any(String),
	});
});

test("every magic number is in the table above", () => {
	const inTable = [FAILING, FALLS_BACK, WITHOUT_NATIVE, REPLIES, REACTS, READS_LATE, NEVER_REPLIES];
	expect(MAGIC_NUMBERS.map(({ number }) => number)).toEqual(inTable);
});

/** The last webhook, of which these fields are shown. */
describe("the last webhook has", () => {
	const second = [ORDINARY, sends(), sends(ALICE, "second"), settles] as const;

	test.each<[what: string, story: Story, fields: object]>([
		[
			"a reason and ids, if a message failed",
			[ORDINARY, sends(FAILING), settles],
			{
				error: "the message couldn't be sent",
				messageGuid: expect.any(String),
				chatGuid: expect.any(String),
			},
		],
		["no reason otherwise", [ORDINARY, sends(), settles], { status: "read", error: null }],
		[
			"the contact and the agent that wrote, in a reply of a magic number",
			[ORDINARY, sends(REPLIES), settles],
			{ from: REPLIES, to: AGENT, text: "Thanks, got it.", outbound: false },
		],
		[
			"the text that a magic number reacts to",
			[ORDINARY, sends(REACTS), settles],
			{ reaction: "love", originalText: "Hello", from: REACTS, to: AGENT },
		],
		[
			"the text that an agent wrote to another one",
			[TWO_AGENTS, sendsToAgent(OTHER_AGENT), waits(0.05)],
			{
				from: AGENT,
				to: OTHER_AGENT,
				text: "Hello",
				outbound: false,
				groupId: null,
				nativeMessageNumber: OTHER_AGENT,
			},
		],
		[
			"the attachments of a contact that writes first",
			[ORDINARY, (local) => local.contact(ALICE).reply("Hi", { attachments: [{ name: "a.png" }] }), settles],
			{ from: ALICE, to: AGENT, attachments: [{ name: "a.png" }], participants: [AGENT, ALICE] },
		],
		[
			"the participants of a contact that was mapped before",
			[ORDINARY, maps(), writes(), settles],
			{ participants: [AGENT, ALICE] },
		],
		[
			"the last text, to which a contact reacts",
			[...second, reacts("like"), settles],
			{ reaction: "like", originalText: "second", outbound: false, from: ALICE },
		],
		[
			"the text of its choice, to which a contact reacts",
			[...second, (local) => reacts("🎉", { messageGuid: local.sent[0]?.messageGuid ?? "" })(local), settles],
			{ reaction: "🎉", originalText: "Hello" },
		],
		[
			"the agent to which a contact wrote the text that it reacts to",
			[
				ORDINARY,
				async (local) => {
					const { messageGuid } = await local.contact(ALICE).reply("Hi");
					await reacts("like", { messageGuid: messageGuid ?? "" })(local);
				},
				settles,
			],
			{ reaction: "like", originalText: "Hi", from: ALICE, to: AGENT },
		],
		[
			"a mark, if a contact takes its reaction back",
			[ORDINARY, sends(), settles, reacts("like"), reacts("like", { action: "remove" }), settles],
			{ reaction: "like", outbound: false, from: ALICE, removed: true },
		],
		[
			"the agent of its choice, to which a new contact writes",
			[TWO_AGENTS, writes(BOB, { to: OTHER_AGENT }), settles],
			{ from: BOB, to: OTHER_AGENT },
		],
		[
			"the agent of its choice, to which the contact of another one writes",
			[TWO_AGENTS, sends(ALICE, "Hi", { from: AGENT }), settles, writes(ALICE, { to: OTHER_AGENT }), settles],
			{ from: ALICE, to: OTHER_AGENT },
		],
	])("%s", async (_what, story, fields) => {
		expect(payloads((await play(story)).local).at(-1)).toMatchObject(fields);
	});

	test("no mark, if a contact reacts", async () => {
		const { local } = await play([ORDINARY, sends(), settles, reacts("like"), settles]);
		expect(payloads(local).at(-1)).not.toHaveProperty("removed");
	});
});

test("a contact that writes first is mapped", async () => {
	const { local, last } = await play([ORDINARY, (local) => local.contact(ALICE).reply("Anyone there?")]);
	expect(last).toMatchObject({ status: "received", outbound: false, text: "Anyone there?" });
	expect(await getMapping(local, ALICE)).toMatchObject({
		inbound: 1,
		respondedAt: null,
		receivedAt: START_MS,
	});
	const { contacts } = (await call(local, "GET", "/analytics/contacts")).body.data;
	expect(contacts).toMatchObject([{ userNumber: ALICE, lastMessageAt: START_MS }]);
	expect(local.sent).toEqual([]);
});

describe("what is impossible is an error:", () => {
	const NONE: LocalGatewayOptions = { agents: [] };
	const asks =
		(act: (alice: ReturnType<LocalGateway["contact"]>) => Promise<unknown>): Step =>
		(local) =>
			act(local.contact(ALICE));
	const NO_MESSAGE = "No message has this id; a messageGuid exists once it is sent.";

	testOutcomes<Story>(
		{
			"contact(): the contact must be an e-mail address, a short code of 3 to 6 digits, or a number in E.164: + and 7 to 15 digits, such as +15551234567":
				{ "a contact that is none": [{}, (local) => local.contact("5550100")] },
			"No agent has this number: register it first, or name it in the option agents.": {
				"an unknown agent goes offline": [NONE, goesOffline],
				"a contact writes to an unknown agent": [NONE, asks((alice) => alice.reply("Hi", { to: AGENT }))],
			},
			"No unblocked agent is online: bring one online, unblock one, or register one.": {
				"a contact writes without an agent": [NONE, asks((alice) => alice.reply("Hi"))],
			},
			"The contact is in no group with this id.": {
				"a contact writes in an unknown group": [
					NONE,
					asks((alice) => alice.reply("Hi", { groupId: "nope" })),
				],
			},
			"No message has reached this contact yet. Send one, and wait until it arrives: settled() in a test, `npx messaging-gateway wait` beside the command":
				{
					"a contact reacts to nothing": [NONE, asks((alice) => alice.react("love"))],
					"a contact reacts to what is not sent yet": [{}, sends(), asks((alice) => alice.react("love"))],
					"a contact reacts to what failed": [
						{},
						sends(FAILING),
						settles,
						(local) => local.contact(FAILING).react("love"),
					],
				},
			[NO_MESSAGE]: {
				"a contact reacts to an unknown message": [
					NONE,
					asks((alice) => alice.react("love", { messageGuid: "nope" })),
				],
			},
			"The contact has no such reaction on this message to take back": {
				"a contact takes back a reaction of another kind": [
					{},
					sends(),
					settles,
					asks((alice) => alice.react("like")),
					asks((alice) => alice.react("love", { action: "remove" })),
				],
				"a contact takes a reaction back twice": [
					{},
					sends(),
					settles,
					asks((alice) => alice.react("like")),
					asks((alice) => alice.react("like", { action: "remove" })),
					asks((alice) => alice.react("like", { action: "remove" })),
				],
				"a contact takes back a reaction that another one replaced": [
					{},
					sends(),
					settles,
					asks((alice) => alice.react("like")),
					asks((alice) => alice.react("love")),
					asks((alice) => alice.react("like", { action: "remove" })),
				],
			},
		},
		async (story) => {
			const error = await catchRejection(play(story));
			expect(error).toMatchObject({ code: "configuration" });
			return (error as Error).message;
		},
	);
});

describe("the capability of", () =>
	testOutcomes<string>(
		{
			SMS: { "a contact without the native network": WITHOUT_NATIVE },
			native: { "a contact that falls back to SMS": FALLS_BACK, "an ordinary contact": ALICE },
		},
		async (number) => {
			const local = createFrozenGateway();
			const { service } = (await call(local, "GET", pathOf("/capability", number))).body.data;
			const capability = { number, native: service === "native", service, checkedAt: START_MS };
			expect(await outcomeOf(call(local, "GET", pathOf("/capability", number)))).toEqual([200, capability]);
			return service;
		},
	));

test("without the native network there are no tapbacks", async () => {
	expect(await sentenceOf(responseTo([{}, sends(WITHOUT_NATIVE), settles, tapsBack]))).toBe(
		"422 NATIVE_UNSUPPORTED: The contact has no native network: send a text instead.",
	);
});

/** The statuses of all messages. */
describe("the messages are", () =>
	testOutcomes<Story>(
		{
			"read, queued": {
				"after the contact opened its chat: only what was sent": [
					ORDINARY,
					sends(),
					waits(0.02),
					sends(ALICE, "second"),
					reads(),
				],
			},
			"queued, queued": {
				"while their agent is offline": [ORDINARY, sends(), goesOffline, sends(ALICE, "second"), settles],
			},
			"read, read": {
				"once their agent is back": [
					ORDINARY,
					sends(),
					goesOffline,
					sends(ALICE, "second"),
					settles,
					goesOnline,
					settles,
				],
			},
			delivered: {
				"until the contact that reads late does": [ORDINARY, sends(READS_LATE), waits(4.999)],
			},
			queued: {
				"reading: a message to a new contact that got a 503": [READING, goesOffline, sends(), settles],
			},
			none: {
				"if no agent is online": [ORDINARY, goesOffline, sends()],
				"reading: if there is no agent": [{ ...READING, agents: [] }, sends()],
				"reading: if the only agent is blocked": [READING, blocks(), sends()],
			},
		},
		async (story) => statuses((await play(story)).local).join(", ") || "none",
	));

describe("a text to a new contact, under the reading that a 503 comes after it was queued, gets", () => {
	testOutcomes<Story>(
		{
			202: {
				"while its agent is online": [READING, sends()],
				"once more, when its agent is back": [
					READING,
					goesOffline,
					sends(),
					goesOnline,
					settles,
					sends(ALICE, "Another"),
				],
				"once more, while its agent is still offline": [
					READING,
					goesOffline,
					sends(),
					sends(ALICE, "Another"),
				],
				"while another agent is online": [
					{ ...READING, agents: [AGENT, OTHER_AGENT] },
					goesOffline,
					sends(),
					(local) => {
						expect(local.sent).toMatchObject([{ from: OTHER_AGENT }]);
						return sends(ALICE, "Another")(local);
					},
				],
				"from an agent that it names": [READING, goesOffline, sends(ALICE, "Hello", { from: AGENT })],
			},
			'503 No unblocked agent is online, and the message is queued until one is. This is the reading "a 503 comes after a message was queued".':
				{ "while its agent is offline": [READING, goesOffline, sends()] },
			"503 No unblocked agent is online: bring one online, unblock one, or register one.": {
				"while its agent is blocked": [READING, blocks(), sends()],
				"without an agent": [{ ...READING, agents: [] }, sends()],
			},
		},
		async (story) => {
			const { status, body } = await responseTo(story);
			return [status, body.error?.message].filter(Boolean).join(" ");
		},
	);
});
