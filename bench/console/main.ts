/** `npm run bench:console`: how long the console's page keeps its main thread busy with a long history. */
import { availableParallelism, loadavg } from "node:os";
import { chromium } from "playwright-core";
import { chromiumOptions } from "../../test/support/browser.ts";
import { startDev } from "../../test/support/dev-server.ts";
import { serve } from "../../test/support/serve.ts";
import { median } from "../stores/measure.ts";
import { burst, fill } from "./fill.ts";
import {
	longestOf,
	measureOpening,
	measureTyping,
	type Opening,
	type Times,
	type Typing,
} from "./measure.ts";

const CONVERSATIONS = 200;
const MESSAGES = 10_000;
const BURST = 300;
const ROUNDS = 3;
/** A burst is over after few keystrokes. */
const TYPING_ROUNDS = 4;

console.error(`Writing ${MESSAGES} messages in ${CONVERSATIONS} conversations…`);
await using receiver = await serve((_, response) => void response.end());
await using dev = await startDev(["--no-rules", "--forward-to", receiver.url]);
await fill(dev, { conversations: CONVERSATIONS, messages: MESSAGES });

const snapshotBytes = Buffer.byteLength(await (await dev.control("snapshot")).text());
console.log(`snapshot: ${Math.round(snapshotBytes / 1000)} kB`);

await using browser = await chromium.launch(chromiumOptions());

const openings: Opening[] = [];
for (let round = 0; round < ROUNDS; round++) openings.push(await measureOpening(browser, dev));
const typical = openings.toSorted((left, right) => left.busy.cpuMs - right.busy.cpuMs)[
	Math.floor(ROUNDS / 2)
];
if (typical !== undefined) {
	const { busy, longestTask, elements } = typical;
	console.log(
		`opening a conversation, until 2 s after it is shown, median of ${ROUNDS}: all tasks of the page's main thread ` +
			`${describe(busy)}; the longest ${describe(longestTask)}; ${elements} elements`,
	);
}

for (const atOnce of [1, 20]) {
	const typings: Typing[] = [];
	for (let round = 0; round < TYPING_ROUNDS; round++) {
		typings.push(
			await measureTyping(browser, dev, () =>
				burst(dev, { messages: BURST, conversations: CONVERSATIONS, atOnce }),
			),
		);
	}
	const keystrokes = typings.flatMap((typing) => typing.keystrokes);
	const longestTask = longestOf(typings.map((typing) => typing.longestTask));
	const typicalKeystroke = {
		cpuMs: median(keystrokes.map(({ cpuMs }) => cpuMs)),
		wallMs: median(keystrokes.map(({ wallMs }) => wallMs)),
	};
	const late = keystrokes.filter(({ wallMs }) => wallMs > 100).length;
	console.log(
		`typing during bursts of ${BURST} messages, ${atOnce} at once: ${keystrokes.length} keystrokes, until the next frame ` +
			`is rendered: median ${describe(typicalKeystroke)}, longest ${describe(longestOf(keystrokes))}, ` +
			`${late} over 100 ms; the longest task ${describe(longestTask)}`,
	);
}
console.log(`load of the machine: ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`);

function describe({ cpuMs, wallMs }: Times): string {
	return `${Math.round(cpuMs)} ms of CPU (${Math.round(wallMs)} ms)`;
}
