// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are parts of sources.
import type { Mutant } from "./mutant.ts";

const TESTS = ["test/unit/library/chat"];

export const CHAT: readonly Mutant[] = [
	{
		id: "chat-deduplicates",
		file: "src/library/chat/create-gateway-adapter.ts",
		find: ", { deduplicate: false }",
		replacement: "",
		harm: "An event whose handler failed is skipped when it is run again, and lost.",
		tests: TESTS,
	},
	{
		id: "chat-any-strategy",
		file: "src/library/chat/chat-sdk.ts",
		find: 'if (strategy !== "concurrent")',
		replacement: 'if (strategy === "none")',
		harm: "A strategy that loses messages is accepted.",
		tests: TESTS,
	},
	{
		id: "chat-set-aside",
		file: "src/library/chat/create-gateway-adapter.ts",
		find: "if (message.isMention === undefined) throw new ConfigurationError(OTHER_CHAT_SDK);",
		replacement: "",
		harm: "A message that Chat SDK has set aside counts as processed.",
		tests: TESTS,
	},
	{
		id: "chat-late-posts",
		file: "src/library/chat/posts.ts",
		find: "{ signal, ifReused }",
		replacement: "{ ifReused }",
		harm: "A bot whose time is over answers, and so does the worker that runs its event again.",
		tests: TESTS,
	},
	{
		id: "chat-context-alone",
		file: "src/library/chat/runs.ts",
		find: "if (live === undefined || live.eventId === context?.eventId) return context;",
		replacement: "if (live !== null) return context;",
		harm: "Through a queue within the process one contact's answer gets the key of another's event, and is doubled.",
		tests: TESTS,
	},
	{
		id: "chat-name-for-all-threads",
		file: "src/library/chat/runs.ts",
		find: "return `${name}/${lastPart(threadId)}/${key}`;",
		replacement: "return `${name}/${key}`;",
		harm: "A contact does not get a post, since another one got the post of that name.",
		tests: TESTS,
	},
	{
		id: "chat-no-turns",
		file: "src/library/chat/turns.ts",
		find: "orAborted(before, signal).then(work)",
		replacement: "work()",
		harm: "Two events of a conversation run at the same time.",
		tests: TESTS,
	},
	{
		id: "chat-key-without-count",
		file: "src/library/chat/runs.ts",
		find: "const count = (run.posts.get(threadId) ?? 0) + 1;",
		replacement: "const count = 1;",
		harm: "The second post of an answer is never made.",
		tests: TESTS,
	},
];
