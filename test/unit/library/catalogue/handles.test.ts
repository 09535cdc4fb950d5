import {
	ConfigurationError,
	defineProfile,
	InputError,
	MessagingGateway,
	type Profile,
	type SigningProfile,
} from "messaging-gateway";
import { createLocalGateway, type LocalGateway } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { HANDLE_PATTERN } from "../../../../src/library/catalogue/handle.ts";
import { catchError, catchRejection } from "../../../support/catch-error.ts";

const AGENT = "+15550000001";
const OTHER = "+15557654321";

const HANDLES = [
	"+15551234567",
	"+6834002",
	"+690 3000".replace(" ", ""),
	"+123456789012345",
	"ana@icloud.example",
	"Ana.Maria+news@Mail.Example",
	"o'brien%20&co/x?y#z@mail.example",
	"jürgen@straße.example",
	"アナ@example.jp",
	"a..b.@mail.example",
	`${"a".repeat(64)}@${"b".repeat(181)}.example`,
	"123",
	"88022",
	"262966",
];

const NO_HANDLES: readonly unknown[] = [
	"",
	" ",
	"15551234567",
	"5551234",
	"12",
	"1234567",
	"+1 (555) 123-4567",
	"+1 555 123 4567",
	" +15551234567",
	"+15551234567\n",
	"+15551234567\r\n",
	"+123456",
	"+1234567890123456",
	"+0123456789",
	"+١٢٣٤٥٦٧٨",
	"00155512345",
	"tel:+15551234567",
	"tel:+1555",
	"mailto:ana@icloud.example",
	"@",
	"a@b",
	"@icloud.example",
	"ana@",
	"ana@.example",
	"ana@icloud..example",
	"ana@icloud.example.",
	"ana@@icloud.example",
	"ana@icloud@example.com",
	"ana @icloud.example",
	"ana@icloud.example\n",
	"ana@icloud.example\r\nX: 1",
	"ana\u0000@icloud.example",
	"ana\u0085@icloud.example",
	"ana\u00a0@icloud.example",
	"ana\u2028@icloud.example",
	"Ana <ana@icloud.example>",
	"<ana@icloud.example>",
	'"ana"@icloud.example',
	"ana,bob@icloud.example",
	"ana\ud800@icloud.example",
	"\ud800",
	`${"a".repeat(300)}@icloud.example`,
	"9".repeat(300),
];

const WRONG_TYPES = [15551234567, 88022, 0, true, null, {}, ["88022"], new String("88022")];

const SENDER_NAMES = ["ACME", "Acme 24", "AT&T", "7-Eleven"];

/** Every call that names a contact. */
const CALLS: Readonly<Record<string, (gateway: MessagingGateway, handle: string) => PromiseLike<unknown>>> = {
	to: ({ messages }, to) => messages.sendText({ to, text: "Hello" }),
	"to of attachments": ({ messages }, to) =>
		messages.sendAttachments({ to, attachments: [{ url: "https://a.example/a.png" }] }),
	participants: ({ messages }, handle) =>
		messages.sendText({ participants: [handle, OTHER], text: "Hello all" }),
	typing: ({ messages }, to) => messages.startTyping({ to }),
	read: ({ messages }, to) => messages.markRead({ to }),
	capability: ({ messages }, handle) => messages.checkCapability(handle),
	mapping: ({ mappings }, handle) => mappings.get(handle),
	"changes of a mapping": ({ mappings }, handle) => mappings.update(handle, { maxConsecutiveMessages: 3 }),
	"reset of a mapping": ({ mappings }, handle) => mappings.reset(handle),
	conversation: ({ analytics }, handle) => analytics.listMessages(handle),
	assignment: ({ agents }, userNumber) => agents.assign({ agentNumber: AGENT, userNumber }),
	reassignment: ({ agents }, userNumber) => agents.reassign({ userNumber, toAgentNumber: AGENT }),
	"removal of a mapping": ({ mappings }, handle) => mappings.delete(handle),
	"new mapping": ({ mappings }, userNumber) => mappings.create({ userNumber }),
};

/** A gateway to which a contact has written. */
async function gatewayOf(handle: string | undefined, profile: Profile = {}, baseUrl?: string) {
	const local = createLocalGateway({ rules: "off", profile, ...(baseUrl !== undefined && { baseUrl }) });
	if (handle !== undefined) await local.contact(handle).reply("Hi");
	return { local, gateway: new MessagingGateway({ ...local.clientOptions, profile, maxRetries: 0 }) };
}

async function callAll(gateway: MessagingGateway, handle: string): Promise<void> {
	for (const call of Object.values(CALLS)) await call(gateway, handle);
}

describe("a contact's handle", () => {
	test.each(HANDLES)("%s arrives and can be answered", async (handle) => {
		const { local, gateway } = await gatewayOf(handle);
		await callAll(gateway, handle);
		await local.settled();
		expect(local.sent.map(({ to, participants }) => [to, participants])).toEqual([
			[handle, [AGENT, handle]],
			[handle, [AGENT, handle]],
			[handle, [AGENT, handle, OTHER]],
		]);
		expect(local.sent[0]?.chatGuid).toBe(`native;-;${handle}`);
		expect(local.requests.filter(({ status = 0 }) => status === 0 || status >= 300)).toEqual([]);
	});

	test.each([...NO_HANDLES, ...WRONG_TYPES, ...SENDER_NAMES])("%j is none", async (value) => {
		const { local, gateway } = await gatewayOf(undefined);
		for (const call of Object.values(CALLS)) {
			const error = await catchRejection(Promise.resolve().then(() => call(gateway, value as string)));
			expect(error).toBeInstanceOf(InputError);
			if (typeof value === "string")
				expect(error).toMatchObject({ message: expect.stringContaining("such as +15551234567") });
		}
		expect(catchError(() => local.contact(value as string))).toBeInstanceOf(ConfigurationError);
		expect(local.requests).toEqual([]);
	});

	test.each(SENDER_NAMES)("%s is one-way, as the error says", async (to) => {
		const { gateway } = await gatewayOf(undefined);
		await expect(gateway.messages.sendText({ to, text: "Hello" })).rejects.toMatchObject({
			issues: [
				{ path: "to", message: expect.stringMatching(/^must not be a sender's name, which is one-way/) },
			],
		});
	});

	test("keeps its case and is no other in another case", async () => {
		const { local, gateway } = await gatewayOf("Ana@iCloud.example");
		await expect(gateway.mappings.get("ana@icloud.example")).rejects.toMatchObject({ code: "not_found" });
		const { mapping } = await gateway.mappings.get("Ana@iCloud.example");
		expect(mapping.userNumber).toBe("Ana@iCloud.example");
		expect(local.requests.at(-1)?.path).toBe("/mapping/Ana%40iCloud.example");
	});

	test.each(["ana@icloud.example", "88022"])("%s is no agent", async (handle) => {
		const { gateway } = await gatewayOf(undefined);
		for (const call of [
			() => gateway.messages.sendText({ to: OTHER, from: handle, text: "Hello" }),
			() => gateway.agents.get(handle),
			() => gateway.agents.register({ agentNumber: handle }),
			() => gateway.agents.assign({ userNumber: OTHER, agentNumber: handle }),
			() => gateway.analytics.getNumberStats(handle),
			() => gateway.mappings.list({ agentNumber: handle }),
		])
			expect(await catchRejection(call())).toMatchObject({
				code: "invalid_input",
				message: expect.stringContaining("must be an E.164 number: + and 7 to 15 digits"),
			});
		expect(() => createLocalGateway({ agents: [handle] })).toThrow(ConfigurationError);
	});

	test.each(["a", "a.", "a@", "@.", "a@a.", "1", " ", "+1"])(
		"is found in one pass over its text, such as many of %j",
		(part) => {
			expect(new RegExp(HANDLE_PATTERN).test(`${part.repeat(300_000)} `)).toBe(false);
		},
	);
});

const PATHS = ["request_line", "without_base_path", "decoded", "decoded_without_base_path"] as const;

describe.each(PATHS satisfies readonly SigningProfile["path"][])("with the signed path %s", (path) => {
	test.each(["ana+news@icloud.example", "50%25@mail.example", "jürgen@straße.example", "88022", "+6834002"])(
		"%s stands escaped in a path, and its signature is right",
		async (handle) => {
			const operations = { "mappings.reset": { path: "/of/{toNumber}/v1" } } as const;
			const profile = defineProfile({ signing: { path, query: "included" }, operations });
			const { local, gateway } = await gatewayOf(handle, profile, "https://gateway.example/base");
			await callAll(gateway, handle);
			const escaped = encodeURIComponent(handle);
			const paths = local.requests.map((request) => request.path);
			expect(paths).toEqual(expect.arrayContaining([`/base/mapping/${escaped}`, `/base/of/${escaped}/v1`]));
			expect(local.requests.filter(({ status = 0 }) => status === 0 || status >= 300)).toEqual([]);
		},
	);
});

describe("a handle that only the profile allows", () => {
	const profile = defineProfile({ handlePattern: "user-[0-9]+|ACME" });

	test.each(["user-1", "user-4711", "ACME"])("%s is accepted wherever a contact is", async (handle) => {
		const { local, gateway } = await gatewayOf(handle, profile);
		await callAll(gateway, handle);
		await local.settled();
		expect(local.sent[0]?.to).toBe(handle);
		expect(local.requests.filter(({ status = 0 }) => status === 0 || status >= 300)).toEqual([]);
	});

	test.each(["user-", "xuser-1", "user-1x", "user-1\n", "ACMEx", `user-${"1".repeat(250)}`])(
		"%j is none, since the pattern is for the whole value",
		async (handle) => {
			const { local, gateway } = await gatewayOf(undefined, profile);
			for (const call of Object.values(CALLS))
				expect(await catchRejection(Promise.resolve(call(gateway, handle)))).toBeInstanceOf(InputError);
			expect(() => local.contact(handle)).toThrow(ConfigurationError);
		},
	);

	test("is none for a gateway without the profile", async () => {
		const { local } = await gatewayOf(undefined);
		const gateway = new MessagingGateway({ ...local.clientOptions, profile, maxRetries: 0 });
		await expect(gateway.messages.sendText({ to: "user-1", text: "Hello" })).rejects.toMatchObject({
			status: 400,
			details: [{ field: "to", issue: "invalid" }],
		});
	});

	test("lets no other problem of the input pass", async () => {
		const { gateway } = await gatewayOf(undefined, profile);
		const send = (input: object): Promise<unknown> =>
			catchRejection(gateway.messages.sendText(input as Parameters<typeof gateway.messages.sendText>[0]));
		expect(await send({ to: "user-1", text: "" })).toMatchObject({ issues: [{ path: "text" }] });
		expect(await send({ to: "ACME", groupId: "g", text: "Hello" })).toMatchObject({ issues: [{ path: "" }] });
		expect(await send({ participants: ["user-1", "x"], text: "Hello" })).toMatchObject({
			issues: [{ path: "participants.1" }],
		});
		expect(await send({ participants: ["user-1"], text: "Hello" })).toMatchObject({
			issues: [{ path: "participants" }],
		});
	});
});

test("a group of such contacts is one group, in which each of them writes and reacts", async () => {
	const { local, gateway } = await gatewayOf(undefined);
	const contacts = ["ana@icloud.example", "88022", OTHER];
	const { message } = await gateway.messages.sendText({ participants: contacts, text: "Hello all" });
	await local.settled();
	const groupId = message.groupId ?? "";
	const replies = await writeAll(local, contacts, groupId);
	expect(replies.map(({ from, groupId: id }) => [from, id])).toEqual(contacts.map((from) => [from, groupId]));
	await local.contact("ana@icloud.example").react("love", { messageGuid: local.sent[0]?.messageGuid ?? "" });
	await local.contact("88022").reply("Alone");
	await gateway.messages.sendText({ to: "88022", text: "And you" });
	await local.settled();
	await local.contact("88022").react("like");
	const again = await gateway.messages.sendText({ participants: contacts.toReversed(), text: "Again" });
	expect(again.message.groupId).toBe(groupId);
});

async function writeAll(local: LocalGateway, contacts: readonly string[], groupId: string) {
	return Promise.all(contacts.map((from) => local.contact(from).reply("Hi", { groupId })));
}
