import type { ChatFields } from "../../catalogue/targets.ts";
import type { Conversation } from "../conversations.ts";
import { behaviourOf } from "../magic-numbers.ts";
import { Refusal } from "../refusal.ts";
import type { Handlers } from "../run-operation.ts";
import type { World } from "../world.ts";

/** Carries out what happens in a chat beside sending; none of it counts as a message. */
export function chatHandlers(world: World) {
	const { clock, messages } = world;
	return {
		"messages.tapback": ({ messageGuid, reaction, action }) => {
			const { conversation } = messages.getByGuid(messageGuid);
			if (!behaviourOf(conversation).isNative) {
				throw new Refusal("NATIVE_UNSUPPORTED", "The contact has no native network: send a text instead.");
			}
			return { messageGuid, reaction, action };
		},
		"messages.typing": ({ state, durationMs, ...chat }) => {
			const { chatGuid } = findConversation(world, chat);
			const endsByItself = state === "start" && durationMs !== undefined;
			return { chatGuid, state, expiresAt: endsByItself ? clock.now() + durationMs : null };
		},
		"messages.markRead": (input) => {
			return { chatGuid: findConversation(world, input).chatGuid, markedAt: clock.now() };
		},
		"messages.checkCapability": ({ toNumber }) => {
			const { isNative } = behaviourOf({ groupId: null, contacts: [toNumber] });
			const service = isNative ? "native" : "SMS";
			return { number: toNumber, native: isNative, service, checkedAt: clock.now() };
		},
		"messages.get": ({ messageId }) => ({ message: { ...messages.get(messageId).message } }),
	} satisfies Partial<Handlers>;
}

function findConversation({ conversations }: World, { to = "", groupId }: ChatFields): Conversation {
	return groupId === undefined ? conversations.getContact(to) : conversations.getGroup(groupId);
}
