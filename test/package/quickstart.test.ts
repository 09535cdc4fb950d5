import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { createUserProject, DEPENDENCIES, type UserProject } from "../support/packed-package.ts";
import { PROCESS_LIFE_MS } from "../support/patience.ts";
import { machineAt } from "../support/run-cli.ts";

const run = promisify(execFile);
const README = readFileSync("README.md", "utf8");
const GUIDE = readFileSync("docs/quickstart.md", "utf8");

let project: UserProject;
/** Ends the commands that run until they are ended. */
let end = new AbortController();
const ended: Promise<unknown>[] = [];

beforeAll(async () => {
	project = await createUserProject(DEPENDENCIES);
});

afterEach(async () => {
	end.abort();
	await Promise.all(ended);
	end = new AbortController();
});

afterAll(() => project.remove());

test("the README's programs print what it says", async () => {
	await using receiver = await forwardTo("readme.sock");
	savePrograms(README, receiver);
	const [dev = ""] = README.match(/^npx messaging-gateway dev .*$/m) ?? [];
	const [receive = "", send] = README.match(/node --env-file=\.env \w+\.mjs/g) ?? [];
	await start(`${withPort(dev, receiver)} --port 0`, "Ctrl+C stops it");
	const lines = await start(receive);
	await eventually(() => expect(existsSync(join(project.folder, receiver.socket))).toBe(true));
	expect((await runLine(send)).stdout).toMatch(/^queued: [\w-]+\n$/);
	await eventually(() =>
		expect([...lines].sort()).toEqual([
			"reply: Thanks, got it.",
			"status: delivered",
			"status: read",
			"status: sent",
		]),
	);
});

test("the quickstart's steps, after those of the README, print what it shows", async () => {
	const [install, dev, receive, send, sendAgain] = blocksOf("sh");
	expect(install?.split("\n").at(-1)).toBe("npm install messaging-gateway");
	expect(sendAgain).toBe(send);
	// Its ports may be taken on this machine: the gateway gets a free one, and the receiver is behind one.
	await using receiver = await forwardTo("quickstart.sock");
	savePrograms(GUIDE, receiver);
	// The quickstart begins in a folder of its own.
	rmSync(join(project.folder, ".env"));
	await start(`${withPort(dev, receiver)} --port 0`, "Ctrl+C stops it");
	const lines = await start(receive, "waiting for webhooks");
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

/** Writes the programs that a document has its reader save. */
function savePrograms(document: string, receiver: Receiver): void {
	const saved = document.matchAll(/Save this as `(\w+\.mjs)`[\s\S]*?```[jt]s\n([\s\S]*?)```/g);
	for (const [, name = "", code = ""] of saved) project.write(name, withPort(code, receiver));
}

function withPort(text = "", { port, socket }: Receiver): string {
	return text
		.replaceAll("localhost:3000", `127.0.0.1:${port}`)
		.replaceAll("listen(3000", `listen("${socket}"`);
}

interface Receiver extends AsyncDisposable {
	readonly port: number;
	readonly socket: string;
}

/** A free port of this machine, whose connections reach what listens on a socket in the project's folder. */
async function forwardTo(socket: string): Promise<Receiver> {
	const server = createServer((incoming) => {
		const outgoing = connect(join(project.folder, socket));
		incoming.pipe(outgoing).pipe(incoming);
		for (const side of [incoming, outgoing]) side.on("error", () => side.destroy());
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	return {
		port: (server.address() as AddressInfo).port,
		socket,
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

/** Starts a command that runs until it is ended, and waits until it says so. @returns what it prints from then on. */
async function start(line = "", ready?: string): Promise<readonly string[]> {
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
			if (ready !== undefined && text.includes(ready)) resolve();
			else lines.push(text);
		});
	});
	if (ready === undefined) return lines;
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
