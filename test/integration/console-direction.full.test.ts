import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, openPage } from "../support/browser.ts";
import { type RunningDevServer, startDev } from "../support/dev-server.ts";

const CONTACT = "+15551234567";
const HEBREW = "שלום 123!";

let dev: RunningDevServer;
let browser: Browser;
let page: Page;

beforeAll(async () => {
	dev = await startDev();
	const note = { name: "שלום.txt", mimeType: "text/plain", data: "bm90ZQ==" };
	await dev.act({ type: "reply", from: CONTACT, text: HEBREW, attachments: [note] });
	browser = await openBrowser();
	const url = `${dev.consoleUrl}&conversation=${encodeURIComponent(CONTACT)}`;
	({ page } = await openPage(browser, url));
});

afterAll(async () => {
	await browser.close();
	await dev[Symbol.asyncDispose]();
});

function directionOf(element: Locator): Promise<string> {
	return element.evaluate((found) => getComputedStyle(found).direction);
}

test("a text from right to left has its direction in the bubble, the list, the file name and the draft", async () => {
	const composer = page.getByRole("textbox", { name: `Write as ${CONTACT}` });
	await composer.fill(HEBREW);
	const bubble = page.getByRole("region", { name: `Messages with ${CONTACT}` });
	for (const element of [
		composer,
		bubble.getByText(HEBREW),
		bubble.getByText("שלום.txt"),
		page.getByRole("link", { name: CONTACT }).getByText(HEBREW),
	]) {
		expect(await directionOf(element)).toBe("rtl");
	}
});

test("the page, and a text from left to right, keep theirs", async () => {
	expect(await directionOf(page.locator("body"))).toBe("ltr");
	expect(await directionOf(page.getByRole("heading", { name: CONTACT }))).toBe("ltr");
});
