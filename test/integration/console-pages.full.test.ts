import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { auditAccessibility, findSidewaysScrolling, openBrowser, openPage } from "../support/browser.ts";
import { type RunningDevServer, startDev } from "../support/dev-server.ts";

const CONTACT = "+15551234567";
const GROUP = ["+15557654321", "+15557654322"];
/** A message to it always fails. */
const FAILING_CONTACT = "+15550001001";
/** The size of a phone. */
const NARROW = { width: 375, height: 812 };
const WIDE = { width: 1280, height: 800 };

const MODES = [
	{ mode: "light", viewport: WIDE, colorScheme: "light" },
	{ mode: "dark", viewport: WIDE, colorScheme: "dark" },
	{ mode: "light at 375 px", viewport: NARROW, colorScheme: "light" },
	{ mode: "dark at 375 px", viewport: NARROW, colorScheme: "dark" },
] as const;

let dev: RunningDevServer;
let browser: Browser;

beforeAll(async () => {
	dev = await startDev(["--forward-to", "http://127.0.0.1:9/webhooks"]);
	const note = { name: "a note with a rather long name.txt", mimeType: "text/plain", data: "bm90ZQ==" };
	await dev.act({ type: "reply", from: CONTACT, text: "See the note", attachments: [note] });
	const { messages } = dev.client;
	await messages.sendText({ to: CONTACT, text: "Thank you" });
	await messages.sendText({ to: FAILING_CONTACT, text: "Hello" });
	await messages.sendText({ participants: GROUP, text: "Hello to all of you" });
	await dev.act({ type: "request_fault", fault: { kind: "delay", ms: 10 }, times: "always" });
	browser = await openBrowser();
});

afterAll(async () => {
	await browser.close();
	await dev[Symbol.asyncDispose]();
});

/** Expects no accessibility problems and no sideways scrolling. */
async function inspect(page: Page): Promise<void> {
	expect([...(await auditAccessibility(page)), ...(await findSidewaysScrolling(page))]).toEqual([]);
}

describe.each(MODES)("in $mode", ({ viewport, colorScheme }) => {
	test("/ is accessible, with its list, timelines, drawer and menus", async () => {
		const { page, problems } = await openPage(browser, dev.consoleUrl, { viewport, colorScheme });
		await page.getByRole("link", { name: CONTACT }).waitFor();
		await inspect(page);
		await page.getByRole("link", { name: CONTACT }).click();
		await page.getByRole("textbox", { name: `Write as ${CONTACT}` }).waitFor();
		await inspect(page);
		for (const menu of ["Gateway time", "fault", "Settings", "Mapping"]) {
			await page.getByRole("button", { name: menu }).click();
			await page.getByRole("dialog").waitFor();
			await inspect(page);
			await page.keyboard.press("Escape");
		}
		for (const row of ["Details of the message", "inbound_message", "messages.sendText 202"]) {
			await page.getByRole("button", { name: row }).first().click();
			await page.getByRole("complementary").waitFor();
			await inspect(page);
			await page.getByRole("button", { name: "Close" }).click();
			await page.getByRole("complementary").waitFor({ state: "detached" });
		}
		await page.goto(`${dev.consoleUrl}&conversation=`);
		await page.getByRole("heading", { name: "All activity" }).waitFor();
		await inspect(page);
		expect(problems).toEqual([]);
		await page.context().close();
	});

	test("/docs is accessible, before and after a call", async () => {
		const url = `${dev.baseUrl}/docs#agents.list`;
		const { page, problems } = await openPage(browser, url, { viewport, colorScheme });
		await page.getByLabel("App Secret", { exact: true }).fill(dev.appSecret);
		await inspect(page);
		await page.getByRole("button", { name: "Send", exact: true }).click();
		await page.getByRole("region", { name: "Response" }).getByText("200 OK").waitFor();
		await inspect(page);
		expect(problems).toEqual([]);
		await page.context().close();
	});
});

test("dark is dark, and light is light", async () => {
	for (const path of ["/", "/docs"]) {
		const light = await backgroundOf(path, "light");
		const dark = await backgroundOf(path, "dark");
		expect(light).toBeGreaterThan(200);
		expect(dark).toBeLessThan(60);
	}
});

/** How bright the page's background is, from 0 to 255. */
async function backgroundOf(path: string, colorScheme: "light" | "dark"): Promise<number> {
	const { page } = await openPage(browser, `${dev.baseUrl}${path}`, { colorScheme });
	// Painted, because a colour has many notations.
	const brightness = await page.evaluate(() => {
		const context = new OffscreenCanvas(1, 1).getContext("2d");
		if (context === null) return -1;
		context.fillStyle = getComputedStyle(document.body).backgroundColor;
		context.fillRect(0, 0, 1, 1);
		const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
		return (red + green + blue) / 3;
	});
	await page.context().close();
	return brightness;
}
