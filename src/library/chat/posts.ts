import type { AdapterPostableMessage } from "chat";
import type { Message as GatewayMessage } from "../catalogue/message.ts";
import { assertKnownKeys } from "../check-options.ts";
import { ConfigurationError, isMessagingGatewayError } from "../errors.ts";
import { type PostedInput, toId, toSendInput, toUnknownId } from "./messages.ts";
import type { GatewayAdapterOptions } from "./options.ts";
import type { GatewayPost, PostOptions } from "./post.ts";
import { keepOpen, namedKey, nextKey, type Runs } from "./runs.ts";
import type { GatewayThread } from "./threads.ts";
import { onUnhandled } from "./unhandled.ts";

export type Postable = AdapterPostableMessage | Promise<AdapterPostableMessage>;

/** A post to be sent. */
interface Posting {
	readonly threadId: string;
	readonly message: Postable;
	readonly replyToId: string | undefined;
	/** Under which it is made once, if it is. */
	readonly key: string | undefined;
	readonly ifReused: "throw" | "keep";
	readonly signal: AbortSignal | undefined;
}

/** How long the words of a kept post are looked for. */
const FIND_TIMEOUT_MS = 5_000;

/** What posts need of their adapter. */
interface PostingAdapter {
	readonly name: string;
	readonly options: GatewayAdapterOptions;
	readonly runs: Runs;
	targetOf(threadId: string): Promise<GatewayThread>;
	guidOf(messageId: string): Promise<string>;
	warn(text: string, details: object): void;
}

/** Makes the posts of an adapter: those of an event once, and those that the bot names. */
export class Posts {
	readonly #adapter: PostingAdapter;
	#hasWarned = false;

	constructor(adapter: PostingAdapter) {
		this.#adapter = adapter;
	}

	async make(
		threadId: string,
		message: Postable,
		replyToId?: string,
		options: PostOptions = {},
	): Promise<GatewayPost> {
		const { name: adapterName, runs } = this.#adapter;
		let run = runs.context();
		try {
			assertKnownKeys("post options", options, ["key", "ifReused"]);
			const { key: name, ifReused = name === undefined ? "keep" : "throw" } = options;
			// Before anything is awaited: posts are counted in the order of the calls.
			if (name === undefined) run = runs.of(threadId);
			// Nobody's: a queue within the process may have the context of another contact's run.
			else if (run?.threadId !== threadId) run = undefined;
			const key =
				name === undefined ? run && nextKey(adapterName, run, threadId) : this.#nameKey(threadId, name);
			const posting = this.#send({ threadId, message, replyToId, key, ifReused, signal: run?.signal });
			if (run !== undefined) keepOpen(run, posting);
			return await posting;
		} catch (reason) {
			// A signal may fire with a text, and only an object is known again when nobody has handled it.
			const error = Object(reason) === reason ? reason : new Error(String(reason), { cause: reason });
			const unhandled: unknown[] = run?.unhandled ?? [];
			if (run !== undefined) run.unhandled = unhandled;
			onUnhandled(error, () => {
				unhandled.push(error);
				const code = isMessagingGatewayError(error) ? error.code : "another";
				this.#adapter.warn("a post that wasn't awaited has failed", { code });
			});
			throw error;
		}
	}

	#nameKey(threadId: string, name: string): string {
		if (this.#adapter.options.sender !== undefined) return namedKey(this.#adapter.name, threadId, name);
		throw new ConfigurationError("A post with a key needs a sender: pass one to createGatewayAdapter");
	}

	async #send({ threadId, message, replyToId, key, ifReused, signal }: Posting): Promise<GatewayPost> {
		const [target, content] = await Promise.all([this.#adapter.targetOf(threadId), message]);
		const replyToGuid = replyToId === undefined ? undefined : await this.#adapter.guidOf(replyToId);
		const input = await toSendInput(target, content, replyToGuid);
		const { sender } = this.#adapter.options;
		if (sender === undefined || key === undefined) {
			if (sender !== undefined) this.#warnOfPlainPost(threadId);
			const { message: sent } = await this.#sendPlainly(input, signal);
			const id = toId(sent.messageId);
			return { id, raw: sent, threadId, key: undefined, kept: false, text: sent.text };
		}
		const result = await sender.send(key, input, { signal, ifReused });
		const isAccepted = result.status === "accepted";
		const messageId = isAccepted ? result.messageId : undefined;
		const id = messageId === undefined ? toUnknownId(key) : toId(messageId);
		if (result.kept !== true) {
			const words = ("text" in input && input.text) || null;
			return { id, raw: result, threadId, key, kept: false, text: isAccepted ? words : undefined };
		}
		const kept = messageId === undefined ? undefined : await this.#find(messageId, signal);
		const post = { id, raw: kept ?? result, threadId, key, kept: true, text: kept?.text };
		this.#reportKept(post);
		return post;
	}

	/** A message that was sent; `undefined` if the gateway does not show it: the post is no worse for it. */
	async #find(messageId: string, signal: AbortSignal | undefined): Promise<GatewayMessage | undefined> {
		const options = { signal, timeoutMs: FIND_TIMEOUT_MS };
		try {
			return (await this.#adapter.options.gateway.messages.get(messageId, options)).message;
		} catch {
			return undefined;
		}
	}

	/** What the bot says now was not sent: a bot with a model would go on from words that nobody got. */
	#reportKept(post: GatewayPost): void {
		const {
			onKept = ({ key }) =>
				this.#adapter.warn("the words of a post weren't sent: an earlier post stands", { key }),
		} = this.#adapter.options;
		void (async () => onKept(post))().catch(() => undefined);
	}

	#warnOfPlainPost(threadId: string): void {
		if (this.#hasWarned) return;
		this.#hasWarned = true;
		this.#adapter.warn(
			"a post outside of an event is sent each time: give it a key, post(thread.id, message, { key })",
			{ threadId },
		);
	}

	#sendPlainly(input: PostedInput, signal: AbortSignal | undefined) {
		const { messages } = this.#adapter.options.gateway;
		if ("attachments" in input) return messages.sendAttachments(input, { signal });
		if ("attachment" in input) return messages.sendVoiceNote(input, { signal });
		return messages.sendText(input, { signal });
	}
}
