import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { readings } from "messaging-gateway/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createUserProject, type UserProject } from "../support/packed-package.ts";
import { type Destination, LanguageServer } from "./support/language-server.ts";

const FILES = ["index.ts", "webhooks.ts"];

/** What a user is about to complete. */
const TYPING = `import { isMessagingGatewayError, MessagingGateway } from "messaging-gateway";
import { createSender } from "messaging-gateway/sends";
import { createLocalGateway } from "messaging-gateway/testing";
import { createWebhookHandler } from "messaging-gateway/webhooks";
const gateway = new MessagingGateway({ });
gateway.messages. // methods
;
gateway. // areas
;
try {} catch (error) {
	if (isMessagingGatewayError(error) && error.code === "") throw error;
}
createLocalGateway({ readings: [""] });
gateway.messages.sendText({ });
createWebhookHandler({ });
createSender({ });
`;

/** A send of each form, whose fields are hovered over. */
const SENDS = `import { MessagingGateway } from "messaging-gateway";
const { messages } = new MessagingGateway();
const url = "https://a.example/map.png";
messages.send({ to: "+1555", text: "Hello", from: "+15550000001", effect: "slam", replyToGuid: "g", statusCallback: url });
messages.send({ groupId: "g-1", attachments: [{ url }] });
messages.send({ participants: ["a", "b"], groupName: "Dinner", text: "Eight?", attachments: [{ url }] });
messages.sendText({ groupId: "g-2", text: "Nine?" });
messages.sendText({ participants: ["c", "d"], groupName: "Lunch", text: "One?" });
messages.sendAttachments({ to: "+1556", attachments: [{ url }] });
messages.sendVoiceNote({ to: "+1557", attachment: { url } });
`;

/** Types of options and inputs by their names. */
const NAMED = `import type { MarkReadInput, SendMessageInput, SendTextInput } from "messaging-gateway";
import type { SendInput } from "messaging-gateway/sends";
import type { WebhookHandlerOptions } from "messaging-gateway/webhooks";
export type Texts = SendTextInput[];
export type Sends = SendMessageInput[];
export type Keyed = SendInput[];
export type Read = MarkReadInput[];
export type Handlers = WebhookHandlerOptions[];
`;

/** The choices of a profile, and a secret as bytes. */
const PROFILE = `import { defineProfile, MessagingGateway } from "messaging-gateway";
export const profile = defineProfile({
	signing: { secret: "hex", canonicalBody: "ascii" },
	events: { secret: "base64" },
});
new MessagingGateway({ appSecret: new Uint8Array(32), profile });
`;

let project: UserProject;
let installed: string;
let server: LanguageServer;

beforeAll(async () => {
	project = await createUserProject();
	installed = join(project.folder, "node_modules/messaging-gateway");
	const compilerOptions = {
		strict: true,
		target: "es2022",
		lib: ["es2022", "dom"],
		types: ["node"],
		module: "nodenext",
	};
	project.write("tsconfig.json", JSON.stringify({ compilerOptions }));
	for (const file of FILES) project.write(file, readFileSync(`test/package/user/${file}`, "utf8"));
	project.write("typing.ts", TYPING);
	project.write("sends.ts", SENDS);
	project.write("profile.ts", PROFILE);
	project.write("named.ts", NAMED);
	server = new LanguageServer(project.folder);
	for (const file of [...FILES, "typing.ts", "sends.ts", "profile.ts", "named.ts"]) server.open(file);
});

afterAll(() => {
	server[Symbol.dispose]();
	project.remove();
});

describe("a hover shows", () => {
	test.each([
		{
			file: "index.ts",
			text: "new MessagingGateway(",
			part: "MessagingGateway",
			shown: `(alias) new MessagingGateway(options?: ClientOptions): MessagingGateway
import MessagingGateway
Creates a client. It sends nothing before your first call.`,
		},
		{
			file: "index.ts",
			text: "gateway.messages.sendText",
			part: "sendText",
			shown: `(method) Messages.sendText(input: SendTextInput, options?: CallOptions): GatewayCall<MessageData>
Sends a text to a contact or a group.`,
		},
		{
			file: "index.ts",
			text: `text: "Hello"`,
			part: "text",
			shown: `(property) text: string
The text, up to \`profile.limits.textLength\`.`,
		},
		{
			file: "index.ts",
			text: "message.status",
			part: "status",
			shown: `(property) Message.status: MessageStatus
The delivery status.`,
		},
		{
			file: "index.ts",
			text: "error.outcome",
			part: "outcome",
			shown: `(property) outcome: Outcome
Whether the gateway may have carried out the call, over all its attempts.`,
		},
		{
			file: "webhooks.ts",
			text: "= createWebhookHandler(",
			part: "createWebhookHandler",
			shown: `(alias) createWebhookHandler<unknown>(options: WebhookHandlerOptions<unknown>): WebhookHandler
import createWebhookHandler
Creates the handler that receives your webhooks. It checks the signature of each delivery over its raw bytes, and runs your code for the event unless that is done already. It responds 200 only when your code has finished.`,
		},
		{
			file: "webhooks.ts",
			text: "{ eventId, data }",
			part: "data",
			shown: `(parameter) data: InboundMessage
The message. Fields that aren't documented are kept.`,
		},
	])("$part in $file", async ({ shown, ...place }) => {
		expect(await server.hover(place)).toBe(shown);
	});
});

describe("a hover over a type shows its fields, and the choice between them", () => {
	test.each([
		["SendTextInput", ["text: string;", "groupId: string;", "to?: undefined", "from?: string"]],
		["SendMessageInput", ["participants: readonly string[];", "attachments: readonly Attachment[];"]],
		["SendInput", ["participants: readonly string[];", "attachments: readonly Attachment[];"]],
		["MarkReadInput", ["groupId: string;", "to: string;", "messageGuid?: string | undefined"]],
		[
			"WebhookHandlerOptions",
			[
				"inbox: Inbox<Transaction>;",
				"on: EventHandlers<InboxContext<Transaction>>;",
				"store: EventStore;",
				"enqueue: ",
			],
		],
	])("%s", async (name, fields) => {
		const shown = await server.hover({ file: "named.ts", text: `= ${name}`, part: name });
		for (const field of fields) expect(shown).toContain(field);
		expect(shown).not.toMatch(/\b(?:Omit|Flat|With\w+)\b/);
	});
});

test.each([
	[
		'signing: { secret: "hex"',
		"secret",
		'(property) SigningProfile.secret?: "text" | "hex" | "base64" | "prefixed_base64" | undefined',
	],
	[
		'events: { secret: "base64" }',
		"secret",
		'(property) secret?: "text" | "hex" | "base64" | "prefixed_base64" | undefined',
	],
	[
		'canonicalBody: "ascii"',
		"canonicalBody",
		'(property) SigningProfile.canonicalBody?: "rfc8785" | "json" | "ascii" | "ascii_spaced" | "ascii_slashes" | "slashes" | "html_escaped" | "no_nulls" | ((body: unknown) => string) | undefined',
	],
	[
		"appSecret: new Uint8Array",
		"appSecret",
		"(property) ClientOptions.appSecret?: string | Uint8Array<ArrayBufferLike> | (() => string | Uint8Array | Promise<string | Uint8Array>) | undefined",
	],
])("a hover over a choice shows every other one: %s", async (text, part, shown) => {
	const [first] = (await server.hover({ file: "profile.ts", text, part })).split("\n");
	expect(first).toBe(shown);
});

describe("a hover over a field of a send shows its sentence", () => {
	const TO = "One contact: a number in E.164, an e-mail address, or a short code.";
	const GROUP = "The id of an existing group.";
	const PARTICIPANTS = "Two or more contacts. The same set of contacts is the same group.";
	const GROUP_NAME = "A name for the group that `participants` form.";
	const LENGTH = "The text, up to `profile.limits.textLength`.";
	const TEXT = `${LENGTH} An empty one counts as none.`;
	const ATTACHMENTS = "The attachments, alone or with the text. An empty list counts as none.";

	test.each([
		['to: "+1555"', "to", TO],
		['text: "Hello"', "text", TEXT],
		[
			'from: "+15550000001", effect: "slam", replyToGuid: "g", statusCallback: url });',
			"from",
			"The number of the agent that sends.",
		],
		[
			'effect: "slam", replyToGuid: "g", statusCallback: url });',
			"effect",
			"The effect that the message arrives with.",
		],
		[
			'replyToGuid: "g", statusCallback: url });',
			"replyToGuid",
			"The `messageGuid` of the message that you reply to.",
		],
		[
			"statusCallback: url });",
			"statusCallback",
			"A URL for this message's status updates, instead of the registered one (`status_callback` on the wire).",
		],
		['groupId: "g-1"', "groupId", GROUP],
		["attachments: [{ url }] });\nmessages.send({ part", "attachments", ATTACHMENTS],
		['participants: ["a"', "participants", PARTICIPANTS],
		['groupName: "Dinner"', "groupName", GROUP_NAME],
		['text: "Eight?"', "text", TEXT],
		['groupId: "g-2"', "groupId", GROUP],
		['text: "Nine?"', "text", LENGTH],
		['participants: ["c"', "participants", PARTICIPANTS],
		['groupName: "Lunch"', "groupName", GROUP_NAME],
		['to: "+1556"', "to", TO],
		['to: "+1557"', "to", TO],
	])("%s", async (text, part, sentence) => {
		const [, ...shown] = (await server.hover({ file: "sends.ts", text, part })).split("\n");
		expect(shown.join(" ")).toBe(sentence);
	});
});

describe("go to definition", () => {
	test.each([
		{
			file: "index.ts",
			text: "new MessagingGateway(",
			part: "MessagingGateway",
			declaration: "library/messaging-gateway.d.ts",
			declared: "export declare class MessagingGateway {",
			code: "var MessagingGateway = class _MessagingGateway {",
		},
		{
			file: "index.ts",
			text: "gateway.messages.sendText",
			part: "sendText",
			declaration: "library/client/resources/messages.d.ts",
			declared: "sendText(input: SendTextInput, options?: CallOptions): GatewayCall<MessageData>;",
			code: "sendText(input, options) {",
		},
		{
			file: "webhooks.ts",
			text: "= createWebhookHandler(",
			part: "createWebhookHandler",
			declaration: "library/webhooks/create-webhook-handler.d.ts",
			declared:
				"export declare function createWebhookHandler<Transaction>(options: WebhookHandlerOptions<Transaction>): WebhookHandler;",
			code: "function createWebhookHandler(options) {",
		},
	])("$part in $file: its declaration, and its code on demand", async (expected) => {
		const { declaration, declared, code, ...place } = expected;
		const definitions = (await server.definitions(place)).map(readDestination);
		expect(definitions).toContainEqual({ source: `dist/types/${declaration}`, line: declared });
		const sources = (await server.sourceDefinitions(place)).map(readDestination);
		expect(sources.map(({ source, line }) => [source.endsWith(".js"), line])).toContainEqual([true, code]);
	});
});

describe("completion offers", () => {
	const offer = (text: string, part: string) => server.completions({ file: "typing.ts", text, part });
	const names = async (text: string, part: string) => (await offer(text, part)).map(({ name }) => name);

	test("the methods of an area, and nothing else", async () => {
		expect(await names("gateway.messages. // methods", " //")).toEqual([
			"addTapback",
			"checkCapability",
			"get",
			"markRead",
			"removeTapback",
			"send",
			"sendAttachments",
			"sendText",
			"sendVoiceNote",
			"startTyping",
			"stopTyping",
		]);
	});

	test("the areas and methods of the client, and nothing else", async () => {
		expect(await names("gateway. // areas", " //")).toEqual([
			"agents",
			"analytics",
			"call",
			"clockOffsetMs",
			"health",
			"mappings",
			"messages",
			"queue",
			"ready",
			"request",
			"settings",
			"withCredentials",
		]);
	});

	test.each([
		["new MessagingGateway({ })", ["appId", "appSecret", "baseUrl", "clock", "maxRetries", "profile"]],
		["gateway.messages.sendText({ })", ["to", "groupId", "participants", "text", "statusCallback"]],
		["createWebhookHandler({ })", ["store", "inbox", "on", "enqueue", "secret", "leaseMs", "onError"]],
		["createSender({ })", ["gateway", "store", "digestSecret", "statusCallback"]],
	])("the options of %s, each with a sentence", async (text, expected) => {
		const options = await offer(text, " }");
		expect(options.map(({ name }) => name)).toEqual(expect.arrayContaining(expected));
		expect(options.filter(({ documentation }) => documentation === "")).toEqual([]);
	});

	test("the codes of the errors", async () => {
		const codes = await names(`error.code === "")`, `")`);
		expect(codes).toEqual(
			expect.arrayContaining(["duplicate_message", "rate_limited", "signature_mismatch"]),
		);
		expect(codes).not.toContain("string");
	});

	test("the names of the readings, and nothing else", async () => {
		const expected = readings.map(({ name }) => name);
		expect((await names(`readings: [""]`, `"]`)).sort()).toEqual(expected.sort());
	});
});

function readDestination({ file, start }: Destination): { source: string; line: string } {
	const line = readFileSync(file, "utf8").split("\n")[start.line - 1] ?? "";
	return { source: relative(installed, file), line: line.trim() };
}
