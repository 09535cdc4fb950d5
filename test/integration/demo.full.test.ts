import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { openBrowser, openPage } from "../support/browser.ts";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** It runs examples/demo/main.ts where there is no screen. */
const DEMO = ["--conditions=@messaging-gateway/source", "scripts/demo.ts"];

test("the demo shows the main features and exits with 0", async () => {
	const { stdout, stderr } = await run(process.execPath, DEMO, { cwd: ROOT });
	expect(stderr).toBe("");
	for (const text of [
		"messages.sendVoiceNote",
		"DuplicateMessageError",
		"AuthenticationError",
		"succeeded after 2 attempts",
		'"Good morning!" to +15551234567: sent → delivered → read',
		"inbound_reaction",
		"all checks passed",
	]) {
		expect(stdout).toContain(text);
	}
	expect(stdout).not.toContain("\u001B");
	expect(stdout.trimEnd().split("\n").length).toBeLessThanOrEqual(20);
});

test("the demo exits with 1 if a step fails", async () => {
	const breakCapability = `const { fetch } = globalThis;
		globalThis.fetch = (url, init) => String(url).includes("/capability/") ? Response.json({}) : fetch(url, init);`;
	const hook = `data:text/javascript,${encodeURIComponent(breakCapability)}`;
	const failure = run(process.execPath, ["--import", hook, ...DEMO], { cwd: ROOT });
	await expect(failure).rejects.toMatchObject({ code: 1, stdout: expect.stringContaining("✗ stopped") });
});

test("with the page a webhook fails, the page says why, and one click fixes it", async () => {
	const env = { ...process.env, MESSAGING_GATEWAY_CONTROL_TOKEN: randomUUID() };
	const demo = spawn(process.execPath, [...DEMO, "--page"], { cwd: ROOT, env });
	onTestFinished(() => void demo.kill("SIGKILL"));
	const output = read(demo.stdout);
	const [link = ""] = await output.until(/http:\S+/);
	await using browser = await openBrowser();
	const { page } = await openPage(browser, link);
	await output.until(/A webhook failed/);
	await page.getByRole("button", { name: /redirects, and the gateway doesn't follow/ }).click();
	await page.getByRole("button", { name: /^Register http/ }).click();
	await page.getByText("Five is fine. See you then!").last().waitFor();
	await output.until(/Fixed/);
	demo.kill("SIGINT");
	await once(demo, "exit");
	expect(demo.exitCode).toBe(0);
});

/** Gathers what a process writes. */
function read(stream: Readable) {
	let written = "";
	stream.setEncoding("utf8").on("data", (chunk: string) => {
		written += chunk;
	});
	return {
		async until(pattern: RegExp): Promise<RegExpExecArray> {
			for (;;) {
				const found = pattern.exec(written);
				if (found !== null) return found;
				await once(stream, "data");
			}
		},
	};
}
