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

test("a webhook that succeeds is one quiet line, a request stands above its message, and statuses are in the bubble", async () => {
	await using receiver = await serve((_, response) => void response.end());
	await using healthy = await startDev(["--forward-to", receiver.url]);
	await healthy.act({ type: "reply", from: CONTACT, text: "Hi" });
	await healthy.client.messages.sendText({ to: CONTACT, text: "Hello" });
	await healthy.act({ type: "settle" });
	const page = await openConversation(healthy);
	const row = page.getByRole("button", { name: "inbound_message 200" });
	await row.waitFor();
	expect((await row.boundingBox())?.height).toBeLessThan(30);
	const bubble = page.getByRole("button", { name: "Details of the message" }).last();
	await bubble.getByText("→ 3 statuses · 200").waitFor();
	const cause = await page.getByRole("button", { name: "messages.sendText 202" }).boundingBox();
	expect(cause?.y).toBeLessThan(
		(await page.getByText("Hello", { exact: true }).last().boundingBox())?.y ?? 0,
	);
	expect(await page.getByRole("button", { name: "status sent" }).count()).toBe(0);
	expect(await page.locator(".event-bad").count()).toBe(0);
	await page.getByRole("button", { name: /^Your app answers · 200 · \d+ ms$/ }).waitFor();
	await bubble.click();
	const drawer = page.getByRole("complementary", { name: "Message of the agent" });
	await drawer.getByRole("button", { name: "status read 200" }).click();
	await page.getByRole("complementary", { name: "status read" }).waitFor();
	await page.locator(".is-selected").getByText("Hello").waitFor();
	await page.context().close();
});

test("a failure says why in its row, at the contact and in the bar, without a click", async () => {
	await using receiver = await serve((_, response) => void response.writeHead(500).end());
	await using failing = await startDev(["--forward-to", receiver.url]);
	await failing.act({ type: "reply", from: CONTACT, text: "Is anybody there?" });
	const page = await openConversation(failing);
	const row = page.getByRole("button", { name: /inbound_message 500 · server failed/ });
	const reason = page.getByText("The receiver failed with 500 before or in its handler.");
	await row.getByText("The receiver failed with 500").waitFor();
	await page.getByRole("link", { name: CONTACT }).getByText("1 failed").waitFor();
	await page.getByRole("button", { name: "Last webhook: 500 · server failed" }).waitFor();
	await row.click();
	await page.getByRole("complementary").getByText("The receiver failed with 500").waitFor();
	expect(await reason.count()).toBe(1);
	await page.context().close();
});

test("a rejected send is the ghost of its message, with buttons that fix it", async () => {
	await using fresh = await startDev();
	const send = () => fresh.client.messages.sendText({ to: CONTACT, text: "Only once" });
	await send();
	await send().catch(() => undefined);
	const page = await openConversation(fresh);
	await page.locator(".ghost").getByText("Only once").waitFor();
	await page.getByRole("button", { name: "messages.sendText 409 · duplicate" }).click();
	const drawer = page.getByRole("complementary", { name: "messages.sendText" });
	await drawer.getByText("The duplicate rule blocked the message").waitFor();
	await drawer.getByRole("button", { name: "Turn the rules off" }).click();
	await drawer.getByRole("button", { name: "Done" }).waitFor();
	await send();
	expect((await fresh.snapshot()).areRulesOn).toBe(false);
	await page.context().close();
});

test("every page has an icon of its own document", async () => {
	for (const path of ["/", "/docs"]) {
		const html = await (await fetch(dev.baseUrl + path)).text();
		expect(html).toMatch(/<link rel="icon" href="data:image\/svg\+xml,[^"]+">/);
	}
});

test("contacts with e-mail addresses and short codes are written as, found, and fit a phone", async () => {
	await using fresh = await startDev();
	const long = "ana.maria.garcia-lopez+newsletters@mail.corporation.icloud.example";
	const participants = ["ana@icloud.example", "88022", long];
	const { message } = await fresh.client.messages.sendText({ participants, text: "Hello all" });
	const { page } = await openPage(browser, fresh.consoleUrl);
	await page.getByRole("button", { name: "Write as a new contact" }).click();
	const dialog = page.getByRole("dialog");
	await dialog.getByLabel("The contact", { exact: true }).fill(" bob-smith@mail.example ");
	await dialog.getByRole("button", { name: "Write", exact: true }).click();
	await page.getByRole("textbox", { name: "Write as bob-smith@mail.example" }).waitFor();
	await page.getByRole("searchbox").fill("ICLOUD");
	await page.getByText("1 contact", { exact: true }).waitFor();

	await page.setViewportSize({ width: 375, height: 800 });
	await page.goto(`${fresh.consoleUrl}&conversation=${encodeURIComponent(message.groupId ?? "")}`);
	await page.reload();
	const controls = [page.getByLabel("Writing as"), page.getByRole("button", { name: "Send", exact: true })];
	for (const control of controls) {
		await control.waitFor();
		const { x = 0, width = Infinity } = (await control.boundingBox()) ?? {};
		expect(x + width).toBeLessThanOrEqual(375);
	}
	await page.context().close();
});
