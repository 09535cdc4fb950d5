import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser, openPage } from "../support/browser.ts";
import { type RunningDevServer, startDev } from "../support/dev-server.ts";

let browser: Browser;

beforeAll(async () => {
	browser = await openBrowser();
});

afterAll(async () => {
	await browser.close();
});

async function openConversation({ consoleUrl }: RunningDevServer, contact: string): Promise<Page> {
	const { page } = await openPage(browser, `${consoleUrl}&conversation=${encodeURIComponent(contact)}`);
	return page;
}

describe("messages without a reply", () => {
	const contact = "+15550001007";

	test.each([
		[["--no-rules"], "No limit: the rule is off.", "The next send is blocked"],
		[[], "The next send is blocked until the contact writes.", "No limit"],
	])("with %j the page shows: %s", async (args, shown, hidden) => {
		await using dev = await startDev(args);
		for (let at = 0; at < 5; at++) await dev.client.messages.sendText({ to: contact, text: `Text ${at}` });
		const page = await openConversation(dev, contact);
		await page.getByRole("button", { name: "Mapping" }).click();
		await page.getByText(shown).waitFor();
		expect(await page.getByText(hidden).count()).toBe(0);
		await page.context().close();
	});
});

test("a reset returns the clock to this machine's time, and does not report anything else", async () => {
	await using dev = await startDev();
	const { page } = await openPage(browser, dev.consoleUrl);
	const offset = page.getByRole("button", { name: "Gateway time" }).getByText("1 h ahead");
	await page.getByRole("button", { name: "Gateway time" }).click();
	await page.getByRole("button", { name: "+1 h" }).click();
	await offset.waitFor();
	await page.getByRole("button", { name: "Settings" }).click();
	await page.getByRole("button", { name: "Reset…" }).click();
	await page.getByRole("button", { name: "Reset", exact: true }).click();
	await offset.waitFor({ state: "detached" });
	await page.context().close();
});
