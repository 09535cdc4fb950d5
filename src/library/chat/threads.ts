import type { StateAdapter } from "chat";
import { ConfigurationError, InputError } from "../errors.ts";
import { AgedMap } from "../stores/aged-map.ts";
import { type ChatTarget, keyOfChat } from "../webhooks/conversation-of.ts";

/** The other side of a thread: a contact by its handle, or a group. */
export type GatewayThread = ChatTarget;

/** How many threads a process remembers that were made for a post. A broadcast may make all of its threads first. */
const MAX_MADE = 100_000;

/** How many threads that the state has, too, a process remembers. */
const MAX_KEPT = 10_000;

/** A longer name is no handle, but anybody's text: the state has it, and the process does not remember it. */
const MAX_NAME_LENGTH = 1_000;

/**
 * The ids of threads. Chat SDK logs them, so they hold the key of the conversation and no handle. Whom a thread is with
 * is kept in Chat SDK's state.
 */
export class Threads {
	readonly #name: string;
	/** Those that the application made, and the state does not have yet: strangers' threads must not take their place. */
	readonly #made = new AgedMap<GatewayThread>();
	/** What the state has, for other processes and after a restart. */
	readonly #kept = new AgedMap<GatewayThread>();

	constructor(name: string) {
		this.#name = name;
	}

	/** The id of a thread of the application's, which it may use from now on. @throws InputError for nobody's. */
	make(given: GatewayThread): string {
		const target = toTarget(given);
		if (target === undefined) throw new InputError("A thread needs either to or groupId");
		const threadId = this.idOf(target);
		if (this.#kept.has(threadId)) return threadId;
		// One that is made again is the newest.
		this.#made.delete(threadId);
		addTo(this.#made, MAX_MADE, threadId, target);
		return threadId;
	}

	idOf(target: GatewayThread): string {
		return `${this.#name}:${"to" in target ? "dm" : "group"}:${keyOfChat(target)}`;
	}

	isDM(threadId: string): boolean {
		return threadId.startsWith(`${this.#name}:dm:`);
	}

	/** Whom a thread is with, as far as this process knows. @throws ConfigurationError if it does not. */
	decode(threadId: string): GatewayThread {
		this.#assertOwn(threadId);
		const target = this.#made.get(threadId) ?? this.#kept.get(threadId);
		if (target !== undefined) return target;
		throw new ConfigurationError(
			"The thread isn't known: make its id with encodeThreadId right before the post; or call `await bot.initialize()` first, and give all processes the same state of Chat SDK",
		);
	}

	/** Whom a thread is with, as far as any process knows; then all of them do. */
	async find(threadId: string, state: StateAdapter | undefined): Promise<GatewayThread> {
		this.#assertOwn(threadId);
		const made = this.#made.get(threadId);
		if (made !== undefined && state !== undefined) await this.keep(threadId, made, state);
		else if (!this.#kept.has(threadId)) {
			const target = toTarget(await state?.get(stateKeyOf(threadId)));
			// A state that was mixed up must lead to nobody else.
			if (target !== undefined && this.idOf(target) === threadId) {
				this.#remember(threadId, target);
				return target;
			}
		}
		return made ?? this.decode(threadId);
	}

	/** Lets all processes know whom a thread is with. Until the state has it, nothing remembers it: anybody may write. */
	async keep(threadId: string, target: GatewayThread, state: StateAdapter): Promise<void> {
		if (this.#kept.has(threadId)) return;
		await state.set(stateKeyOf(threadId), target);
		this.#made.delete(threadId);
		this.#remember(threadId, target);
	}

	/** Adapters of several accounts may share a state, which knows the threads of all: each would send from its own. */
	#assertOwn(threadId: string): void {
		if (String(threadId).startsWith(`${this.#name}:`)) return;
		throw new ConfigurationError(
			`This id belongs to no thread of the adapter "${this.#name}". Get one from openDM(handle), or use the adapter whose name the id begins with`,
		);
	}

	#remember(threadId: string, target: GatewayThread): void {
		const { length } = "to" in target ? target.to : target.groupId;
		if (length <= MAX_NAME_LENGTH) addTo(this.#kept, MAX_KEPT, threadId, target);
	}
}

function addTo(threads: AgedMap<GatewayThread>, max: number, threadId: string, target: GatewayThread): void {
	threads.set(threadId, target);
	const oldest = threads.oldest();
	if (oldest !== undefined && threads.size > max) threads.delete(oldest.key);
}

function stateKeyOf(threadId: string): string {
	return `messaging-gateway:${threadId}`;
}

function toTarget(value: unknown): GatewayThread | undefined {
	const { to, groupId }: { to?: unknown; groupId?: unknown } = Object(value);
	const name = to ?? groupId;
	if (typeof name !== "string" || name === "" || (to !== undefined && groupId !== undefined))
		return undefined;
	// A field that is undefined names nobody.
	return to === undefined ? { groupId: name } : { to: name };
}
