import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import type { RunningDevServer } from "../../test/support/dev-server.ts";
import { OPENED_CONTACT } from "./fill.ts";

/** How long something took, in milliseconds. */
export interface Times {
	/** Of the thread alone: what others do on the machine does not count. */
	readonly cpuMs: number;
	readonly wallMs: number;
}

/** What typing felt like. */
export interface Typing {
	/** From each key event to the end of the task that renders the next frame; the CPU is that of the page's main thread. */
	readonly keystrokes: readonly Times[];
	readonly longestTask: Times;
}

/** What opening the page cost. */
export interface Opening {
	/** All tasks of the main thread: scripts, styles, layout, painting. */
	readonly busy: Times;
	readonly longestTask: Times;
	readonly elements: number;
}

interface Task extends Times {
	readonly startMs: number;
}

interface TraceEvent {
	readonly name: string;
	readonly pid: number;
	readonly tid: number;
	/** Its kind: `b` and `e` begin and end what has an id. */
	readonly ph: string;
	readonly id2?: { readonly local?: string };
	/** In microseconds, as `dur`. */
	readonly ts: number;
	readonly dur?: number;
	/** The time of the thread alone. */
	readonly tdur?: number;
	readonly args: { readonly name?: string };
}

const REST_MS = 2_000;
/** The category of the trace that has every task. */
const TASKS = "disabled-by-default-devtools.timeline";
/** That of what the page measures. */
const MEASURES = "blink.user_timing";
/** What the page writes from a key event to the next animation frame, whose task then renders. */
const KEYSTROKE = "keystroke";
const KEY_INTERVAL_MS = 40;

const COMPOSER = `[aria-label="Write as ${OPENED_CONTACT}"]`;

/** Opens a conversation in a new page. */
export async function measureOpening(browser: Browser, dev: RunningDevServer): Promise<Opening> {
	const page = await newPage(browser);
	await browser.startTracing(page, { categories: [TASKS] });
	await openConversation(page, dev);
	const tasks = readTasks(await browser.stopTracing());
	const elements = await page.locator("*").count();
	await page.context().close();
	return {
		busy: combine(tasks, (times) => times.reduce((sum, time) => sum + time, 0)),
		longestTask: longestOf(tasks),
		elements,
	};
}

/** The longest of all, in CPU and in wall time. */
export function longestOf(tasks: readonly Times[]): Times {
	return combine(tasks, (times) => Math.max(0, ...times));
}

function combine(tasks: readonly Times[], toOne: (times: readonly number[]) => number): Times {
	return { cpuMs: toOne(tasks.map(({ cpuMs }) => cpuMs)), wallMs: toOne(tasks.map(({ wallMs }) => wallMs)) };
}

/** The main threads' tasks in a trace. No other page is open. */
function readTasks(trace: Buffer): Task[] {
	const traceEvents = readEvents(trace);
	const mainThreads = traceEvents
		.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain")
		.map(({ pid, tid }) => `${pid} ${tid}`);
	return traceEvents
		.filter(({ name, pid, tid }) => name === "RunTask" && mainThreads.includes(`${pid} ${tid}`))
		.map(({ ts, dur = 0, tdur = 0 }) => ({ startMs: ts / 1_000, wallMs: dur / 1_000, cpuMs: tdur / 1_000 }));
}

/** From each key event, of which the page writes the time, to the end of the task with the next animation frame. */
function readKeystrokes(trace: Buffer, tasks: readonly Task[]): Times[] {
	const starts = new Map<string, number>();
	return readEvents(trace).flatMap(({ name, ph, ts, id2 }) => {
		if (name !== KEYSTROKE || id2?.local === undefined) return [];
		if (ph === "b") starts.set(id2.local, ts / 1_000);
		const startMs = starts.get(id2.local);
		if (ph !== "e" || startMs === undefined) return [];
		const frameMs = ts / 1_000;
		const frame = tasks.find((task) => task.startMs <= frameMs && frameMs <= task.startMs + task.wallMs);
		if (frame === undefined) throw new Error("the trace lacks the task of a frame");
		const endMs = frame.startMs + frame.wallMs;
		return [{ wallMs: endMs - startMs, cpuMs: cpuBetween(tasks, startMs, endMs) }];
	});
}

/** A task that is cut by the beginning counts in proportion. */
function cpuBetween(tasks: readonly Task[], startMs: number, endMs: number): number {
	const cpu = tasks.map((task) => {
		const shared = Math.min(endMs, task.startMs + task.wallMs) - Math.max(startMs, task.startMs);
		return shared <= 0 ? 0 : task.cpuMs * (shared / task.wallMs);
	});
	return cpu.reduce((sum, ms) => sum + ms, 0);
}

function readEvents(trace: Buffer): TraceEvent[] {
	const { traceEvents }: { traceEvents: TraceEvent[] } = JSON.parse(trace.toString());
	return traceEvents;
}

/** Types while `disturb` runs. */
export async function measureTyping(
	browser: Browser,
	dev: RunningDevServer,
	disturb: () => Promise<void>,
): Promise<Typing> {
	const page = await newPage(browser);
	await openConversation(page, dev);
	await page.locator(COMPOSER).focus();
	// Event Timing ends with the presentation, for which a browser without a screen takes up to a second on a quiet page.
	await page.evaluate((measure) => {
		addEventListener(
			"keydown",
			({ timeStamp }) => requestAnimationFrame(() => performance.measure(measure, { start: timeStamp })),
			{ capture: true },
		);
	}, KEYSTROKE);
	await browser.startTracing(page, { categories: [TASKS, MEASURES] });
	let isOver = false;
	const end = disturb().finally(() => {
		isOver = true;
	});
	while (!isOver) {
		await Promise.all([page.keyboard.press("a"), sleep(KEY_INTERVAL_MS)]);
	}
	await end;
	await sleep(REST_MS);
	const trace = await browser.stopTracing();
	await page.context().close();
	const tasks = readTasks(trace);
	return { keystrokes: readKeystrokes(trace, tasks), longestTask: longestOf(tasks) };
}

async function newPage(browser: Browser): Promise<Page> {
	const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
	page.setDefaultTimeout(60_000);
	return page;
}

/** Opens the conversation, and waits until it has been shown for a while. */
async function openConversation(page: Page, { consoleUrl }: RunningDevServer): Promise<void> {
	await page.goto(`${consoleUrl}&conversation=${encodeURIComponent(OPENED_CONTACT)}`);
	await page.locator(COMPOSER).waitFor();
	await page.locator(".bubble-text").last().waitFor();
	await sleep(REST_MS);
}
