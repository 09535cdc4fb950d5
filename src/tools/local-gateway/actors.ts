import type { EncodedAttachment } from "../../library/catalogue/attachments.ts";
import type { Message } from "../../library/catalogue/message.ts";
import type { Reaction, ReceivedAttachment } from "../../library/catalogue/shared.ts";
import { ConfigurationError } from "../../library/errors.ts";
import { receiveMessage, receiveReaction, receiveRead } from "./contact-actions.ts";
import { RequestRejection } from "./request-rejection.ts";
import { assertHandle } from "./settings.ts";
import { hasTapback } from "./tapbacks.ts";
import type { World } from "./world.ts";

/** The options of a contact's message. */
export interface ReplyOptions {
	/** The attachments, as the webhook shows them. */
	attachments?: readonly ReceivedAttachment[] | undefined;
	/**
	 * The number of the agent that receives it.
	 * @default the agent of the chat
	 */
	to?: string | undefined;
	/** The id of the group to write in. Without it, the message goes to the agent alone. */
	groupId?: string | undefined;
}

/** Reply options with the attachments' bytes, for a gateway that keeps them. */
interface ReplyWithFiles extends ReplyOptions {
	readonly files?: readonly EncodedAttachment[] | undefined;
}

/** The options of a contact's reaction. */
export interface ReactOptions {
	/**
	 * The `messageGuid` of a message that was sent to the contact.
	 * @default that of the last one
	 */
	messageGuid?: string | undefined;
	/**
	 * Whether the contact reacts, or takes its reaction back. The event then has `removed: true`, which is assumed.
	 * @default "add"
	 */
	action?: "add" | "remove" | undefined;
}

/** Acts as a contact. Each action resolves once the gateway has recorded it and queued the webhook. */
export interface ContactActor {
	/**
	 * Writes a message. It resets the consecutive count and clears the contact's duplicate window.
	 * @returns the message.
	 * @throws ConfigurationError (`configuration`) if the agent or group is unknown, or no agent is online.
	 */
	reply(text: string, options?: ReplyOptions): Promise<Message>;
	/**
	 * Reacts to a message. A reaction does not count as a reply.
	 * @throws ConfigurationError (`configuration`) if no message was sent to the contact yet, none has this `messageGuid`, or
	 * there is no such reaction to take back.
	 */
	react(reaction: Reaction, options?: ReactOptions): Promise<void>;
	/** Reads all messages of the contact's own chat. Messages of groups stay unread. */
	read(): Promise<void>;
}

/** Acts as an agent. */
export interface AgentActor {
	/**
	 * Goes offline. Its messages wait, and new contacts are mapped to other agents.
	 * @throws ConfigurationError (`configuration`) if no agent has this number.
	 */
	goOffline(): void;
	/**
	 * Comes back online and sends the waiting messages.
	 * @throws ConfigurationError (`configuration`) if no agent has this number.
	 */
	goOnline(): void;
}

/**
 * Creates a contact that acts on the current world, also after a reset.
 * @internal
 */
export function createContactActor(
	getWorld: () => World,
	handle: string,
): ContactActor & { reply(text: string, options?: ReplyWithFiles): Promise<Message> } {
	assertHandle("contact()", handle, getWorld().settings.profile);
	return {
		reply: async (text, options = {}) => {
			return asConfigurationError(() => ({
				...receiveMessage(getWorld(), { from: handle, text, ...options }),
			}));
		},
		react: async (reaction, { messageGuid, action = "add" } = {}) => {
			const world = getWorld();
			const original =
				messageGuid === undefined
					? world.conversations.findContact(handle)?.lastSent
					: asConfigurationError(() => world.messages.getByGuid(messageGuid));
			if (original === undefined) throw nothingSent();
			const removed = action === "remove";
			if (removed && !hasTapback(original, { by: handle, reaction }))
				throw new ConfigurationError("The contact has no such reaction on this message to take back");
			receiveReaction(world, { from: handle, reaction, original, removed });
		},
		read: async () => {
			const world = getWorld();
			const conversation = world.conversations.findContact(handle);
			if (conversation !== undefined) receiveRead(world, conversation);
		},
	};
}

/**
 * Creates an agent that acts on the current world, also after a reset.
 * @internal
 */
export function createAgentActor(getWorld: () => World, number: string): AgentActor {
	const setOnline = (isOnline: boolean): void => {
		const { agents, clock } = getWorld();
		asConfigurationError(() => agents.setOnline(number, isOnline, clock.now()));
	};
	return { goOffline: () => setOnline(false), goOnline: () => setOnline(true) };
}

function nothingSent(): ConfigurationError {
	return new ConfigurationError(
		"No message has reached this contact yet. Send one, and wait until it arrives: settled() in a test, `npx messaging-gateway wait` beside the command",
	);
}

/** Turns a request rejection into a ConfigurationError: a test acts without a request. */
function asConfigurationError<Result>(act: () => Result): Result {
	try {
		return act();
	} catch (error) {
		throw error instanceof RequestRejection ? new ConfigurationError(error.message) : error;
	}
}
