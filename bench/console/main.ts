/** `npm run bench:console`: how long the console's page keeps its main thread busy with a long history. */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { chromium, type Page } from "playwright-core";
import { chromiumOptions } from "../../test/support/browser.ts";
import { startDev } from "../../test/support/dev-server.ts";
import { serve } from "../../test/support/serve.ts";
import { median } from "../cases.ts";
import { align } from "../format.ts";
import { report } from "../measure.ts";

const { values } = parseArgs({ options: { messages: { type: "string", default: "10000" } } });
const messages = Number(values.messages);

const CONVERSATIONS = 200;
const ROUNDS = 4;
const REST_MS = 2_000;
const KEY_INTERVAL_MS = 40;

/** The category of the trace that has every task. */
const TASKS = "disabled-by-default-devtools.timeline";

/** The contact whose conversation is opened. */
const CONTACT = contactOf(0);
const COMPOSER = `[aria-label="Write as ${CONTACT}"]`;

await using receiver = await serve((_, response) => void response.end());
await using dev = await startDev(["--no-rules", "--forward-to", receiver.url]);
await using browser = await chromium.launch(chromiumOptions());

report(`Writing ${messages} messages in ${CONVERSATIONS} conversations…`);
await inParallel(messages, 20, async (at) => {
	// The application sends every fourth, the contacts write the others.
	const isSent = Math.floor(at / 2) % 4 === 3;
	await (isSent ? dev.client.messages.sendText({ to: partnerOf(at), text: textOf(at) }) : write(at));
});
await dev.act({ type: "settle" });

/** What is measured on a page of its own, from a ready page on. */
const SUBJECTS: Readonly<
	Record<string, readonly [prepare: (page: Page) => unknown, act: (page: Page) => unknown]>
> = {
	"opening a conversation, until 2 s after it is shown": [() => undefined, openConversation],
	"typing while 300 messages come one at a time": [openConversation, (page) => typeDuring(page, burst(1))],
	"typing while 300 messages come, 20 at once": [openConversation, (page) => typeDuring(page, burst(20))],
};

const rows: string[][] = [];
for (const [name, [prepare, act]] of Object.entries(SUBJECTS)) {
	const rounds: (readonly number[])[] = [];
	for (let round = 0; round < ROUNDS; round++) {
		report(`${name}: round ${round + 1}`);
		const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
		page.setDefaultTimeout(60_000);
		await prepare(page);
		await browser.startTracing(page, { categories: [TASKS] });
		await act(page);
		rounds.push(readTasks(await browser.stopTracing()));
		await page.context().close();
	}
	const total = median(rounds.map((tasks) => tasks.reduce((sum, ms) => sum + ms, 0)));
	rows.push([name, `${Math.round(total)} ms`, `${Math.round(Math.max(...rounds.flat()))} ms`]);
}
const head = ["processor time of the page's main thread", `all tasks, median of ${ROUNDS}`, "longest task"];
console.log(align({ head, rows }));

/** Opens the conversation, and waits until it has been shown for a while. */
async function openConversation(page: Page): Promise<void> {
	await page.goto(`${dev.consoleUrl}&conversation=${encodeURIComponent(CONTACT)}`);
	await page.locator(COMPOSER).waitFor();
	await page.locator(".bubble-text").last().waitFor();
	await sleep(REST_MS);
}

async function typeDuring(page: Page, disturbance: Promise<void>): Promise<void> {
	await page.locator(COMPOSER).focus();
	let isOver = false;
	const end = disturbance.finally(() => {
		isOver = true;
	});
	while (!isOver) await Promise.all([page.keyboard.press("a"), sleep(KEY_INTERVAL_MS)]);
	await end;
	await sleep(REST_MS);
}

function burst(atOnce: number): Promise<void> {
	return inParallel(300, atOnce, write);
}

/** The contact writes. */
function write(at: number): Promise<void> {
	return dev.act({ type: "reply", from: partnerOf(at), text: textOf(at) });
}

/** Half of the messages are in the conversation that is opened, the others in all in turn. */
function partnerOf(at: number): string {
	return contactOf(at % 2 === 0 ? 0 : ((at - 1) / 2) % CONVERSATIONS);
}

function contactOf(at: number): string {
	return `+1555${String(1_000_000 + at)}`;
}

/** From one line to six. */
function textOf(at: number): string {
	return `Message ${at}: ${"something to read, ".repeat(1 + ((at * 7) % 20))}and an end.`;
}

async function inParallel(times: number, atOnce: number, run: (at: number) => Promise<void>): Promise<void> {
	let next = 0;
	const work = async (): Promise<void> => {
		while (next < times) await run(next++);
	};
	await Promise.all(Array.from({ length: atOnce }, work));
}

interface TraceEvent {
	readonly name: string;
	readonly pid: number;
	readonly tid: number;
	/** The time of the thread alone, in microseconds: what others do on the machine does not count. */
	readonly tdur?: number;
	readonly args: { readonly name?: string };
}

/** What each task of the main threads in a trace took of the processor, in milliseconds. No other page is open. */
function readTasks(trace: Buffer): number[] {
	const { traceEvents }: { traceEvents: TraceEvent[] } = JSON.parse(trace.toString());
	const mainThreads = traceEvents
		.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain")
		.map(({ pid, tid }) => `${pid} ${tid}`);
	return traceEvents
		.filter(({ name, pid, tid }) => name === "RunTask" && mainThreads.includes(`${pid} ${tid}`))
		.map(({ tdur = 0 }) => tdur / 1_000);
}
