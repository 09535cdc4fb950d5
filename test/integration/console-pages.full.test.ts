import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { auditAccessibility, findVisibleProblems, openBrowser, openPage } from "../support/browser.ts";
import { type RunningDevServer, startDev } from "../support/dev-server.ts";

const CONTACT = "+15551234567";
const LONG_CONTACT = "ana.maria.garcia-lopez+newsletters@mail.corporation.icloud.example";
const GROUP = ["+15557654321", "+15557654322"];
/** A message to it always fails. */
const FAILING_CONTACT = "+15550001001";
/** The size of a phone. */
const NARROW = { width: 375, height: 812 };
const WIDE = { width: 1280, height: 800 };

const MODES = [
	{ mode: "light", viewport: WIDE, colorScheme: "light" },
	{ mode: "dark", viewport: WIDE, colorScheme: "dark" },
	{ mode: "light at 375 px", viewport: NARROW, colorScheme: "light" },
	{ mode: "dark at 375 px", viewport: NARROW, colorScheme: "dark" },
] as const;

let dev: RunningDevServer;
let browser: Browser;

beforeAll(async () => {
	dev = await startDev(["--forward-to", "http://127.0.0.1:9/webhooks"]);
	const note = { name: "a note with a rather long name.txt", mimeType: "text/plain", data: "bm90ZQ==" };
	await dev.act({ type: "reply", from: CONTACT, text: "See the note", attachments: [note] });
	const { messages } = dev.client;
	await messages.sendText({ to: CONTACT, text: "Thank you" });
	await messages.sendText({ to: FAILING_CONTACT, text: "Hello" });
	await messages.sendText({ participants: GROUP, text: "Hello to all of you" });
	await dev.act({ type: "request_fault", fault: { kind: "delay", ms: 10 }, times: "always" });
	browser = await openBrowser();
});

afterAll(async () => {
	await browser.close();
	await dev[Symbol.asyncDispose]();
});

/** Expects nothing wrong to be seen, and no accessibility problems. */
async function inspect(page: Page): Promise<void> {
	expect([...(await findVisibleProblems(page)), ...(await auditAccessibility(page))]).toEqual([]);
}

/** States of the page that the tests below do not reach; each inspects the page while it lasts. */
const STATES = {
	empty: async (look) => {
		await using fresh = await startDev();
		const { page } = await openPage(browser, fresh.consoleUrl, look);
		await page.getByRole("heading", { name: "Here you play your contacts" }).waitFor();
		await inspect(page);
		await page.getByLabel("URL of your webhook handler").fill("http://127.0.0.1:9/webhooks");
		await page.getByRole("button", { name: "Save and try" }).click();
		await page.getByRole("status").getByText("Not acknowledged").waitFor();
		await inspect(page);
		await page.context().close();
	},
	"asking for the URL, then offline": async (look) => {
		await using fresh = await startDev();
		await fresh.act({ type: "reply", from: CONTACT, text: "Hi" });
		const { page } = await openPage(browser, conversationOf(fresh), look);
		await page.getByRole("heading", { name: "Where does your app listen?" }).waitFor();
		await inspect(page);
		await fresh.end("SIGKILL");
		await page.getByText("Reconnecting…").waitFor();
		await page.getByRole("textbox", { name: `Write as ${CONTACT}` }).fill("A draft");
		await page.getByRole("button", { name: "Send", exact: true }).click();
		await page.getByText("The gateway can't be reached.").waitFor();
		await inspect(page);
		await page.context().close();
	},
	busy: async (look) => {
		await using fresh = await startDev(["--no-rules"]);
		await fresh.act({ type: "reply", from: LONG_CONTACT, text: "Message 0" });
		const { page } = await openPage(browser, `${fresh.consoleUrl}&conversation=`, look);
		await page.getByText("Message 0").last().waitFor();
		const written = Array.from({ length: 40 }, (_, at) =>
			fresh.act({ type: "reply", from: at % 2 === 0 ? CONTACT : LONG_CONTACT, text: `Message ${at + 1}` }),
		);
		expect(await findVisibleProblems(page)).toEqual([]);
		await Promise.all(written);
		await page.getByText("Message 40").last().waitFor();
		await inspect(page);
		await page.context().close();
	},
	failing: async (look) => {
		const { page } = await openPage(browser, conversationOf(dev), look);
		const row = page.getByRole("button", { name: "inbound_message" }).first();
		await row.waitFor();
		await inspect(page);
		await row.click();
		await page.getByRole("complementary").getByRole("button", { name: "Try now" }).waitFor();
		await inspect(page);
		await page.context().close();
	},
	"/docs": async (look) => {
		const { page } = await openPage(browser, `${dev.baseUrl}/docs#messages.sendText`, look);
		await page.getByLabel("App Secret", { exact: true }).waitFor();
		await inspect(page);
		await page.context().close();
	},
} satisfies Record<string, (look: BrowserContextOptions) => Promise<void>>;

const conversationOf = ({ consoleUrl }: RunningDevServer): string =>
	`${consoleUrl}&conversation=${encodeURIComponent(CONTACT)}`;

const LOOKS = {
	"at 1440 px": { viewport: { width: 1440, height: 900 } },
	"at 1024 px": { viewport: { width: 1024, height: 768 } },
	"dark at 768 px": { viewport: { width: 768, height: 1024 }, colorScheme: "dark" },
	"dark at 375 px": { viewport: NARROW, colorScheme: "dark" },
	"at 200 %": { viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 },
	"in dark forced colours": { viewport: WIDE, forcedColors: "active", colorScheme: "dark" },
} as const;

test.each<[state: keyof typeof STATES, looks: readonly (keyof typeof LOOKS)[]]>([
	["empty", ["at 1440 px", "dark at 375 px", "at 200 %", "in dark forced colours"]],
	[
		"asking for the URL, then offline",
		["at 1440 px", "dark at 375 px", "at 200 %", "in dark forced colours"],
	],
	["busy", ["at 1440 px", "dark at 375 px"]],
	["failing", ["at 1440 px", "at 1024 px", "dark at 768 px", "at 200 %", "in dark forced colours"]],
	["/docs", ["at 1440 px", "at 1024 px", "dark at 768 px", "at 200 %", "in dark forced colours"]],
])("the page that is %s is whole and accessible: %j", async (state, looks) => {
	for (const look of looks) await STATES[state](LOOKS[look]);
});

describe.each(MODES)("in $mode", ({ viewport, colorScheme }) => {
	test("/ is accessible, with its list, timelines, drawer and menus", async () => {
		const { page, problems } = await openPage(browser, dev.consoleUrl, { viewport, colorScheme });
		await page.getByRole("link", { name: CONTACT }).waitFor();
		await inspect(page);
		await page.getByRole("link", { name: CONTACT }).click();
		await page.getByRole("textbox", { name: `Write as ${CONTACT}` }).waitFor();
		await inspect(page);
		for (const menu of ["Gateway time", "fault", "Settings", "Mapping"]) {
			await page.getByRole("button", { name: menu }).click();
			await page.getByRole("dialog").waitFor();
			await inspect(page);
			await page.keyboard.press("Escape");
		}
		for (const row of ["Details of the message", "inbound_message", "messages.sendText 202"]) {
			await page.getByRole("button", { name: row }).first().click();
			await page.getByRole("complementary").waitFor();
			await inspect(page);
			await page.getByRole("button", { name: "Close" }).click();
			await page.getByRole("complementary").waitFor({ state: "detached" });
		}
		await page.goto(`${dev.consoleUrl}&conversation=`);
		await page.getByRole("heading", { name: "All activity" }).waitFor();
		await inspect(page);
		expect(problems).toEqual([]);
		await page.context().close();
	});

	test("/docs is accessible, before and after a call", async () => {
		const url = `${dev.baseUrl}/docs#agents.list`;
		const { page, problems } = await openPage(browser, url, { viewport, colorScheme });
		await page.getByLabel("App Secret", { exact: true }).fill(dev.appSecret);
		await inspect(page);
		await page.getByRole("button", { name: "Send", exact: true }).click();
		await page.getByRole("region", { name: "Response" }).getByText("200 OK").waitFor();
		await inspect(page);
		expect(problems).toEqual([]);
		await page.context().close();
	});
});

test("dark is dark, and light is light", async () => {
	for (const path of ["/", "/docs"]) {
		const light = await backgroundOf(path, "light");
		const dark = await backgroundOf(path, "dark");
		expect(light).toBeGreaterThan(200);
		expect(dark).toBeLessThan(60);
	}
});

/** How bright the page's background is, from 0 to 255. */
async function backgroundOf(path: string, colorScheme: "light" | "dark"): Promise<number> {
	const { page } = await openPage(browser, `${dev.baseUrl}${path}`, { colorScheme });
	// Painted, because a colour has many notations.
	const brightness = await page.evaluate(() => {
		const context = new OffscreenCanvas(1, 1).getContext("2d");
		if (context === null) return -1;
		context.fillStyle = getComputedStyle(document.body).backgroundColor;
		context.fillRect(0, 0, 1, 1);
		const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
		return (red + green + blue) / 3;
	});
	await page.context().close();
	return brightness;
}
