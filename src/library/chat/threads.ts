import type { StateAdapter } from "chat";
import { ConfigurationError } from "../errors.ts";
import { isJsonObject } from "../is-object.ts";
import { type ChatTarget, keyOfChat } from "../webhooks/conversation-of.ts";

/** Whom a thread is with: a contact by its number, or a group. */
export type GatewayThread = ChatTarget;

/** How many threads that the state has, too, this process remembers. */
const MAX_KEPT = 10_000;

/**
 * The ids of threads. Chat SDK logs them, so they hold the key of the conversation and no number. Whom a thread is with
 * is kept in Chat SDK's state.
 */
export class Threads {
	readonly #name: string;
	/** What the state does not have yet. */
	readonly #fresh = new Map<string, GatewayThread>();
	/** What the state has, for other processes and after a restart. */
	readonly #kept = new Map<string, GatewayThread>();

	constructor(name: string) {
		this.#name = name;
	}

	idOf(target: GatewayThread): string {
		const threadId = `${this.#name}:${"to" in target ? "dm" : "group"}:${keyOfChat(target)}`;
		if (!this.#kept.has(threadId)) this.#fresh.set(threadId, target);
		return threadId;
	}

	isDM(threadId: string): boolean {
		return threadId.startsWith(`${this.#name}:dm:`);
	}

	/** Whom a thread is with, as far as this process knows. @throws ConfigurationError if it does not. */
	decode(threadId: string): GatewayThread {
		const target = this.#fresh.get(threadId) ?? this.#kept.get(threadId);
		if (target !== undefined) return target;
		throw new ConfigurationError(
			"the thread is not known: make its id with encodeThreadId, and give all processes the same state of Chat SDK",
		);
	}

	/** Whom a thread is with, as far as any process knows; then all of them do. */
	async find(threadId: string, state: StateAdapter | undefined): Promise<GatewayThread> {
		const stateKey = `messaging-gateway:${threadId}`;
		const fresh = this.#fresh.get(threadId);
		if (fresh !== undefined && state !== undefined) {
			await state.set(stateKey, fresh);
			this.#fresh.delete(threadId);
			this.#keep(threadId, fresh);
		} else if (!this.#kept.has(threadId)) {
			const target = await state?.get(stateKey);
			if (isTarget(target)) this.#keep(threadId, target);
		}
		return this.decode(threadId);
	}

	#keep(threadId: string, target: GatewayThread): void {
		const [oldest = ""] = this.#kept.keys();
		if (this.#kept.size >= MAX_KEPT) this.#kept.delete(oldest);
		this.#kept.set(threadId, target);
	}
}

function isTarget(value: unknown): value is GatewayThread {
	return isJsonObject(value) && typeof (value["to"] ?? value["groupId"]) === "string";
}
