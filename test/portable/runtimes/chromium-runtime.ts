import { launchChromium } from "../../support/browser.ts";
import { serve } from "../../support/serve.ts";
import type { CaseResult } from "../suite.ts";
import type { Runtime } from "./runtime.ts";

/** A page of an application. It has an origin of its own, so that its calls need the gateway's CORS headers. */
export const chromiumRuntime: Runtime = {
	name: "Chromium",
	hasRequire: false,
	async run(project) {
		const script = await project.bundle("page.js", ["browser"]);
		await using server = await serve((_, response) => {
			response.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html>");
		});
		await using browser = await launchChromium();
		const page = await browser.newPage();
		const errors: string[] = [];
		page.on("pageerror", (error) => errors.push(String(error)));
		await page.goto(server.url);
		await page.addScriptTag({ type: "module", content: script });
		const results = await page.evaluate(() => (globalThis as { results?: Promise<CaseResult[]> }).results);
		if (results === undefined) throw new Error(`the page did not run the suite: ${errors.join("; ")}`);
		return { version: browser.version(), results };
	},
};
