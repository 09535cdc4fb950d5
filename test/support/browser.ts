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
	const executablePath = process.env["TEST_CHROMIUM"] ?? requireCommand("chromium");
	return { executablePath, args: ARGUMENTS, timeout: WAIT_MS };
}

/** Connects to the Chromium of the run; closing the browser closes what was opened over this connection. */
export async function openBrowser(): Promise<Browser> {
	const { endpoint } = await share("chromium");
	return chromium.connect(endpoint, { timeout: WAIT_MS });
}

/** Starts a Chromium: the clipboard of a browser is one for all its contexts, so that of the run is shared by all files. */
export function openBrowserWithClipboard(): Promise<Browser> {
	return chromium.launch(chromiumOptions());
}

/** Opens an address in a new context, with reduced motion and a clipboard. */
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
			console.error(`blocked by ${violatedDirective}: ${blockedURI}`);
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

/** The violations that axe-core finds on a page, a line for each rule. */
export async function auditAccessibility(page: Page): Promise<string[]> {
	// Run as the debugger does, since the page's policy blocks a script element.
	await page.evaluate(axe.source);
	const { violations } = await page.evaluate<AxeResults>("axe.run(document)");
	return violations.map(({ id, nodes }) => {
		const places = nodes.map(({ target, failureSummary }) => `${target.join(" ")}: ${failureSummary}`);
		return `${id}: ${places.join("; ")}`;
	});
}

/** The page and its scrolling parts that are wider than their place. */
export function findSidewaysScrolling(page: Page): Promise<string[]> {
	return page.evaluate(() => {
		const { scrollWidth, clientWidth } = document.documentElement;
		return scrollWidth > clientWidth ? [`the page: ${scrollWidth} px in ${clientWidth} px`] : [];
	});
}

/**
 * What a person sees that is wrong: sideways scrolling, text that is cut off without a tooltip or lies outside the page,
 * titles that break inside a word, and motion although the context asks for less.
 */
export async function findVisibleProblems(page: Page): Promise<string[]> {
	const found = await page.evaluate(() => {
		function isBroken(text: Text): boolean {
			const range = document.createRange();
			return [...text.data.matchAll(/[\p{L}\p{N}_]+/gu)].some(({ 0: word, index }) => {
				range.setStart(text, index);
				range.setEnd(text, index + word.length);
				return new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top))).size > 1;
			});
		}

		function* problemsOf(element: HTMLElement): Generator<string> {
			const style = getComputedStyle(element);
			if (style.transitionDuration !== "0s" || style.animationName !== "none") yield "moves";
			if (style.scrollBehavior === "smooth") yield "scrolls smoothly";
			const isField = element.matches("input, textarea, select");
			const isOnlyForReaders = style.clipPath !== "none";
			if (isField || isOnlyForReaders || element.clientWidth === 0) return;
			const isTooWide = style.overflowX !== "visible" && element.scrollWidth > element.clientWidth + 1;
			if (isTooWide && (style.textOverflow !== "ellipsis" || element.title === "")) yield "is cut off";
			const texts = [...element.childNodes].filter((node) => node instanceof Text);
			const { left, right } = element.getBoundingClientRect();
			if (texts.length > 0 && (left < -1 || right > innerWidth + 1)) yield "lies outside the page";
			if (element.matches("h1, h2, h3, strong, label, legend, summary") && texts.some(isBroken)) {
				yield "breaks inside a word";
			}
		}

		const elements = [...document.querySelectorAll<HTMLElement>("body *")];
		const visible = elements.filter((element) => element.checkVisibility({ visibilityProperty: true }));
		return visible.flatMap((element) =>
			Array.from(problemsOf(element), (problem) => `${element.outerHTML.slice(0, 200)} ${problem}`),
		);
	});
	return [...(await findSidewaysScrolling(page)), ...found];
}
