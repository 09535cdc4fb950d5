import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { PROCESS_LIFE_MS } from "../support/patience.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);

/** Runs the bot in a process of its own. @returns its exit code, the last line of its output, and what it wrote of errors. */
async function play(deed: string, flags: readonly string[] = [], ...args: readonly string[]) {
	const script = [
		"--conditions=@messaging-gateway/source",
		"test/integration/support/unawaited-bot.ts",
		deed,
		...args,
	];
	const options = { cwd: ROOT, timeout: PROCESS_LIFE_MS, killSignal: "SIGKILL" } as const;
	const ended = await run(process.execPath, [...flags, ...script], options).catch(
		(error: { code: number; stdout: string; stderr: string }) => error,
	);
	return {
		code: "code" in ended ? ended.code : 0,
		lines: ended.stdout.trim().split("\n"),
		errors: ended.stderr,
	};
}

describe.concurrent("a post that is not awaited and fails", () => {
	test.each([
		["early", "rate_limited"],
		["late", "rate_limited"],
		["named", "rate_limited"],
		["after", "done"],
		["misspelt", "configuration"],
	])("%s: the process goes on, and the event is %s", async (deed, outcome) => {
		expect(await play(deed)).toEqual({ code: 0, lines: [outcome, "alive"], errors: "" });
	});
});

describe.concurrent("what else nobody handles", () => {
	test.each([
		["before a post has failed", "foreign", []],
		["after a post has failed", "late, then foreign", []],
		["with two copies of the package", "late, then foreign", ["two copies"]],
	])("%s ends the process, as it does without the adapter", async (_when, deed, args) => {
		const { code, lines, errors } = await play(deed, [], ...args);
		expect([code, lines.includes("alive")]).toEqual([1, false]);
		expect(errors).toMatch(/unawaited-bot\.ts:\d+\n[\s\S]*Error: of the application\n/);
	});

	test("is a warning where the application has asked for one", async () => {
		const { code, lines, errors } = await play("late, then foreign", ["--unhandled-rejections=warn"]);
		expect([code, lines.at(-1)]).toEqual([0, "alive"]);
		expect(errors).toContain("UnhandledPromiseRejectionWarning: Error: of the application");
	});
});
