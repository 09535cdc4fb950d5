import { execFile } from "node:child_process";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
	auditAccessibility,
	findSidewaysScrolling,
	openBrowserWithClipboard,
	openPage,
	type WatchedPage,
} from "../support/browser.ts";
import { type RunningDevServer, startDev } from "../support/dev-server.ts";
import { eventually } from "../support/eventually.ts";
import { GeneratedTests } from "../support/generated-tests.ts";
import { type RunningServer, serve } from "../support/serve.ts";

const CONTACT = "+15557770021";
const run = promisify(execFile);

let receiver: RunningServer;
let dev: RunningDevServer;
let browser: Browser;
let opened: WatchedPage[] = [];

/** What a test delivers in the place of an event's body. */
const EDITED = '{"status": "edited"}';

/** The bodies that the receiver got, and the status it responds with. */
const bodies: string[] = [];
let receiverStatus = 200;

beforeAll(async () => {
	receiver = await serve(async (request, response) => {
		bodies.push(await text(request));
		response.statusCode = receiverStatus;
		response.end("the receiver's own words");
	});
	dev = await startDev(["--forward-to", receiver.url]);
	await dev.client.messages.sendText({ to: CONTACT, text: "Only once, please" });
	await dev.client.messages.sendText({ to: CONTACT, text: "Only once, please" }).catch(() => undefined);
	await dev.client
		.request("POST", "/message/text", { body: { to: "nobody", text: "x" } })
		.catch(() => undefined);
	await fetch(`${dev.baseUrl}/agent`, { headers: { authorization: "HMAC 00", "x-app-id": "someone" } });
	await dev.client.agents.list({ status: "online" });
	browser = await openBrowserWithClipboard();
});

afterAll(async () => {
	await browser.close();
	await dev[Symbol.asyncDispose]();
	await receiver[Symbol.asyncDispose]();
});

afterEach(async () => {
	const problems = opened.flatMap((watched) => watched.problems);
	await Promise.all(opened.map(({ page }) => page.context().close()));
	opened = [];
	receiverStatus = 200;
	await dev.act({ type: "clear_faults" });
	expect(problems).toEqual([]);
});

async function open(tool?: "Requests"): Promise<Page> {
	const watched = await openPage(browser, dev.consoleUrl);
	opened.push(watched);
	const { page } = watched;
	await page.getByRole("tablist", { name: "Tools" }).waitFor();
	if (tool !== undefined) await page.getByRole("tab", { name: tool }).click();
	return page;
}

function rows(page: Page): Locator {
	return page.getByRole("list", { name: "Requests, the newest first" }).locator(":scope > li");
}

/** Opens the details of the newest request whose line has this text. */
async function openRequest(page: Page, text: string): Promise<Locator> {
	const row = rows(page).filter({ hasText: text }).first();
	await row.locator("summary").first().click();
	await row.getByText("Request id", { exact: true }).waitFor();
	return row;
}

async function openWebhook(page: Page, kind: string): Promise<Locator> {
	const list = page.getByRole("list", { name: "Webhooks, the newest first" });
	const row = list.locator(":scope > li").filter({ hasText: kind }).first();
	await row.locator("summary").first().click();
	await row.getByRole("button", { name: "Redeliver", exact: true }).waitFor();
	return row;
}

async function copied(page: Page, row: Locator, button: string): Promise<string> {
	await page.evaluate(() => navigator.clipboard.writeText("nothing"));
	await row.getByRole("button", { name: button }).click();
	return eventually(async () => {
		const text = await page.evaluate(() => navigator.clipboard.readText());
		expect(text).not.toBe("nothing");
		return text;
	});
}

describe("the log of requests", () => {
	test("has a line for each request, and the reason for a rejected one", async () => {
		const page = await open("Requests");
		const duplicate = rows(page).filter({ hasText: "409" }).first();
		await duplicate.getByText("messages.sendText").waitFor();
		await duplicate.getByText("DUPLICATE_MESSAGE: Blocked by the duplicate rule").waitFor();
		await rows(page).filter({ hasText: "VALIDATION_ERROR: to must be" }).first().waitFor();
		await rows(page).filter({ hasText: "agents.list" }).filter({ hasText: "200" }).first().waitFor();
	});

	test("is filtered, and searched in bodies by the gateway", async () => {
		const page = await open("Requests");
		const accepted = rows(page).filter({ has: page.getByText("200", { exact: true }) });
		await accepted.first().waitFor();
		await page.getByLabel("Failed only").check();
		await eventually(async () => expect(await accepted.count()).toBe(0));
		await page.getByLabel("Failed only").uncheck();
		await page.getByLabel("Search requests").fill("only ONCE");
		await eventually(async () => expect(await rows(page).count()).toBe(2));
		await dev.client.messages.sendText({ to: CONTACT, text: "Only once, please" }).catch(() => undefined);
		await eventually(async () => expect(await rows(page).count()).toBe(3));
		await page.getByLabel("Search requests").fill("no such words");
		await page.getByText("No request matches.").waitFor();
	});

	test("counts the rejected requests that arrive while it is closed", async () => {
		const page = await open();
		const tab = page.getByRole("tab", { name: "Requests" });
		expect(await tab.textContent()).toBe("Requests");
		await dev.client.agents.get("+15550009999").catch(() => undefined);
		await dev.client.agents.list();
		await page.getByRole("status").getByText("1 new rejected request. See Requests.").waitFor();
		expect(await tab.textContent()).toBe("Requests1 new rejected");
		await tab.click();
		await rows(page).filter({ hasText: "AGENT_NOT_FOUND" }).first().waitFor();
		await page.getByRole("tab", { name: "Webhooks" }).click();
		expect(await tab.textContent()).toBe("Requests");
	});

	test("is used with the keyboard alone", async () => {
		const page = await open("Requests");
		const first = rows(page).first().locator("summary").first();
		await first.waitFor();
		await page.getByLabel("Failed only").focus();
		await page.keyboard.press("Tab");
		expect(await first.evaluate((element) => element === document.activeElement)).toBe(true);
		await page.keyboard.press("Enter");
		const copy = rows(page).first().getByRole("button", { name: "Copy as curl" });
		await copy.waitFor();
		await page.keyboard.press("Tab");
		await eventually(async () => {
			await page.keyboard.press("Tab");
			expect(await copy.evaluate((element) => element === document.activeElement)).toBe(true);
		});
	});
});

describe("a request", () => {
	test("shows its signature check, the rule that rejected it, and leads to the message that blocks it", async () => {
		const page = await open("Requests");
		const row = await openRequest(page, "DUPLICATE_MESSAGE");
		await row.getByText("The signature was accepted.").waitFor();
		await row.getByText('"text": "Only once, please"').waitFor();
		await row.getByText("Request headers").click();
		await row.getByText("HMAC ***").waitFor();
		await row.getByRole("link", { name: "Show the message that blocks it" }).click();
		const bubble = page.getByRole("region", { name: `Messages with ${CONTACT}` }).locator(":focus");
		await bubble.getByText("Only once, please").waitFor();
	});

	test("leads to the message even if its conversation is loaded late", async () => {
		const page = await open("Requests");
		const row = await openRequest(page, "DUPLICATE_MESSAGE");
		const loads = Promise.withResolvers<void>();
		await page.route("**/_local/messages*", async (route) => {
			await loads.promise;
			await route.continue();
		});
		await row.getByRole("link", { name: "Show the message that blocks it" }).click();
		const thread = page.getByRole("region", { name: `Messages with ${CONTACT}` });
		await thread.waitFor();
		await page.evaluate(async () => {
			for (let frames = 0; frames < 200; frames++) await new Promise(requestAnimationFrame);
		});
		loads.resolve();
		await thread.locator(":focus").getByText("Only once, please").waitFor();
	});

	test("without a good signature shows why it was rejected", async () => {
		const page = await open("Requests");
		const row = await openRequest(page, "UNAUTHORIZED");
		await row.getByText("The signature was rejected: INVALID_SIGNATURE.").waitFor();
	});

	test("is copied as a curl command that works again", async () => {
		const page = await open("Requests");
		const row = await openRequest(page, "VALIDATION_ERROR");
		const command = await copied(page, row, "Copy as curl");
		const env = { ...process.env, MESSAGING_GATEWAY_APP_SECRET: dev.appSecret };
		for (let time = 0; time < 2; time++) {
			const { stdout } = await run("bash", ["-c", command], { env });
			expect(JSON.parse(stdout)).toMatchObject({ error: { code: "VALIDATION_ERROR" } });
		}
	});

	test("is copied as SDK code and as a test that passes", async () => {
		const page = await open("Requests");
		const row = await openRequest(page, "DUPLICATE_MESSAGE");
		const program = await copied(page, row, "Copy as SDK code");
		expect(program).toContain("gateway.messages.sendText({");
		expect(program).toContain('text: "Only once, please"');
		expect(program).toContain(`baseUrl: "${dev.baseUrl}"`);
		using tests = new GeneratedTests();
		tests.write("request.test.ts", await copied(page, row, "Copy as test"));
		expect(await tests.run()).toEqual({ passed: 1, failures: "[]" });
	});

	test("opens in /docs with its content, once", async () => {
		const page = await open("Requests");
		const row = await openRequest(page, "DUPLICATE_MESSAGE");
		await row.getByRole("link", { name: "Open in /docs" }).click();
		const field = page.getByRole("textbox", { name: "text", exact: true });
		await field.waitFor();
		expect(await field.inputValue()).toBe("Only once, please");
		expect(new URL(page.url()).hash).toBe("#messages.sendText");
		await page.reload();
		await field.waitFor();
		expect(await field.inputValue()).not.toBe("Only once, please");
	});
});

describe("a webhook", () => {
	test("opens in /explain with its headers and body, and without a secret in the address", async () => {
		const page = await open();
		const row = await openWebhook(page, "status");
		await row.getByRole("link", { name: "Explain" }).click();
		await page.getByRole("heading", { name: "Why doesn’t my signature match?" }).waitFor();
		expect(await page.getByLabel("Headers").inputValue()).toMatch(/^X-SVC-Signature: v1=[0-9a-f]{64}$/m);
		expect(page.url()).toBe(`${dev.baseUrl}/explain`);
		await page.getByLabel("Webhook secret", { exact: true }).fill(dev.webhookSecret);
		await page.getByRole("button", { name: "Explain", exact: true }).click();
		await page.getByText("This delivery is accepted").waitFor();
	});

	test("is edited, signed again and delivered; the event keeps its body", async () => {
		const page = await open();
		const row = await openWebhook(page, "status");
		await row.getByRole("button", { name: "Edit and redeliver" }).click();
		const field = row.getByRole("textbox");
		expect(await field.inputValue()).toContain('"status":');
		await field.fill(EDITED);
		await row.getByRole("button", { name: "Sign and send" }).click();
		await row.getByText("Sent body, edited").waitFor();
		await eventually(() => expect(bodies).toContain(EDITED));
		await row.getByText("The signature is valid.").last().waitFor();
		await row.getByText('"text": "Only once, please"').waitFor();
	});

	test("is copied as curl and as a test", async () => {
		await dev.act({ type: "reply", from: CONTACT, text: "To be copied" });
		const page = await open();
		const row = await openWebhook(page, "inbound_message");
		await row.getByText("The signature is valid.").waitFor();
		// Another test's webhook may come again meanwhile.
		const received = () => bodies.filter((body) => body.includes("To be copied"));
		await eventually(() => expect(received()).toHaveLength(1));
		const { stdout } = await run("bash", ["-c", await copied(page, row, "Copy as curl")]);
		expect(stdout).toContain("the receiver's own words");
		expect(received()).toHaveLength(2);
		expect(new Set(received()).size).toBe(1);
		using tests = new GeneratedTests();
		tests.write("webhook.test.ts", await copied(page, row, "Copy as test"));
		expect(await tests.check()).toBe("");
		const secret = process.env["MESSAGING_GATEWAY_WEBHOOK_SECRET"];
		process.env["MESSAGING_GATEWAY_WEBHOOK_SECRET"] = dev.webhookSecret;
		expect(await tests.run()).toEqual({ passed: 1, failures: "[]" });
		if (secret === undefined) delete process.env["MESSAGING_GATEWAY_WEBHOOK_SECRET"];
		else process.env["MESSAGING_GATEWAY_WEBHOOK_SECRET"] = secret;
	});

	test("is found by a search, and among the failed ones", async () => {
		const page = await open();
		await page.getByLabel("Failed only").check();
		await page.getByText("No webhook matches.").waitFor();
		receiverStatus = 503;
		await dev.act({ type: "reply", from: CONTACT, text: "A needle" });
		await page.getByText("503").first().waitFor();
		receiverStatus = 200;
		await page.getByLabel("Failed only").uncheck();
		await page.getByLabel("Search webhooks").fill("A NEEDLE");
		const found = page.getByRole("list", { name: "Webhooks, the newest first" }).locator(":scope > li");
		await eventually(async () => expect(await found.count()).toBe(1));
	});
});

describe.each([
	["light", 375],
	["dark", 375],
	["light", 1024],
	["dark", 1440],
] as const)("in %s at %i px", (colorScheme, width) => {
	test("the details of requests and webhooks are accessible", async () => {
		const viewport = { width, height: 900 };
		const watched = await openPage(browser, dev.consoleUrl, { viewport, colorScheme });
		opened.push(watched);
		const { page } = watched;
		const inspect = async (): Promise<void> => {
			expect([...(await auditAccessibility(page)), ...(await findSidewaysScrolling(page))]).toEqual([]);
		};
		const openTool = (name: string): Promise<void> =>
			width < 700
				? page.getByRole("navigation", { name: "Views" }).getByRole("button", { name }).click()
				: page.getByRole("tab", { name }).click();
		await openTool("Webhooks");
		await dev.client.agents.get("+15550009999").catch(() => undefined);
		await page.getByRole("status").getByText("1 new rejected request").waitFor();
		const webhook = await openWebhook(page, "status");
		await webhook.getByRole("button", { name: "Edit and redeliver" }).click();
		await inspect();
		await openTool("Requests");
		await openRequest(page, "DUPLICATE_MESSAGE");
		await inspect();
	});
});
