import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openBrowser, openPage } from "../support/browser.ts";
import { type RunningDevServer, startDev } from "../support/dev-server.ts";

/** Below it the response is under the form. */
const ONE_COLUMN = { width: 1024, height: 620 };

let dev: RunningDevServer;
let browser: Browser;
let page: Page;

beforeAll(async () => {
	dev = await startDev();
	browser = await openBrowser();
});

afterAll(async () => {
	await browser.close();
	await dev[Symbol.asyncDispose]();
});

afterEach(async () => {
	await page.context().close();
});

async function openOperation(id: string): Promise<void> {
	const token = dev.authorization.replace("Bearer ", "");
	const url = `${dev.baseUrl}/docs#token=${token}&${id}`;
	({ page } = await openPage(browser, url, { viewport: ONE_COLUMN }));
	await page.getByText("secret set").waitFor();
}

async function sendText(text: string): Promise<void> {
	await page.getByRole("textbox", { name: "text", exact: true }).fill(text);
	await page.getByRole("button", { name: "Send", exact: true }).click();
}

test("the status appears beside Send, with the way to a response that is out of sight", async () => {
	await openOperation("messages.sendText");
	await sendText("Beside Send");
	const status = page.getByRole("status").filter({ hasText: "202 Accepted" });
	await status.waitFor();
	const response = page.getByRole("heading", { name: "Response", exact: true });
	const isInView = (): Promise<boolean> =>
		response.evaluate((heading) => heading.getBoundingClientRect().bottom < innerHeight);
	await page.evaluate(() => scrollTo(0, 0));
	expect(await isInView()).toBe(false);
	await status.getByRole("button", { name: "Show the response" }).click();
	expect(await isInView()).toBe(true);
	expect(await response.evaluate((heading) => heading === document.activeElement)).toBe(true);
});

test("the base URL is shown, and cannot be changed to one that the policy blocks", async () => {
	await openOperation("agents.list");
	await page.getByText("Connection", { exact: true }).click();
	await page.getByText(`Calls go to ${dev.baseUrl}`).waitFor();
	expect(await page.locator('input[type="url"]').count()).toBe(0);
});

test("the gateway's sentence is shown once for a rejected call", async () => {
	await openOperation("messages.sendText");
	await sendText("Twice");
	await page.getByRole("region", { name: "Response" }).getByText("202 Accepted").waitFor();
	await sendText("Twice");
	const response = page.getByRole("region", { name: "Response" });
	await response.getByText("409 Conflict").waitFor();
	const sentence = "Blocked by the duplicate rule";
	expect((await response.innerText()).split(sentence)).toHaveLength(2);
	await response.getByText("Response body").click();
	expect(await response.locator("pre").first().innerText()).toContain(sentence);
});
