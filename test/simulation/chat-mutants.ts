// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are parts of sources.
import type { SimulatedMutant } from "./play.ts";

const ADAPTER = "src/library/chat/create-gateway-adapter.ts";
const POSTS = "src/library/chat/posts.ts";
const RUNS = "src/library/chat/runs.ts";
const TURNS = "src/library/chat/turns.ts";
const THREADS = "src/library/chat/threads.ts";

export const CHAT_MUTANTS: readonly SimulatedMutant[] = [
	{
		id: "turns-not-awaited",
		file: TURNS,
		find: "orAborted(before, signal).then(work)",
		replacement: "work()",
	},
	{
		id: "turns-only-for-the-last",
		file: TURNS,
		find: "Promise.allSettled([before, turn])",
		replacement: "Promise.allSettled([turn])",
		seeds: 150,
	},
	{
		id: "thread-freed-while-a-turn-runs",
		file: TURNS,
		find: "Promise.allSettled([before, turn]).then(() => {",
		replacement:
			"Promise.allSettled([before, turn]).then(() => undefined);\n\t\tturn.catch(() => undefined).then(() => {",
		seeds: 200,
	},
	{
		id: "turn-held-after-its-signal",
		file: ADAPTER,
		find: "orAborted(endOf(run, this.#dispatch(chat, threadId, event)), signal),",
		replacement: "endOf(run, this.#dispatch(chat, threadId, event)),",
	},
	{
		id: "turn-held-by-the-state",
		file: ADAPTER,
		find: "await orAborted(this.#threads.keep(threadId, target, chat.getState()), signal);",
		replacement: "await this.#threads.keep(threadId, target, chat.getState());",
		seeds: 100,
	},
	{
		id: "end-held-by-the-state",
		file: ADAPTER,
		find: "chat.abortTurn(threadId).catch(() => undefined);",
		replacement: "await chat.abortTurn(threadId);",
		seeds: 150,
	},
	{
		id: "bots-signal-does-not-fire",
		file: ADAPTER,
		find: "chat.abortTurn(threadId).catch(() => undefined);",
		replacement: "void 0;",
	},
	{
		id: "signal-not-passed-to-the-send",
		file: POSTS,
		find: "{ signal, ifReused }",
		replacement: "{ ifReused }",
	},
	{
		id: "used-key-rejected",
		file: POSTS,
		find: 'ifReused: "keep" as const',
		replacement: 'ifReused: "throw" as const',
	},
	{
		id: "repeat-taken-for-a-duplicate",
		file: ADAPTER,
		find: ", { deduplicate: false }",
		replacement: "",
	},
	{
		id: "failure-swallowed",
		file: ADAPTER,
		find: "this.#dispatch(chat, threadId, event)), signal)",
		replacement: "this.#dispatch(chat, threadId, event).catch(() => undefined)), signal)",
	},
	{
		id: "failed-reaction-swallowed",
		file: ADAPTER,
		find: "await chat.processReaction({",
		replacement: "await Promise.resolve(); chat.processReaction({",
	},
	{
		id: "counted-when-the-stream-has-ended",
		file: ADAPTER,
		find: "return this.#posts.make(threadId, readStream(textStream));",
		replacement: "return readStream(textStream).then((message) => this.#posts.make(threadId, message));",
		seeds: 150,
	},
	{
		id: "post-not-kept-open",
		file: POSTS,
		find: "if (run !== undefined) keepOpen(run, posting);",
		replacement: "",
	},
	{
		id: "failed-post-not-seen",
		file: RUNS,
		find: "for (const ended of [handled, ...(await Promise.allSettled(open))])",
		replacement: "await Promise.allSettled(open);\n\tfor (const ended of [handled])",
	},
	{
		id: "open-posts-not-awaited",
		file: RUNS,
		find: "[handled, ...(await Promise.allSettled(open))]",
		replacement: "[handled]",
	},
	{
		id: "failed-run-leaves-its-posts",
		file: RUNS,
		find: "const [handled] = await Promise.allSettled([handlers]);",
		replacement: 'await handlers;\n\tconst handled = { status: "fulfilled" } as PromiseSettledResult<void>;',
		seeds: 150,
	},
	{
		id: "key-without-the-event",
		file: RUNS,
		find: "${shorten(run.eventId)}",
		replacement: "",
	},
	{
		id: "key-without-the-count",
		file: RUNS,
		find: "const count = (run.posts.get(threadId) ?? 0) + 1;",
		replacement: "const count = 1;",
	},
	{
		id: "count-not-by-thread",
		file: RUNS,
		find: "${shorten(run.eventId)}:${thread}${count}",
		replacement: "${shorten(run.eventId)}:${[...run.posts.values()].reduce((sum, each) => sum + each)}",
	},
	{
		id: "key-without-the-thread",
		file: RUNS,
		find: "`${lastPart(threadId)}:`",
		replacement: '""',
	},
	{
		id: "key-with-the-place-of-the-thread",
		file: RUNS,
		find: "`${lastPart(threadId)}:`",
		replacement: "`${[...run.posts.keys()].indexOf(threadId)}.`",
	},
	{
		id: "known-before-it-is-kept",
		file: THREADS,
		find: "await state.set(stateKeyOf(threadId), target);\n\t\tthis.#made.delete(threadId);\n\t\tthis.#remember(threadId, target);",
		replacement:
			"this.#made.delete(threadId);\n\t\tthis.#remember(threadId, target);\n\t\tawait state.set(stateKeyOf(threadId), target);",
		seeds: 100,
	},
];
