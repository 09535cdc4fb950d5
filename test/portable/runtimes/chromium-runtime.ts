import { openBrowser } from "../../support/browser.ts";
import { TEST_TIMEOUT_MS } from "../../support/patience.ts";
import { serve } from "../../support/serve.ts";
import type { CaseResult } from "../suite.ts";
import type { Runtime } from "./runtime.ts";

/** A page of an application. It has another origin, so its calls need the gateway's CORS headers. */
export const chromiumRuntime: Runtime = {
	name: "Chromium",
	hasRequire: false,
	async run(project) {
		const script = await project.bundle("page.js", ["browser"]);
		await using server = await serve((_, response) => {
			response.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html>");
		});
		await using browser = await openBrowser();
		const page = await browser.newPage();
		page.setDefaultTimeout(TEST_TIMEOUT_MS);
		const failed = new Promise<never>((_, reject) => {
			page.on("pageerror", (error) => reject(new Error(`the page did not run the suite: ${error.message}`)));
		});
		failed.catch(() => undefined);
		await page.goto(server.url);
		await page.addScriptTag({ type: "module", content: script });
		// A module runs later than its tag is added.
		const finished = page.waitForFunction(() => (globalThis as { results?: Promise<CaseResult[]> }).results);
		const results = await (await Promise.race([finished, failed])).jsonValue();
		if (results === undefined) throw new Error("the page has no results");
		return { version: browser.version(), results };
	},
};
