/**
 * Tests a web app end to end: Playwright is the user of its page, and the test plays the guest who gets the texts.
 *
 * The local gateway is another process, as are the app and the browser in most projects:
 *
 *     export MESSAGING_GATEWAY_CONTROL_TOKEN=$(openssl rand -hex 16)
 *     npx messaging-gateway dev --write-env .env
 *
 * With @playwright/test, start it as a `webServer`, take the `page` of the runner instead of starting a browser, and wait
 * with `await expect(line).toContainText("read")`. The tests share one gateway, which they reset: set `workers: 1`.
 */
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type ConnectedGateway, connect } from "messaging-gateway/testing";
import { type Browser, chromium, type Locator, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createApp } from "./app.ts";

/** Reads and replies only when the test does; other contacts read at once. */
const GUEST = "+15550001007";

let local: ConnectedGateway;
let browser: Browser;
let app: Server;
let page: Page;

beforeAll(async () => {
	local = await connect();
	const executablePath = process.env["CHROMIUM_PATH"] ?? chromium.executablePath();
	browser = await chromium.launch({ executablePath });
});

afterAll(() => browser.close());

beforeEach(async () => {
	await local.reset();
	app = createApp().listen(0, "127.0.0.1");
	await once(app, "listening");
	const url = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
	await local.setDestinations({ inboundWebhookUrl: `${url}/webhooks`, statusWebhookUrl: `${url}/webhooks` });
	page = await browser.newPage();
	await page.goto(url);
});

afterEach(async () => {
	await page.close();
	app.close();
	app.closeAllConnections();
});

test("a guest reads that the table is ready, and replies", async () => {
	await send("Your table is ready");
	const line = lineWith("Your table is ready");
	await line.waitFor();
	await local.settled();
	await line.getByText("delivered").waitFor();

	await local.contact(GUEST).read();
	await local.settled();
	await line.getByText("read", { exact: true }).waitFor();

	await local.contact(GUEST).reply("We are coming!");
	await local.settled();
	await lineWith("We are coming!").getByText(`from ${GUEST}`).waitFor();
});

test("a text that is rejected is reported, and is still there to send again", async () => {
	await local.faults.respond({ status: 403 });
	await send("Your table is ready");
	await page.getByRole("status").getByText("Not sent.").waitFor();
	expect(await page.getByLabel("Text").inputValue()).toBe("Your table is ready");

	await page.getByRole("button", { name: "Send" }).click();
	await lineWith("Your table is ready").waitFor();
	const { items } = await local.requests({ search: "messages.sendText" });
	expect(items.map(({ status }) => status)).toEqual([403, 202]);
});

test("a gateway that is down may have sent the text: the guest must be asked", async () => {
	await local.faults.respond({ status: 503 });
	await send("Your table is ready");
	await page.getByRole("status").getByText("It may have been sent.").waitFor();
});

test("a webhook that is delivered twice shows one text", async () => {
	await local.faults.webhooks.repeat();
	await local.contact(GUEST).reply("We are late");
	await local.settled();
	const { items } = await local.deliveries({ kind: "inbound_message" });
	expect(items.flatMap(({ attempts }) => attempts)).toHaveLength(2);

	await local.contact(GUEST).reply("Ten minutes");
	await lineWith("Ten minutes").waitFor();
	const texts = await page.getByRole("listitem").locator("span").allTextContents();
	expect(texts).toEqual(["We are late", "Ten minutes"]);
});

async function send(text: string): Promise<void> {
	await page.getByLabel("To").fill(GUEST);
	await page.getByLabel("Text").fill(text);
	await page.getByRole("button", { name: "Send" }).click();
}

function lineWith(text: string): Locator {
	return page.getByRole("listitem").filter({ hasText: text });
}
