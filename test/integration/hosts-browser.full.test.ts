import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ListeningGateway, listen } from "messaging-gateway/testing/node";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Cells } from "../hosts/actions.ts";
import { BUNDLERS, type Bundler, bundleActions } from "../hosts/bundle.ts";
import { WORKS_IN_PUBLIC } from "../hosts/expected.ts";
import { chromiumOptions, openBrowser } from "../support/browser.ts";
import { createUserProject, type UserProject } from "../support/packed-package.ts";
import { type RunningServer, serve } from "../support/serve.ts";

/** What a page, or the background of an extension, leaves. */
declare const cells: Promise<Cells>;

let project: UserProject;
let gateway: ListeningGateway;
let browser: Browser;

beforeAll(async () => {
	project = await createUserProject();
	gateway = await listen({ rules: "off" });
	browser = await openBrowser();
});

afterAll(async () => {
	await browser?.close();
	await gateway?.close();
	project?.remove();
});

describe.each(Object.keys(BUNDLERS) as Bundler[])("bundled by %s", (bundler) => {
	let folder: string;
	let site: RunningServer;

	beforeAll(async () => {
		const { baseUrl, appId, appSecret } = gateway.clientOptions;
		folder = await bundleActions(project, bundler, { baseUrl, appId, appSecret });
		site = await serve((request, response) => {
			const { pathname } = new URL(request.url ?? "", "http://site.example");
			const file = join(folder, pathname);
			const isScript = pathname.endsWith(".js") && existsSync(file);
			response.setHeader("Content-Type", isScript ? "text/javascript" : "text/html");
			response.end(isScript ? readFileSync(file) : "<!doctype html><title>Host</title>");
		});
	});

	afterAll(() => site[Symbol.asyncDispose]());

	test("a page", async () => {
		const page = await browser.newPage();
		await page.goto(site.url);
		await page.addScriptTag({ type: "module", url: "/at-start.js" });
		await page.waitForFunction(() => "cells" in globalThis);
		expect(await page.evaluate(() => cells)).toEqual(WORKS_IN_PUBLIC);
		await page.close();
	});

	test("a service worker that is a module", async () => {
		const page = await browser.newPage();
		await page.goto(site.url);
		const found = page.evaluate(async () => {
			await navigator.serviceWorker.register("/service-worker.js", { type: "module" });
			const { active } = await navigator.serviceWorker.ready;
			return new Promise((resolve) => {
				navigator.serviceWorker.addEventListener("message", ({ data }) => resolve(data));
				active?.postMessage("run");
			});
		});
		expect(await found).toEqual(WORKS_IN_PUBLIC);
		await page.close();
	});

	test("the background of an extension", async () => {
		const manifest = {
			manifest_version: 3,
			name: "Host",
			version: "1.0",
			background: { service_worker: "at-start.js", type: "module" },
			host_permissions: ["http://127.0.0.1/*"],
		};
		writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest));
		const profile = mkdtempSync(join(tmpdir(), "messaging-gateway-extension-"));
		const { args, ...options } = chromiumOptions();
		const context = await chromium.launchPersistentContext(profile, {
			...options,
			channel: "chromium",
			args: [...args, `--disable-extensions-except=${folder}`, `--load-extension=${folder}`],
		});
		try {
			const [worker = await context.waitForEvent("serviceworker")] = context.serviceWorkers();
			expect(await worker.evaluate(() => cells)).toEqual(WORKS_IN_PUBLIC);
		} finally {
			await context.close();
			rmSync(profile, { recursive: true, force: true });
		}
	});
});
