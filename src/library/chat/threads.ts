import type { StateAdapter } from "chat";
import { ConfigurationError } from "../errors.ts";
import { isJsonObject } from "../is-object.ts";
import { type ChatTarget, keyOfChat } from "../webhooks/conversation-of.ts";

/** Whom a thread is with: a contact by its number, or a group. */
export type GatewayThread = ChatTarget;

interface KnownThread {
	readonly target: GatewayThread;
	/** Whether the state has it, for other processes and after a restart. */
	isKept: boolean;
}

/** How many threads this process remembers; the state has the others. */
const MAX_KNOWN = 10_000;

/**
 * The ids of threads. Chat SDK logs them, so they hold the key of the conversation and no number. Whom a thread is with
 * is kept in Chat SDK's state.
 */
export class Threads {
	readonly #name: string;
	readonly #known = new Map<string, KnownThread>();

	constructor(name: string) {
		this.#name = name;
	}

	idOf(target: GatewayThread): string {
		const threadId = `${this.#name}:${"to" in target ? "dm" : "group"}:${keyOfChat(target)}`;
		if (!this.#known.has(threadId)) this.#add(threadId, { target, isKept: false });
		return threadId;
	}

	isDM(threadId: string): boolean {
		return threadId.startsWith(`${this.#name}:dm:`);
	}

	/** Whom a thread is with, as far as this process knows. @throws ConfigurationError if it does not. */
	decode(threadId: string): GatewayThread {
		const known = this.#known.get(threadId);
		if (known !== undefined) return known.target;
		throw new ConfigurationError(
			"the thread is not known: make its id with encodeThreadId, and give all processes the same state of Chat SDK",
		);
	}

	/** Whom a thread is with, as far as any process knows; then all of them do. */
	async find(threadId: string, state: StateAdapter | undefined): Promise<GatewayThread> {
		const stateKey = `messaging-gateway:${threadId}`;
		const known = this.#known.get(threadId);
		if (known?.isKept === false && state !== undefined) {
			await state.set(stateKey, known.target);
			known.isKept = true;
		}
		if (known === undefined) {
			const target = await state?.get(stateKey);
			if (isTarget(target)) this.#add(threadId, { target, isKept: true });
		}
		return this.decode(threadId);
	}

	#add(threadId: string, thread: KnownThread): void {
		const [oldest = ""] = this.#known.keys();
		if (this.#known.size >= MAX_KNOWN) this.#known.delete(oldest);
		this.#known.set(threadId, thread);
	}
}

function isTarget(value: unknown): value is GatewayThread {
	return isJsonObject(value) && typeof (value["to"] ?? value["groupId"]) === "string";
}
