import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, openPage } from "../support/browser.ts";
import { type RunningDevServer, startDev } from "../support/dev-server.ts";
import { serve } from "../support/serve.ts";

const CONTACT = "+15551234567";

let dev: RunningDevServer;
let browser: Browser;

beforeAll(async () => {
	dev = await startDev();
	await dev.act({ type: "reply", from: CONTACT, text: "Hi" });
	browser = await openBrowser();
});

afterAll(async () => {
	await browser.close();
	await dev[Symbol.asyncDispose]();
});

async function openConversation({ consoleUrl }: RunningDevServer = dev): Promise<Page> {
	const { page } = await openPage(browser, `${consoleUrl}&conversation=${encodeURIComponent(CONTACT)}`);
	await page.getByRole("textbox", { name: `Write as ${CONTACT}` }).waitFor();
	return page;
}

test("both sides of a chat are labelled", async () => {
	const page = await openConversation();
	const thread = page.getByRole("region", { name: CONTACT, exact: true });
	expect(await thread.getByText("← Contact", { exact: true }).count()).toBe(1);
	expect(await thread.getByText("Your app, as the agent →", { exact: true }).count()).toBe(1);
	await page.context().close();
});

test("the tools can be hidden, which this browser keeps", async () => {
	const page = await openConversation();
	const tools = page.getByRole("region", { name: "Tools" });
	await page.getByRole("button", { name: "Hide tools" }).click();
	await tools.waitFor({ state: "hidden" });
	await page.reload();
	await page.getByRole("button", { name: "Show tools" }).waitFor();
	expect(await tools.isVisible()).toBe(false);
	await page.getByRole("button", { name: "Show tools" }).click();
	await tools.waitFor();
	await page.context().close();
});

test("a webhook is one line: who, what and the text, and a failing one is tinted", async () => {
	await using receiver = await serve((_, response) => void response.writeHead(500).end());
	await using failing = await startDev(["--forward-to", receiver.url]);
	await failing.act({ type: "reply", from: CONTACT, text: "Is anybody\nthere?" });
	const page = await openConversation(failing);
	const row = page.getByRole("list", { name: "Webhooks, the newest first" }).locator("summary");
	await row.getByText("500").waitFor();
	expect(await row.innerText()).toMatch(/\+15551234567\s+inbound_message\s+Is anybody there\?\s/);
	expect(await row.innerText()).not.toContain("evt_");
	expect((await row.boundingBox())?.height).toBeLessThan(48);
	expect(await page.locator(".delivery.is-failing").count()).toBe(1);
	await row.click();
	await page.getByText(/^Event evt_/).waitFor();
	await page.context().close();
});

test("every page has an icon of its own document", async () => {
	for (const path of ["/", "/docs", "/explain"]) {
		const html = await (await fetch(dev.baseUrl + path)).text();
		expect(html).toMatch(/<link rel="icon" href="data:image\/svg\+xml,[^"]+">/);
	}
});
