import { MessagingGateway, type SendMessageInput } from "messaging-gateway";
import { createSender, memorySendStore } from "messaging-gateway/sends";
import { createLocalGateway } from "messaging-gateway/testing";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { scriptGateway } from "../../../support/scripted-gateway.ts";
import { throwing } from "../../../support/throwing.ts";
import { MESSAGE, ok } from "../../../support/wire.ts";

const to = "+15551234567";
const text = "Hello";
const attachments = [{ url: "https://files.example/map.png" }];

/** What is sent of an input, or the sentence of its error, before anything is sent; it never throws. */
async function sentOf(
	call: (messages: MessagingGateway["messages"]) => PromiseLike<unknown>,
): Promise<string> {
	const { gateway, requests } = scriptGateway([ok({ message: MESSAGE })]);
	const [ending] = await Promise.allSettled([call(gateway.messages)]);
	if (ending.status === "rejected") {
		expect([ending.reason.code, ending.reason.outcome, requests.length]).toEqual([
			"invalid_input",
			"not_sent",
			0,
		]);
		return ending.reason.message;
	}
	return requests.map(({ url, body }) => `${new URL(url).pathname} ${body}`).join();
}

const file = "https://files.example/map.png";
const NO_CONTENT = "text or attachments is required: an empty text or list counts as none";

const INPUTS: Outcomes<unknown> = {
	'/message/text {"text":"Hello","to":"+15551234567"}': {
		"a text": { to, text },
		"a text and an empty list": { to, text, attachments: [] },
		"a text and no list": { to, text, attachments: undefined },
	},
	[`/message/attachment {"attachments":[{"url":"${file}"}],"text":"Hello","to":"+15551234567"}`]: {
		"a text and attachments": { to, text, attachments },
	},
	[`/message/attachment {"attachments":[{"url":"${file}"}],"to":"+15551234567"}`]: {
		attachments: { to, attachments },
		"attachments and an empty text": { to, text: "", attachments },
		"attachments and no text": { to, text: undefined, attachments },
	},
	[NO_CONTENT]: {
		neither: { to },
		"an empty text": { to, text: "" },
		"an empty list": { to, attachments: [] },
		"two empty ones": { to, text: "", attachments: [] },
	},
	"The input must be an object: write messages.sendText({ to, text })": {
		"a string": to,
		nothing: undefined,
	},
	"The input must be an object": { "a list": [to, text] },
	"messages.sendText: text is required; the input has an unknown field (hidden, since a name may be a secret): use to, groupId, participants, groupName, from, effect, replyToGuid, statusCallback, text":
		{ "a voice note": { to, attachment: attachments[0] } },
	'messages.sendText: text is required; the input has an unknown field: "body" (did you mean "text"?)': {
		"a text under another name": { to, body: text },
	},
	"The input couldn't be read: one of its getters threw": {
		"a getter that throws": Object.defineProperty({ to }, "text", {
			enumerable: true,
			get: throwing(new Error(text)),
		}),
	},
	"attachments must be a list of attachments: wrap the attachment in [ ]": {
		"attachments that are no list": { to, attachments: attachments[0] },
	},
	'messages.sendText: the input has an unknown field: "txt" (did you mean "text"?)': {
		"a field that there is not": { to, text, txt: text },
	},
	"messages.sendText: the input must have exactly one of to, groupId, participants": {
		"no target": { text },
	},
};

/** Fields in a row: the right form is named, and nothing of them is shown. */
const IN_A_ROW: Outcomes<Parameters<typeof sentOf>[0]> = {
	"The input must be an object: write messages.sendText({ to, text })": {
		"sendText(to, text)": (messages) => messages.sendText(to as never, text as never),
		"sendText()": (messages) => messages.sendText(undefined as never),
		"send(to, text)": (messages) => messages.send(to as never, text as never),
	},
	"The input must be an object: write messages.sendAttachments({ to, attachments })": {
		"sendAttachments(to, attachments)": (messages) =>
			messages.sendAttachments(to as never, attachments as never),
	},
	"The input must be an object: write messages.sendVoiceNote({ to, attachment })": {
		"sendVoiceNote(to, attachments)": (messages) => messages.sendVoiceNote(to as never, attachments as never),
	},
};

describe("messages.send", () => {
	testOutcomes(INPUTS, (input) => sentOf((messages) => messages.send(input as SendMessageInput)));

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

describe("a send whose fields stand in a row", () => testOutcomes(IN_A_ROW, sentOf));
