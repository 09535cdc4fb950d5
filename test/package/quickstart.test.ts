import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { createUserProject, DEPENDENCIES, type UserProject } from "../support/packed-package.ts";
import { PROCESS_LIFE_MS } from "../support/patience.ts";
import { machineAt } from "../support/run-cli.ts";

const run = promisify(execFile);
const GUIDE = readFileSync("docs/quickstart.md", "utf8");

let project: UserProject;
/** Ends the commands that run until they are ended. */
const end = new AbortController();
const ended: Promise<unknown>[] = [];

beforeAll(async () => {
	project = await createUserProject(DEPENDENCIES);
});

afterAll(async () => {
	end.abort();
	await Promise.all(ended);
	project.remove();
});

test("the quickstart's steps print what it shows", async () => {
	const [install, dev, receive, send, sendAgain] = blocksOf("sh");
	expect(install?.split("\n").at(-1)).toBe("npm install messaging-gateway");
	expect(sendAgain).toBe(send);
	// Its ports may be taken on this machine: the gateway gets a free one, and the receiver is behind one.
	await using receiver = await forwardTo(join(project.folder, "receiver.sock"));
	const adapt = (text = ""): string =>
		text
			.replaceAll("localhost:3000", `127.0.0.1:${receiver.port}`)
			.replaceAll("listen(3000", `listen("receiver.sock"`);
	for (const [, name = "", code] of GUIDE.matchAll(
		/Save this as `(\w+\.mjs)`[\s\S]*?```js\n([\s\S]*?)```/g,
	)) {
		project.write(name, adapt(code));
	}

	await start(`${adapt(dev)} --port 0`, "Ctrl+C stops it");
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

/** A free port of this machine, whose connections reach what listens on a socket in a folder. */
async function forwardTo(path: string): Promise<AsyncDisposable & { port: number }> {
	const server = createServer((incoming) => {
		const outgoing = connect(path);
		incoming.pipe(outgoing).pipe(incoming);
		for (const socket of [incoming, outgoing]) socket.on("error", () => socket.destroy());
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	return {
		port: (server.address() as AddressInfo).port,
		async [Symbol.asyncDispose]() {
			server.close();
		},
	};
}

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
		signal: end.signal,
	});
	child.on("error", () => undefined); // That it was ended.
	ended.push(new Promise((resolve) => child.once("close", resolve)));
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
