import type {
	Adapter,
	AdapterPostableMessage,
	ChatInstance,
	EmojiValue,
	FetchOptions,
	FetchResult,
	FormattedContent,
	Message,
	StreamChunk,
	StreamOptions,
	ThreadInfo,
} from "chat";
import { assertMethods } from "../check-options.ts";
import { ConfigurationError, InputError, isMessagingGatewayError, SendError } from "../errors.ts";
import { isJsonObject } from "../is-object.ts";
import { sha256Hex } from "../signing/hash.ts";
import { createWebhookHandler, type WebhookHandler } from "../webhooks/create-webhook-handler.ts";
import type { WebhookEvent } from "../webhooks/events.ts";
import { assertChat, assertChatSdk, hideUserIds, notImplemented, OTHER_CHAT_SDK } from "./chat-sdk.ts";
import { History } from "./history.ts";
import {
	authorOf,
	findMessageId,
	readStream,
	readTapback,
	toEmoji,
	toMessage,
	toReaction,
} from "./messages.ts";
import { assertOptions, type GatewayAdapterOptions, type ProcessOptions } from "./options.ts";
import { OwnNumbers } from "./own-numbers.ts";
import { renderText } from "./plain-text.ts";
import type { GatewayPost, GatewayRawMessage, PostOptions } from "./post.ts";
import { Posts } from "./posts.ts";
import { findReadable, type ReadableEvent } from "./read-event.ts";
import { bindTo, endOf, keepOpen, orAborted, Runs } from "./runs.ts";
import { type GatewayThread, Threads } from "./threads.ts";
import { Turns } from "./turns.ts";

/** Your gateway as an adapter for Chat SDK. Pass it to `new Chat({ adapters: { gateway } })`. */
export interface GatewayAdapter extends Adapter<GatewayThread, GatewayRawMessage> {
	/**
	 * Runs the bot's handlers for a verified event, to their end. Call it in the queue's worker. The events of a thread
	 * run one after the other in a process. Over several processes the queue keeps their order.
	 * @param event - from `enqueue`, also after a queue has kept it as JSON.
	 * @throws what a handler threw, or a post that it did not await, so that the queue runs the event again.
	 * @throws PermanentWebhookError if each run would fail: what was thrown is an `InputError`, a 400, a 422 or `key_reused`.
	 * The worker then keeps the event elsewhere, and goes on with the conversation.
	 * @throws InputError (`invalid_input`) for what is no event.
	 * @throws ConfigurationError (`configuration`) before `bot.initialize()`.
	 */
	process(event: WebhookEvent, options?: ProcessOptions): Promise<void>;
	/**
	 * Posts as `thread.post` does, and returns what became of the post. With your own `key` the post is made once
	 * wherever you call it: in a later handler, a job or a queue within the process.
	 * @param threadId - from `thread.id`, `encodeThreadId` or `openDM`.
	 * @throws ConfigurationError (`configuration`) if a key is given without a `sender`.
	 * @throws SendError (`key_reused`) if the key was used for other words; otherwise as `sender.send` and the client's calls.
	 */
	post(threadId: string, message: AdapterPostableMessage, options?: PostOptions): Promise<GatewayPost>;
	/** Opens the thread with a contact. @param userId - a number in E.164, an e-mail address, or a short code. */
	openDM(userId: string): Promise<string>;
}

/**
 * Connects your bot on Vercel's Chat SDK to the gateway. Its handlers run for each event until they have succeeded, in
 * order within a conversation. Give the bot `concurrency: "concurrent"`, since Chat SDK's other strategies lose
 * messages.
 *
 * @example
 * ```ts
 * const gateway = createGatewayAdapter({ gateway: new MessagingGateway(), sender, webhooks: { store, enqueue } });
 * const bot = new Chat({ userName: "bot", adapters: { gateway }, state, concurrency: "concurrent" });
 * bot.onDirectMessage(async (thread, message) => void (await thread.post(`You said ${message.text}`)));
 * export const POST = bot.webhooks.gateway; // and in the worker: await gateway.process(event)
 * ```
 * @throws ConfigurationError (`configuration`) if an option is missing or invalid, or Chat SDK is another version.
 */
export function createGatewayAdapter(options: GatewayAdapterOptions): GatewayAdapter {
	assertChatSdk();
	assertOptions(options);
	return new Bridge(options);
}

/** Chat SDK ends such a stream as if it were complete. */
const CUT_OFF =
	"the signal of the thread has fired, so its streams are cut off and not posted: post through the thread of this event's handler";

/** Of how many things one warning each is remembered. */
const MAX_WARNED = 1_000;

class Bridge implements GatewayAdapter {
	readonly name: string;
	readonly #options: GatewayAdapterOptions;
	readonly #handler: WebhookHandler | undefined;
	readonly #threads: Threads;
	readonly #turns = new Turns();
	readonly #runs = new Runs();
	readonly #posts: Posts;
	readonly #history = new History();
	readonly #ownNumbers: OwnNumbers;
	/** Digests of what was warned of, and of which one warning is enough. */
	readonly #warned = new Set<string>();
	#chat: ChatInstance | undefined;

	constructor(options: GatewayAdapterOptions) {
		const { name = "gateway", webhooks } = options;
		this.name = name;
		this.#options = options;
		this.#threads = new Threads(name);
		this.#ownNumbers = new OwnNumbers(options.ownNumbers);
		this.#posts = new Posts({
			name,
			options,
			runs: this.#runs,
			targetOf: (threadId) => this.#targetOf(threadId),
			guidOf: (messageId) => this.#guidOf(messageId),
			warn: (text, details) => this.#warn(text, details),
		});
		if (webhooks === undefined) return;
		const process = (event: WebhookEvent, context: ProcessOptions) => this.process(event, context);
		const on = { inbound_message: process, inbound_reaction: process, status: process, unknown: process };
		const { enqueue, ...settings } = webhooks;
		this.#handler = createWebhookHandler(
			enqueue === undefined ? { ...settings, on } : { ...settings, enqueue },
		);
	}

	get userName(): string {
		return this.#options.userName ?? this.#chat?.getUserName() ?? "";
	}

	async initialize(chat: ChatInstance): Promise<void> {
		assertChat(chat, this);
		// Its events would go to the handlers of the one that came last.
		if ((this.#chat ?? chat) !== chat)
			throw new ConfigurationError("The adapter belongs to another Chat: create one for each");
		hideUserIds(chat);
		this.#chat = chat;
	}

	async handleWebhook(request: Request): Promise<Response> {
		if (this.#handler !== undefined) return this.#handler.fetch(request);
		throw new ConfigurationError(
			"webhooks is required for deliveries: createGatewayAdapter({ gateway, webhooks: { store, enqueue } })",
		);
	}

	async process(given: WebhookEvent, { signal }: ProcessOptions = {}): Promise<void> {
		assertMethods("signal", signal, ["addEventListener", "throwIfAborted"]);
		const { eventId, data }: { eventId?: unknown; data?: unknown } = Object(given);
		if (typeof eventId !== "string" || !isJsonObject(data))
			throw new InputError("event must be what enqueue got: parse the job's JSON");
		const event = findReadable(given);
		if (event === undefined) return this.#passOn(given);
		// What we sent ourselves.
		if (event.data.outbound) return;
		const chat = this.#start();
		const { target } = event;
		if (this.#ownNumbers.isOwn(event)) {
			const text = "a message of your own number is ignored: if it is a contact's, name yours in ownNumbers";
			this.#warnOnce(event.data.from, text, given);
			return;
		}
		if (given.kind === "unknown") {
			const text = "a message isn't as documented, and the bot gets it without some of its fields";
			this.#warnOnce(JSON.stringify(given.issues), text, given);
		}
		const threadId = this.#threads.idOf(target);
		await this.#turns.take(threadId, signal, async () => {
			await orAborted(this.#threads.keep(threadId, target, chat.getState()), signal);
			try {
				await this.#runs.play({ eventId: event.eventId, threadId, signal }, (run) =>
					endOf(run, this.#dispatch(chat, bindTo(run, this), threadId, event)),
				);
			} catch (error) {
				// The signal of the bot's thread fires, too: at once, whatever becomes of Chat SDK's call of its state.
				if (signal?.aborted) chat.abortTurn(threadId).catch(() => undefined);
				throw error;
			}
		});
	}

	/** Runs the handlers. Chat SDK would take a repeat after a failed run for a duplicate, so it does not look. */
	async #dispatch(
		chat: ChatInstance,
		adapter: Bridge,
		threadId: string,
		event: ReadableEvent,
	): Promise<void> {
		if (event.kind === "inbound_reaction") {
			const { data } = event;
			const { reaction, added } = readTapback(data);
			await chat.processReaction({
				adapter,
				threadId,
				messageId: data.originalMessageGuid,
				emoji: toEmoji(reaction),
				rawEmoji: reaction,
				added,
				user: authorOf(data),
				raw: data,
			});
			return;
		}
		const message = toMessage(event.data, threadId, event);
		await chat.processMessage(adapter, threadId, message, { deduplicate: false });
		// It is set before the handlers run. A message that was set aside is lost when the process dies.
		if (message.isMention === undefined) throw new ConfigurationError(OTHER_CHAT_SDK);
	}

	async #passOn(event: WebhookEvent): Promise<void> {
		const { onStatus, onUnknown } = this.#options;
		if (event.kind === "status") await onStatus?.(event);
		else if (onUnknown !== undefined) await onUnknown(event);
		else {
			this.#start();
			const isNewType = event.kind === "unknown" && event.reason === "type";
			const text = "an event that the bot can't read is done: keep such events in the option onUnknown";
			this.#warnOnce(isNewType ? `type ${event.type}` : event.eventId, text, event);
		}
	}

	#start(): ChatInstance {
		if (this.#chat !== undefined) return this.#chat;
		throw new ConfigurationError("call `await bot.initialize()` before the first event is processed");
	}

	postMessage(threadId: string, message: AdapterPostableMessage): Promise<GatewayPost> {
		return this.#posts.make(threadId, message);
	}

	reply(threadId: string, messageId: string, message: AdapterPostableMessage): Promise<GatewayPost> {
		return this.#posts.make(threadId, message, messageId ?? "");
	}

	/** The gateway cannot edit, so a stream is posted when it has ended. */
	stream(
		threadId: string,
		textStream: AsyncIterable<string | StreamChunk>,
		{ signal }: StreamOptions = {},
	): Promise<GatewayPost> {
		const reading = readStream(textStream).then((message) => {
			if (signal?.aborted) throw new ConfigurationError(CUT_OFF);
			return message;
		});
		// If the post is rejected before that, nobody else hears that the stream breaks off.
		reading.catch(() => undefined);
		return this.#posts.make(threadId, reading);
	}

	post(threadId: string, message: AdapterPostableMessage, options?: PostOptions): Promise<GatewayPost> {
		return this.#posts.make(threadId, message, undefined, options);
	}

	#targetOf(threadId: string): Promise<GatewayThread> {
		return this.#threads.find(threadId, this.#chat?.getState());
	}

	#warn(text: string, details?: object): void {
		this.#chat?.getLogger(this.name).warn(text, details);
	}

	/** Warns of an event, unless there was a warning of the same thing. */
	#warnOnce(what: string, text: string, event: WebhookEvent): void {
		// It may be any text, of any length.
		const digest = sha256Hex(what);
		if (this.#warned.has(digest)) return;
		if (this.#warned.size >= MAX_WARNED) this.#warned.clear();
		this.#warned.add(digest);
		const { eventId, kind } = event;
		const { type = "", issues } = kind === "unknown" ? event : { type: kind, issues: [] };
		// A type may be any text.
		this.#warn(text, { eventId, type: /^[\w.:-]{0,64}$/.test(type) ? type : "another", issues });
	}

	addReaction(_threadId: string, messageId: string, emoji: EmojiValue | string): Promise<void> {
		return this.#react("addTapback", messageId, emoji);
	}

	removeReaction(_threadId: string, messageId: string, emoji: EmojiValue | string): Promise<void> {
		return this.#react("removeTapback", messageId, emoji);
	}

	async #react(
		method: "addTapback" | "removeTapback",
		messageId: string,
		emoji: EmojiValue | string,
	): Promise<void> {
		const messageGuid = await this.#guidOf(messageId);
		await this.#options.gateway.messages[method]({ messageGuid, reaction: toReaction(emoji) });
	}

	/** The guid of a message, which a post has only once it was sent. */
	async #guidOf(id: string): Promise<string> {
		if (typeof id !== "string" || id === "") throw new InputError("messageId must be the id of a message");
		const messageId = findMessageId(id);
		if (messageId === undefined) return id;
		const { message } = await this.#options.gateway.messages.get(messageId);
		if (message.messageGuid) return message.messageGuid;
		throw new SendError(
			"too_early",
			"the post hasn't been sent yet, so it has no messageGuid: react or reply to it later, or to a contact's message",
		);
	}

	async markAsRead(threadId: string, messageId: string): Promise<void> {
		const target = await this.#targetOf(threadId);
		const messageGuid = await this.#guidOf(messageId);
		await this.#options.gateway.messages.markRead({ ...target, messageGuid });
	}

	startTyping(threadId: string): Promise<void> {
		return this.#type(threadId, "startTyping");
	}

	endTyping(threadId: string): Promise<void> {
		const typing = this.#type(threadId, "stopTyping");
		const run = this.#runs.context();
		if (run !== undefined) keepOpen(run, typing);
		return typing;
	}

	/** An indicator is not worth a run that fails after its posts. */
	async #type(threadId: string, method: "startTyping" | "stopTyping"): Promise<void> {
		try {
			const target = await this.#targetOf(threadId);
			await this.#options.gateway.messages[method](target);
		} catch (error) {
			const code = isMessagingGatewayError(error) ? error.code : undefined;
			this.#warn("the typing indicator failed", { code });
		}
	}

	async fetchMessages(
		threadId: string,
		{ direction, limit, cursor }: FetchOptions = {},
	): Promise<FetchResult<GatewayRawMessage>> {
		const target = await this.#targetOf(threadId);
		if (!("to" in target)) throw notImplemented("show the history of a group");
		const { analytics } = this.#options.gateway;
		const listAll = () => analytics.listMessages(target.to).toArray({ limit: Number.MAX_SAFE_INTEGER });
		const listPage = async () => {
			const page = await analytics.listMessages(target.to, { limit, cursor });
			// The gateway lists the newest first.
			return { messages: page.messages.reverse(), nextCursor: page.nextCursor };
		};
		const { messages, nextCursor } = await (direction === "forward"
			? this.#history.page(threadId, { limit, cursor }, listAll)
			: listPage());
		return {
			messages: messages.map((message) => toMessage(message, threadId)),
			...(nextCursor && { nextCursor }),
		};
	}

	parseMessage(raw: GatewayRawMessage): Message<GatewayRawMessage> {
		if (!("from" in raw)) throw new InputError("raw must be a message of the gateway");
		const { outbound, to, from, groupId } = raw;
		const target = groupId ? { groupId } : { to: (outbound ? to : from) ?? "" };
		return toMessage(raw, this.#threads.make(target));
	}

	async fetchThread(threadId: string): Promise<ThreadInfo> {
		return { id: threadId, channelId: threadId, isDM: this.isDM(threadId), metadata: {} };
	}

	async openDM(userId: string): Promise<string> {
		return this.encodeThreadId({ to: userId });
	}

	encodeThreadId(target: GatewayThread): string {
		return this.#threads.make(target);
	}

	decodeThreadId(threadId: string): GatewayThread {
		return this.#threads.decode(threadId);
	}

	channelIdFromThreadId(threadId: string): string {
		return threadId;
	}

	isDM(threadId: string): boolean {
		return this.#threads.isDM(threadId);
	}

	renderFormatted(content: FormattedContent): string {
		return renderText(content);
	}

	async editMessage(): Promise<never> {
		throw notImplemented("edit messages");
	}

	async deleteMessage(): Promise<never> {
		throw notImplemented("delete messages");
	}
}
