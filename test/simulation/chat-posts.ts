import type { GatewayPost } from "messaging-gateway/chat";
import { Key, type PlayedGateway } from "./gateway.ts";
import type { Job } from "./queue.ts";
import type { Process, World } from "./world.ts";

/** What no later run would mend. */
const PERMANENT: readonly unknown[] = ["configuration", "invalid_input", "key_reused"];

/** A run of an event, from the call of `process` on. */
export interface Run {
	readonly number: number;
	readonly message: string;
	readonly job: Job;
	readonly process: Process;
	readonly signal: AbortSignal;
	/** The bot's signal, once its handler has started. */
	botsSignal?: AbortSignal | undefined;
	handler: "not started" | "running" | "finished" | "failed";
	openSends: number;
	/** The posts that its handler has begun. */
	readonly begun: Set<PlayedPost>;
	/** Whether `process` has ended. */
	isOver: boolean;
}

/** What is posted once, whatever its words: they are others in each call. */
export class PlayedPost extends Key {
	/** The contact who gets it. */
	readonly to: string;
	/** Whether the bot has a key for it. */
	readonly isNamed: boolean;
	/** Its place among the answers of its event, if they are made in order. */
	readonly place: number;
	/** Whether a run that is over may make it, or one of a job which is done and is run again: not in order. */
	readonly isLoose: boolean;
	/** Whether somebody was told that it may have been accepted. */
	isUnresolved = false;
	/** Whether somebody was told that other words of it stand. */
	isKept = false;

	constructor(
		name: string,
		to: string,
		{ isNamed = false, isPlain = false, place = 0, isLoose = false }: PostTraits,
	) {
		super(name, name, isPlain);
		this.to = to;
		this.isNamed = isNamed;
		this.place = place;
		this.isLoose = isLoose;
	}
}

/** What may become of a call. */
export interface Expected {
	/** Whether nobody can doubt whose post it is. */
	readonly isCertain: boolean;
	/** Whether other words of the post may stand. @default true */
	readonly mayBeKept?: boolean;
	/** Whether a key may be used for other words. @default true */
	readonly isReusable?: boolean;
}

type PostTraits = Partial<Pick<PlayedPost, "isNamed" | "isPlain" | "place" | "isLoose">>;

/** The words of a post: its name, and the number of its run or call. */
export function wordsOf({ name }: Key, number: number): string {
	return `${name} in ${number}`;
}

/** All posts of a history, held against what is promised of each. */
export class PlayedPosts {
	readonly runs: Run[] = [];
	/** Those that must have been accepted when all is over, or be listed. */
	readonly owed = new Set<PlayedPost>();
	readonly #world: World;
	readonly #isOrdered: boolean;
	readonly #posts = new Map<string, PlayedPost>();
	/** The words that have left a process. */
	readonly #left = new Set<string>();
	/** The words of which somebody was told that they were not sent. */
	readonly #denied = new Set<string>();
	/** The last job of each conversation of which an answer has left, and the last answer of each event. */
	readonly #lastJobs = new Map<string, number>();
	readonly #lastPlaces = new Map<string, number>();

	constructor(world: World, isOrdered: boolean) {
		this.#world = world;
		this.#isOrdered = isOrdered;
	}

	add(...given: ConstructorParameters<typeof PlayedPost>): PlayedPost {
		const post = new PlayedPost(...given);
		this.#posts.set(post.name, post);
		return post;
	}

	/** The post that words are of. */
	postOf(text: string): PlayedPost {
		const post = this.#posts.get(text.split(" ")[0] ?? "");
		if (post === undefined) throw new Error(`a post of nobody: ${text}`);
		return post;
	}

	/** The run that words are of; a post outside of an event has none. */
	runOf(text: string): Run | undefined {
		if (!text.startsWith("message-")) return undefined;
		return this.runs[Number(text.slice(text.lastIndexOf(" ") + 1)) - 1];
	}

	/** A request leaves a process. */
	leaves(text: string, to: string): PlayedPost {
		const post = this.postOf(text);
		const { name, isNamed, place } = post;
		if (to !== post.to) this.#world.fail(`${name} goes to another contact`);
		if (this.#denied.has(text)) this.#world.fail(`${name} leaves, and its bot was told that it was not sent`);
		this.#left.add(text);
		const run = this.runOf(text);
		// What has a name may be done by whoever has it.
		if (run === undefined || isNamed) return post;
		if (run.signal.aborted) this.#world.fail(`${name} leaves after the signal of its run has fired`);
		// What may have been sent, and was not, is sent later.
		if (post.isUnresolved) return post;
		const { conversation } = run.job;
		if (this.#isOrdered && !post.isLoose && !advance(this.#lastJobs, conversation, run.job.place))
			this.#world.fail(`${name} leaves after posts of a later event`);
		if (place > 0 && !advance(this.#lastPlaces, run.message, place))
			this.#world.fail(`${name} leaves after a later answer`);
		return post;
	}

	/** A call to the sender, which knows the key. */
	async send<Result extends { readonly status: string }>(
		text: string,
		storeKey: string,
		send: () => Promise<Result>,
	): Promise<Result> {
		const post = this.postOf(text);
		post.storeKey = storeKey;
		const run = post.isNamed ? undefined : this.runOf(text);
		if (run !== undefined) run.openSends++;
		try {
			const result = await send();
			if (result.status === "unresolved") post.isUnresolved = true;
			return result;
		} finally {
			if (run !== undefined) run.openSends--;
		}
	}

	/** `onKept` gets a post. */
	reportKept({ key, id, text }: GatewayPost, gateway: PlayedGateway): void {
		const post = [...this.#posts.values()].find(({ storeKey }) => storeKey === key);
		if (post === undefined) {
			this.#world.fail(`${key} is kept, and nobody has posted it`);
			return;
		}
		post.isKept = true;
		const sent = id.startsWith("sent:") ? gateway.textOf(id.slice(5)) : undefined;
		// A run whose time is over no longer asks.
		const isLate = text === undefined && this.runs.some(({ signal }) => signal.aborted);
		if (text !== sent && !isLate)
			this.#world.fail(`${post.name} is kept as ${text}, and ${sent ?? "nothing"} was sent`);
		if (sent !== undefined && !post.texts.includes(sent))
			this.#world.fail(`${post.name} is kept, and its contact has got something else`);
	}

	/** A call ends well. @param result - unless Chat SDK has hidden it. */
	judgeMade(
		post: PlayedPost,
		text: string,
		result: GatewayPost | undefined,
		{ mayBeKept = true }: Expected,
	): void {
		const { name, isPlain } = post;
		const isSent = post.texts.includes(text);
		if (!isSent && !post.isKept && !post.isUnresolved)
			this.#world.fail(`${name} is lost, and nobody is told`);
		if (result === undefined) return;
		if (isPlain !== (result.key === undefined))
			this.#world.fail(`${name} ${isPlain ? "has a key" : "has no key"}`);
		if (result.kept && !mayBeKept) this.#world.fail(`${name} is kept, and its caller wanted an error`);
		if (result.kept) this.#deny(name, text);
		else if (result.text === undefined && post.isUnresolved) return;
		else if (result.text !== text) this.#world.fail(`${name} is made, and its bot gets other words`);
		else if (!isSent && !post.isUnresolved) this.#world.fail(`${name} is not called kept, and was not sent`);
	}

	/** A call fails. */
	judgeRejected(
		{ name }: PlayedPost,
		text: string,
		error: unknown,
		{ isCertain, isReusable = true }: Expected,
	): void {
		if (!PERMANENT.includes(codeOf(error))) return;
		this.#deny(name, text);
		if (isCertain && isDoubt(error)) this.#world.fail(`${name} is doubted`);
		if (codeOf(error) === "key_reused" && isReusable)
			this.#world.fail(`the key of ${name} is said to be reused`);
	}

	#deny(name: string, text: string): void {
		this.#denied.add(text);
		if (this.#left.has(text)) this.#world.fail(`${name} has left, and its bot is told that it was not sent`);
	}
}

/** Whether an error is one that each later run of its event would meet, too. */
export function isPermanent(error: unknown): boolean {
	return PERMANENT.includes(codeOf(error)) && !isDoubt(error);
}

/** Whether nobody could know whose a post is: it is made again, when the other event is over. */
export function isDoubt(error: unknown): boolean {
	return (
		error instanceof Error && error.message.includes("It can't be known which event the post belongs to")
	);
}

/** What is permanent has its reason as the cause. */
function codeOf(error: unknown): unknown {
	const { code, cause }: { code?: unknown; cause?: { code?: unknown } } = Object(error);
	return code ?? cause?.code;
}

/** Whether a number is not below those before it of its name. */
function advance(lasts: Map<string, number>, name: string, number: number): boolean {
	const last = lasts.get(name) ?? 0;
	lasts.set(name, Math.max(last, number));
	return number >= last;
}
