import type { AwaitedMethods, Message, MessageData, Messages, MessagingGateway } from "messaging-gateway";
import type { GatewayAdapterOptions } from "messaging-gateway/chat";
import type { SenderOptions } from "messaging-gateway/sends";
import { describe, expectTypeOf, test } from "vitest";

declare const message: Message;
declare const fakeOfLists: Pick<MessagingGateway["analytics"], "listMessages">;

const messages = {
	sendText: async (): Promise<MessageData> => ({ message }),
	sendAttachments: async (): Promise<MessageData> => ({ message }),
	sendVoiceNote: async (): Promise<MessageData> => ({ message }),
	get: async (_messageId: string): Promise<MessageData> => ({ message }),
	addTapback: async () => ({ messageGuid: "m-1", reaction: "love" as const, action: "add" as const }),
	removeTapback: async () => ({ messageGuid: "m-1", reaction: "love" as const, action: "remove" as const }),
	startTyping: async () => ({ chatGuid: "c-1", state: "start" as const, expiresAt: null }),
	stopTyping: async () => ({ chatGuid: "c-1", state: "stop" as const, expiresAt: null }),
	markRead: async () => ({ chatGuid: "c-1", markedAt: 0 }),
};

describe("a fake of messages whose methods are async functions", () => {
	test("fits where a client is only called, and so does the client", () => {
		type Expected = GatewayAdapterOptions["gateway"];
		expectTypeOf<{ messages: typeof messages; analytics: typeof fakeOfLists }>().toExtend<Expected>();
		expectTypeOf<MessagingGateway>().toExtend<Expected>();
	});

	test("fits a function of the application's, as the client does, if the function only awaits its methods", () => {
		type OnlySends = AwaitedMethods<Pick<Messages, "sendText">>;
		expectTypeOf<Pick<typeof messages, "sendText">>().toExtend<OnlySends>();
		expectTypeOf<Messages>().toExtend<OnlySends>();
		expectTypeOf<Pick<typeof messages, "sendText">>().not.toExtend<Pick<Messages, "sendText">>();
		expectTypeOf<{ sendText: () => Promise<string> }>().not.toExtend<OnlySends>();
	});

	test("does not fit a sender, which signs each attempt itself", () => {
		expectTypeOf<{ messages: typeof messages }>().not.toExtend<SenderOptions["gateway"]>();
		expectTypeOf<MessagingGateway>().toExtend<SenderOptions["gateway"]>();
	});

	test("without a method, or with another result, fits nowhere", () => {
		type Expected = GatewayAdapterOptions["gateway"]["messages"];
		expectTypeOf<Omit<typeof messages, "get">>().not.toExtend<Expected>();
		expectTypeOf<Omit<typeof messages, "get"> & { get(): Promise<string> }>().not.toExtend<Expected>();
	});
});
