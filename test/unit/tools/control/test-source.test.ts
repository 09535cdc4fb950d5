import { expect, test } from "vitest";
import { literal, numberLiteral } from "../../../../src/tools/control/test-source/literals.ts";
import { createWatchedGateway, type WatchedGateway } from "../../../support/controlled-gateway.ts";
import { MemoryStateFile } from "../../../support/memory-state-file.ts";
import { AGENT, ALICE, BOB, FAILING } from "../../../support/signed-client.ts";

/** The lines of a test, without the code around them. */
async function linesOf({ control }: WatchedGateway, key = ALICE): Promise<string[]> {
	const source = await control.testSource(key);
	const [, body = ""] = source.split("const sent = ");
	return body.split("\n").map((line) => line.trim());
}

test("a conversation, word for word", async () => {
	const { gateway, local, control, clock } = createWatchedGateway();
	const send = (text: string) => gateway.messages.sendText({ to: ALICE, text });
	await send('Say "hi"');
	await clock.advance(1_500);
	const { messageGuid } = await local.contact(ALICE).reply(`\`\${hi}\`\n`);
	await send("Thank you");
	await gateway.messages.addTapback({ messageGuid: messageGuid ?? "", reaction: "like" });
	await expect(send("Thank you")).rejects.toThrow();
	await clock.advance(1_500);
	await local.contact(ALICE).react("love");
	await clock.advance(60_001);
	await send("Are you there?");
	await expect(send("Are you there?")).rejects.toThrow();
	expect(
		await control.testSource(ALICE),
	).toBe(`// A conversation of the local gateway, written down by its console.
import { MessagingGateway } from "messaging-gateway";
import { createAdjustableClock, createLocalGateway, type LocalGateway, type WebhookReceiver } from "messaging-gateway/testing";
import { expect, test } from "vitest";

/**
 * Fill in: your application's webhook route, with this client, \`local.webhookSecret\` and \`local.clock\`. If it replies
 * after its response, wait for that here.
 */
function createReceiver(gateway: MessagingGateway, local: LocalGateway): WebhookReceiver {
	throw new Error("Fill in createReceiver(): return your application's webhook handler.");
}

test("the conversation with +15551234567", async () => {
	const local = createLocalGateway({
		clock: createAdjustableClock({ frozen: true }),
		deliverTo: (request) => receive(request),
	});
	const gateway = new MessagingGateway({ ...local.clientOptions, maxRetries: 0 });
	const receive = createReceiver(gateway, local);
	const contact = local.contact("+15551234567");
	const sent = () => local.sent.filter(({ groupId, to }) => groupId === null && to === "+15551234567");
	const received = () =>
		local.deliveries.flatMap(({ kind, body }) => (kind === "inbound_message" ? JSON.parse(body) : []));

	// The application does this by itself:
	await gateway.messages.sendText({ to: "+15551234567", text: "Say \\"hi\\"" });
	await local.clock.advance(1_500);
	await contact.reply("\`\${hi}\`\\n");
	await local.settled();
	await local.clock.advance(1_440);
	expect(sent()[1]).toMatchObject({ text: "Thank you" });
	await contact.react("love", { messageGuid: sent()[1]?.messageGuid ?? "" });
	await local.settled();
	await local.clock.advance(60_001);
	// The application does this by itself:
	await gateway.messages.sendText({ to: "+15551234567", text: "Are you there?" });
	await expect(gateway.messages.sendText({ to: "+15551234567", text: "Are you there?" })).rejects.toMatchObject({ gatewayCode: "DUPLICATE_MESSAGE" });

	await local.settled();
	expect(local.deliveries.filter(({ state }) => state !== "delivered")).toEqual([]);
	expect(sent()).toMatchObject([
		{ text: "Say \\"hi\\"" },
		{ text: "Thank you" },
		{ text: "Are you there?" },
	]);
	const tapbacks = local.requests
		.filter(({ operationId, status }) => operationId === "messages.tapback" && status === 200)
		.map(({ body }) => JSON.parse(body));
	expect(tapbacks).toMatchObject([
		{ action: "add", messageGuid: received()[0].messageGuid, reaction: "like" },
	]);
});
`);
});

test("a conversation without contacts has no place for an application, and makes its sends", async () => {
	const world = createWatchedGateway();
	await world.gateway.messages.sendText({ to: ALICE, text: "Hello" });
	await world.local.settled();
	const source = await world.control.testSource(ALICE);
	for (const word of ["createReceiver", "deliverTo", "by itself"]) expect(source).not.toContain(word);
	expect(source.slice(source.indexOf("\n\n\t"))).toBe(`

	await gateway.messages.sendText({ to: "+15551234567", text: "Hello" });

	expect(sent()).toMatchObject([
		{ text: "Hello" },
	]);
});
`);
});

test("a group", async () => {
	const world = createWatchedGateway();
	const { gateway, local } = world;
	const { message } = await gateway.messages.sendText({ participants: [ALICE, BOB], text: "Hello" });
	const groupId = message.groupId ?? "";
	await local.settled();
	await local.contact(BOB).react("love", { messageGuid: local.sent[0]?.messageGuid ?? "" });
	await local.contact(BOB).reply("Hi", { groupId });
	await gateway.messages.sendText({ groupId, text: "How are you?" });
	await gateway.messages.sendText({ to: BOB, text: "In private" });
	expect((await linesOf(world, groupId)).slice(2)).toEqual([
		"// The application does this by itself:",
		`await gateway.messages.sendText({ participants: ["${ALICE}", "${BOB}"], text: "Hello" });`,
		'const groupId = sent()[0]?.groupId ?? "";',
		"await local.clock.advance(60);",
		`await local.contact("${BOB}").react("love", { messageGuid: sent()[0]?.messageGuid ?? "" });`,
		"await local.settled();",
		`await local.contact("${BOB}").reply("Hi", { groupId: groupId });`,
		"await local.settled();",
		"",
		'expect(local.deliveries.filter(({ state }) => state !== "delivered")).toEqual([]);',
		"expect(sent()).toMatchObject([",
		'{ text: "Hello" },',
		'{ text: "How are you?" },',
		"]);",
		"});",
		"",
	]);
});

test("what magic numbers do is replied to, too", async () => {
	for (const to of ["+15550001004", "+15550001005"]) {
		const world = createWatchedGateway();
		const send = (text: string) => world.gateway.messages.sendText({ to, text });
		await send("Hello");
		await world.local.settled();
		await send("Thank you");
		await world.local.settled();
		const lines = await linesOf(world, to);
		expect(lines.filter((line) => line.startsWith("await gateway"))).toHaveLength(1);
		expect(lines).toEqual(expect.arrayContaining(['{ text: "Hello" },', '{ text: "Thank you" },']));
	}
});

test("faults of replies are injected before the contact writes, unless a reply came before them", async () => {
	const world = createWatchedGateway();
	const { faults } = world.local;
	const send = (text: string) => world.gateway.messages.sendText({ to: ALICE, text });
	await world.local.contact(ALICE).reply("Hi");
	faults.respond({ status: 503, retryAfterSeconds: 2 });
	await expect(send("Hello")).rejects.toThrow();
	faults.corrupt({ as: "html" });
	await expect(send("Hello")).rejects.toThrow();
	faults.dropConnection({ when: "before" });
	await expect(send("How are you?")).rejects.toThrow();
	await send("How are you?");
	expect((await linesOf(world)).slice(2)).toEqual([
		"local.faults.respond({ status: 503, retryAfterSeconds: 2 });",
		'local.faults.corrupt({ as: "html" });',
		'await contact.reply("Hi");',
		"await local.settled();",
		"local.faults.clear();",
		"",
		"await local.settled();",
		'expect(local.deliveries.filter(({ state }) => state !== "delivered")).toEqual([]);',
		"expect(sent()).toMatchObject([",
		'{ text: "Hello" },',
		'{ text: "How are you?" },',
		"]);",
		"});",
		"",
	]);
});

test("values as JavaScript", () => {
	expect(literal({ a: [1, null, "x"], "b-c": undefined, 'd"': true })).toBe(
		'{ a: [1, null, "x"], "d\\"": true }',
	);
	expect(literal(JSON.parse('{"__proto__": 1}'))).toBe('{ ["__proto__"]: 1 }');
	expect(literal({})).toBe("{}");
	expect(literal("\u2028\ud800")).toBe('"\u2028\\ud800"');
	expect(literal({ id: "1", ids: ["1", "2"] }, new Map([["1", "id"]]))).toBe('{ id: id, ids: [id, "2"] }');
	expect(literal(new Uint8Array(16).fill(3))).toBe("new Uint8Array(16).fill(3)");
	expect([5, 999, 1_000, 1_234_567].map(numberLiteral)).toEqual(["5", "999", "1_000", "1_234_567"]);
});

test("a blocking window of another conversation is written with the message that opened it", async () => {
	const world = createWatchedGateway();
	await world.gateway.messages.sendText({ to: ALICE, text: "Something else" });
	await world.gateway.messages.sendText({ to: BOB, text: "Hello" });
	await world.gateway.messages.sendText({ to: "+15559876543", text: "Nobody asks" });
	await expect(world.gateway.messages.sendText({ to: ALICE, text: "Hello" })).rejects.toThrow();
	await world.local.contact(ALICE).reply("Hi");
	const source = await world.control.testSource(ALICE);
	expect(source).toContain(`sendText({ to: "${BOB}", text: "Hello" })`);
	expect(source).not.toContain("Nobody asks");
});

test("agents are named if there are several", async () => {
	const world = createWatchedGateway({ agents: [AGENT, "+15550000002"] });
	await world.gateway.messages.sendText({ to: ALICE, text: "1", from: AGENT });
	expect(await linesOf(world)).toContain(`await gateway.messages.sendText({ to: "${ALICE}", text: "1" });`);
	expect(await world.control.testSource(ALICE)).not.toContain("agents:");
	await world.local.contact(ALICE).reply("Hi", { to: "+15550000002" });
	expect(await world.control.testSource(ALICE)).toContain(`agents: ["${AGENT}", "+15550000002"],`);
	expect(await linesOf(world)).toEqual(
		expect.arrayContaining([
			`await gateway.messages.sendText({ to: "${ALICE}", from: "${AGENT}", text: "1" });`,
			'await contact.reply("Hi", { to: "+15550000002" });',
		]),
	);
});

test("options that are not the defaults are named", async () => {
	const world = createWatchedGateway({
		rules: { duplicateWindowSeconds: { agent: 5 }, maxConsecutiveMessages: 9, consecutive: "warn" },
		delays: { readMs: 900 },
		agents: ["+15550000007"],
	});
	await world.local.contact(ALICE).reply("Hi");
	const source = await world.control.testSource(ALICE);
	expect(source).toContain(
		'rules: { duplicateWindowSeconds: { agent: 5 }, maxConsecutiveMessages: 9, consecutive: "warn" },',
	);
	expect(source).toContain("delays: { readMs: 900 },");
	expect(source).toContain('agents: ["+15550000007"],');
});

test("sends that other rules accepted are written with the rules off", async () => {
	const state = new MemoryStateFile();
	const before = createWatchedGateway({ state, rules: "off" });
	for (let times = 0; times < 7; times++)
		await before.gateway.messages.sendText({ to: ALICE, text: "Hello" });
	const { clock } = before;
	await before.local[Symbol.asyncDispose]();
	const after = createWatchedGateway({ state, clock });
	await expect(after.gateway.messages.sendText({ to: ALICE, text: "Hello" })).rejects.toThrow();
	const source = await after.control.testSource(ALICE);
	expect(source).toContain('rules: "off",');
	expect(source).not.toContain("DUPLICATE_MESSAGE");
});

test("a changed limit starts with its first value and is changed again", async () => {
	const world = createWatchedGateway();
	await world.gateway.mappings.create({ userNumber: ALICE, maxConsecutiveMessages: 1 });
	await world.gateway.messages.sendText({ to: ALICE, text: "1" });
	await expect(world.gateway.messages.sendText({ to: ALICE, text: "2" })).rejects.toThrow();
	await world.gateway.mappings.update(ALICE, { maxConsecutiveMessages: 2 });
	await world.gateway.messages.sendText({ to: ALICE, text: "2" });
	await world.gateway.mappings.reset(ALICE);
	await world.gateway.mappings.delete(ALICE);
	await world.local.contact(ALICE).reply("Hi");
	expect(await world.control.testSource(ALICE)).toContain("rules: { maxConsecutiveMessages: 1 },");
	expect(await linesOf(world)).toEqual(
		expect.arrayContaining([
			`await gateway.mappings.update("${ALICE}", { maxConsecutiveMessages: 2 });`,
			`await gateway.mappings.reset("${ALICE}");`,
			`await gateway.mappings.delete("${ALICE}");`,
		]),
	);
});

test("tapbacks and lost responses are written as well", async () => {
	const world = createWatchedGateway();
	const { messageGuid } = await world.local.contact(ALICE).reply("Hi");
	await world.clock.advance(60_001);
	const guid = { messageGuid: messageGuid ?? "" };
	await world.gateway.messages.addTapback({ ...guid, reaction: "love", partIndex: 2 });
	await world.gateway.messages.removeTapback({ ...guid, reaction: "love", partIndex: 2 });
	world.local.faults.dropConnection({ when: "after" });
	await expect(world.gateway.messages.sendText({ to: ALICE, text: "Hello" })).rejects.toThrow();
	const tapback = '{ messageGuid: received()[0].messageGuid, reaction: "love", partIndex: 2 }';
	expect(await linesOf(world)).toEqual(
		expect.arrayContaining([
			'await contact.reply("Hi");',
			`await gateway.messages.addTapback(${tapback});`,
			`await gateway.messages.removeTapback(${tapback});`,
			'local.faults.dropConnection({ when: "after" });',
			`await expect(gateway.messages.sendText({ to: "${ALICE}", text: "Hello" })).rejects.toMatchObject({ outcome: "unknown" });`,
		]),
	);
});

test("a message that failed before it was sent may be sent again under the same rules", async () => {
	const world = createWatchedGateway();
	for (let times = 0; times < 2; times++) {
		await world.gateway.messages.sendText({ to: FAILING, text: "Hello" });
		await world.local.settled();
	}
	expect(await world.control.testSource(FAILING)).not.toContain("rules:");
});

test("bytes are replaced, and equal ones stay equal", async () => {
	const world = createWatchedGateway({ rules: "off" });
	const send = (...bytes: number[]) =>
		world.gateway.messages.sendAttachments({
			to: ALICE,
			attachments: [{ data: new Uint8Array(bytes), name: "a.png" }],
		});
	await send(1, 2, 3);
	await send(4, 5, 6);
	await send(1, 2, 3);
	const fillings = [
		...(await world.control.testSource(ALICE)).matchAll(/new Uint8Array\(16\)\.fill\((\d+)\)/g),
	];
	expect(fillings.map(([, filling]) => filling)).toEqual(["1", "2", "1"]);
});

test("a step that a new gateway rejects is left out, with the time before it kept", async () => {
	const world = createWatchedGateway();
	await world.gateway.mappings.create({ userNumber: ALICE });
	await world.gateway.mappings.reset(ALICE);
	await world.clock.advance(1_000);
	await world.gateway.messages.sendText({ to: ALICE, text: "Hello" });
	const statements = await linesOf(world);
	expect(statements.filter((line) => line.startsWith("await "))).toEqual([
		"await local.clock.advance(1_000);",
		`await gateway.messages.sendText({ to: "${ALICE}", text: "Hello" });`,
	]);
});

test("an empty conversation is rejected", async () => {
	const { control, gateway } = createWatchedGateway();
	await expect(control.testSource(ALICE)).rejects.toMatchObject({ code: "not_found" });
	await gateway.mappings.create({ userNumber: ALICE });
	await gateway.mappings.reset(ALICE);
	await expect(control.testSource(ALICE)).rejects.toMatchObject({ code: "rejected" });
});
