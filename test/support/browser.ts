import axe, { type AxeResults } from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { requireCommand } from "../../scripts/needed-commands.ts";
import { WAIT_MS } from "./patience.ts";
import { share } from "./shared/shared.ts";

const ARGUMENTS = [
	"--no-sandbox",
	"--disable-gpu",
	"--disable-quic",
	"--no-first-run",
	"--disable-background-networking",
	"--disable-component-update",
	"--disable-sync",
];

/** A page, and what went wrong on it. */
export interface WatchedPage {
	readonly page: Page;
	/** Errors and warnings of the browser's console, errors that nobody caught, and violations of the policy. */
	readonly problems: readonly string[];
}

/** How the Chromium of this machine is started. */
export function chromiumOptions() {
	return { executablePath: requireCommand("chromium"), args: ARGUMENTS, timeout: WAIT_MS };
}

/** Connects to the Chromium of the run; closing the browser closes what was opened over this connection. */
export async function openBrowser(): Promise<Browser> {
	const { endpoint } = await share("chromium");
	return chromium.connect(endpoint, { timeout: WAIT_MS });
}

/** Opens an address in a context of its own: without movement, and with a clipboard. */
export async function openPage(
	browser: Browser,
	url: string,
	options: BrowserContextOptions = {},
): Promise<WatchedPage> {
	const context = await browser.newContext({
		viewport: { width: 1280, height: 800 },
		reducedMotion: "reduce",
		permissions: ["clipboard-read", "clipboard-write"],
		...options,
	});
	context.setDefaultTimeout(WAIT_MS);
	await context.addInitScript(() => {
		document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => {
			console.error(`refused by ${violatedDirective}: ${blockedURI}`);
		});
	});
	const problems: string[] = [];
	context.on("console", (message) => {
		if (["error", "warning"].includes(message.type())) problems.push(`${message.type()}: ${message.text()}`);
	});
	context.on("weberror", (error) => problems.push(`uncaught: ${error.error().message}`));
	const page = await context.newPage();
	await page.goto(url);
	return { page, problems };
}

/** What axe-core has to say against a page as it stands: nothing, or a line for each rule. */
export async function auditAccessibility(page: Page): Promise<string[]> {
	// As the debugger: a script element would be refused by the page's policy, as it should.
	await page.evaluate(axe.source);
	const { violations } = await page.evaluate<AxeResults>("axe.run(document)");
	return violations.map(({ id, nodes }) => {
		const places = nodes.map(({ target, failureSummary }) => `${target.join(" ")}: ${failureSummary}`);
		return `${id}: ${places.join("; ")}`;
	});
}

/** What is wider than the place that it has: nothing, or the page and its scrolling parts. */
export function findSidewaysScrolling(page: Page): Promise<string[]> {
	return page.evaluate(() => {
		const { scrollWidth, clientWidth } = document.documentElement;
		return scrollWidth > clientWidth ? [`the page: ${scrollWidth} px in ${clientWidth} px`] : [];
	});
}
