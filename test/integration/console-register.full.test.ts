import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, openPage } from "../support/browser.ts";
import { type RunningDevServer, startDev } from "../support/dev-server.ts";
import { type RunningServer, serve } from "../support/serve.ts";

const CONTACT = "+15551234567";

let browser: Browser;
let receiver: RunningServer;

beforeAll(async () => {
	browser = await openBrowser();
	receiver = await serve((request, response) => {
		const isRight = request.url === "/right";
		const isLogin = request.url === "/secured";
		response.writeHead(isRight ? 200 : isLogin ? 302 : 404, isLogin ? { Location: "/login" } : {}).end();
	});
});

afterAll(async () => {
	await browser.close();
	await receiver[Symbol.asyncDispose]();
});

/** Opens the drawer of a webhook that is not delivered. */
async function openFailure(dev: RunningDevServer): Promise<{ page: Page; drawer: Locator }> {
	await dev.act({ type: "reply", from: CONTACT, text: "Hi" });
	const { page } = await openPage(browser, `${dev.consoleUrl}&conversation=${encodeURIComponent(CONTACT)}`);
	await page.getByRole("button", { name: /inbound_message/ }).click();
	return { page, drawer: page.getByRole("complementary", { name: "inbound_message" }) };
}

test("the drawer saves another URL and tries again", async () => {
	await using dev = await startDev(["--forward-to", `${receiver.url}/wrong`]);
	const { page, drawer } = await openFailure(dev);
	const field = drawer.getByRole("textbox", { name: "URL of your webhook handler" });
	expect(await field.inputValue()).toBe(`${receiver.url}/wrong`);
	await field.fill(` ${receiver.url}/right `);
	await drawer.getByRole("button", { name: "Save and try" }).click();
	await drawer.getByText("200").first().waitFor();
	const right = `${receiver.url}/right`;
	expect((await dev.snapshot()).destinations).toEqual({ inboundWebhookUrl: right, statusWebhookUrl: right });
	await page.context().close();
});

test("two URLs stay two", async () => {
	await using dev = await startDev();
	const statusWebhookUrl = `${receiver.url}/statuses`;
	await dev.act({ type: "destinations", statusWebhookUrl });
	const { page, drawer } = await openFailure(dev);
	await drawer.getByRole("textbox", { name: "URL of your webhook handler" }).fill(`${receiver.url}/right`);
	await drawer.getByRole("button", { name: "Save and try" }).click();
	await drawer.getByText("200").first().waitFor();
	expect((await dev.snapshot()).destinations).toEqual({
		inboundWebhookUrl: `${receiver.url}/right`,
		statusWebhookUrl,
	});
	await page.context().close();
});

test("a URL with a password is rejected with a sentence, and not saved", async () => {
	await using dev = await startDev();
	const { page, drawer } = await openFailure(dev);
	await drawer
		.getByRole("textbox", { name: "URL of your webhook handler" })
		.fill(receiver.url.replace("//", "//me:hidden@"));
	await drawer.getByRole("button", { name: "Save and try" }).click();
	await drawer.getByText("must be an https URL without credentials").waitFor();
	expect((await dev.snapshot()).destinations.inboundWebhookUrl).toBeNull();
	await page.context().close();
});

test("a login is no URL to register", async () => {
	await using dev = await startDev(["--forward-to", `${receiver.url}/secured`]);
	const { page, drawer } = await openFailure(dev);
	await drawer.getByText("asks for a login").first().waitFor();
	expect(await drawer.getByRole("button", { name: /Register|Save and try/ }).count()).toBe(0);
	await page.context().close();
});
