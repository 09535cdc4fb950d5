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
import {
	describeHandleProblem,
	HANDLE_PATTERN,
	withHandlePattern,
} from "../../../../src/library/catalogue/handle.ts";
import { catchError, catchRejection } from "../../../support/catch-error.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";

/** Users of an application of its own, beside contacts. */
const USERS = defineProfile({ handlePattern: "user-[0-9]+|ACME" });
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

const HANDLE =
	"an e-mail address, a short code of 3 to 6 digits, or a number in E.164: + and 7 to 15 digits, such as +15551234567";
const NO_HANDLE = `must be ${HANDLE}`;
const ONE_WAY = `must not be a sender's name, which is one-way; give ${HANDLE}`;

/** A value, and the profile under which it may be a handle. */
type Handle = readonly [value: unknown, profile?: Profile];

const byValue = (...values: readonly unknown[]): Record<string, Handle> =>
	Object.fromEntries(values.map((value) => [JSON.stringify(value), [value]]));

const PROBLEMS: Outcomes<Handle> = {
	none: {
		...byValue(...HANDLES),
		"what one profile's pattern is for": ["user-1", USERS],
		"the other thing that one profile's pattern is for": ["ACME", USERS],
		"what another profile's pattern is for": ["guest", { handlePattern: "guest" }],
		"a letter beyond the first 65,536, as one character": ["😂", { handlePattern: "." }],
	},
	[NO_HANDLE]: {
		...byValue("", " ", "15551234567", "5551234", "12", "1234567"),
		...byValue("+1 (555) 123-4567", "+1 555 123 4567", " +15551234567", "+15551234567\n", "+15551234567\r\n"),
		...byValue("+123456", "+1234567890123456", "+0123456789", "+١٢٣٤٥٦٧٨", "00155512345"),
		...byValue("tel:+15551234567", "tel:+1555", "mailto:ana@icloud.example"),
		...byValue("@", "a@b", "@icloud.example", "ana@", "ana@.example", "ana@icloud..example"),
		...byValue("ana@icloud.example.", "ana@@icloud.example", "ana@icloud@example.com", "ana @icloud.example"),
		...byValue("ana@icloud.example\n", "ana@icloud.example\r\nX: 1", "ana\u0000@icloud.example"),
		...byValue("ana\u0085@icloud.example", "ana\u00a0@icloud.example", "ana\u2028@icloud.example"),
		...byValue("Ana <ana@icloud.example>", "<ana@icloud.example>", '"ana"@icloud.example'),
		...byValue("ana,bob@icloud.example", "ana\ud800@icloud.example", "\ud800"),
		...byValue(`${"a".repeat(300)}@icloud.example`, "9".repeat(300), "ACME and others", "!ACME", "ACME!"),
		...byValue(15551234567, 88022, 0, true, null, {}, ["88022"]),
		undefined: [undefined],
		"a boxed string": [new String("88022")],
		"what a profile's pattern is for, before a newline": ["user-1\n", USERS],
		"what a profile's pattern is for, if it is too long": [`user-${"1".repeat(250)}`, USERS],
	},
	[ONE_WAY]: {
		...byValue("ACME", "Acme 24", "AT&T", "7-Eleven"),
		"a name beside a profile's pattern": ["ACMEx", USERS],
		"what a profile's pattern is for, after what it is not": ["xuser-1", USERS],
		"a part of what a profile's pattern is for": ["user-", USERS],
		"what a profile's pattern is for, before what it is not": ["user-1x", USERS],
	},
};

testOutcomes(PROBLEMS, ([value, profile]) => describeHandleProblem(value, profile) ?? "none");

test("a pattern of JSON Schema has the profile's beside that of handles", () => {
	const pattern = new RegExp(withHandlePattern(HANDLE_PATTERN, USERS));
	expect(["user-1", "ACME", "88022", "user-1x"].map((value) => pattern.test(value))).toEqual([
		true,
		true,
		true,
		false,
	]);
	expect(withHandlePattern(HANDLE_PATTERN, {})).toBe(HANDLE_PATTERN);
	expect(withHandlePattern("^x$", USERS)).toBe("^x$");
});

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

	test.each(Object.entries(CALLS))("%s rejects what is none, and says what is one", async (_name, call) => {
		const { local, gateway } = await gatewayOf(undefined);
		for (const [value, problem] of [
			["5551234", NO_HANDLE],
			["ACME", ONE_WAY],
			[15551234567, NO_HANDLE],
			[null, NO_HANDLE],
			[["88022"], NO_HANDLE],
		]) {
			const error = await catchRejection(Promise.resolve().then(() => call(gateway, value as string)));
			expect(error).toBeInstanceOf(InputError);
			if (typeof value === "string") expect(error).toMatchObject({ issues: [{ message: problem }] });
			expect(catchError(() => local.contact(value as string))).toBeInstanceOf(ConfigurationError);
		}
		expect(local.requests).toEqual([]);
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
	test.each(["user-1", "user-4711", "ACME"])("%s is accepted wherever a contact is", async (handle) => {
		const { local, gateway } = await gatewayOf(handle, USERS);
		await callAll(gateway, handle);
		await local.settled();
		expect(local.sent[0]?.to).toBe(handle);
		expect(local.requests.filter(({ status = 0 }) => status === 0 || status >= 300)).toEqual([]);
	});

	test.each(Object.entries(CALLS))("%s rejects a part of what the pattern is for", async (_name, call) => {
		const { local, gateway } = await gatewayOf(undefined, USERS);
		expect(await catchRejection(Promise.resolve(call(gateway, "user-1x")))).toBeInstanceOf(InputError);
		expect(() => local.contact("user-1x")).toThrow(ConfigurationError);
	});

	test("is none for a gateway without the profile", async () => {
		const { local } = await gatewayOf(undefined);
		const gateway = new MessagingGateway({ ...local.clientOptions, profile: USERS, maxRetries: 0 });
		await expect(gateway.messages.sendText({ to: "user-1", text: "Hello" })).rejects.toMatchObject({
			status: 400,
			details: [{ field: "to", issue: "invalid" }],
		});
	});

	test("lets no other problem of the input pass", async () => {
		const { gateway } = await gatewayOf(undefined, USERS);
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
