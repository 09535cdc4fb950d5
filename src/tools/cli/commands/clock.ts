import { describeDuration } from "../../local-gateway/duration.ts";
import { readDuration } from "../gateway-options.ts";
import { CONTROL_FLAGS, connectTo } from "../local/connect-to.ts";
import { declareVerb } from "../verb.ts";

/** Shows the local gateway's time, or moves it forward. */
export const addClockVerb = declareVerb({
	usage: "clock [duration...]",
	summary: "Show the local gateway's time, or move it forward.",
	flags: CONTROL_FLAGS,
	examples: [
		"npx messaging-gateway clock",
		"npx messaging-gateway clock 90 s",
		"npx messaging-gateway clock 24h",
	],
	notes: "Whatever becomes due on the way is done: statuses, retries, the end of a window.",
	async run(terminal, options, duration) {
		const ms = duration === undefined ? 0 : readDuration(duration);
		const { clock } = await connectTo(options);
		if (duration !== undefined) await clock.advance(ms);
		const now = await clock.now();
		const moved = duration === undefined ? "" : `, moved forward by ${describeDuration(ms)}`;
		terminal.show({ now }, () => `${new Date(now).toISOString()}${moved}`);
	},
});
