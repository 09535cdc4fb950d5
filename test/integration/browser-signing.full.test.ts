import { execFile } from "node:child_process";
import { cpSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { canonicalize, memoryNonceStore, verifyRequest } from "messaging-gateway/signing";
import { type ListeningGateway, listen } from "messaging-gateway/testing/node";
import type { Browser, Page, Response as PageResponse } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { api } from "../../examples/browser-signing/server.ts";
import { auditAccessibility, findSidewaysScrolling, openBrowser, openPage } from "../support/browser.ts";
import { createUserProject, LINKED } from "../support/packed-package.ts";
import { environmentFor, startExample } from "../support/started-example.ts";
import { startProcess } from "../support/started-process.ts";

const run = promisify(execFile);
const ROOT = new URL("../..", import.meta.url).pathname;
const APP_SECRET = "what-no-browser-may-see";
const ALICE = "+15551234567";
const STRANGER = "+15550001007";
const WIDE = { width: 1280, height: 800 };
const NARROW = { width: 375, height: 700 };

describe("the signing route", () => {
	const GATEWAY = "https://gateway.example/base";
	const URL_OF_TEXTS = `${GATEWAY}/message/text`;
	const body = { to: ALICE, text: "Hello" };

	beforeAll(() => {
		vi.stubEnv("MESSAGING_GATEWAY_BASE_URL", `${GATEWAY}/`);
		vi.stubEnv("MESSAGING_GATEWAY_APP_ID", "app-1");
		vi.stubEnv("MESSAGING_GATEWAY_APP_SECRET", APP_SECRET);
	});

	afterAll(() => vi.unstubAllEnvs());

	async function signIn(): Promise<string> {
		const response = await api.request("/sign-in", { method: "POST", headers: SAME_ORIGIN });
		const cookie = response.headers.get("Set-Cookie") ?? "";
		expect(cookie).toMatch(/; HttpOnly; SameSite=Strict$/);
		return cookie.split(";")[0] ?? "";
	}

	const SAME_ORIGIN = { Origin: "http://localhost", "Content-Type": "application/json" };
	const ask = (request: unknown, headers: Record<string, string>): Promise<Response> =>
		Promise.resolve(api.request("/sign", { method: "POST", headers, body: JSON.stringify(request) }));

	test("a text to a contact of the user is signed, with the server's own time and nonce", async () => {
		const headers = { ...SAME_ORIGIN, Cookie: await signIn() };
		const sent = JSON.stringify({ text: body.text, to: body.to });
		const response = await ask({ method: "POST", url: URL_OF_TEXTS, body: sent }, headers);
		expect(response.status).toBe(200);
		const { appId, signature, timestamp, nonce } = await response.json();
		const signed = new Headers({
			"X-App-Id": appId,
			"X-Timestamp": String(timestamp),
			"X-Nonce": nonce,
			Authorization: `HMAC ${signature}`,
		});
		const received = {
			method: "POST",
			url: URL_OF_TEXTS,
			headers: signed,
			body: new TextEncoder().encode(canonicalize(body)),
		};
		const options = { secretFor: () => APP_SECRET, nonceStore: memoryNonceStore() };
		expect(await verifyRequest(received, options)).toEqual({ appId: "app-1", timestamp, nonce });
	});

	test.each([
		["the mappings", { method: "GET", url: `${GATEWAY}/mapping/%2B15551234567`, body: "" }, 403],
		["another operation", { method: "POST", url: `${GATEWAY}/settings/webhooks`, body }, 403],
		["another host", { method: "POST", url: "https://elsewhere.example/base/message/text", body }, 403],
		["a query", { method: "POST", url: `${URL_OF_TEXTS}?a=1`, body }, 403],
		["a number that is not a contact", textWith({ to: STRANGER }), 403],
		["a group", textWith({ to: undefined, participants: [ALICE, STRANGER] }), 403],
		["another agent", textWith({ from: "+15550000002" }), 403],
		["another address for statuses", textWith({ status_callback: "https://elsewhere.example" }), 403],
		["a long text", textWith({ text: "a".repeat(501) }), 403],
		["what is not JSON", { method: "POST", url: URL_OF_TEXTS, body: "{" }, 403],
		["what is no request", "sign this", 400],
	])("%s: refused", async (_what, request, status) => {
		const wanted =
			typeof request === "string" || typeof request.body === "string"
				? request
				: { ...request, body: JSON.stringify(request.body) };
		const response = await ask(wanted, { ...SAME_ORIGIN, Cookie: await signIn() });
		expect({ status: response.status, isSigned: (await response.text()).includes("signature") }).toEqual({
			status,
			isSigned: false,
		});
	});

	test("nothing is signed for a stranger, nor for a page elsewhere", async () => {
		const request = { method: "POST", url: URL_OF_TEXTS, body: JSON.stringify(body) };
		expect((await ask(request, SAME_ORIGIN)).status).toBe(401);
		expect((await ask(request, { ...SAME_ORIGIN, Cookie: "session=guessed" })).status).toBe(401);
		const elsewhere = { Origin: "https://elsewhere.example", "Content-Type": "text/plain" };
		expect((await ask(request, { ...elsewhere, Cookie: await signIn() })).status).toBe(403);
	});

	function textWith(change: object) {
		return { method: "POST", url: URL_OF_TEXTS, body: { ...body, ...change } };
	}
});

/** What the page looks like does not depend on how it is served. */
const MODES = [
	{ mode: "light", viewport: WIDE, colorScheme: "light" },
	{ mode: "dark", viewport: WIDE, colorScheme: "dark" },
	{ mode: "light at 375 px", viewport: NARROW, colorScheme: "light" },
	{ mode: "dark at 375 px", viewport: NARROW, colorScheme: "dark" },
] as const;

describe.each([
	{ how: "vite dev", start: startDevServer, modes: MODES },
	{ how: "vite build", start: startBuiltPage, modes: [] },
])("the page by $how", ({ start, modes }) => {
	let gateway: ListeningGateway;
	let browser: Browser;
	let site: AsyncDisposable & { url: string };

	beforeAll(async () => {
		gateway = await listen({ appSecret: APP_SECRET });
		browser = await openBrowser();
		site = await start(gateway);
	});

	afterEach(() => gateway.local.reset());

	afterAll(async () => {
		await site[Symbol.asyncDispose]();
		await browser.close();
		await gateway.close();
	});

	test("a text is sent, and the browser never sees the secret", async () => {
		const { page, problems } = await openPage(browser, "about:blank");
		const seen = watchTraffic(page);
		await page.goto(site.url);
		await signIn(page);
		await send(page, { text: "Hello from a page" });
		await page.getByText("The message is queued.").waitFor();
		expect(gateway.local.sent).toMatchObject([{ to: ALICE, text: "Hello from a page" }]);

		for (const path of ["/server.ts", "/vite.config.ts", "/api/session"])
			await page.request.get(site.url + path);
		const texts = await seen();
		expect(texts.some((text) => text.includes("/api/sign"))).toBe(true);
		expect(texts.some((text) => text.includes("querySelector"))).toBe(true);
		expect(texts.filter((text) => text.includes(APP_SECRET))).toEqual([]);
		expect(problems).toEqual([]);
	});

	test("what goes wrong is said", async () => {
		const { page } = await openPage(browser, site.url);
		await signIn(page);
		const status = page.getByRole("status");
		const says = async (text: string): Promise<void> => {
			await status.filter({ hasText: text }).waitFor();
			expect(await status.getAttribute("class")).toBe("bad");
		};

		await send(page, { to: STRANGER, text: "Hello" });
		await says("This number is not one of your contacts.");
		expect(gateway.local.requests).toEqual([]);
		await send(page, { to: ALICE, text: "Hello" });
		await status.filter({ hasText: "The message is queued." }).waitFor();
		await send(page, { to: ALICE, text: "Hello" });
		await says("Not sent: the gateway reports a duplicate. Try again in");
		gateway.local.faults.respond({ status: 500 });
		await send(page, { to: ALICE, text: "Hello again" });
		await says("500");
		// Chromium itself tries again where a connection that it had used before breaks.
		gateway.local.faults.dropConnection({ when: "before", times: Number.POSITIVE_INFINITY });
		await send(page, { to: ALICE, text: "Hello again" });
		await says("The gateway can't be reached");
		expect(gateway.local.sent).toHaveLength(1);
		await page.context().close();
	});

	test("who is signed out is asked to sign in", async () => {
		const { page } = await openPage(browser, site.url);
		await signIn(page);
		await page.context().clearCookies();
		await send(page, { to: ALICE, text: "Hello" });
		await page.getByRole("status").filter({ hasText: "Please sign in." }).waitFor();
		expect(gateway.local.requests).toEqual([]);
		await page.context().close();
	});

	test.each(modes)("everybody can use it, $mode", async ({ viewport, colorScheme }) => {
		const { page } = await openPage(browser, site.url, { viewport, colorScheme });
		const inspect = async (): Promise<void> =>
			expect([...(await auditAccessibility(page)), ...(await findSidewaysScrolling(page))]).toEqual([]);
		await page.getByRole("button", { name: "Sign in" }).waitFor();
		await inspect();
		await signIn(page);
		await send(page, { text: "Hello" });
		await page.getByText("The message is queued.").waitFor();
		await inspect();
		await send(page, { to: STRANGER, text: "Hello" });
		await page.getByText("not one of your contacts").waitFor();
		await inspect();
	});
});

async function signIn(page: Page): Promise<void> {
	await page.getByRole("button", { name: "Sign in as Ada" }).click();
	await page.getByText("Signed in as Ada").waitFor();
}

async function send(page: Page, fields: { to?: string; text: string }): Promise<void> {
	if (fields.to !== undefined) await page.getByLabel("To").fill(fields.to);
	await page.getByLabel("Text").fill(fields.text);
	await page.getByRole("button", { name: "Send" }).click();
}

/** From now on, all that the browser gets and sends: addresses, headers and bodies. */
function watchTraffic(page: Page): () => Promise<string[]> {
	const texts: Promise<string>[] = [];
	page.context().on("response", (response) => texts.push(tell(response)));
	async function tell(response: PageResponse): Promise<string> {
		const request = response.request();
		const headers = [await request.allHeaders(), await response.allHeaders()];
		const body = await response.text().catch(() => "");
		return [response.url(), request.postData(), JSON.stringify(headers), body].join("\n");
	}
	return () => Promise.all(texts);
}

async function startDevServer(gateway: ListeningGateway) {
	return startExample("browser-signing", { gateway, ready: /Local:/ });
}

/** Builds the page in a project of a user's, and serves what came of it. */
async function startBuiltPage(gateway: ListeningGateway) {
	const project = await createUserProject([...LINKED, "vite", "zod"]);
	const root = join(project.folder, "browser-signing");
	cpSync(join(ROOT, "examples/browser-signing"), root, { recursive: true });
	const vite = join(project.folder, "node_modules/vite/bin/vite.js");
	const environment = environmentFor(gateway);
	await run(process.execPath, [vite, "build", root], { env: { ...process.env, ...environment } });
	const built = globSync("dist/**/*.*", { cwd: root }).map((path) => readFileSync(join(root, path), "utf8"));
	expect(built.length).toBeGreaterThan(2);
	expect(built.filter((text) => text.includes(APP_SECRET))).toEqual([]);

	const args = [vite, "preview", root, "--host", "127.0.0.1", "--port", "$PORT", "--strictPort"];
	const preview = await startProcess(args, { cwd: project.folder, environment, ready: /Local:/ });
	return {
		url: preview.url,
		async [Symbol.asyncDispose]() {
			await preview[Symbol.asyncDispose]();
			project.remove();
		},
	};
}
