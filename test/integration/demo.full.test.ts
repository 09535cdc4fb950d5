import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const DEMO = ["--conditions=@messaging-gateway/source", "examples/demo/main.ts"];

test("the demo shows the main features and exits with 0", async () => {
	const { stdout, stderr } = await run(process.execPath, DEMO, { cwd: ROOT });
	expect(stderr).toBe("");
	for (const text of [
		"messages.sendVoiceNote",
		"DuplicateMessageError",
		"AuthenticationError",
		"succeeded after 2 attempts",
		"sent → delivered → read",
		"inbound_reaction",
		"all checks passed",
	]) {
		expect(stdout).toContain(text);
	}
	expect(stdout).not.toContain("\u001B");
});

test("the demo exits with 1 if a step fails", async () => {
	const breakCapability = `const { fetch } = globalThis;
		globalThis.fetch = (url, init) => String(url).includes("/capability/") ? Response.json({}) : fetch(url, init);`;
	const hook = `data:text/javascript,${encodeURIComponent(breakCapability)}`;
	const failure = run(process.execPath, ["--import", hook, ...DEMO], { cwd: ROOT });
	await expect(failure).rejects.toMatchObject({ code: 1, stdout: expect.stringContaining("✗ stopped") });
});
