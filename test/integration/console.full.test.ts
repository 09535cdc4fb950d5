import express from "express";
import { MessagingGateway } from "messaging-gateway";
import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";
import { toExpress } from "messaging-gateway/webhooks/express";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { DeliveryView } from "../../src/tools/control/contract.ts";
import { openBrowser, openPage, type WatchedPage } from "../support/browser.ts";
import { type RunningDevServer, startDev } from "../support/dev-server.ts";
import { eventually } from "../support/eventually.ts";
import { type RunningServer, serve } from "../support/serve.ts";

const AGENT = "+15550000001";
const WEBHOOK_SECRET = "the-webhook-secret-of-the-test";

let receiver: RunningServer;
let dev: RunningDevServer;
let browser: Browser;
let opened: WatchedPage[] = [];

/** The events that the application has processed. */
const received: string[] = [];
/** A text that the application cannot process before its repair. */
const BREAKING = "Anybody there?";
/** While set, the application fails once for that text, and then does not respond to it until this is resolved. */
let repair: PromiseWithResolvers<void> | undefined;
let failures = 0;

beforeAll(async () => {
	const app = express();
	const webhooks = createWebhookHandler({
		secret: WEBHOOK_SECRET,
		store: memoryStore(),
		on: {
			inbound_message: async ({ data }) => {
				// A webhook of another test may come again meanwhile.
				if (repair !== undefined && data.text === BREAKING) {
					if (++failures === 1) throw new Error("the application is broken");
					await repair.promise;
				}
				received.push(`${data.from}: ${data.text}`);
			},
			inbound_reaction: ({ data }) =>
				void received.push(`${data.from}: ${"removed" in data ? "removed " : ""}${data.reaction}`),
			unknown: ({ eventId }) => void received.push(`${eventId}: not as documented`),
		},
		onError: () => undefined,
	});
	app.post("/webhooks", toExpress(webhooks));
	receiver = await serve(app);
	dev = await startDev(["--forward-to", `${receiver.url}/webhooks`], {
		env: { MESSAGING_GATEWAY_WEBHOOK_SECRET: WEBHOOK_SECRET },
	});
	browser = await openBrowser();
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
	repair?.resolve();
	repair = undefined;
	await dev.act({ type: "clear_faults" });
	expect(problems).toEqual([]);
});

async function open(url: string): Promise<Page> {
	const watched = await openPage(browser, url);
	opened.push(watched);
	return watched.page;
}

/** Opens the console at a new conversation of a contact. */
async function openConversation(contact: string, text = "Hi"): Promise<Page> {
	await dev.act({ type: "reply", from: contact, text });
	return open(`${dev.consoleUrl}&conversation=${encodeURIComponent(contact)}`);
}

function bubble(page: Page, contact: string, text: string): Locator {
	const thread = page.getByRole("region", { name: `Messages with ${contact}` });
	return thread.getByRole("listitem").filter({ hasText: text });
}

async function replyAs(page: Page, contact: string, text: string): Promise<void> {
	await page.getByRole("textbox", { name: `Write as ${contact}` }).fill(text);
	await page.getByRole("button", { name: "Send", exact: true }).click();
}

async function findLastDelivery(contact: string): Promise<DeliveryView | undefined> {
	const deliveries = await dev.deliveries();
	return deliveries.findLast(({ conversationKey }) => conversationKey === contact);
}

/** Opens the newest webhook of the conversation in the drawer, once there are so many rows of them. */
async function openNewestWebhook(page: Page, count: number): Promise<Locator> {
	const rows = page.getByRole("button", { name: "inbound_message" });
	await expect.poll(() => rows.count()).toBe(count);
	await rows.last().click();
	return page.getByRole("complementary", { name: "inbound_message" });
}

test("a text signed and sent from /docs arrives as a bubble, and its status changes", async () => {
	// This number never reads by itself.
	const contact = "+15550001007";
	const conversations = await openConversation(contact);
	await conversations.getByRole("button", { name: "Settings" }).click();
	const isOnline = conversations.getByLabel(`${AGENT} is online`);
	await isOnline.click();
	await conversations.getByText("offline", { exact: true }).waitFor();

	const docs = await open(`${dev.baseUrl}/docs#messages.sendText`);
	await docs.getByLabel("App Secret", { exact: true }).fill(dev.appSecret);
	await docs.getByRole("textbox", { name: "to", exact: true }).fill(contact);
	await docs.getByRole("textbox", { name: "text", exact: true }).fill("Signed in the browser");
	await docs.getByRole("button", { name: "Send", exact: true }).click();
	await docs.getByRole("region", { name: "Response" }).getByText("202 Accepted").waitFor();
	await docs.getByText("The HMAC of this string with your secret is the signature that was sent.").waitFor();

	const sent = bubble(conversations, contact, "Signed in the browser");
	await sent.getByRole("img", { name: "Queued" }).waitFor();
	await isOnline.click();
	await conversations.keyboard.press("Escape");
	await sent.getByRole("img", { name: "Delivered" }).waitFor();
	await conversations.getByRole("button", { name: "Mark as read" }).click();
	await sent.getByRole("img", { name: "Read" }).waitFor();
});

test("a reply of the contact reaches the application as a webhook", async () => {
	const contact = "+15557770001";
	const page = await openConversation(contact);
	await replyAs(page, contact, "Is this thing on?");
	await bubble(page, contact, "Is this thing on?").waitFor();
	await eventually(() => expect(received).toContain(`${contact}: Is this thing on?`));
	const webhook = await openNewestWebhook(page, 2);
	await webhook.getByRole("img", { name: "acknowledged", exact: true }).waitFor();
	await webhook.getByText("Correctly signed with the gateway's webhook secret.").waitFor();
	await webhook.getByText('"Is this thing on?"').waitFor();
});

test("a reaction of the contact reaches the application, too", async () => {
	const contact = "+15557770002";
	const page = await openConversation(contact);
	await dev.client.messages.sendText({ to: contact, text: "Do you like it?" });
	const sent = bubble(page, contact, "Do you like it?");
	await sent.getByRole("button", { name: `React as ${contact}` }).click();
	await sent.getByRole("toolbar", { name: "Reactions" }).getByRole("button", { name: "love" }).click();
	await sent.getByRole("list", { name: "Reactions" }).getByRole("img", { name: "love" }).waitFor();
	await eventually(() => expect(received).toContain(`${contact}: love`));
	await sent.getByRole("button", { name: `React as ${contact}` }).click();
	const love = sent.getByRole("toolbar", { name: "Reactions" }).getByRole("button", { name: "love" });
	expect(await love.getAttribute("aria-pressed")).toBe("true");
	await love.click();
	await eventually(() => expect(received).toContain(`${contact}: removed love`));
	await sent.getByRole("list", { name: "Reactions" }).waitFor({ state: "detached" });
});

test("an application that responds with 500 gets the webhook again", async () => {
	const contact = "+15557770003";
	const page = await openConversation(contact);
	repair = Promise.withResolvers();
	failures = 0;
	await replyAs(page, contact, BREAKING);
	const webhook = await openNewestWebhook(page, 2);
	const attempts = webhook.getByRole("list", { name: "Attempts" }).getByRole("listitem");
	await attempts.first().getByText("500", { exact: true }).waitFor();
	await attempts.first().getByText("Response headers").waitFor();
	await page.getByRole("button", { name: "inbound_message 500 · handler failed" }).waitFor();
	await webhook.getByText("The receiver's handler threw, and the response was 500.").waitFor();
	await webhook.getByText(/Read the receiver's log at this time/).waitFor();
	await page.getByRole("link", { name: contact }).getByText("1 failed").waitFor();
	repair.resolve();
	await webhook.getByRole("button", { name: "Try now" }).click();
	await attempts.last().getByText("200", { exact: true }).waitFor();
	await page.getByRole("link", { name: contact }).getByText("1 failed").waitFor({ state: "detached" });
	const delivery = await findLastDelivery(contact);
	const statuses = delivery?.attempts.map(({ status }) => status) ?? [];
	expect([statuses.at(0), statuses.at(-1)]).toEqual([500, 200]);
	// A retry that waited for the repair ends beside the one that is tried now.
	expect(statuses.slice(1, -1).filter((status) => status === 500)).toEqual([]);
	expect(received.filter((line) => line === `${contact}: ${BREAKING}`)).toHaveLength(1);
});

test("a client gets a 500 added in the console, and retries", async () => {
	const page = await openConversation("+15557770004");
	await page.getByRole("button", { name: "Faults" }).click();
	await page.getByLabel("Fault of requests").selectOption("Error response");
	await page.getByRole("button", { name: "Add the fault of requests" }).click();
	const chip = page.getByRole("button", { name: "1 fault", exact: true });
	await chip.waitFor();
	const statuses: number[] = [];
	const gateway = new MessagingGateway({
		...dev.clientOptions,
		hooks: { onResponse: ({ status }) => statuses.push(status) },
	});
	await gateway.agents.list();
	expect(statuses).toEqual([500, 200]);
	await chip.waitFor({ state: "detached" });
});

test("a delivery with a wrong signature is explained in the drawer", async () => {
	const contact = "+15557770006";
	// For every attempt: the drawer shows the last one, and another may follow at any time.
	await dev.act({ type: "webhook_fault", fault: { kind: "wrong_signature" }, times: "always" });
	const page = await openConversation(contact, "Who signed this?");
	const webhook = await openNewestWebhook(page, 1);
	await webhook.getByText("signature_mismatch: ").last().waitFor();
	// The receiver's own response.
	await webhook.locator("pre").getByText("signature_mismatch").last().waitFor();
	const compare = async (secret: string): Promise<void> => {
		await webhook.getByLabel("Secret that the receiver has").fill(secret);
		await webhook.getByRole("button", { name: "Compare" }).click();
	};
	await webhook.getByRole("button", { name: "Explain" }).click();
	await compare(WEBHOOK_SECRET);
	await webhook.getByText("With these the delivery is rejected: signature_mismatch.").waitFor();
	await webhook.getByText("the secret wasn't given here").waitFor();
	await compare("a-secret-that-nobody-shares");
	await webhook.getByText("With these the delivery is accepted").waitFor();
});
