import { DuplicateMessageError, type MessagingGateway } from "messaging-gateway";
import type { LocalGateway, WebhookReceiver } from "messaging-gateway/testing";
import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";

const PHOTO = { data: new Uint8Array(100).fill(7), name: "a.png" };
const LINK = { url: "https://files.example/b.pdf", name: "b.pdf" };

/** An application that replies to what contacts write: texts, files and tapbacks, or nothing. */
export function createReceiver({ messages }: MessagingGateway, local: LocalGateway): WebhookReceiver {
	/** A magic number replies to each message, so it is thanked once. */
	const thanked = new Set<string>();
	const isNew = (key: string) => thanked.size < thanked.add(key).size;
	return createWebhookHandler({
		secret: local.webhookSecret,
		clock: local.clock,
		store: memoryStore(),
		on: {
			inbound_message: async ({ data: { text, from, groupId, messageGuid } }) => {
				const chat = groupId === null ? { to: from } : { groupId };
				const say = (said: string) =>
					messages.sendText({ ...chat, text: said }).catch((error: unknown) => {
						if (!(error instanceof DuplicateMessageError)) throw error;
					});
				const [, command, rest = ""] = /^(\w+) ?(.*)$/s.exec(text) ?? [];
				if (command === "Hello") await say("What can I do for you?");
				if (command === "echo") await say(rest);
				if (command === "repeat") for (const said of [rest, rest]) await say(said);
				if (command === "quote") await messages.sendText({ ...chat, text: rest, replyToGuid: messageGuid });
				if (command === "files") {
					await messages.sendAttachments({ ...chat, attachments: [PHOTO, LINK] });
					await messages.sendVoiceNote({ ...chat, attachment: { ...PHOTO, name: "c.m4a" } });
				}
				if (command === "like") {
					await messages.addTapback({ messageGuid, reaction: "like", partIndex: 1 });
					await messages.removeTapback({ messageGuid, reaction: "like", partIndex: 1 });
				}
				if (command === "notify") await messages.sendText({ to: rest, text: `${from} wrote` });
				if (command === "Thanks" && isNew(groupId ?? from)) {
					await messages.addTapback({ messageGuid, reaction: "love" });
					await say("You are welcome");
				}
			},
			inbound_reaction: async ({ data: { from, groupId, reaction } }) => {
				const chat = groupId === null ? { to: from } : { groupId };
				if (isNew(groupId ?? from)) await messages.sendText({ ...chat, text: `You chose ${reaction}` });
			},
			status: () => undefined,
			unknown: () => undefined,
		},
		onError: () => undefined,
	}).fetch;
}
