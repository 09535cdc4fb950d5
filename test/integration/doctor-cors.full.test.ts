import type { DiagnosisFinding } from "messaging-gateway/doctor";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CORS } from "../../scripts/docs/cors.ts";
import { openBrowser } from "../support/browser.ts";
import { bundleForUser } from "../support/bundle.ts";
import { serve } from "../support/serve.ts";

let browser: Browser;
let program: string;

beforeAll(async () => {
	browser = await openBrowser();
	const { outputFiles } = await bundleForUser(`
		import { MessagingGateway } from "messaging-gateway";
		import { diagnose } from "messaging-gateway/doctor";
		const options = { appId: "app-1", appSecret: "s", logLevel: "off", dangerouslyAllowBrowser: true };
		globalThis.examine = async (baseUrl) => (await diagnose(new MessagingGateway({ ...options, baseUrl }))).findings;
		globalThis.send = async (baseUrl) => {
			const { messages } = new MessagingGateway({ ...options, baseUrl, maxRetries: 0 });
			return await messages.sendText({ to: "+15551234567", text: "Hello" }).catch(({ code }) => code);
		};`);
	program = outputFiles[0]?.text ?? "";
});

afterAll(() => browser?.close());

/** What a page of another origin finds of a gateway that allows some of its requests. */
function examineFromPage(allowed: Record<string, string>): Promise<DiagnosisFinding[]> {
	return runInPage("examine", allowed);
}

/** What a function of the program resolves to in a page of another origin. */
async function runInPage<Result>(name: string, allowed: Record<string, string>): Promise<Result> {
	await using gateway = await serve((request, response) => {
		response.writeHead(request.method === "OPTIONS" ? 204 : 200, allowed);
		response.end(request.method === "OPTIONS" ? "" : "OK");
	});
	await using site = await serve((request, response) => {
		const isScript = request.url === "/program.js";
		response.setHeader("Content-Type", isScript ? "text/javascript" : "text/html");
		response.end(isScript ? program : '<script type="module" src="/program.js"></script>');
	});
	const page = await browser.newPage();
	try {
		await page.goto(site.url);
		await page.waitForFunction(() => "examine" in globalThis);
		return await page.evaluate(([run = "", url]) => Reflect.get(globalThis, run)(url), [name, gateway.url]);
	} finally {
		await page.close();
	}
}

test("in Chromium the first finding names CORS if nothing of the gateway may be read", async () => {
	const [first] = await examineFromPage({});
	expect(first).toMatchObject({
		cause: "blocked_by_browser",
		message:
			"The browser blocked GET /health and hides the reason from the page: CORS, or no network, DNS or a certificate.",
		fix: expect.stringContaining("For CORS, call the gateway from your server"),
	});
});

test("and if the signed headers are not allowed", async () => {
	const [first] = await examineFromPage({ "Access-Control-Allow-Origin": "*" });
	expect(first).toMatchObject({
		cause: "blocked_by_browser",
		message:
			"CORS: the browser blocked GET /mapping/{toNumber}, though unsigned calls get responses: the gateway doesn't allow this page to send the signed headers.",
	});
});

test("a page can send with the headers of the guide, and without any one of them it cannot", async () => {
	const { requestHeaders } = CORS;
	const allow = (headers: readonly string[]) =>
		runInPage("send", {
			"Access-Control-Allow-Origin": "*",
			"Access-Control-Allow-Headers": headers.join(", "),
		});
	expect(await allow(requestHeaders)).toBe("unexpected_response");
	for (const missing of requestHeaders)
		expect(await allow(requestHeaders.filter((name) => name !== missing))).toBe("connection_failed");
});

test("the fix names each of them", async () => {
	const [first] = await examineFromPage({});
	for (const name of CORS.requestHeaders) expect(first?.fix).toContain(name);
});
