import type { ChatFields } from "../../../library/catalogue/input-fields.ts";
import { deliverReaction } from "../contact-actions.ts";
import { UNTIL_STOPPED } from "../conversations.ts";
import { behaviourOf } from "../magic-numbers.ts";
import type { Conversation } from "../records.ts";
import { RequestRejection } from "../request-rejection.ts";
import type { Handlers } from "../run-operation.ts";
import { addTapback, removeTapback } from "../tapbacks.ts";
import type { World } from "../world.ts";

/** The operations of a chat except sends; none of them counts as a message. */
export function chatHandlers(world: World) {
	const { clock, messages, conversations, settings } = world;
	return {
		"messages.tapback": ({ messageGuid, reaction, action, partIndex }) => {
			const record = messages.getByGuid(messageGuid);
			const { conversation, message } = record;
			if (!behaviourOf(conversation).isNative) {
				throw new RequestRejection(
					"NATIVE_UNSUPPORTED",
					"The contact has no native network: send a text instead.",
				);
			}
			const tapback = { by: message.nativeMessageNumber, reaction, partIndex };
			if (action === "add") addTapback(world, record, tapback);
			else removeTapback(world, record, tapback);
			if (action === "add" && settings.webhooks.ownTapbacks === "delivered") {
				const [to = ""] = conversation.contacts;
				deliverReaction(world, record, { from: tapback.by, to, outbound: true, reaction });
			}
			return { messageGuid, reaction, action };
		},
		"messages.typing": ({ state, durationMs, ...chat }) => {
			const conversation = findConversation(world, chat);
			const endsByItself = state === "start" && durationMs !== undefined;
			const expiresAt = endsByItself ? clock.now() + durationMs : null;
			conversation.typingUntil = state === "stop" ? null : (expiresAt ?? UNTIL_STOPPED);
			conversations.changed(conversation);
			return { chatGuid: conversation.chatGuid, state, expiresAt };
		},
		"messages.markRead": ({ messageGuid, ...chat }) => {
			const conversation = findConversation(world, chat);
			const markedAt = clock.now();
			readUpTo(world, conversation, messageGuid, markedAt);
			return { chatGuid: conversation.chatGuid, markedAt };
		},
		"messages.checkCapability": ({ toNumber }) => {
			const { isNative } = behaviourOf({ groupId: null, contacts: [toNumber] });
			const service = isNative ? "native" : "SMS";
			return { number: toNumber, native: isNative, service, checkedAt: clock.now() };
		},
		"messages.get": ({ messageId }) => ({ message: { ...messages.get(messageId).message } }),
	} satisfies Partial<Handlers>;
}

/** Marks inbound messages as read; does nothing if the named message is not in the chat. */
function readUpTo(
	{ messages, conversations, sequence }: World,
	conversation: Conversation,
	messageGuid: string | undefined,
	at: number,
): void {
	const last = messageGuid === undefined ? undefined : messages.findByGuid(messageGuid);
	if (messageGuid !== undefined && last?.conversation !== conversation) return;
	const upTo = last?.sequence ?? sequence.next();
	if (upTo <= (conversation.readUpTo?.sequence ?? 0)) return;
	conversation.readUpTo = { sequence: upTo, at };
	conversations.changed(conversation);
}

function findConversation({ conversations }: World, { to = "", groupId }: ChatFields): Conversation {
	return groupId === undefined ? conversations.getContact(to) : conversations.getGroup(groupId);
}
