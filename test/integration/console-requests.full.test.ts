import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { PROBE_AGENT } from "../../src/tools/probe-agent.ts";
import {
	auditAccessibility,
	findSidewaysScrolling,
	openBrowserWithClipboard,
	openPage,
	type WatchedPage,
} from "../support/browser.ts";
import { type RunningDevServer, startDev } from "../support/dev-server.ts";
import { eventually } from "../support/eventually.ts";
import { type RunningServer, serve } from "../support/serve.ts";
import { CopiedTests } from "./support/copied-tests.ts";

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

/** Opens *All activity*. */
async function open(options?: BrowserContextOptions): Promise<Page> {
	// Tall, since only the rows near the visible area are in the page, and the tests before have left some.
	const viewport = { width: 1280, height: 2400 };
	const watched = await openPage(browser, `${dev.consoleUrl}&conversation=`, { viewport, ...options });
	opened.push(watched);
	const { page } = watched;
	await page.getByRole("heading", { name: "All activity" }).waitFor();
	return page;
}

function rows(page: Page, name: string): Locator {
	return page.getByRole("button", { name });
}

/** Opens the newest row with this text in the drawer. */
async function openRow(page: Page, name: string): Promise<Locator> {
	await rows(page, name).last().click();
	const drawer = page.getByRole("complementary");
	await drawer.getByRole("button", { name: "Copy…" }).waitFor();
	return drawer;
}

/** Opens a new webhook in the drawer, with its *Explain*. */
async function openExplain() {
	await dev.act({ type: "reply", from: CONTACT, text: "Crème brûlée?" });
	const delivery = await eventually(async () => {
		const newest = (await dev.deliveries()).at(-1);
		expect(newest).toMatchObject({ kind: "inbound_message", state: "delivered" });
		return newest;
	});
	const page = await open();
	const row = await openRow(page, "inbound_message");
	await row.getByRole("button", { name: "Explain" }).click();
	const compare = row.getByRole("button", { name: "Compare" });
	await compare.waitFor();
	return {
		page,
		row,
		compare,
		sentBody: delivery?.body ?? "",
		sentHeaders: delivery?.attempts[0]?.headers ?? {},
	};
}

function sha256(body: string | Buffer): string {
	return createHash("sha256").update(body).digest("hex");
}

/** Copies with a button of the drawer, or one in its menu, which says so. */
async function copied(page: Page, row: Locator, button: string): Promise<string> {
	await page.evaluate(() => navigator.clipboard.writeText("nothing"));
	const isInMenu = button.startsWith("Copy as");
	if (isInMenu) await row.getByRole("button", { name: "Copy…" }).click();
	await row.getByRole("button", { name: button }).click();
	await row.getByText("Copied").first().waitFor();
	if (isInMenu) await page.keyboard.press("Escape");
	return eventually(async () => {
		const text = await page.evaluate(() => navigator.clipboard.readText());
		expect(text).not.toBe("nothing");
		return text;
	});
}

describe("all activity", () => {
	test("has a row for each request, with the reason of a rejected one in full", async () => {
		const page = await open();
		const duplicate = rows(page, "messages.sendText 409 · duplicate");
		await duplicate.getByText(/^The duplicate rule blocked the message: the same one was sent/).waitFor();
		await rows(page, "messages.sendText 400 · invalid fields")
			.getByText("to must not be a sender's name")
			.waitFor();
		await rows(page, "agents.list 200").waitFor();
	});

	test("hides the probes of the doctor until they are asked for", async () => {
		await fetch(`${dev.baseUrl}/agent`, { headers: { "user-agent": PROBE_AGENT } });
		const page = await open();
		await rows(page, "agents.list 200").waitFor();
		const probe = rows(page, "agents.list probe 401");
		expect(await probe.count()).toBe(0);
		await page.getByLabel("Show the doctor's probes").check();
		await probe.waitFor();
	});

	test("is searched in bodies by the gateway, and a found request opens in its timeline", async () => {
		const page = await open();
		await page.getByRole("searchbox").fill("only ONCE");
		const found = page.getByRole("region", { name: "Found" });
		await found.getByRole("link", { name: "messages.sendText 409" }).last().click();
		await page.getByRole("complementary", { name: "messages.sendText" }).waitFor();
		await page.getByRole("heading", { name: CONTACT }).waitFor();
		await page.getByRole("searchbox").fill("no such words");
		await page.getByText("Nothing in messages, webhooks and requests").waitFor();
	});

	test("shows only what failed, in view too, until a link leads elsewhere", async () => {
		const page = await open();
		const failed = page.getByRole("button", { name: "Failed", exact: true });
		await failed.click();
		await rows(page, "agents.list 200").waitFor({ state: "detached" });
		await rows(page, "messages.sendText 409 · duplicate").waitFor();
		await page.getByText("Only what failed").waitFor();
		await fetch(`${dev.baseUrl}/nowhere`);
		await rows(page, "GET /nowhere 404").waitFor();
		expect(await rows(page, "inbound_message 200").count()).toBe(0);
		await page.getByRole("button", { name: "Show all" }).click();
		await rows(page, "agents.list 200").first().waitFor();
		await failed.click();
		const row = await openRow(page, "messages.sendText 409");
		await row.getByRole("link", { name: "Show the message that blocks it" }).click();
		await page.locator(".is-selected").getByText("Only once, please").waitFor();
		expect(await failed.getAttribute("aria-pressed")).toBe("false");
	});

	test("shows only messages, until a link leads elsewhere", async () => {
		const page = await open();
		const only = page.getByRole("switch", { name: "Messages only" });
		await only.check();
		await page.locator(".event").first().waitFor({ state: "detached" });
		await page.getByText("Only once, please").first().waitFor();
		await dev.act({ type: "reply", from: CONTACT, text: "Among messages" });
		await page.getByText("Among messages").first().waitFor();
		expect(await page.locator(".event").count()).toBe(0);
		await page.locator(".webhook-state").click();
		await page.getByRole("complementary").waitFor();
		await expect.poll(() => only.isChecked()).toBe(false);
	});

	test("says how long a response took, with a note from a second on", async () => {
		await dev.act({ type: "request_fault", fault: { kind: "delay", ms: 1_000 } });
		await dev.client.agents.list({ status: "offline" });
		const page = await open();
		const slow = rows(page, "agents.list 200").last();
		expect(await slow.locator(".badge").textContent()).toMatch(/^1\.\d\d s$/);
		const quick = rows(page, "messages.sendText 409").first();
		expect(await quick.textContent()).toMatch(/\d ms/);
		expect(await quick.locator(".badge").count()).toBe(0);
	});

	test("counts the failures of no contact that come while it is not in view", async () => {
		const watched = await openPage(browser, `${dev.consoleUrl}&conversation=${encodeURIComponent(CONTACT)}`);
		opened.push(watched);
		const { page } = watched;
		const link = page.getByRole("link", { name: "All activity" });
		await link.waitFor();
		expect(await link.textContent()).toBe("All activity");
		await page.getByRole("heading", { name: CONTACT }).waitFor();
		await fetch(`${dev.baseUrl}/nothing`);
		await page.getByRole("status").getByText("1 new failure of no contact. See All activity.").waitFor();
		expect(await link.textContent()).toBe("All activity1 failed");
		await link.click();
		await rows(page, "GET /nothing 404").waitFor();
		expect(await link.textContent()).toBe("All activity");
	});
});

describe("a request", () => {
	test("shows its signature check, the rule that rejected it, and leads to the message that blocks it", async () => {
		const page = await open();
		const row = await openRow(page, "messages.sendText 409");
		await row.getByText("The signature was accepted.").waitFor();
		await row.getByText('"Only once, please"').waitFor();
		await row.getByText("Request headers").click();
		await row.getByText("HMAC ***").waitFor();
		await row.getByRole("link", { name: "Show the message that blocks it" }).click();
		const thread = page.getByRole("region", { name: `Messages with ${CONTACT}` });
		await thread.locator(".is-selected").getByText("Only once, please").waitFor();
		await page.locator("#drawer-title:focus").getByText("Message of the agent").waitFor();
	});

	test("leads to the message even if its conversation is loaded late", async () => {
		const page = await open();
		const row = await openRow(page, "messages.sendText 409");
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
		await thread.locator(".is-selected").getByText("Only once, please").waitFor();
		await page.locator("#drawer-title:focus").waitFor();
	});

	test("without a good signature shows why it was rejected", async () => {
		const page = await open();
		const row = await openRow(page, "agents.list 401");
		await row.getByText("The signature was rejected: ").waitFor();
	});

	test("is copied as a curl command that works again", async () => {
		const page = await open();
		const row = await openRow(page, "messages.sendText 400");
		const command = await copied(page, row, "Copy as curl");
		const env = { ...process.env, MESSAGING_GATEWAY_APP_SECRET: dev.appSecret };
		for (let time = 0; time < 2; time++) {
			const { stdout } = await run("bash", ["-c", command], { env });
			expect(JSON.parse(stdout)).toMatchObject({ error: { code: "VALIDATION_ERROR" } });
		}
	});

	test("is copied as SDK code and as a test that passes", async () => {
		const page = await open();
		const row = await openRow(page, "messages.sendText 409");
		const program = await copied(page, row, "Copy as SDK code");
		expect(program).toContain("gateway.messages.sendText({");
		expect(program).toContain('text: "Only once, please"');
		expect(program).toContain(`baseUrl: "${dev.baseUrl}"`);
		using tests = new CopiedTests();
		tests.write("request.test.ts", await copied(page, row, "Copy as test"));
		expect(await tests.run()).toEqual({ "request.test.ts": "" });
	});

	test("opens in /docs with its content, once", async () => {
		const page = await open();
		const row = await openRow(page, "messages.sendText 409");
		await row.getByRole("link", { name: "Edit in /docs" }).click();
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
	test("is compared with the receiver's secret, and the cause is certain", async () => {
		const { row, compare } = await openExplain();
		expect(await compare.isDisabled()).toBe(true);
		await row.getByLabel("Secret that the receiver has").fill("another-secret-of-the-receiver");
		await compare.click();
		await row.getByText("certain", { exact: true }).first().waitFor();
		await row.getByText("the webhook secret of the gateway").first().waitFor();
		await row.getByLabel("Secret that the receiver has").fill(dev.webhookSecret);
		// What was found is not about the changed fields.
		expect(await row.getByText("With these the delivery").count()).toBe(0);
		await compare.click();
		await row.getByText("With these the delivery is accepted").waitFor();
	});

	test("is compared with the body that the receiver got: as text, in base64 or as a file", async () => {
		const { page, row, compare, sentBody } = await openExplain();
		const body = row.getByLabel("Body that the receiver got");
		const withLineEnd = Buffer.from(`${sentBody}\r\n`);
		await row.getByText(`Sent: ${Buffer.byteLength(sentBody)} bytes`).waitFor();
		expect(await copied(page, row, "Copy SHA-256 of the sent body")).toBe(sha256(sentBody));

		await body.fill(JSON.stringify(JSON.parse(sentBody), undefined, 2));
		await compare.click();
		await row.getByText("With these the delivery is rejected: signature_mismatch.").waitFor();
		await row.getByText("body_reserialized").waitFor();
		expect(await copied(page, row, "Copy report")).toMatch(
			/^The delivery is rejected with signature_mismatch\.\n- certain \(body_reserialized\): /,
		);

		await row.getByRole("tab", { name: "Base64" }).click();
		await row.getByText("This isn't base64. Encode the body again, or choose a file.").waitFor();
		// Whatever else there is to compare.
		await row.getByLabel("Secret that the receiver has").fill("another-secret-of-the-receiver");
		expect(await compare.isDisabled()).toBe(true);
		await row.getByLabel("Secret that the receiver has").fill("");
		await body.fill(withLineEnd.toString("base64"));
		await row.getByText(`Received: ${withLineEnd.length} bytes`).waitFor();
		expect(await copied(page, row, "Copy SHA-256 of the received body")).toBe(sha256(withLineEnd));
		await compare.click();
		await row.getByText("whitespace_changed").waitFor();

		await row.getByRole("tab", { name: "File" }).click();
		expect(await compare.isDisabled()).toBe(true);
		await body.setInputFiles({ name: "body", mimeType: "", buffer: withLineEnd });
		expect(await copied(page, row, "Copy SHA-256 of the received body")).toBe(sha256(withLineEnd));
		await compare.click();
		await row.getByText("whitespace_changed").waitFor();
		await body.setInputFiles({ name: "body", mimeType: "", buffer: Buffer.from(sentBody) });
		await compare.click();
		await row.getByText("With these the delivery is accepted").waitFor();
	});

	test("is compared with the headers that the receiver got, and nothing leaves the page", async () => {
		const { page, row, compare, sentHeaders } = await openExplain();
		const posted: string[] = [];
		page.on("request", (request) => {
			if (request.method() !== "GET") posted.push(request.url());
		});
		const lines = Object.entries(sentHeaders).map((header) => header.join(": "));
		const pasted = row.getByLabel("Headers that the receiver got");
		await pasted.fill(lines.filter((line) => !/^x-svc-signature/i.test(line)).join("\n"));
		await compare.click();
		await row.getByText("With these the delivery is rejected: missing_header.").waitFor();
		await row.getByText("header_missing", { exact: true }).last().waitFor();
		await pasted.fill([...lines, "no header"].join("\n"));
		await row.getByText(`Line ${lines.length + 1} isn't a header: no header`).waitFor();
		await compare.click();
		await row.getByText("With these the delivery is accepted").waitFor();
		expect(posted).toEqual([]);
	});

	test("is edited, signed again and delivered; the event keeps its body", async () => {
		await dev.act({ type: "reply", from: CONTACT, text: "To be edited" });
		const page = await open();
		const row = await openRow(page, "inbound_message");
		await row.getByRole("button", { name: "Edit", exact: true }).click();
		const field = row.getByRole("textbox");
		expect(await field.inputValue()).toContain('"text":');
		await field.fill(EDITED);
		await row.getByRole("button", { name: "Sign and send" }).click();
		await row.getByText("Sent body, edited", { exact: true }).waitFor();
		await eventually(() => expect(bodies).toContain(EDITED));
		await row.getByText("Correctly signed with the gateway's webhook secret.").last().waitFor();
		await row.getByText('"To be edited"').waitFor();
	});

	test("is copied as curl and as a test", async () => {
		await dev.act({ type: "reply", from: CONTACT, text: "To be copied" });
		const page = await open();
		const row = await openRow(page, "inbound_message");
		await row.getByText("Correctly signed with the gateway's webhook secret.").waitFor();
		// Another test's webhook may come again meanwhile.
		const received = () => bodies.filter((body) => body.includes("To be copied"));
		await eventually(() => expect(received()).toHaveLength(1));
		const { stdout } = await run("bash", ["-c", await copied(page, row, "Copy as curl")]);
		expect(stdout).toContain("the receiver's own words");
		expect(received()).toHaveLength(2);
		expect(new Set(received()).size).toBe(1);
		using tests = new CopiedTests();
		tests.write("webhook.test.ts", await copied(page, row, "Copy as test"));
		const variables = { MESSAGING_GATEWAY_WEBHOOK_SECRET: dev.webhookSecret };
		expect(await tests.run(variables)).toEqual({ "webhook.test.ts": "" });
	});

	test("is found by a search, and among the failed ones while it fails", async () => {
		const page = await open();
		await page.getByRole("button", { name: "Failed", exact: true }).click();
		const found = page.getByRole("region", { name: "Found" });
		await found.getByRole("link", { name: "messages.sendText 409" }).first().waitFor();
		expect(await found.getByRole("link", { name: "inbound_message 503" }).count()).toBe(0);
		receiverStatus = 503;
		await dev.act({ type: "reply", from: CONTACT, text: "A needle" });
		await rows(page, "inbound_message 503").waitFor();
		await page.getByRole("searchbox").fill("A NEEDLE");
		await found.getByRole("link", { name: "inbound_message 503" }).waitFor();
		receiverStatus = 200;
		await (await openRow(page, "inbound_message 503")).getByRole("button", { name: "Try now" }).click();
		// The gateway may have tried again before the click.
		await page.getByRole("button", { name: /inbound_message 200 · [23] attempts/ }).waitFor();
	});
});

describe.each([
	["light", 375],
	["dark", 375],
	["light", 1024],
	["dark", 1440],
] as const)("in %s at %i px", (colorScheme, width) => {
	test("the details of requests and webhooks are accessible", async () => {
		const page = await open({ viewport: { width, height: 900 }, colorScheme });
		const inspect = async (): Promise<void> => {
			expect([...(await auditAccessibility(page)), ...(await findSidewaysScrolling(page))]).toEqual([]);
		};
		await dev.client.messages.sendText({ to: CONTACT, text: "Only once, please" }).catch(() => undefined);
		await dev.act({ type: "reply", from: CONTACT, text: "To look at" });
		const webhook = await openRow(page, "inbound_message");
		await webhook.getByRole("button", { name: "Edit", exact: true }).click();
		await inspect();
		await webhook.getByRole("button", { name: "Explain" }).click();
		await webhook.getByRole("tab", { name: "Base64" }).click();
		await webhook.getByLabel("Body that the receiver got").fill("?");
		await inspect();
		await webhook.getByLabel("Body that the receiver got").fill(btoa("{}"));
		await webhook.getByRole("button", { name: "Compare" }).click();
		await webhook.getByText("With these the delivery is rejected").waitFor();
		await inspect();
		await webhook.getByRole("button", { name: "Close" }).click();
		await webhook.waitFor({ state: "detached" });
		await openRow(page, "messages.sendText 409");
		await inspect();
	});
});
