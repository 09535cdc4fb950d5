import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import type { RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseEnv } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type RunningDevServer, startDev } from "../support/dev-server.ts";
import { startMcp } from "../support/mcp-client.ts";
import { machineAt, runCli, startCli } from "../support/run-cli.ts";
import { serve } from "../support/serve.ts";

const ALICE = "+15551234567";

let home: string;
let env: Record<string, string>;
let folder: string;
let gateways: RunningDevServer[];

beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "messaging-gateway-running-"));
	env = machineAt(home);
	gateways = [];
	folder = join(home, "state", "messaging-gateway", "running");
});

afterEach(async () => {
	for (const gateway of gateways) await gateway.end("SIGKILL");
	rmSync(home, { recursive: true });
});

const run = (...args: string[]) => runCli(args, { env });

async function start(...args: string[]): Promise<RunningDevServer> {
	const gateway = await startDev(args, { env });
	gateways.push(gateway);
	return gateway;
}

/** Records a gateway as one that was killed leaves it. */
function leave(name: string, record: unknown): void {
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, `${name}.json`), typeof record === "string" ? record : JSON.stringify(record));
}

/** Root may write everywhere but in the folders of the system's kernel. */
function unwritableFolder(): string {
	if (process.getuid?.() === 0) return "/sys";
	const path = join(home, "read-only");
	mkdirSync(path, { mode: 0o555 });
	return path;
}

const VERBS: readonly (readonly string[])[] = [
	["send", "--to", ALICE, "--text", "Hello"],
	["call", "agents.list"],
	["contact", "reply", "--from", ALICE, "--text", "Hi"],
	["log"],
	["wait", "message"],
	["fault", "delay", "1 ms"],
	["fault", "clear"],
	["clock"],
	["doctor"],
	["sign", "request", "--method", "GET", "--url", "/agents"],
];

test.skipIf(process.platform === "win32")("every verb finds the one that runs, on any port", async () => {
	await start();
	expect(readdirSync(folder)).toHaveLength(1);
	for (const verb of VERBS) expect([verb, (await run(...verb)).code]).toEqual([verb, 0]);
	const listening = startCli(["listen", "--json"], { env });
	const [line] = await new Promise<Buffer[]>((resolve) =>
		listening.stdout.once("data", (...data) => resolve(data)),
	);
	listening.kill("SIGKILL");
	expect(String(line)).toContain("registered");
});

test.skipIf(process.platform === "win32")("one that ends is not recorded any more", async () => {
	const gateway = await start();
	expect(await gateway.end("SIGTERM")).toBe(0);
	expect(readdirSync(folder)).toEqual([]);
});

/** Those that look for a gateway wherever it is; `sign` only needs its secrets. */
const SEARCHING = [
	...VERBS.filter(([verb]) => verb !== "sign"),
	["rules", "off"],
	["env"],
	["listen"],
	["adopt", "--out", "profile.json"],
];

test("several are named by every verb and for an agent, with the flag that chooses", async () => {
	const [first, second] = [await start(), await start()];
	const sentence = `2 local gateways are running, ${first.baseUrl} and ${second.baseUrl}: name one with --base-url`;
	for (const verb of SEARCHING)
		expect([verb, await runCli(verb, { env, cwd: home })]).toEqual([
			verb,
			{ code: 2, stdout: "", stderr: `error: ${sentence}\n` },
		]);
	expect(existsSync(join(home, ".env"))).toBe(false);
	await using mcp = await startMcp(env);
	expect(await mcp.use("list_activity")).toEqual({ isError: true, value: { message: sentence } });
	expect((await run("clock", "--base-url", second.baseUrl)).code).toBe(0);
	const named = { ...env, MESSAGING_GATEWAY_BASE_URL: first.baseUrl };
	expect((await runCli(["clock"], { env: named })).code).toBe(0);
	expect((await run("sign", "request", "--method", "GET", "--url", "/agents")).code).toBe(0);
	await first.end("SIGKILL");
	expect((await run("clock")).code).toBe(0);
	expect(await mcp.use("list_activity")).toMatchObject({ isError: false });
	expect(readdirSync(folder)).toHaveLength(1);
});

const STALE: Readonly<Record<string, RequestListener>> = {
	"responds as another server": (_, response) => response.end("hello"),
	"redirects elsewhere": (_, response) => response.writeHead(302, { Location: "http://127.0.0.1:9/" }).end(),
	"never responds, and its process is gone": () => undefined,
	"never ends its response": (_, response) => void response.writeHead(200).write("and so on"),
};

test.each(Object.entries(STALE))("a record whose address %s is no gateway's", async (_, listener) => {
	const gateway = await start();
	await using other = await serve(listener);
	leave("other", { baseUrl: new URL(other.url).origin, pid: 2 ** 30, startedAt: 1 });
	const { code, stdout } = await run("clock", "--json");
	expect([code, JSON.parse(stdout)]).toEqual([0, { now: expect.any(Number) }]);
	expect(existsSync(join(folder, "other.json"))).toBe(false);
	expect(gateway.baseUrl).not.toContain(other.url);
});

test.each(["", "[]", "no JSON", '{"baseUrl":5}', '{"baseUrl":"ftp://localhost","pid":1,"startedAt":1}'])(
	"a damaged record, %j, makes no verb fail",
	async (content) => {
		await start();
		leave("damaged", content);
		expect((await run("clock")).code).toBe(0);
	},
);

test("a gateway that cannot be recorded runs, and is named", async () => {
	mkdirSync(join(folder, ".."), { recursive: true });
	writeFileSync(folder, "a file");
	const gateway = await start();
	expect((await run("clock", "--base-url", gateway.baseUrl)).code).toBe(0);
});

describe("what a started gateway gives and does", () => {
	test("writes its variables, and keeps what stands there", async () => {
		const { variables } = await start();
		const file = join(home, ".env");
		writeFileSync(file, "PORT=3000\nMESSAGING_GATEWAY_APP_SECRET=another\n");
		const refused = await run("env", file);
		expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("give --force") });
		expect((await run("env", file, "--force")).code).toBe(0);
		const written = readFileSync(file, "utf8");
		expect(parseEnv(written)).toEqual({ PORT: "3000", ...variables });
		expect(written).toContain("# MESSAGING_GATEWAY_APP_SECRET=another");
	});

	test("writes .env where it is called", async () => {
		const { variables } = await start();
		expect((await runCli(["env"], { env, cwd: home })).code).toBe(0);
		expect(parseEnv(readFileSync(join(home, ".env"), "utf8"))).toEqual(variables);
	});

	test.skipIf(process.platform === "win32").each<[string, string]>([
		["no-folder/.env", "can't be written: no such file or directory"],
		["a-file/.env", "can't be written: not a directory"],
		["a-folder", "isn't a regular file"],
		[".env", "can't be read: too many symbolic links encountered"],
	])("a file that cannot be written, %s, is one sentence", async (name, problem) => {
		await start();
		writeFileSync(join(home, "a-file"), "");
		mkdirSync(join(home, "a-folder"));
		symlinkSync(".env", join(home, ".env"));
		const file = join(home, name);
		expect(await run("env", file)).toEqual({ code: 2, stdout: "", stderr: `error: ${file} ${problem}\n` });
	});

	test.skipIf(process.platform === "win32")("a folder that nobody may write is one sentence", async () => {
		await start();
		const file = join(unwritableFolder(), ".env");
		const problem = { code: 2, stdout: "", stderr: `error: ${file} can't be written: permission denied\n` };
		expect(await run("env", file)).toEqual(problem);
		expect(await run("dev", "--port", "0", "--write-env", file)).toEqual(problem);
		expect(readdirSync(folder)).toHaveLength(1);
	});

	test("a folder in the place of .env is one sentence, and stays", async () => {
		await start();
		mkdirSync(join(home, ".env"));
		const problem = { code: 2, stdout: "", stderr: "error: .env isn't a regular file\n" };
		expect(await runCli(["env"], { env, cwd: home })).toEqual(problem);
		expect(await runCli(["dev", "--port", "0", "--write-env", ".env"], { env, cwd: home })).toEqual(problem);
		expect(readdirSync(join(home, ".env"))).toEqual([]);
	});

	test("turns its rules off and on", async () => {
		const gateway = await start();
		const send = () => gateway.client.messages.sendText({ to: ALICE, text: "The same" });
		await send();
		expect((await run("rules", "off")).stdout).toBe("the rules are off\n");
		await send();
		expect((await run("rules", "on")).stdout).toBe("the rules are on\n");
		await expect(send()).rejects.toThrow("409");
		expect((await run("rules", "maybe")).code).toBe(2);
	});
});
