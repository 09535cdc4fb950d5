import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { openBrowser, openPage, type WatchedPage } from "../support/browser.ts";
import { type RunningDevServer, startDev } from "../support/dev-server.ts";
import { type RunningServer, serve } from "../support/serve.ts";

const CONTACT = "+15557770031";
const PRESSES = 12;
const HOLD_MS = 90;
const MESSAGE_INTERVAL_MS = 330;

let receiver: RunningServer;
let dev: RunningDevServer;
let browser: Browser;
let opened: WatchedPage[] = [];
let written = 0;

beforeAll(async () => {
	receiver = await serve((_, response) => void response.end());
	dev = await startDev(["--forward-to", receiver.url]);
	for (let at = 0; at < 30; at++) await write();
	browser = await openBrowser();
});

afterAll(async () => {
	await browser.close();
	await dev[Symbol.asyncDispose]();
	await receiver[Symbol.asyncDispose]();
});

afterEach(async () => {
	const problems = opened.flatMap((watched) => watched.problems);
	await Promise.all(opened.map(({ page }) => page.context().close()));
	opened = [];
	expect(problems).toEqual([]);
});

/** Writes a message of the contact. @returns its text. */
async function write(): Promise<string> {
	const text = `Message no ${++written}.`;
	await dev.act({ type: "reply", from: CONTACT, text });
	return text;
}

async function open(options?: BrowserContextOptions): Promise<Page> {
	const watched = await openPage(
		browser,
		`${dev.consoleUrl}&conversation=${encodeURIComponent(CONTACT)}`,
		options,
	);
	opened.push(watched);
	await shown(watched.page, `Message no ${written}.`).waitFor();
	return watched.page;
}

function shown(page: Page, text: string): Locator {
	return page.getByRole("region", { name: `Messages with ${CONTACT}` }).getByText(text, { exact: true });
}

/** The middle of a row, and the `sequence` of its entry. */
async function findRow(page: Page): Promise<{ x: number; y: number; sequence: string | null }> {
	const row = page.getByRole("button", { name: "inbound_message" }).last();
	const box = await row.boundingBox();
	if (box === null) throw new Error("The row has no place.");
	const sequence = await row.getAttribute("data-row");
	return { x: box.x + box.width / 2, y: box.y + box.height / 2, sequence };
}

/** The `sequence` of the entry in the drawer. */
function selectedIn(page: Page): string | null {
	return new URLSearchParams(new URL(page.url()).hash.slice(1)).get("at");
}

let bystander: Page;

/** Writes messages that reach the page, but are not shown in it. */
async function writeUnseen(page: Page): Promise<string> {
	await write();
	const text = await write();
	await shown(bystander, text).waitFor();
	await page.evaluate(async () => {
		for (let frames = 0; frames < 20; frames++) await new Promise(requestAnimationFrame);
	});
	expect(await shown(page, text).count()).toBe(0);
	return text;
}

beforeEach(async () => {
	bystander = await open();
});

test.each([1440, 375])("at %i px every press opens its row while messages come", async (width) => {
	const page = await open({ viewport: { width, height: 900 } });
	const timer = setInterval(() => void write(), MESSAGE_INTERVAL_MS);
	await page.evaluate(() => {
		const { dataset } = document.documentElement;
		const note = ({ type, target }: Event) => {
			const row = target instanceof Element ? target.closest("button[data-row]") : null;
			dataset[type] = row?.getAttribute("data-row") ?? "";
		};
		for (const type of ["pointerdown", "click"]) addEventListener(type, note, { capture: true });
	});
	const presses: string[] = [];
	const clicks: string[] = [];
	while (presses.length < PRESSES) {
		const { x, y } = await findRow(page);
		await page.mouse.click(x, y, { delay: HOLD_MS });
		const { pointerdown = "", click = "" } = await page.evaluate(() => ({
			...document.documentElement.dataset,
		}));
		// The row may have moved before the press.
		if (pointerdown === "") continue;
		presses.push(pointerdown);
		clicks.push(click);
		if (click === "") continue;
		await page.getByRole("complementary").waitFor();
		await page.keyboard.press("Escape");
		await page.getByRole("complementary").waitFor({ state: "detached" });
	}
	clearInterval(timer);
	expect(clicks).toEqual(presses);
});

test("what comes during a press is shown once its click has opened the row", async () => {
	const page = await open();
	// The press moves the focus.
	await page.getByRole("searchbox").focus();
	const { x, y, sequence } = await findRow(page);
	await page.mouse.move(x, y);
	await page.mouse.down();
	const text = await writeUnseen(page);
	await page.mouse.up();
	await page.getByRole("complementary", { name: "inbound_message" }).waitFor();
	expect(selectedIn(page)).toBe(sequence);
	await shown(page, text).waitFor();
});

test("a touch opens its row, too", async () => {
	const page = await open({ hasTouch: true, viewport: { width: 375, height: 900 } });
	const { x, y, sequence } = await findRow(page);
	const session = await page.context().newCDPSession(page);
	await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x, y }] });
	await writeUnseen(page);
	await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
	await page.getByRole("complementary", { name: "inbound_message" }).waitFor();
	expect(selectedIn(page)).toBe(sequence);
});

test("the space bar opens its row, too", async () => {
	const page = await open();
	const { sequence } = await findRow(page);
	await page.locator(`[data-row="${sequence}"]`).focus();
	await page.keyboard.down(" ");
	const text = await writeUnseen(page);
	await page.keyboard.up(" ");
	await page.getByRole("complementary", { name: "inbound_message" }).waitFor();
	expect(selectedIn(page)).toBe(sequence);
	await shown(page, text).waitFor();
});

test("a press that never ends lets changes through after a while, and the list stays where it is", async () => {
	const page = await open();
	const scroller = page.getByRole("region", { name: `Messages with ${CONTACT}` });
	await scroller.evaluate((list) => {
		list.scrollTop = 300;
	});
	const first = page.getByRole("button", { name: "inbound_message" }).first();
	await first.hover();
	const before = await first.boundingBox();
	await page.mouse.down();
	await write();
	await page.getByRole("button", { name: "Newest" }).waitFor();
	await expect
		.poll(() => page.getByRole("link", { name: CONTACT }).textContent())
		.toContain(`no ${written}.`);
	expect(await first.boundingBox()).toEqual(before);
});
