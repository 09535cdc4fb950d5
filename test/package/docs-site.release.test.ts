import { execFile } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { type CheckOptions, check, LinkState } from "linkinator";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GROUPS, readDocuments } from "../../scripts/docs/documents.ts";
import { createLlmsText } from "../../scripts/docs/llms.ts";
import { isLoopback } from "../../src/library/signing/loopback.ts";
import { auditAccessibility, findSidewaysScrolling, openBrowser, openPage } from "../support/browser.ts";
import { createUserProject } from "../support/packed-package.ts";
import { type RunningServer, serve } from "../support/serve.ts";

const run = promisify(execFile);

const MEDIA_TYPES: Readonly<Record<string, string>> = {
	".html": "text/html",
	".css": "text/css",
	".js": "text/javascript",
	".svg": "image/svg+xml",
	".png": "image/png",
};

/** Violations of typedoc's own theme: links within the summaries of its navigation. */
const RULES_OF_THE_THEME = ["nested-interactive"];

const MODES = [
	{ width: 1280, colorScheme: "light" },
	{ width: 1280, colorScheme: "dark" },
	{ width: 375, colorScheme: "light" },
	{ width: 375, colorScheme: "dark" },
] as const;

let folder: string;
let server: RunningServer;
let browser: Browser;

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "messaging-gateway-site-"));
	// It exits with 1 on any warning, which rejects here.
	await run(process.execPath, ["node_modules/typedoc/bin/typedoc", "--out", folder]);
	server = await serve(async ({ url = "" }, response) => {
		const path = new URL(url, "http://site").pathname;
		response.setHeader("Content-Type", MEDIA_TYPES[extname(path)] ?? "text/plain");
		response.end(await readFile(join(folder, path)).catch(() => response.writeHead(404) && ""));
	});
	browser = await openBrowser();
});

afterAll(async () => {
	await browser?.close();
	await server?.[Symbol.asyncDispose]();
	rmSync(folder, { recursive: true });
});

test("each document and each entry of the package has its page, under the name that users import", () => {
	const { name, exports } = JSON.parse(readFileSync("package.json", "utf8"));
	const entries = Object.keys(exports).filter((entry) => !entry.endsWith(".json"));
	for (const entry of entries) {
		expect(readPage(`${join(name, entry)}.html`)).toContain(`Module ${join(name, entry)}`);
	}
	for (const { path, title } of readDocuments()) {
		const page = path.replace(/^.*\//, "").replace(".md", ".html").toLowerCase();
		expect(readPage(page)).toMatch(new RegExp(`<h1[^>]*>(<a[^>]*></a>)?${title}`));
	}
	expect(globSync("messaging-gateway/**/*.html", { cwd: folder }).length).toBeGreaterThan(entries.length);
});

test("every link and anchor of the site exists", async () => {
	const pages = globSync("**/*.html", { cwd: folder });
	expect(await findBrokenLinks({ path: pages, serverRoot: folder })).toEqual([]);
});

test("no document has a tag by accident: a browser would nest the rest of the page in it", () => {
	const meant = ["a", "br", "img", "picture", "source"];
	const tags = readDocuments().flatMap(({ path, markdown }) => {
		const prose = markdown.replace(/^```[\s\S]*?^```$|<!--[\s\S]*?-->|`[^`\n]*`/gm, "");
		const found = Array.from(prose.matchAll(/<\/?([a-z][\w-]*)/gi), ([, name = ""]) => name);
		return found.filter((name) => !meant.includes(name)).map((name) => `${path}: <${name}>`);
	});
	expect(tags).toEqual([]);
});

test("every link and anchor of the repository's documents exists", async () => {
	const documents = globSync(["*.md", "docs/**/*.md", "examples/**/*.md"], {
		exclude: ["**/node_modules/**"],
	});
	expect(documents).toContain("README.md");
	expect(await findBrokenLinks({ path: documents, serverRoot: process.cwd(), markdown: true })).toEqual([]);
});

describe("llms.txt", () => {
	test("is made from the documents and the code: `npm run docs` writes it", () => {
		expect(readFileSync("llms.txt", "utf8")).toBe(createLlmsText());
		expect(readPage("llms.txt")).toBe(createLlmsText());
	});

	test("has links that work in the repository, in the site and in the package", async () => {
		const links = Array.from(createLlmsText().matchAll(/\]\(([^)]+)\)/g), (match) => match[1] ?? "");
		const project = await createUserProject();
		for (const place of [".", folder, join(project.folder, "node_modules/messaging-gateway")]) {
			expect(links.filter((link) => !existsSync(join(place, link)))).toEqual([]);
		}
		project.remove();
		expect(links.length).toBeGreaterThan(10);
	});

	test("comes with everything in one file", () => {
		const full = readPage("llms-full.txt");
		for (const { markdown } of readDocuments()) expect(full).toContain(markdown);
	});
});

describe.each(MODES)("$width px wide and $colorScheme", ({ width, colorScheme }) => {
	test.each(["index.html", "errors.html", "messaging-gateway/webhooks.html"])(
		"%s is accessible, and does not scroll sideways",
		async (path) => {
			const { page, problems } = await openPage(browser, `${server.url}/${path}`, {
				viewport: { width, height: 900 },
				colorScheme,
			});
			// Written by the page's own script.
			await page.locator("#tsd-nav-container a").first().waitFor({ state: "attached" });
			const violations = await auditAccessibility(page);
			const ours = violations.filter((text) => !RULES_OF_THE_THEME.some((rule) => text.startsWith(rule)));
			expect([...ours, ...(await findSidewaysScrolling(page)), ...problems]).toEqual([]);
			await page.context().close();
		},
	);
});

describe("the search finds", () => {
	test.each([
		["a guide by its words", "fencing", "webhooks.html"],
		["a heading of a guide", "duplicate_message", "errors.html#duplicate_message"],
		["a method by its name", "sendText", "messaging-gateway/Messages.html#sendtext"],
	])("%s", async (_, words, address) => {
		const { page } = await openPage(browser, `${server.url}/index.html`);
		await page.locator("#tsd-search-trigger").click();
		// Until its index is loaded, it ignores what is typed.
		await page.locator("#tsd-search-status:empty").waitFor({ state: "attached" });
		await page.keyboard.type(words);
		await page.locator(`#tsd-search-results a[href$="${address}"]`).first().waitFor();
		await page.context().close();
	});

	test.each([
		["a status", "401", "troubleshooting.html"],
		["a word that is a member's name, too", "outcome", "errors.html"],
	])("a guide first, for %s", async (_, words, address) => {
		const { page } = await openPage(browser, `${server.url}/index.html`);
		await page.locator("#tsd-search-trigger").click();
		await page.locator("#tsd-search-status:empty").waitFor({ state: "attached" });
		await page.keyboard.type(words);
		const first = page.locator("#tsd-search-results a").first();
		await first.waitFor();
		expect(await first.getAttribute("href")).toContain(address);
		await page.context().close();
	});

	test("what exists: every result leads to an anchor", async () => {
		const { page } = await openPage(browser, `${server.url}/index.html`);
		const rows = await page.evaluate(readSearchRows);
		await page.context().close();
		const missing = rows.filter(({ url }) => {
			const [path = "", anchor] = url.split("#");
			return anchor !== undefined && !readPage(path).includes(` id="${anchor}"`);
		});
		expect(missing).toEqual([]);
		expect(rows.some(({ url }) => url === "errors.html#duplicate_message")).toBe(true);
	});
});

test("a reader's first screen has the line that installs the package, wide and narrow", async () => {
	for (const { width, colorScheme } of MODES) {
		const { page } = await openPage(browser, `${server.url}/index.html`, {
			viewport: { width, height: 800 },
			colorScheme,
		});
		const line = await page.locator("pre", { hasText: "npm install" }).first().boundingBox();
		expect(line?.y).toBeLessThan(800);
		await page.context().close();
	}
});

test("the sidebar has the groups of the guides before the entries of the package, and opens where the reader is", async () => {
	const { page } = await openPage(browser, `${server.url}/errors.html`);
	const groups = page.locator("#tsd-nav-container > li > details");
	await groups.first().waitFor();
	expect(await groups.locator("> summary").allInnerTexts()).toEqual([...Object.keys(GROUPS), "API"]);
	expect(await groups.and(page.locator("[open]")).locator("> summary").allInnerTexts()).toEqual(["Send"]);
	await page.context().close();
});

test("each page has a description of its own, and each page of the API leads to its guide", () => {
	const pages = globSync("**/*.html", { cwd: folder });
	const descriptions = pages.map((path) => /name="description" content="([^"]*)"/.exec(readPage(path))?.[1]);
	expect(descriptions).not.toContain("Documentation for messaging-gateway");
	const ofApi = pages.filter((path) => path.startsWith("messaging-gateway"));
	expect(
		ofApi.filter((path) => !/<p class="guide">Guide: <a href="[^"]+\.html">/.test(readPage(path))),
	).toEqual([]);
});

function readPage(path: string): string {
	return readFileSync(join(folder, path), "utf8");
}

/** What the search may show; the page's script reads the same variable. */
async function readSearchRows(): Promise<readonly { url: string }[]> {
	const packed = Reflect.get(window, "searchData");
	const bytes = Uint8Array.from(atob(String(packed)), (character) => character.charCodeAt(0));
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
	return (await new Response(stream).json()).rows;
}

/** The broken links within our own documents; nothing is requested from the network. */
async function findBrokenLinks(options: CheckOptions): Promise<string[]> {
	const { links } = await check({
		...options,
		checkFragments: true,
		// Its server ends idle connections, and one may end under a request; a missing page is no such error.
		retryErrors: true,
		// A link to a folder of the repository is one.
		directoryListing: true,
		linksToSkip: async (link) => /^https?:/.test(link) && !isLoopback(new URL(link).hostname),
	});
	// Each page and document is a link as well.
	expect(links.filter(({ state }) => state === LinkState.OK).length).toBeGreaterThan(options.path.length);
	return links
		.filter(({ state }) => state === LinkState.BROKEN)
		.map(({ url, parent }) => `${url} in ${parent}`);
}
