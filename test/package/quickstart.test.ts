import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { findFreePort } from "../support/free-port.ts";
import { createUserProject, type UserProject } from "../support/packed-package.ts";
import { PROCESS_LIFE_MS } from "../support/patience.ts";
import { machineAt } from "../support/run-cli.ts";

const run = promisify(execFile);
const GUIDE = readFileSync("docs/quickstart.md", "utf8");

let project: UserProject;
const started: ChildProcess[] = [];

beforeAll(async () => {
	project = await createUserProject();
});

afterAll(async () => {
	await Promise.all(started.map((child) => child.kill("SIGKILL") && once(child, "close")));
	project.remove();
});

test("the quickstart's steps print what it shows", async () => {
	const [install, dev, receive, send, sendAgain] = blocksOf("sh");
	expect(install?.split("\n").at(-1)).toBe("npm install messaging-gateway");
	expect(sendAgain).toBe(send);
	// Its ports may be taken on this machine.
	const ports = { gateway: await findFreePort(), receiver: await findFreePort() };
	const adapt = (text = ""): string => text.replaceAll("3000", String(ports.receiver));
	for (const [, name = "", code] of GUIDE.matchAll(
		/Save this as `(\w+\.mjs)`[\s\S]*?```js\n([\s\S]*?)```/g,
	)) {
		project.write(name, adapt(code));
	}

	await start(`${adapt(dev)} --port ${ports.gateway}`, "Ctrl+C stops it");
	const lines = await start(adapt(receive), "waiting for webhooks");
	const sent = await runLine(send);
	const [expected = ""] = blocksOf("text");
	// The reply may overtake the last status: they are deliveries of two messages.
	await eventually(() =>
		expect([...sent.stdout.trim().split("\n"), ...lines].sort()).toEqual(expected.split("\n").sort()),
	);

	await expect(runLine(sendAgain)).rejects.toMatchObject({
		stderr: expect.stringMatching(/^DuplicateMessageError/m),
	});
	await expect(runLine(sendAgain)).rejects.toMatchObject({
		stderr: expect.stringContaining("outcome: 'rejected'"),
	});
});

test("it has no programs but those that it saves", () => {
	expect(blocksOf("js")).toHaveLength(GUIDE.match(/Save this as/g)?.length ?? 0);
	expect(GUIDE.match(/^```\w*$/gm)?.filter((fence) => !/^```(sh|js|text)?$/.test(fence))).toEqual([]);
});

function blocksOf(language: string): string[] {
	return Array.from(GUIDE.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm")), (match) =>
		(match[1] ?? "").trim(),
	);
}

/** Starts a command that runs until it is ended, and waits until it is ready. @returns what it prints from then on. */
async function start(line: string, ready: string): Promise<readonly string[]> {
	const child = spawn(...commandOf(line), {
		cwd: project.folder,
		env: environment(),
		timeout: PROCESS_LIFE_MS,
		killSignal: "SIGKILL",
	});
	started.push(child);
	const lines: string[] = [];
	const isReady = new Promise<void>((resolve) => {
		createInterface(child.stdout).on("line", (text) => {
			if (text.includes(ready)) resolve();
			else lines.push(text);
		});
	});
	await Promise.race([isReady, once(child, "exit").then(() => Promise.reject(new Error(`${line} ended`)))]);
	lines.length = 0;
	return lines;
}

function runLine(line = ""): Promise<{ stdout: string; stderr: string }> {
	const [file, args] = commandOf(line);
	return run(file, args, { cwd: project.folder, env: environment(), timeout: PROCESS_LIFE_MS });
}

/** The environment of a new machine, without variables of ours. */
function environment(): NodeJS.ProcessEnv {
	const ours = Object.keys(process.env).filter((name) => name.startsWith("MESSAGING_GATEWAY_"));
	const hidden = Object.fromEntries(ours.map((name) => [name, undefined]));
	return { ...process.env, ...hidden, ...machineAt(project.folder) };
}

/** The words of a line, with the installed programs for `node` and `npx messaging-gateway`. */
function commandOf(line: string): [string, string[]] {
	const command = join(project.folder, "node_modules/messaging-gateway/dist/cli/messaging-gateway.js");
	const words = line.split(" ");
	if (words[0] === "node") return [process.execPath, words.slice(1)];
	expect(words.slice(0, 2)).toEqual(["npx", "messaging-gateway"]);
	return [process.execPath, [command, ...words.slice(2)]];
}
