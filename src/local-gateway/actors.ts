import type { EncodedAttachment } from "../catalogue/attachments.ts";
import type { Message } from "../catalogue/message.ts";
import type { Reaction, ReceivedAttachment } from "../catalogue/shared.ts";
import { ConfigurationError } from "../errors.ts";
import { receiveMessage, receiveReaction, receiveRead } from "./contact-actions.ts";
import { Refusal } from "./refusal.ts";
import { assertPhoneNumber } from "./settings.ts";
import type { World } from "./world.ts";

/** What a contact's message has beside its text. */
export interface ReplyOptions {
	/** What is attached, as the webhook shows it. */
	attachments?: readonly ReceivedAttachment[] | undefined;
	/**
	 * Number of the agent it is written to.
	 * @default the agent of the chat
	 */
	to?: string | undefined;
	/** Id of the group it is written in; left out, it is written to the agent alone. */
	groupId?: string | undefined;
}

/** The same with bytes, for those who keep them. */
interface ReplyWithFiles extends ReplyOptions {
	readonly files?: readonly EncodedAttachment[] | undefined;
}

/** What a contact reacts to. */
export interface ReactOptions {
	/**
	 * `messageGuid` of a message that was sent to it.
	 * @default that of the last one
	 */
	messageGuid?: string | undefined;
}

/** Acts as a contact. Each action resolves when the gateway knows of it and the webhook is queued. */
export interface ContactActor {
	/**
	 * Writes a message: it resets the consecutive count and clears the contact's duplicate window.
	 * @returns the message.
	 * @throws ConfigurationError when there is no such agent or group, or nobody to write to.
	 */
	reply(text: string, options?: ReplyOptions): Promise<Message>;
	/**
	 * Reacts to a message, which is no reply.
	 * @throws ConfigurationError when no message was sent yet.
	 */
	react(reaction: Reaction, options?: ReactOptions): Promise<void>;
	/** Reads all that was sent in its own chat. */
	read(): Promise<void>;
}

/** Acts as an agent. */
export interface AgentActor {
	/**
	 * Leaves the network: messages to send wait, and new contacts go to other agents.
	 * @throws ConfigurationError when no agent has this number.
	 */
	goOffline(): void;
	/**
	 * Comes back, and sends what waited.
	 * @throws ConfigurationError when no agent has this number.
	 */
	goOnline(): void;
}

/** Makes a contact of the world that there is when it acts. */
export function createContactActor(
	getWorld: () => World,
	number: string,
): ContactActor & { reply(text: string, options?: ReplyWithFiles): Promise<Message> } {
	assertPhoneNumber("contact()", number);
	return {
		reply: async (text, options = {}) => {
			return explain(() => ({ ...receiveMessage(getWorld(), { from: number, text, ...options }) }));
		},
		react: async (reaction, { messageGuid } = {}) => {
			const world = getWorld();
			const original =
				messageGuid === undefined
					? world.conversations.findContact(number)?.lastSent
					: explain(() => world.messages.getByGuid(messageGuid));
			if (original === undefined) throw nothingSent();
			receiveReaction(world, { from: number, reaction, original });
		},
		read: async () => {
			const world = getWorld();
			const conversation = world.conversations.findContact(number);
			if (conversation !== undefined) receiveRead(world, conversation);
		},
	};
}

/** Makes an agent of the world that there is when it acts. */
export function createAgentActor(getWorld: () => World, number: string): AgentActor {
	const setOnline = (isOnline: boolean): void => {
		const { agents, clock } = getWorld();
		explain(() => agents.setOnline(number, isOnline, clock.now()));
	};
	return { goOffline: () => setOnline(false), goOnline: () => setOnline(true) };
}

function nothingSent(): ConfigurationError {
	return new ConfigurationError("nothing was sent to this contact yet: await settled() first");
}

/** A refusal is for requests; a test that asks for the impossible gets an error of its own. */
function explain<Result>(act: () => Result): Result {
	try {
		return act();
	} catch (error) {
		throw error instanceof Refusal ? new ConfigurationError(error.message) : error;
	}
}
