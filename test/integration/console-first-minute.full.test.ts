import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PROBE_AGENT } from "../../src/tools/probe-agent.ts";
import { openBrowserWithClipboard, openPage } from "../support/browser.ts";
import { holdClosedPort } from "../support/closed-port.ts";
import { type RunningDevServer, startDev } from "../support/dev-server.ts";
import { eventually } from "../support/eventually.ts";
import { serve } from "../support/serve.ts";

const CONTACT = "+15551234567";

let browser: Browser;

beforeAll(async () => {
	browser = await openBrowserWithClipboard();
});

afterAll(async () => {
	await browser.close();
});

async function tryUrl(page: Page, url: string): Promise<void> {
	await page.getByLabel("URL of your webhook handler").fill(url);
	await page.getByRole("button", { name: "Save and try" }).click();
}

const step = (page: Page, title: string) => page.getByRole("listitem").filter({ hasText: title });

test("three steps turn green by themselves, and end in the conversation of the first message", async () => {
	await using receiver = await serve((_, response) => void response.end());
	await using dev = await startDev();
	const { page, problems } = await openPage(browser, dev.consoleUrl);
	await page.getByText("Here you play your contacts").waitFor();
	const done = page.getByRole("listitem").getByText("Done");
	await step(page, "Connect your app").getByRole("button", { name: "Copy for .env" }).click();
	const variables = await eventually(async () => {
		const copied = await page.evaluate(() => navigator.clipboard.readText());
		expect(copied).toContain("MESSAGING_GATEWAY_BASE_URL");
		return Object.fromEntries(
			copied
				.trim()
				.split("\n")
				.map((line) => line.split("=", 2)),
		);
	});
	expect(variables).toEqual(dev.variables);
	expect(await done.count()).toBe(0);
	const baseUrl = variables["MESSAGING_GATEWAY_BASE_URL"] ?? "";
	await fetch(`${baseUrl}/agent`);
	await page.getByRole("button", { name: "agents.list 401" }).waitFor();
	expect(await done.count()).toBe(0);
	await dev.client.agents.list();
	await step(page, "Connect your app").getByText("Done").waitFor();

	await tryUrl(page, receiver.url);
	await step(page, "Say where it listens").getByText("Done").waitFor();
	expect(await done.count()).toBe(2);

	await page.getByRole("button", { name: "Write", exact: true }).click();
	await page.getByRole("textbox", { name: "Write as +15551234567" }).waitFor();
	await page.getByRole("button", { name: "inbound_message 200" }).waitFor();
	expect(problems).toEqual([]);
	await page.context().close();
});

test("the steps begin at their top where there is little room, and stay there while calls come", async () => {
	await using dev = await startDev();
	const { page } = await openPage(browser, dev.consoleUrl, { viewport: { width: 720, height: 450 } });
	const title = page.getByRole("heading", { name: "Here you play your contacts" });
	await title.waitFor();
	expect((await title.boundingBox())?.y).toBeGreaterThan(0);
	await dev.client.agents.list();
	await step(page, "Connect your app").getByText("Done").waitFor();
	expect(await page.getByRole("region", { name: "Entries of all" }).evaluate((list) => list.scrollTop)).toBe(
		0,
	);
	await page.context().close();
});

test("a chat without a URL asks one question, which delivers what waits", async () => {
	await using receiver = await serve((_, response) => void response.end());
	await using dev = await startDev();
	await dev.act({ type: "reply", from: CONTACT, text: "Hi" });
	await dev.client.messages.sendText({ to: CONTACT, text: "Hello" });
	await dev.act({ type: "settle" });
	const { page } = await openPage(browser, `${dev.consoleUrl}&conversation=${encodeURIComponent(CONTACT)}`);
	const question = page.getByRole("heading", { name: "Where does your app listen?" });
	await question.waitFor();
	expect(await page.locator(".event-warn, .event-bad").count()).toBe(0);
	await tryUrl(page, receiver.url);
	await page.getByRole("button", { name: "inbound_message 200" }).waitFor();
	await question.waitFor({ state: "detached" });
	await page.getByRole("button", { name: "Your app answers · 200 · " }).waitFor();
	await page.context().close();
});

test("the doctor's probes are offered once a doctor has run", async () => {
	await using dev = await startDev();
	const { page } = await openPage(browser, dev.consoleUrl);
	await page.getByText("Here you play your contacts").waitFor();
	const offer = page.getByLabel("Show the doctor's probes");
	expect(await offer.count()).toBe(0);
	await fetch(`${dev.baseUrl}/agent`, { headers: { "user-agent": PROBE_AGENT } });
	await offer.waitFor();
	await page.reload();
	await offer.waitFor();
	await page.context().close();
});

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
