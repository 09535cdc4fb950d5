import type { Adapter, ChatInstance } from "chat";
import * as sdk from "chat";
import { ConfigurationError } from "../errors.ts";

/** What is used of Chat SDK: another version may lack some of it. */
const NEEDED: readonly unknown[] = [
	sdk.Message,
	sdk.NotImplementedError,
	sdk.cardChildToFallbackText,
	sdk.convertEmojiPlaceholders,
	sdk.defaultEmojiResolver,
	sdk.getEmoji,
	sdk.isCardElement,
	sdk.paragraph,
	sdk.parseMarkdown,
	sdk.root,
	sdk.text,
	sdk.toPlainText,
	sdk.walkAst,
];

export const OTHER_CHAT_SDK =
	"the installed Chat SDK lacks what messaging-gateway/chat uses: npm install chat@4.41 has it";

/** @throws ConfigurationError if the installed Chat SDK lacks what the adapter uses. */
export function assertChatSdk(): void {
	if (NEEDED.includes(undefined)) throw new ConfigurationError(OTHER_CHAT_SDK);
}

/**
 * @throws ConfigurationError if it is another version of Chat SDK, has a strategy that loses messages, or knows the adapter
 * by another name.
 */
export function assertChat(chat: ChatInstance, adapter: Adapter): void {
	// It came with `deduplicate`, without which a repeat is taken for a duplicate.
	const isNewEnough = typeof chat.processInstalled === "function";
	if (!isNewEnough) throw new ConfigurationError(OTHER_CHAT_SDK);
	// A private field: where it is missing nothing is known, and what a strategy sets aside is seen in each run.
	const strategy: unknown = Reflect.get(chat, "_concurrencyStrategy");
	if (typeof strategy !== "string")
		chat
			.getLogger(adapter.name)
			.warn('this Chat SDK doesn\'t show its strategy: make sure that it has concurrency: "concurrent"');
	else if (strategy !== "concurrent")
		throw new ConfigurationError(
			`concurrency: "${strategy}"${strategy === "drop" ? ", the default," : ""} loses messages. Write new Chat({ concurrency: "concurrent", … }): the adapter keeps the order within a conversation`,
		);
	// By the name in a thread's id Chat SDK finds the adapter, which may otherwise be that of another account.
	if (
		"getAdapter" in chat &&
		typeof chat.getAdapter === "function" &&
		chat.getAdapter(adapter.name) !== adapter
	)
		throw new ConfigurationError(
			`createGatewayAdapter uses the name "${adapter.name}", but new Chat({ adapters }) uses another. Give both the same name`,
		);
}

/**
 * Chat SDK finds adapters by the ids of seven platforms, and its error shows any other: of a contact, the handle. Only here
 * can it be replaced before the application or Chat SDK logs it.
 */
export function hideUserIds(chat: ChatInstance): void {
	for (const name of ["openDM", "getUser"]) {
		const method: unknown = Reflect.get(chat, name);
		if (typeof method !== "function") continue;
		Reflect.set(chat, name, async (...given: unknown[]): Promise<unknown> => {
			try {
				return await Reflect.apply(method, chat, given);
			} catch (error) {
				throw withoutHandle(error);
			}
		});
	}
}

function withoutHandle(error: unknown): unknown {
	const { code }: { code?: unknown } = Object(error);
	if (code !== "UNKNOWN_USER_ID_FORMAT" && code !== "AMBIGUOUS_USER_ID") return error;
	return new ConfigurationError(
		"Chat SDK can't tell which adapter a handle belongs to. Instead of bot.openDM, write bot.thread(await gateway.openDM(handle))",
	);
}

export function notImplemented(what: string): Error {
	return new sdk.NotImplementedError(`the gateway can't ${what}`, what);
}
