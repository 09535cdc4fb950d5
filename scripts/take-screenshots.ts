/** Takes the pictures of the console in README.md and CONTRIBUTING.md. It needs `npm run build` first. */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { openBrowser, openPage } from "../test/support/browser.ts";
import { serveResources } from "../test/support/shared/serve-resources.ts";
import { BUYER } from "./demo/conversation.ts";
import { startChat } from "./demo/start-chat.ts";
import { hashConsole, PICTURED } from "./screenshots/hash-console.ts";

/** Sharp at the width of a page, and still below 300 kB each. */
const SCALE = 1.25;

const SCHEMES = ["light", "dark"] as const;

await using chat = await startChat(async () => undefined);
await using _resources = await serveResources();
await using browser = await openBrowser();
await chat.play();
// All conversations first, because the call changes them.
for (const scheme of SCHEMES) await take("conversations", await showFailure(browser, scheme), scheme);
for (const scheme of SCHEMES) await take("api", await showCall(browser, scheme), scheme);
writeFileSync(PICTURED, `${JSON.stringify({ console: hashConsole() }, null, "\t")}\n`);

/** A timeline, and in the drawer the webhook that failed, with its reason and its remedy. */
async function showFailure(browser: Browser, scheme: "light" | "dark"): Promise<Page> {
	const url = `${chat.consoleUrl}&conversation=${encodeURIComponent(BUYER)}`;
	const page = await open(browser, url, scheme);
	await page.getByRole("img", { name: "bicycle.png" }).waitFor();
	await page.getByRole("button", { name: /redirects/ }).click();
	await page.getByText("Correctly signed").last().waitFor();
	return page;
}

/** A call that was signed and sent; its short response leaves room for the signing steps. */
async function showCall(browser: Browser, scheme: "light" | "dark"): Promise<Page> {
	const page = await open(browser, `${chat.baseUrl}/docs#messages.markRead`, scheme);
	await page.getByLabel("App Secret", { exact: true }).fill(chat.appSecret);
	await page.getByRole("textbox", { name: "to", exact: true }).fill(BUYER);
	await page.getByRole("button", { name: "Send", exact: true }).click();
	await page.getByRole("region", { name: "Response" }).getByText("200 OK").waitFor();
	await page.getByRole("heading", { name: "Connection" }).click();
	await page.evaluate(() => scrollTo(0, 0));
	return page;
}

async function open(browser: Browser, url: string, colorScheme: "light" | "dark"): Promise<Page> {
	const { page } = await openPage(browser, url, { colorScheme, deviceScaleFactor: SCALE });
	return page;
}

async function take(name: string, page: Page, scheme: "light" | "dark"): Promise<void> {
	const file = scheme === "light" ? `${name}.png` : `${name}-${scheme}.png`;
	const path = fileURLToPath(new URL(`../docs/images/${file}`, import.meta.url));
	await page.screenshot({ path, caret: "hide" });
	await page.context().close();
	console.log(path);
}
