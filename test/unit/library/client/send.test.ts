import { InputError, MessagingGateway, type SendMessageInput } from "messaging-gateway";
import { createSender, memorySendStore } from "messaging-gateway/sends";
import { createLocalGateway } from "messaging-gateway/testing";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { refusedBy, sentBy } from "../../../support/sent-requests.ts";
import { throwing } from "../../../support/throwing.ts";

const to = "+15551234567";
const text = "Hello";
const attachments = [{ url: "https://files.example/map.png" }];
const withText =
	'{"attachments":[{"url":"https://files.example/map.png"}],"text":"Hello","to":"+15551234567"}';
const alone = '{"attachments":[{"url":"https://files.example/map.png"}],"to":"+15551234567"}';
const textOnly = '{"text":"Hello","to":"+15551234567"}';

/** From what is sent to the inputs that send it. */
const SENT: readonly [request: string, inputs: readonly SendMessageInput[]][] = [
	[
		`/message/text ${textOnly}`,
		[
			{ to, text },
			{ to, text, attachments: [] },
			{ to, text, attachments: undefined },
		],
	],
	[`/message/attachment ${withText}`, [{ to, text, attachments }]],
	[
		`/message/attachment ${alone}`,
		[
			{ to, attachments },
			{ to, text: "", attachments },
			{ to, text: undefined, attachments },
		],
	],
];

describe("messages.send", () => {
	test.each(SENT)("sends %s", async (request, inputs) => {
		for (const input of inputs) {
			const sent = await sentBy((gateway) => gateway.messages.send(input));
			expect(`${new URL(sent.url).pathname} ${sent.body}`).toBe(request);
		}
	});

	test.each<[title: string, input: object]>([
		["neither", { to }],
		["an empty text", { to, text: "" }],
		["an empty list", { to, attachments: [] }],
		["two empty ones", { to, text: "", attachments: [] }],
	])("with %s sends nothing", async (_title, input) => {
		const error = await refusedBy((gateway) => gateway.messages.send(input as SendMessageInput));
		expect(error).toBeInstanceOf(InputError);
		expect(error.message).toBe("text or attachments is required: an empty text or list counts as none");
		expect(error).toMatchObject({ outcome: "not_sent", issues: [{ path: "text" }] });
	});

	test.each<[title: string, input: unknown, message: RegExp]>([
		["a string", to, /^The input must be an object: write messages\.sendText\(\{ to, text \}\)$/],
		["a list", [to, text], /^The input must be an object/],
		[
			"a voice note",
			{ to, attachment: attachments[0] },
			/the input has an unknown field \(hidden, since a name may be a secret\): use to, /,
		],
		["a text under another name", { to, body: text }, /unknown field: "body" \(did you mean "text"\?\)$/],
		[
			"a getter that throws",
			{
				to,
				get text() {
					return throwing(new Error(text))();
				},
			},
			/^The input couldn't be read/,
		],
		["attachments that are no list", { to, attachments: attachments[0] }, /wrap the attachment/],
		["a field that there is not", { to, text, txt: text }, /^messages\.sendText: /],
		["no target", { text }, /must have exactly one of/],
	])("rejects %s, and never throws", async (_title, input, message) => {
		const error = await refusedBy((gateway) => gateway.messages.send(input as SendMessageInput));
		expect(error).toBeInstanceOf(InputError);
		expect(error.message).toMatch(message);
	});

	test("has the options, the hooks and the response of the method that it stands for", async () => {
		const local = createLocalGateway();
		onTestFinished(() => local.close());
		const onRequest = vi.fn();
		const gateway = new MessagingGateway({ ...local.clientOptions, hooks: { onRequest } });
		const input: { to: string; text: string; attachments: { url: string }[] } = { to, text, attachments };
		const { data, response } = await gateway.messages.send(input).withResponse();
		expect([data.message.status, response.status]).toEqual(["queued", 202]);
		expect(onRequest.mock.calls).toMatchObject([[{ operationId: "messages.sendAttachments" }]]);
		await expect(gateway.messages.send(input, { signal: AbortSignal.abort("left") })).rejects.toBe("left");
	});

	test("what it accepts, a sender accepts", async () => {
		const local = createLocalGateway();
		onTestFinished(() => local.close());
		const gateway = new MessagingGateway(local.clientOptions);
		const sender = createSender({ gateway, store: memorySendStore(), digestSecret: "d".repeat(32) });
		expect(await sender.send("a", { to, text, attachments: [] })).toMatchObject({ status: "accepted" });
		expect(await sender.send("a", { to, text })).toMatchObject({ status: "accepted" });
		expect(local.requests).toMatchObject([{ operationId: "messages.sendText" }]);
		const nothing = sender.send("b", { to, text: "", attachments: [] });
		await expect(nothing).rejects.toThrow("attachments must be at least 1 item");
	});
});

test("a send whose fields stand in a row gets the right form, and nothing of them is shown", async () => {
	const calls: [form: string, call: (messages: MessagingGateway["messages"]) => PromiseLike<unknown>][] = [
		["sendText({ to, text })", (messages) => messages.sendText(to as never, text as never)],
		["sendText({ to, text })", (messages) => messages.sendText(undefined as never)],
		["sendText({ to, text })", (messages) => messages.send(to as never, text as never)],
		[
			"sendAttachments({ to, attachments })",
			(messages) => messages.sendAttachments(to as never, attachments as never),
		],
		[
			"sendVoiceNote({ to, attachment })",
			(messages) => messages.sendVoiceNote(to as never, attachments as never),
		],
	];
	for (const [form, call] of calls) {
		const error = await refusedBy((gateway) => call(gateway.messages));
		expect(error).toBeInstanceOf(InputError);
		expect(error).toMatchObject({
			code: "invalid_input",
			message: `The input must be an object: write messages.${form}`,
		});
	}
});
