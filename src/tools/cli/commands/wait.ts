import { MAX_TIMER_MS } from "../../../library/runtime.ts";
import { describeDuration } from "../../local-gateway/duration.ts";
import { CommandFailure } from "../failure.ts";
import { readDuration } from "../gateway-options.ts";
import { CONTROL_FLAGS, connectTo } from "../local/connect-to.ts";
import { KINDS, lineOf } from "../local/items.ts";
import { waitFor } from "../local/wait-for.ts";
import { declareVerb, type OptionsOf } from "../verb.ts";

const FLAGS = {
	"--search <text>": "with this in an id, a number or a text",
	"--status <status>": "with this status: of the message, or of the response",
	"--failed": "only what failed",
	"--timeout <duration>": { meaning: "how long", preset: "30 s" },
	...CONTROL_FLAGS,
} as const;

type WaitFlags = OptionsOf<typeof FLAGS>;

/** Waits until something has happened in the local gateway. */
export const addWaitVerb = declareVerb({
	usage: "wait <what>",
	words: [...KINDS, "settled"],
	summary: "Wait for a message, a request or a webhook, or until all is done.",
	flags: FLAGS,
	examples: [
		"npx messaging-gateway wait message --search Hello --status read",
		"npx messaging-gateway wait request --search messages.sendText --status 202",
		"npx messaging-gateway wait settled --timeout '2 min'",
	],
	notes: `What is already there counts. A webhook counts when it is delivered or given up. \`wait settled\` moves the local gateway's time forward to each next task, until nothing is left to do. The exit code is 1 when the time is up.`,
	async run(terminal, options, what) {
		const timeoutMs = readDuration(options.timeout);
		if (what === "settled") {
			await settle(options, timeoutMs);
			return terminal.show({ ok: true }, () => "settled");
		}
		const local = await connectTo(options);
		const { search, status, failed } = options;
		const item = await waitFor(local, what, { search, status, failed, timeoutMs });
		terminal.show(item, () => lineOf(terminal, item));
	},
});

async function settle(options: WaitFlags, timeoutMs: number): Promise<void> {
	const timeIsUp = AbortSignal.timeout(Math.min(timeoutMs, MAX_TIMER_MS));
	try {
		const local = await connectTo(options, timeIsUp);
		await local.settled();
	} catch (error) {
		if (!timeIsUp.aborted) throw error;
		throw new CommandFailure(
			`not everything was done within ${describeDuration(timeoutMs)}; the gateway goes on`,
			"A receiver that doesn't respond takes 10 s for each attempt: see `npx messaging-gateway log --failed`.",
		);
	}
}
