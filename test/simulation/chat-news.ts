import { CONTACTS, DESK, keyOf, type PlayedBots, type StartedBot } from "./chat-bot.ts";
import { type PlayedPost, type PlayedPosts, wordsOf } from "./chat-posts.ts";
import type { Process, World } from "./world.ts";

/** When a process looks for news to tell. */
const PAUSES_MS = [0, 300, 2_000, 9_000, 30_000];

const WORDS = ["same", "others", "others, or an error"] as const;

/** Something that everybody is told once, by whichever process. */
interface News {
	readonly posts: readonly PlayedPost[];
	/** Whether each process has the same words for it, and whether it wants an error if they are others. */
	readonly words: (typeof WORDS)[number];
	readonly told: Set<PlayedPost>;
}

/** Posts outside of events: news with a key, which processes tell until one knows that it is told, and plain ones. */
export class PlayedNews {
	readonly #world: World;
	readonly #posts: PlayedPosts;
	readonly #bots: PlayedBots;
	readonly #news: readonly News[];
	#calls = 0;

	constructor(world: World, posts: PlayedPosts, bots: PlayedBots) {
		this.#world = world;
		this.#posts = posts;
		this.#bots = bots;
		const { postRandom } = world;
		this.#news = Array.from({ length: bots.ways.hasNews ? postRandom.between(1, 3) : 0 }, (_, at) => ({
			posts: CONTACTS.map((to) => posts.add(`news-${at}/${to}`, to, { isNamed: true })),
			words: postRandom.pick(WORDS),
			told: new Set(),
		}));
	}

	/** A process tells what is news, until it dies. */
	async tell(process: Process, bot: StartedBot): Promise<void> {
		const { postRandom } = this.#world;
		while (process.isAlive && this.#news.some(({ posts, told }) => told.size < posts.length)) {
			await process.sleep(postRandom.pick(PAUSES_MS));
			const { posts, words, told } = postRandom.pick(this.#news);
			const post = postRandom.pick(posts);
			if (postRandom.chance(0.2)) await this.#tellPlainly(bot);
			const isTold = await this.#tellOnce(bot, post, words);
			// A process may not get to say so.
			if (isTold && postRandom.chance(0.7)) told.add(post);
		}
	}

	async #tellOnce(
		{ adapter, enqueue }: StartedBot,
		post: PlayedPost,
		words: News["words"],
	): Promise<boolean> {
		const text = wordsOf(post, words === "same" ? 0 : ++this.#calls);
		const mayBeKept = words === "others";
		const options = { key: keyOf(post), ifReused: mayBeKept ? ("keep" as const) : undefined };
		const make = () => {
			const posting = adapter.post(adapter.encodeThreadId({ to: post.to }), text, options);
			const isReusable = words !== "others, or an error";
			return this.#bots.judge(post, text, posting, { isCertain: true, mayBeKept, isReusable });
		};
		try {
			if (enqueue !== undefined && this.#world.postRandom.chance(0.5)) await enqueue(make);
			else await make();
			this.#posts.owed.add(post);
			return true;
		} catch {
			return false;
		}
	}

	/** A plain post, which is rejected while an event of its contact runs in this process. */
	async #tellPlainly({ adapter }: StartedBot): Promise<void> {
		const to = this.#world.postRandom.pick([DESK, ...CONTACTS]);
		const post = this.#posts.add(`plain-${++this.#calls}`, to, { isPlain: true });
		const text = wordsOf(post, 0);
		const posting = adapter.post(adapter.encodeThreadId({ to }), text);
		const isTold = await this.#bots.judge(post, text, posting, { isCertain: false }).catch(() => undefined);
		if (isTold !== undefined) this.#posts.owed.add(post);
	}
}
