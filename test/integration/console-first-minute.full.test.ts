import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser, openPage } from "../support/browser.ts";
import { holdClosedPort } from "../support/closed-port.ts";
import { type RunningDevServer, startDev } from "../support/dev-server.ts";
import { serve } from "../support/serve.ts";

let browser: Browser;

beforeAll(async () => {
	browser = await openBrowser();
});

afterAll(async () => {
	await browser.close();
});

async function tryUrl(page: Page, url: string): Promise<void> {
	await page.getByLabel("URL of your webhook handler").fill(url);
	await page.getByRole("button", { name: "Save and try" }).click();
}

describe("a URL that is saved is tried at once, with a sample event", () => {
	let dev: RunningDevServer;

	beforeAll(async () => {
		dev = await startDev();
	});

	afterAll(async () => {
		await dev[Symbol.asyncDispose]();
	});

	test.each([
		["Your app answers · 200 · ", 200, undefined],
		["Not acknowledged · 500 · ", 500, "The receiver failed with 500 before or in its handler."],
	])("and says: %s", async (answer, status, reason) => {
		await using receiver = await serve((_, response) => void response.writeHead(status).end());
		const { page } = await openPage(browser, dev.consoleUrl);
		// As people write it.
		await tryUrl(page, `${receiver.url.replace("http://", "")}/webhooks `);
		await page.getByRole("status").getByText(answer).waitFor();
		if (reason !== undefined) await page.getByText(reason).first().waitFor();
		const url = `${receiver.url}/webhooks`;
		expect((await dev.snapshot()).destinations).toEqual({ inboundWebhookUrl: url, statusWebhookUrl: url });
		expect(await page.getByLabel("URL of your webhook handler").inputValue()).toBe(url);
		await page.context().close();
	});

	test("and again when another one is entered: the same event goes there", async () => {
		await using closed = await holdClosedPort();
		const { page } = await openPage(browser, dev.consoleUrl);
		await tryUrl(page, closed.url);
		await page.getByText(`Nobody listens at ${closed.url}.`).first().waitFor();
		await using receiver = await serve((_, response) => void response.end());
		await tryUrl(page, receiver.url);
		await page.getByRole("status").getByText("Your app answers · 200").waitFor();
		expect(await dev.deliveries()).toMatchObject([{ eventId: "evt_sample", kind: "inbound_message" }]);
		await page.context().close();
	});

	test("unless it is none, which is said, and stays to be corrected", async () => {
		const before = (await dev.snapshot()).destinations;
		const { page } = await openPage(browser, dev.consoleUrl);
		await tryUrl(page, "http://gateway.example/webhooks");
		await page.getByText("inboundWebhookUrl must be an https URL").waitFor();
		const field = page.getByLabel("URL of your webhook handler");
		expect(await field.inputValue()).toBe("http://gateway.example/webhooks");
		expect(await field.getAttribute("aria-invalid")).toBe("true");
		expect((await dev.snapshot()).destinations).toEqual(before);
		await page.context().close();
	});
});
