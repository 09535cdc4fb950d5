import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser, openPage } from "../support/browser.ts";
import { type RunningDevServer, startDev } from "../support/dev-server.ts";
import { serve } from "../support/serve.ts";

const EARLY_CONTACT = "+15557770011";
const LATE_CONTACT = "+15557770012";
const EARLY_MESSAGES = 220;
/** The number of messages in a snapshot. */
const LATE_MESSAGES = 500;

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

function openTool(page: Page, name: string): Promise<void> {
	return page.getByRole("tab", { name }).click();
}

// The last test makes the history longer.
describe("a long history", { shuffle: false }, () => {
	let dev: RunningDevServer;

	beforeAll(async () => {
		await using receiver = await serve((_, response) => void response.end());
		dev = await startDev(["--no-rules", "--forward-to", receiver.url]);
		const write = async (from: string, times: number): Promise<void> => {
			for (let at = 0; at < times; at++) await dev.act({ type: "reply", from, text: `Message ${at}` });
		};
		await write(EARLY_CONTACT, EARLY_MESSAGES);
		await write(LATE_CONTACT, LATE_MESSAGES);
		await dev.act({ type: "reply", from: EARLY_CONTACT, text: "The newest one" });
	});

	afterAll(() => dev[Symbol.asyncDispose]());

	test("shows how many messages are older, for each conversation", async () => {
		const page = await openConversation(dev, EARLY_CONTACT);
		await page.getByText("The newest message is shown; 220 older ones are not.").waitFor();
		await page.getByRole("link", { name: LATE_CONTACT }).click();
		await page.getByText("The newest 499 messages are shown; 1 older one is not.").waitFor();
		await page.context().close();
	});

	test("counts the webhooks that are not shown", async () => {
		const page = await openConversation(dev, EARLY_CONTACT);
		await page.getByLabel("Only this conversation").check();
		await page.getByText("220 older webhooks, of all kinds, are not shown.").waitFor();
		await page.context().close();
	});

	test("is not called empty if all messages are too old for the page", async () => {
		await dev.act({ type: "reply", from: LATE_CONTACT, text: "One more" });
		for (let at = 0; at < LATE_MESSAGES; at++) {
			await dev.act({ type: "reply", from: LATE_CONTACT, text: `Further ${at}` });
		}
		const page = await openConversation(dev, EARLY_CONTACT);
		await page.getByText("221 messages are too old for this page, and not shown.").waitFor();
		await page.getByRole("link", { name: EARLY_CONTACT }).getByText("221 older messages").waitFor();
		expect(await page.getByText("No messages yet.").count()).toBe(0);
		await openTool(page, "Mapping");
		await page.getByText("221", { exact: true }).waitFor();
		await page.context().close();
	});
});

describe("messages without a reply", () => {
	const contact = "+15550001007";

	test.each([
		[["--no-rules"], "No limit: the rule is off.", "The next send is blocked"],
		[[], "The next send is blocked until the contact writes.", "No limit"],
	])("with %j the page shows: %s", async (args, shown, hidden) => {
		await using dev = await startDev(args);
		for (let at = 0; at < 5; at++) await dev.client.messages.sendText({ to: contact, text: `Text ${at}` });
		const page = await openConversation(dev, contact);
		await openTool(page, "Mapping");
		await page.getByText(shown).waitFor();
		expect(await page.getByText(hidden).count()).toBe(0);
		await page.context().close();
	});
});

test("the copied command runs unchanged, on any port", async () => {
	await using dev = await startDev();
	const { page } = await openPage(browser, dev.consoleUrl);
	await page.getByRole("button", { name: "Copy the command" }).click();
	await page.getByText("The command is on the clipboard.").waitFor();
	const command = await page.evaluate(() => navigator.clipboard.readText());
	expect(command).toBe(`npx messaging-gateway send --to +15551234567 --text Hello --base-url ${dev.baseUrl}`);
	await page.context().close();
});
