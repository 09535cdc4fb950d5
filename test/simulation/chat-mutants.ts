// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are parts of sources.
import type { SimulatedMutant } from "./play.ts";

const ADAPTER = "src/library/chat/create-gateway-adapter.ts";
const POSTS = "src/library/chat/posts.ts";
const RUNS = "src/library/chat/runs.ts";
const TURNS = "src/library/chat/turns.ts";
const THREADS = "src/library/chat/threads.ts";

/** Where it is decided whose a post is. */
const OWNER = "if (live === undefined || live === run) return run;";
const LATE = 'if (run?.end === "late" && run.threadId === threadId) run.signal?.throwIfAborted();';

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
		file: RUNS,
		find: "await orAborted(working, signal);",
		replacement: "await working;",
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
		find: 'name === undefined ? "keep" : "throw"',
		replacement: '"throw"',
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
		find: "this.#dispatch(chat, bindTo(run, this), threadId, event)),",
		replacement: "this.#dispatch(chat, bindTo(run, this), threadId, event).catch(() => undefined)),",
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
		find: "return this.#posts.make(threadId, reading);",
		replacement: "return reading.then((message) => this.#posts.make(threadId, message));",
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
		find: "ended.push(...(await Promise.allSettled(open)));",
		replacement: "await Promise.allSettled(open);",
	},
	{
		id: "open-posts-not-awaited",
		file: RUNS,
		find: "\t\tended.push(...(await Promise.allSettled(open)));\n\t\tif (run.unhandled !== undefined) await afterReports();\n\t} while (open.size > 0);",
		replacement: "\t\tif (run.unhandled !== undefined) await afterReports();\n\t} while (open.size < 0);",
	},
	{
		id: "failed-run-leaves-its-posts",
		file: RUNS,
		find: "await Promise.allSettled([handlers]);",
		replacement: "[];\n\tawait handlers;",
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
		find: "const count = (posts.get(threadId) ?? 0) + 1;",
		replacement: "const count = 1;",
	},
	{
		id: "count-not-by-thread",
		file: RUNS,
		find: "${shorten(run.eventId)}:${count}",
		replacement: "${shorten(run.eventId)}:${[...run.posts.values()].reduce((sum, each) => sum + each)}",
	},
	{
		id: "key-without-the-thread",
		file: RUNS,
		find: "${lastPart(threadId)}:",
		replacement: "",
	},
	{
		id: "key-with-the-place-of-the-thread",
		file: RUNS,
		find: "${lastPart(threadId)}:",
		replacement: "${[...run.posts.keys()].indexOf(threadId)}:",
	},
	{
		id: "thread-alone",
		file: RUNS,
		find: OWNER,
		replacement: "return live ?? run;",
		seeds: 1_000,
	},
	{
		id: "thread-without-its-run",
		file: ADAPTER,
		find: "this.#dispatch(chat, bindTo(run, this), threadId, event)",
		replacement: "this.#dispatch(chat, this, threadId, event)",
		seeds: 300,
	},
	{
		id: "context-before-the-thread",
		file: RUNS,
		find: "threadRun.run(run, () => Reflect.apply(value, target, given))",
		replacement: "threadRun.run(contextRun.getStore() ?? run, () => Reflect.apply(value, target, given))",
		seeds: 300,
	},
	{
		id: "news-taken-for-an-answer",
		file: RUNS,
		find: LATE,
		replacement: `${LATE}\n\t\tif (run === undefined) return live;`,
		seeds: 300,
	},
	{
		id: "late-posts-taken-for-the-next-runs",
		file: RUNS,
		find: LATE,
		replacement: 'if (run?.end === "late" && run.threadId === threadId) return live;',
		seeds: 300,
	},
	{
		id: "rest-of-a-failed-run-is-nobodys",
		file: RUNS,
		find: "!isRepeated(run) && !isRest",
		replacement: "run !== null",
		seeds: 300,
	},
	{
		id: "rest-in-the-queue-of-another-run",
		file: RUNS,
		find: "(run.threadId === threadId || !isRest)",
		replacement: "(run.threadId === threadId || live !== null)",
		seeds: 1_000,
	},
	{
		id: "kept-thread-hides-the-run",
		file: RUNS,
		find: 'const isOver = run === undefined || run.end === "done" || run.end === "failed";',
		replacement: "const isOver = run === undefined;",
		seeds: 300,
	},
	{
		id: "name-for-all-threads",
		file: RUNS,
		find: "return `${name}/${lastPart(threadId)}/${key}`;",
		replacement: "return `${name}/${key}`;",
	},
	{
		id: "name-of-each-run",
		file: RUNS,
		find: "return `${name}/${lastPart(threadId)}/${key}`;",
		replacement: "return `${name}/${lastPart(threadId)}/${key}/${contextRun.getStore()?.eventId}`;",
		seeds: 300,
	},
	{
		id: "names-words-always-kept",
		file: POSTS,
		find: 'name === undefined ? "keep" : "throw"',
		replacement: '"keep"',
		seeds: 300,
	},
	{
		id: "plain-post-for-a-name",
		file: POSTS,
		find: "if (sender === undefined || key === undefined) {",
		replacement: "if (sender === undefined || key === undefined || signal === undefined) {",
	},
	{
		id: "kept-not-told",
		file: POSTS,
		find: "if (result.kept !== true) {",
		replacement: "if (result.kept !== null) {",
	},
	{
		id: "kept-without-what-was-sent",
		file: POSTS,
		find: "kept: true, text: kept?.text };",
		replacement: "kept: true, text: undefined };",
	},
	{
		id: "kept-with-the-words-of-the-call",
		file: POSTS,
		find: "kept: true, text: kept?.text };",
		replacement: 'kept: true, text: "text" in input ? input.text : undefined };',
	},
	{
		id: "kept-not-reported",
		file: POSTS,
		find: "this.#reportKept(post);",
		replacement: "",
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
