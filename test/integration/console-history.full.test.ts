import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import { CONTROL_VERSION, CONTROL_VERSION_HEADER } from "../../src/tools/control/contract.ts";
import { auditAccessibility, openBrowser, openPage, type WatchedPage } from "../support/browser.ts";
import { type RunningDevServer, startDev } from "../support/dev-server.ts";
import { type RunningServer, serve } from "../support/serve.ts";

const EARLY_CONTACT = "+15557770011";
const LATE_CONTACT = "+15557770012";
const FAILING_CONTACT = "+15550001001";
const EARLY_MESSAGES = 150;
/** More than a snapshot holds. */
const LATE_MESSAGES = 230;
const OTHER_CONTACTS = 40;
const CONTROL_TOKEN = "a-token-that-a-restart-keeps";

let browser: Browser;
let dev: RunningDevServer;
let receiver: RunningServer;
let opened: WatchedPage[] = [];

beforeAll(async () => {
	browser = await openBrowser();
	receiver = await serve((_, response) => void response.end());
	dev = await startDev(["--no-rules", "--forward-to", receiver.url]);
	const write = async (from: string, times: number): Promise<void> => {
		for (let at = 1; at <= times; at++) await dev.act({ type: "reply", from, text: `Message no ${at}.` });
	};
	await write(EARLY_CONTACT, EARLY_MESSAGES);
	for (let at = 0; at < OTHER_CONTACTS; at++) await write(`+1555777${1000 + at}`, 1);
	await write(LATE_CONTACT, LATE_MESSAGES);
	await dev.client.messages.sendText({ to: FAILING_CONTACT, text: "Nobody gets this" });
	await dev.act({ type: "settle" });
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

async function openConversation(contact: string): Promise<Page> {
	const watched = await openPage(browser, `${dev.consoleUrl}&conversation=${encodeURIComponent(contact)}`);
	opened.push(watched);
	return watched.page;
}

const threadOf = (page: Page, contact: string): Locator =>
	page.getByRole("region", { name: `Messages with ${contact}` });

const note = (name: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from("a note") });

/** Focuses the row of the timeline that is its tab stop. */
async function focusNewest(thread: Locator): Promise<void> {
	await thread.locator('[data-row][tabindex="0"]').focus();
}

/** Presses Home until the first message is shown, and each time waits until more is loaded. */
async function scrollToFirst(thread: Locator): Promise<void> {
	await focusNewest(thread);
	await expect
		.poll(async () => {
			await thread.page().keyboard.press("Home");
			// Read at once: while more is added above, the first message may be there for a moment, out of sight.
			return thread.evaluate(
				({ scrollTop, textContent }) => scrollTop < 80 && textContent?.includes("Message no 1."),
			);
		})
		.toBe(true);
}

test("messages that are too old for the snapshot are there, and are counted", async () => {
	const page = await openConversation(EARLY_CONTACT);
	const thread = threadOf(page, EARLY_CONTACT);
	await thread.getByText(`Message no ${EARLY_MESSAGES}.`).waitFor();
	const last = thread.getByRole("listitem").last();
	const query = new URLSearchParams({ conversation: EARLY_CONTACT, limit: "1" });
	const { items, older } = await (await dev.control(`messages?${query}`)).json();
	const webhooks = await (await dev.control(`deliveries?${query}`)).json();
	expect(older).toBeGreaterThanOrEqual(EARLY_MESSAGES - 1);
	const total = String(older + webhooks.older + 2);
	await expect.poll(() => last.getAttribute("aria-posinset")).toBe(total);
	expect(await last.getAttribute("aria-setsize")).toBe(total);
	await page.getByRole("link", { name: EARLY_CONTACT }).getByText(items[0].text).waitFor();
	await scrollToFirst(thread);
	expect(await thread.getByRole("listitem").count()).toBeLessThan(60);
	expect(await auditAccessibility(page)).toEqual([]);
});

test("what is read stays in its place while older messages are loaded", async () => {
	const page = await openConversation(LATE_CONTACT);
	const thread = threadOf(page, LATE_CONTACT);
	await thread.getByText(`Message no ${LATE_MESSAGES}.`).waitFor();
	let answer = (): void => {};
	await page.route("**/_local/messages*", async (route) => {
		await new Promise<void>((resolve) => {
			answer = resolve;
		});
		await route.continue();
	});
	await focusNewest(thread);
	await page.keyboard.press("Home");
	await page.getByRole("status").getByText("Loading older entries…").waitFor();
	// The oldest of those that are loaded.
	const oldest = thread.getByText(/^Message no \d+\.$/).first();
	const text = (await oldest.textContent()) ?? "";
	const before = await oldest.boundingBox();
	answer();
	await page.getByText("Loading older entries…").waitFor({ state: "detached" });
	const after = await thread.getByText(text, { exact: true }).boundingBox();
	// It is no longer the first of the day, so the space above it is 10 px smaller.
	expect(Math.abs((after?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(12);
});

test("older messages that could not be loaded are loaded on demand", async () => {
	const page = await openConversation(LATE_CONTACT);
	const thread = threadOf(page, LATE_CONTACT);
	await thread.getByText(`Message no ${LATE_MESSAGES}.`).waitFor();
	const error = { code: "internal", message: "The control of the gateway failed.", requestId: "1" };
	const headers = { [CONTROL_VERSION_HEADER]: CONTROL_VERSION };
	await page.route("**/_local/messages*", (route) =>
		route.fulfill({ status: 500, headers, json: { ok: false, error } }),
	);
	await focusNewest(thread);
	await page.keyboard.press("Home");
	await page.getByRole("status").getByText(error.message).waitFor();
	opened = opened.map(({ page: shown }) => ({ page: shown, problems: [] }));
	await page.unroute("**/_local/messages*");
	await page.getByRole("button", { name: "Try again" }).click();
	await scrollToFirst(thread);
});

test("a new message is shown at the end, and does not move what is read above", async () => {
	const page = await openConversation(EARLY_CONTACT);
	const thread = threadOf(page, EARLY_CONTACT);
	await thread.getByText(`Message no ${EARLY_MESSAGES}.`).waitFor();
	await dev.act({ type: "reply", from: EARLY_CONTACT, text: "Shown at once" });
	await expect.poll(() => thread.getByText("Shown at once").isVisible()).toBe(true);
	await scrollToFirst(thread);
	await dev.act({ type: "reply", from: EARLY_CONTACT, text: "Further below" });
	await page.getByRole("link", { name: EARLY_CONTACT }).getByText("Further below").waitFor();
	expect(await thread.getByText("Message no 1.", { exact: true }).isVisible()).toBe(true);
	await page.getByRole("button", { name: "Newest" }).click();
	await expect.poll(() => thread.getByText("Further below").isVisible()).toBe(true);
});

test("what is read stays where it is while the gateway starts again", async () => {
	const folder = mkdtempSync(join(tmpdir(), "messaging-gateway-history-"));
	onTestFinished(() => rmSync(folder, { recursive: true }));
	const args = ["--no-rules", "--state", join(folder, "gateway.json"), "--control-token", CONTROL_TOKEN];
	await using before = await startDev(args);
	for (let at = 1; at <= EARLY_MESSAGES; at++)
		await before.act({ type: "reply", from: EARLY_CONTACT, text: `Message no ${at}.` });
	const url = `${before.consoleUrl}&conversation=${encodeURIComponent(EARLY_CONTACT)}`;
	const { page } = await openPage(browser, url);
	const thread = threadOf(page, EARLY_CONTACT);
	await thread.getByText(`Message no ${EARLY_MESSAGES}.`).waitFor();
	await scrollToFirst(thread);
	await before.end("SIGTERM");
	await page.getByText("Reconnecting…").waitFor();
	const isLoadedAgain = page.waitForResponse((response) => response.url().includes("/_local/messages?"));
	await using after = await startDev([...args, "--port", new URL(before.baseUrl).port]);
	await isLoadedAgain;
	await after.act({ type: "reply", from: EARLY_CONTACT, text: "After the restart" });
	await page.getByRole("link", { name: EARLY_CONTACT }).getByText("After the restart").waitFor();
	expect(await thread.getByText("Message no 1.", { exact: true }).isVisible()).toBe(true);
	await page.getByRole("button", { name: "Newest" }).click();
	await expect.poll(() => thread.getByText("After the restart").isVisible()).toBe(true);
	await page.context().close();
});

test("a message that is found is shown in its place, and the newest remain reachable", async () => {
	const page = await openConversation(EARLY_CONTACT);
	await page.getByRole("searchbox", { name: "Search contacts" }).fill("message NO 17.");
	const found = page.getByRole("region", { name: "Found" });
	await found.getByText("4 in messages, webhooks and requests").waitFor();
	// The message stands before its webhook.
	await found.getByRole("link", { name: LATE_CONTACT }).first().click();
	await page.getByRole("complementary", { name: "Message of the contact" }).waitFor();
	const thread = threadOf(page, LATE_CONTACT);
	await expect.poll(() => thread.getByText("Message no 17.", { exact: true }).isVisible()).toBe(true);
	await page.getByRole("button", { name: "Newest" }).click();
	await expect.poll(() => thread.getByText(`Message no ${LATE_MESSAGES}.`).isVisible()).toBe(true);
	await page.getByRole("searchbox", { name: "Search contacts" }).fill("1555777102");
	await page.getByText("10 contacts").waitFor();
});

test("what is written while a message is sent is kept for the next one", async () => {
	const page = await openConversation(EARLY_CONTACT);
	const responds = Promise.withResolvers<void>();
	await page.route("**/_local/actions", async (route) => {
		await responds.promise;
		await route.continue();
	});
	const field = page.getByRole("textbox", { name: `Write as ${EARLY_CONTACT}` });
	await field.fill("The first");
	await page.getByLabel("Files to attach").setInputFiles([note("one.txt")]);
	await page.getByRole("list", { name: "Attached files" }).getByText("one.txt").waitFor();
	await field.press("Enter");
	await field.press("End");
	await field.pressSequentially(", the next");
	await page.getByLabel("Files to attach").setInputFiles([note("two.txt")]);
	const files = page.getByRole("list", { name: "Attached files" }).getByRole("listitem");
	await expect.poll(() => files.count()).toBe(2);
	responds.resolve();
	await expect.poll(() => field.inputValue()).toBe(", the next");
	await expect.poll(() => files.allTextContents()).toEqual([expect.stringContaining("two.txt")]);
	await threadOf(page, EARLY_CONTACT).getByText("The first", { exact: true }).waitFor();
});

test("conversations with a failed message are shown alone", async () => {
	const page = await openConversation(EARLY_CONTACT);
	await page.getByRole("button", { name: "Failed", exact: true }).click();
	const list = page.getByRole("list", { name: "Contacts" });
	await page.getByText("1 contact", { exact: true }).waitFor();
	await list.getByRole("link", { name: FAILING_CONTACT }).getByText("1 failed").waitFor();
	await page.getByRole("region", { name: "Found" }).getByText("Nobody gets this").waitFor();
});

test("the keyboard moves through all conversations, of which few are in the page", async () => {
	const page = await openConversation(LATE_CONTACT);
	const list = page.getByRole("list", { name: "Contacts" });
	const focused = page.locator(".contact-row:focus");
	await list.getByRole("link", { name: LATE_CONTACT }).focus();
	await page.keyboard.press("End");
	await focused.getByText(EARLY_CONTACT).or(focused.getByText("+15557771")).first().waitFor();
	expect(await list.getByRole("listitem").count()).toBeLessThan(OTHER_CONTACTS);
	const position = await list.getByRole("listitem").last().getAttribute("aria-posinset");
	expect(position).toBe(String(OTHER_CONTACTS + 3));
	await page.keyboard.press("Home");
	await page.keyboard.press("ArrowDown");
	const second = await list.locator('[aria-posinset="1"] a').getAttribute("href");
	await expect.poll(() => focused.getAttribute("href")).toBe(second);
	await page.keyboard.press("Enter");
	await expect.poll(() => page.url()).toContain(second);
});

test("keys that come before the next frame move the focus, too", async () => {
	const page = await openConversation(LATE_CONTACT);
	const list = page.getByRole("list", { name: "Contacts" });
	await list.getByRole("link", { name: LATE_CONTACT }).focus();
	const focused = await page.evaluate(async () => {
		for (const key of ["End", "Home", "ArrowDown"]) {
			document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
			// A task, as a key has one of its own.
			await new Promise((resolve) => {
				const { port1, port2 } = new MessageChannel();
				port1.onmessage = resolve;
				port2.postMessage(null);
			});
		}
		return document.activeElement?.getAttribute("href");
	});
	expect(focused).toBe(await list.locator('[aria-posinset="1"] a').getAttribute("href"));
});

test.each([
	{ how: "Escape", width: 1280 },
	{ how: "All contacts", width: 375 },
])("who leaves a thread by $how is at its row in the list", async ({ how, width }) => {
	const page = await openConversation(LATE_CONTACT);
	await page.setViewportSize({ width, height: 800 });
	const composer = page.getByRole("textbox", { name: `Write as ${LATE_CONTACT}` });
	await composer.focus();
	if (how === "Escape") await page.keyboard.press("Escape");
	else await page.getByRole("button", { name: how }).click();
	await composer.waitFor({ state: "detached" });
	const focused = page.locator(".contact-row:focus");
	await expect.poll(() => focused.textContent()).toContain(LATE_CONTACT);
	await page.keyboard.press("Enter");
	await composer.waitFor();
});

test("all activity is reachable, and a few rows of it are in the page", async () => {
	const page = await openConversation("");
	const thread = page.getByRole("region", { name: "Entries of all contacts" });
	await thread.getByText("Nobody gets this").waitFor();
	await scrollToFirst(thread);
	await thread.getByText(EARLY_CONTACT).first().waitFor();
	expect(await thread.getByRole("listitem").count()).toBeLessThan(60);
});

test("the keyboard reaches a row within 8 stops, moves between rows, and opens and closes the drawer", async () => {
	const page = await openConversation(EARLY_CONTACT);
	const thread = threadOf(page, EARLY_CONTACT);
	await thread.locator('[data-row][tabindex="0"]').waitFor();
	const focusedRow = (): Promise<string | null | undefined> =>
		page.evaluate(() =>
			document.activeElement?.closest(".timeline-scroll [data-row]")?.getAttribute("data-row"),
		);
	let stops = 0;
	do {
		await page.keyboard.press("Tab");
		stops++;
	} while ((await focusedRow()) === undefined && stops < 20);
	expect(stops).toBeLessThanOrEqual(8);
	const newest = await focusedRow();
	await page.keyboard.press("ArrowUp");
	const previous = await focusedRow();
	expect(Number(previous)).toBeLessThan(Number(newest));
	await page.keyboard.press("Enter");
	await page.locator("#drawer-title:focus").waitFor();
	expect(page.url()).toContain(`at=${previous}`);
	await page.keyboard.press("Escape");
	await page.getByRole("complementary").waitFor({ state: "detached" });
	await expect.poll(focusedRow).toBe(previous);
	await page.keyboard.press("Enter");
	await page.getByRole("complementary").waitFor();
	await page.goBack();
	await page.getByRole("complementary").waitFor({ state: "detached" });
	expect(page.url()).toContain("conversation=");
});
