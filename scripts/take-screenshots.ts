/** Takes the pictures of the console in README.md and CONTRIBUTING.md. It needs `npm run build` first. */
import { writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { openBrowser, openPage } from "../test/support/browser.ts";
import { type RunningDevServer, startDev } from "../test/support/dev-server.ts";
import { serve } from "../test/support/serve.ts";
import { serveResources } from "../test/support/shared/serve-resources.ts";
import { drawPicture } from "./screenshots/draw-picture.ts";
import { CONTACT, FAILED_TEXT, fillConversations } from "./screenshots/fill-conversations.ts";
import { hashConsole, PICTURED } from "./screenshots/hash-console.ts";

/** Sharp at the width of a page, and still below 250 kB each. */
const SCALE = 1.25;

const SCHEMES = ["light", "dark"] as const;

let failures = 0;
await using receiver = await serve(async (request, response) => {
	const fails = (await text(request)).includes(FAILED_TEXT) && failures++ === 0;
	response.writeHead(fails ? 500 : 200).end();
});
await using dev = await startDev(["--no-rules", "--forward-to", `${receiver.url}/webhooks`]);
await using _resources = await serveResources();
await using browser = await openBrowser();
await fillConversations(dev, await drawPicture(browser));
// All conversations first, because the call changes them.
for (const scheme of SCHEMES)
	await take("conversations", await showConversation(browser, dev, scheme), scheme);
for (const scheme of SCHEMES) await take("api", await showCall(browser, dev, scheme), scheme);
writeFileSync(PICTURED, `${JSON.stringify({ console: hashConsole() }, null, "\t")}\n`);

/** A timeline, and in the drawer the webhook that was delivered again. */
async function showConversation(
	browser: Browser,
	dev: RunningDevServer,
	scheme: "light" | "dark",
): Promise<Page> {
	const page = await open(browser, `${dev.consoleUrl}&conversation=${encodeURIComponent(CONTACT)}`, scheme);
	await page.getByRole("img", { name: "bicycle.png" }).waitFor();
	await page.getByRole("button", { name: "2 attempts" }).click();
	await page.getByText("Correctly signed").last().waitFor();
	return page;
}

/** A call that was signed and sent; its short response leaves room for the signing steps. */
async function showCall(browser: Browser, dev: RunningDevServer, scheme: "light" | "dark"): Promise<Page> {
	const page = await open(browser, `${dev.baseUrl}/docs#messages.markRead`, scheme);
	await page.getByLabel("App Secret", { exact: true }).fill(dev.appSecret);
	await page.getByRole("textbox", { name: "to", exact: true }).fill(CONTACT);
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
