import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ListeningGateway, listen } from "messaging-gateway/testing/node";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Cells } from "../hosts/actions.ts";
import { bundleActions, bundleAsInGuide } from "../hosts/bundle.ts";
import { testHosts } from "../hosts/test-hosts.ts";
import { chromiumOptions, openBrowser } from "../support/browser.ts";
import { createUserProject, LINKED, type UserProject } from "../support/packed-package.ts";
import { type RunningServer, serve } from "../support/serve.ts";

/** What a page, or the background of an extension, leaves. */
declare const cells: Promise<Cells>;

/** A bundle, and a server of its files. */
interface Site extends RunningServer {
	readonly folder: string;
}

let project: UserProject;
let gateway: ListeningGateway;
let browser: Browser;
const sites = new Map<string, Site>();

beforeAll(async () => {
	project = await createUserProject([...LINKED, "vite"]);
	gateway = await listen({ rules: "off" });
	browser = await openBrowser();
	for (const [bundler, folder] of await bundleActions(project, gateway)) {
		sites.set(bundler, { folder, ...(await serveFiles(folder)) });
	}
});

afterAll(async () => {
	for (const site of sites.values()) await site[Symbol.asyncDispose]();
	await browser?.close();
	await gateway?.close();
	project?.remove();
});

function serveFiles(folder: string): Promise<RunningServer> {
	return serve((request, response) => {
		const { pathname } = new URL(request.url ?? "", "http://site.example");
		const file = join(folder, pathname);
		const isScript = pathname.endsWith(".js") && existsSync(file);
		response.setHeader("Content-Type", isScript ? "text/javascript" : "text/html");
		response.end(isScript ? readFileSync(file) : "<!doctype html><title>Host</title>");
	});
}

function siteOf(bundler: string): Site {
	const site = sites.get(bundler);
	if (site === undefined) throw new Error(`there is no bundle of ${bundler}`);
	return site;
}

async function runServiceWorker({ url }: RunningServer): Promise<Cells> {
	const page = await browser.newPage();
	await page.goto(url);
	const found = await page.evaluate(async () => {
		await navigator.serviceWorker.register("/service-worker.js", { type: "module" });
		const { active } = await navigator.serviceWorker.ready;
		return new Promise<Cells>((resolve) => {
			navigator.serviceWorker.addEventListener("message", ({ data }) => resolve(data));
			active?.postMessage("run");
		});
	});
	await page.close();
	return found;
}

testHosts("hosts-browser.full", {
	async "Page in Chromium"(bundler) {
		const page = await browser.newPage();
		await page.goto(siteOf(bundler).url);
		await page.addScriptTag({ type: "module", url: "/at-start.js" });
		await page.waitForFunction(() => "cells" in globalThis);
		const found = await page.evaluate(() => cells);
		await page.close();
		return found;
	},

	"Service worker in Chromium": (bundler) => runServiceWorker(siteOf(bundler)),

	async "Background of a Chrome extension"(bundler) {
		const { folder } = siteOf(bundler);
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
			return await worker.evaluate(() => cells);
		} finally {
			await context.close();
			rmSync(profile, { recursive: true, force: true });
		}
	},
});

test("a service worker that Vite builds as the guide shows sends", async () => {
	const folder = await bundleAsInGuide(project, gateway);
	await using site = await serveFiles(folder);
	expect(await runServiceWorker(site)).toMatchObject({ import: "works", send: "works" });
	expect(readdirSync(join(folder, "assets"))).toContainEqual(expect.stringMatching(/^index-[\w-]+\.js$/));
});
