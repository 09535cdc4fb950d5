import { createHmac } from "node:crypto";
import type { KyInstance } from "ky";
import type { MessagingGateway } from "messaging-gateway";
import { type ListeningGateway, listen } from "messaging-gateway/testing/node";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openBrowser, openPage } from "../support/browser.ts";
import { bundleForUser } from "../support/bundle.ts";
import { startServer, type TestServer } from "../support/http-server.ts";
import { type ResettingProxy, startResettingProxy } from "./support/resetting-proxy.ts";

/** What the page defines. */
declare const gateway: MessagingGateway;
declare const api: KyInstance;
declare const outcomeOf: (call: Promise<unknown>) => Promise<string>;

const APP_ID = "app-1";
const APP_SECRET = "what-no-browser-may-see";

const PAGE = `
import { MessagingGateway } from "messaging-gateway";
import { signedKy } from "messaging-gateway/ky";
const signer = async ({ stringToSign }) => ({ signature: await sign(stringToSign) });
const options = { baseUrl: location.hash.slice(1), appId: "${APP_ID}", signer, logLevel: "off" };
const { logLevel, ...ofKy } = options;
globalThis.gateway = new MessagingGateway(options);
globalThis.api = signedKy(ofKy);
globalThis.outcomeOf = (call) => call.then(() => "accepted", (error) => \`\${error.name} \${error.outcome}\`);
globalThis.isReady = true;
`;

/** How a page sends and reads. */
const CLIENTS = [
	[
		"the client",
		(page: Page, text: string) =>
			page.evaluate((it) => outcomeOf(gateway.messages.sendText({ to: "+15551234567", text: it })), text),
		(page: Page) => page.evaluate(() => outcomeOf(gateway.agents.list())),
	],
	[
		"signedKy",
		(page: Page, text: string) =>
			page.evaluate(
				(it) => outcomeOf(api.post("message/text", { json: { to: "+15551234567", text: it } }).json()),
				text,
			),
		(page: Page) => page.evaluate(() => outcomeOf(api.get("agent").json())),
	],
] as const;

let browser: Browser;
let site: TestServer;

beforeAll(async () => {
	const { outputFiles } = await bundleForUser(PAGE);
	const html = `<!doctype html><title>Page</title><script type="module">${outputFiles[0]?.text.replaceAll("</script", "<\\/script")}</script>`;
	site = await startServer((response) => response.setHeader("Content-Type", "text/html").end(html));
	browser = await openBrowser();
});

afterAll(async () => {
	await browser.close();
	await site[Symbol.asyncDispose]();
});

describe.each(CLIENTS)("Chromium repeats a request of %s after a reset", (_name, send, read) => {
	let listening: ListeningGateway;
	let proxy: ResettingProxy;
	let page: Page;

	beforeEach(async () => {
		listening = await listen({ appId: APP_ID, appSecret: APP_SECRET });
		proxy = await startResettingProxy(Number(new URL(listening.url).port));
		({ page } = await openPage(browser, "about:blank"));
		await page.exposeFunction("sign", (text: string) =>
			createHmac("sha256", APP_SECRET).update(text).digest("hex"),
		);
		await page.goto(`${site.url}/#${proxy.url}`);
		await page.waitForFunction("globalThis.isReady");
		// The connection is used once.
		expect(await read(page)).toBe("accepted");
	});

	afterEach(async () => {
		await page.context().close();
		await proxy[Symbol.asyncDispose]();
		await listening.close();
	});

	const requestsOf = (wanted: string) =>
		listening.local.requests.flatMap(({ method, headers, status }) =>
			method === wanted ? [{ nonce: headers["x-nonce"], status }] : [],
		);

	test("a send is made once, and its outcome is unknown", async () => {
		proxy.loseNext("POST", "reused");
		expect(await send(page, "Hello")).toBe("AuthenticationError unknown");
		const posts = requestsOf("POST");
		expect(posts.map(({ status }) => status)).toEqual([202, 401]);
		expect(posts[1]?.nonce).toBe(posts[0]?.nonce);
		expect([proxy.lost, listening.local.sent.length]).toEqual([1, 1]);
		// The next one is made as ever.
		expect(await send(page, "Another text")).toBe("accepted");
		expect(listening.local.sent).toHaveLength(2);
	});

	test("a read succeeds", async () => {
		proxy.loseNext("GET", "reused");
		expect(await read(page)).toBe("accepted");
		const gets = requestsOf("GET");
		expect(gets.map(({ status }) => status)).toEqual([200, 200, 401, 200]);
		expect(gets[2]?.nonce).toBe(gets[1]?.nonce);
		expect(proxy.lost).toBe(1);
	});
});
