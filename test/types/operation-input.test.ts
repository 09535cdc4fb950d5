import { describe, expectTypeOf, test } from "vitest";
import type { Agent } from "../../src/library/catalogue/agents.ts";
import type { OperationId } from "../../src/library/catalogue/index.ts";
import type { Mapping } from "../../src/library/catalogue/mappings.ts";
import type { Message } from "../../src/library/catalogue/message.ts";
import type {
	MarkReadInput,
	StartTypingInput,
	StopTypingInput,
} from "../../src/library/catalogue/messages.ts";
import type { Effect, SendTextInput } from "../../src/library/catalogue/sends.ts";
import type { Attachment, SendMessageInput } from "../../src/library/client/attachments.ts";
import type { DataOf, InputOf } from "../../src/tools/local-gateway/run-operation.ts";

const to = "+15551234567";
const participants = [to, "+15557654321"] as const;
const text = "Hello";

/** Takes a value as the input of a send, so that a wrong one does not compile. */
function sendText(_input: SendTextInput): void {}
function attach(_attachment: Attachment): void {}
function send(_input: SendMessageInput): void {}
function startTyping(_input: StartTypingInput): void {}
function stopTyping(_input: StopTypingInput): void {}
function markRead(_input: MarkReadInput): void {}

describe("Attachment", () => {
	const data = "aGVsbG8=";

	test("accepts bytes, or a string with its encoding", () => {
		attach({ data: new Uint8Array(1), name: "a" });
		attach({ data, encoding: "base64", name: "a", mimeType: "image/png" });
		attach({ url: "https://a.example" });
	});

	test("rejects a string alone, another encoding and a path", () => {
		// @ts-expect-error the string has no encoding
		attach({ data, name: "a", mimeType: "image/png" });
		// @ts-expect-error an encoding that there is not
		attach({ data, encoding: "utf8", name: "a" });
		// @ts-expect-error bytes have no encoding
		attach({ data: new Uint8Array(1), encoding: "base64", name: "a" });
		// @ts-expect-error a path
		attach("./photo.jpg");
	});
});

describe("SendMessageInput", () => {
	const attachments = [{ url: "https://a.example" }];

	test("accepts a text, attachments or both, also those that may be absent beside the other", () => {
		const found: { attachments?: typeof attachments | undefined; text?: string | undefined } = {};
		send({ to, text });
		send({ groupId: "g-1", attachments });
		send({ participants, groupName: "Friends", text, attachments });
		send({ to, text, attachments: found.attachments });
		send({ to, attachments, text: found.text });
	});

	test("rejects neither, and two targets", () => {
		// @ts-expect-error neither a text nor attachments
		send({ to });
		// @ts-expect-error both may be absent
		send({ to, text: undefined, attachments: undefined });
		// @ts-expect-error two targets
		send({ to, groupId: "g-1", text });
	});
});

describe("SendTextInput", () => {
	test("accepts exactly one target", () => {
		sendText({ to, text });
		sendText({ groupId: "g-1", text });
		sendText({ participants, text });
		sendText({ participants, groupName: "Friends", text });
		sendText({
			to,
			text,
			from: to,
			effect: "slam",
			replyToGuid: "guid-1",
			statusCallback: "https://a.example",
		});
	});

	test("rejects no target and two targets", () => {
		// @ts-expect-error no target
		sendText({ text });
		// @ts-expect-error a contact and a group
		sendText({ to, groupId: "g-1", text });
		// @ts-expect-error a contact and participants
		sendText({ to, participants, text });
		// @ts-expect-error a group and participants
		sendText({ groupId: "g-1", participants, text });
		// @ts-expect-error all three
		sendText({ to, groupId: "g-1", participants, text });
	});

	test("rejects a group name without participants, a missing text and an unknown field", () => {
		// @ts-expect-error a name for one contact
		sendText({ to, groupName: "Friends", text });
		// @ts-expect-error a name for a group that exists
		sendText({ groupId: "g-1", groupName: "Friends", text });
		// @ts-expect-error no text
		sendText({ to });
		// @ts-expect-error the field's name on the wire
		sendText({ to, text, status_callback: "https://a.example" });
	});
});

describe("chats", () => {
	test("typing and read receipts accept a contact or a group", () => {
		startTyping({ to, durationMs: 5 });
		stopTyping({ groupId: "g-1" });
		markRead({ to, messageGuid: "guid-1" });
		// @ts-expect-error no chat
		startTyping({ durationMs: 5 });
		// @ts-expect-error two chats
		markRead({ to, groupId: "g-1" });
		// @ts-expect-error stopping lasts no time
		stopTyping({ to, durationMs: 5 });
		// @ts-expect-error the method says whether it starts or stops
		startTyping({ to, state: "start" });
	});
});

describe("open enumerations", () => {
	test("accept what is new, and keep what is known for completion", () => {
		expectTypeOf<"slam">().toExtend<Effect>();
		expectTypeOf<"sparkle">().toExtend<Effect>();
		expectTypeOf<5>().not.toExtend<Effect>();
		expectTypeOf<Extract<Effect, "slam">>().toEqualTypeOf<"slam">();
		expectTypeOf<"dozing">().toExtend<Agent["status"]>();
		expectTypeOf<"bounced">().toExtend<Message["status"]>();
	});
});

describe("the catalogue's types", () => {
	test("ids are literals, and give the input and data of their operation", () => {
		expectTypeOf<"messages.sendText" | "health.check">().toExtend<OperationId>();
		expectTypeOf<"messages.sendTextt">().not.toExtend<OperationId>();
		expectTypeOf<InputOf<"messages.sendText">>().toEqualTypeOf<SendTextInput>();
		expectTypeOf<InputOf<"mappings.get">>().toEqualTypeOf<{ toNumber: string }>();
		expectTypeOf<DataOf<"mappings.get">["mapping"]>().toEqualTypeOf<Mapping>();
		expectTypeOf<DataOf<"health.check">>().toBeUnknown();
	});

	test("the documented mapping has its nullable and optional fields (section 2.3)", () => {
		expectTypeOf<Mapping["createdAt"]>().toEqualTypeOf<number | null>();
		expectTypeOf<Mapping["outbound"]>().toEqualTypeOf<number>();
		expectTypeOf<Pick<Mapping, "duplicate">>().toExtend<{ duplicate?: object | null }>();
		expectTypeOf<object>().toExtend<Pick<Mapping, "duplicate">>();
	});
});
