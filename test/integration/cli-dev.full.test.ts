import { lookup } from "node:dns/promises";
import { once } from "node:events";
import {
	chmodSync,
	existsSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseEnv } from "node:util";
import { DuplicateMessageError } from "messaging-gateway";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startDev } from "../support/dev-server.ts";
import { eventually } from "../support/eventually.ts";
import { machineAt, runCli, startCli } from "../support/run-cli.ts";
import { serve } from "../support/serve.ts";

const USER = "+15551234567";
/** The account's window, which also blocks this contact; the contact's window is longer. */
const ACCOUNT_WINDOW_MS = 60_000;
const TOKEN_VARIABLE = "MESSAGING_GATEWAY_CONTROL_TOKEN";
const WINDOW_VARIABLE = "DUPLICATE_SAME_NUMBER_WINDOW_SECONDS";

/** On many machines it leads to only one of 127.0.0.1 and ::1. */
const localhost = (await lookup("localhost", { all: true })).map(({ address }) => address);

let folder: string;

beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "messaging-gateway-dev-"));
});

afterAll(() => {
	rmSync(folder, { recursive: true });
});

describe("the output", () => {
	test("for people shows the URL, the link with the token, and the variables", async () => {
		const child = startCli(["dev", "--port", "0"]);
		child.stdout.once("data", () => child.kill("SIGINT"));
		const output = await text(child.stdout);
		const baseUrl = /MESSAGING_GATEWAY_BASE_URL=(http:\/\/localhost:\d+)\n/.exec(output)?.[1];
		expect(baseUrl).toBeDefined();
		expect(output).toMatch(new RegExp(`Conversations {2}${baseUrl}/#token=[0-9a-f]{32}\n`));
		for (const line of [
			`${baseUrl}/docs`,
			"MESSAGING_GATEWAY_APP_ID=local-app",
			"MESSAGING_GATEWAY_APP_SECRET=local-app-",
			"MESSAGING_GATEWAY_WEBHOOK_SECRET=local-webhook-",
			"Webhooks aren't forwarded",
		]) {
			expect(output).toContain(line);
		}
		expect(output.endsWith("stopped\n")).toBe(true);
	});

	test("for machines is the same as JSON, with the secrets of the environment", async () => {
		const env = { MESSAGING_GATEWAY_APP_SECRET: "my-secret" };
		await using dev = await startDev(["--forward-to", "http://127.0.0.1:9/"], { env });
		const { baseUrl, consoleUrl, variables, forwardTo } = dev;
		expect(consoleUrl).toMatch(new RegExp(`^${baseUrl}/#token=[0-9a-f]{32}$`));
		expect(forwardTo).toBe("http://127.0.0.1:9/");
		expect(variables).toEqual({
			MESSAGING_GATEWAY_BASE_URL: baseUrl,
			MESSAGING_GATEWAY_APP_ID: "local-app",
			MESSAGING_GATEWAY_APP_SECRET: "my-secret",
			MESSAGING_GATEWAY_WEBHOOK_SECRET: dev.webhookSecret,
		});
		const { message } = await dev.client.messages.sendText({ to: USER, text: "Hello" });
		expect(message).toMatchObject({ to: USER, status: "queued" });
	});

	test.each<[host: string, name: string, warned: string | undefined]>([
		["0.0.0.0", "localhost", "every address of this machine"],
		["0", "localhost", "every address of this machine"],
		["::", "localhost", "every address of this machine"],
		["0:0:0:0:0:0:0:0", "localhost", "every address of this machine"],
		["::ffff:0.0.0.0", "localhost", "every address of this machine"],
		["127.1", "localhost", undefined],
		["::1", localhost.includes("::1") ? "localhost" : "[::1]", undefined],
		["127.0.0.2", "127.0.0.2", undefined],
		["::ffff:127.0.0.1", "[::ffff:7f00:1]", undefined],
		...ownAddresses().map((address): [string, string, string] => [address, address, address]),
	])("with --host %s has URLs of %s that work, and a warning of %s", async (host, name, warned) => {
		const child = startCli(["dev", "--port", "0", "--host", host]);
		const [first] = await once(child.stdout, "data");
		const output = String(first);
		const [, baseUrl = ""] = /MESSAGING_GATEWAY_BASE_URL="?'?(http[^"'\s]+)/.exec(output) ?? [];
		expect(new URL(baseUrl).hostname).toBe(name);
		expect((await fetch(`${baseUrl}/health`)).status).toBe(200);
		expect((await fetch(`${baseUrl}/_local/snapshot`)).status).toBe(401);
		const warning = /It listens on (.+): the network can reach it, unencrypted/.exec(output)?.[1];
		expect(warning).toBe(warned);
		child.kill("SIGINT");
		await once(child, "close");
	});
});

/** The IPv4 address of a network, if the machine has one. */
function ownAddresses(): string[] {
	const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
	return all.flatMap(({ address, family, internal }) => (family === "IPv4" && !internal ? [address] : []));
}

test.each([
	["", "--host is empty"],
	["fe80::1%lo", "--host is an address with a zone, which no link can name"],
	["no-machine.invalid", "no-machine.invalid isn't an address of this machine"],
])("dev --host %j is refused", async (host, message) => {
	const { code, stderr } = await runCli(["dev", "--port", "0", "--host", host]);
	expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

describe("the control token", () => {
	const TOKEN = "a-token-of-this-test";

	test("is the same at each start on a machine, and another one elsewhere", async () => {
		const home = mkdtempSync(join(folder, "home-"));
		await using one = await startDev([], { env: machineAt(home) });
		await using again = await startDev([], { env: machineAt(home) });
		await using elsewhere = await startDev();
		expect(again.authorization).toBe(one.authorization);
		expect(elsewhere.authorization).not.toBe(one.authorization);
	});

	test("comes from --control-token, otherwise from its variable, and is then not kept", async () => {
		const home = mkdtempSync(join(folder, "home-"));
		const env = {
			...machineAt(home),
			MESSAGING_GATEWAY_APP_SECRET: "one",
			MESSAGING_GATEWAY_WEBHOOK_SECRET: "two",
			[TOKEN_VARIABLE]: TOKEN,
		};
		await using dev = await startDev([], { env });
		expect(dev.authorization).toBe(`Bearer ${TOKEN}`);
		expect((await dev.control("snapshot")).status).toBe(200);
		await using other = await startDev(["--control-token", `${TOKEN}~2`], { env });
		expect(other.authorization).toBe(`Bearer ${TOKEN}~2`);
		expect((await other.control("snapshot")).status).toBe(200);
		const names = readdirSync(home, { recursive: true, encoding: "utf8" });
		expect(names.filter((name) => /token|secrets/.test(name))).toEqual([]);
	});
});

describe.skipIf(process.platform !== "linux")("--open", () => {
	/** A folder whose `xdg-open` runs this script. */
	function folderWithOpener(script: string): string {
		const bin = mkdtempSync(join(folder, "bin-"));
		writeFileSync(join(bin, "xdg-open"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
		return bin;
	}

	test("opens a link that leads to the console once and does not contain the token", async () => {
		const opened = join(folder, "opened");
		const bin = folderWithOpener(`printf %s "$1" > ${opened}`);
		await using dev = await startDev(["--open"], { env: { PATH: `${bin}:${process.env["PATH"]}` } });
		const link = await eventually(() => {
			const url = readFileSync(opened, "utf8");
			expect(url).toContain(dev.baseUrl);
			return url;
		});
		expect(link).not.toContain(dev.authorization.replace("Bearer ", ""));
		const first = await fetch(link, { redirect: "manual" });
		expect([first.status, first.headers.get("Location")]).toEqual([303, dev.consoleUrl]);
		const second = await fetch(link, { redirect: "manual" });
		expect([second.status, second.headers.get("Location")]).toEqual([404, null]);
	});

	test("reports that no browser could be opened, and goes on", async () => {
		const bin = folderWithOpener("exit 3");
		const child = startCli(["dev", "--port", "0", "--open"], {
			env: { PATH: `${bin}:${process.env["PATH"]}` },
		});
		let output = "";
		child.stdout.setEncoding("utf8").on("data", (piece) => {
			output += piece;
		});
		await eventually(() => expect(output).toContain("no browser could be opened; the links are above\n"));
		child.kill("SIGINT");
		await once(child, "close");
		expect(child.exitCode).toBe(0);
	});
});

test("a page of another site is rejected, and a line says so", async () => {
	const child = startCli(["dev", "--port", "0"]);
	let output = "";
	child.stdout.setEncoding("utf8").on("data", (piece) => {
		output += piece;
	});
	await eventually(() => expect(output).toContain("MESSAGING_GATEWAY_BASE_URL="));
	const [, baseUrl = ""] = /MESSAGING_GATEWAY_BASE_URL="?'?(http[^"'\s]+)/.exec(output) ?? [];
	const init = { method: "OPTIONS", headers: { "Access-Control-Request-Method": "POST" } };
	for (const origin of ["http://localhost:5173", "https://app.example"]) {
		const response = await fetch(`${baseUrl}/message/text`, {
			...init,
			headers: { ...init.headers, Origin: origin },
		});
		expect(response.status).toBe(origin.startsWith("https") ? 403 : 204);
	}
	await eventually(() =>
		expect(output).toMatch(/403 {2}← a page of https:\/\/app\.example *\n +Only pages of this machine/),
	);
	expect(output).not.toContain("a page of http://localhost");
	child.kill("SIGINT");
	await once(child, "close");
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
	"%s ends it with 0 while a page is connected",
	async (signal) => {
		await using dev = await startDev();
		const stream = await dev.control("stream");
		expect(stream.status).toBe(200);
		expect(await dev.end(signal)).toBe(0);
		await stream.text().catch(() => undefined);
	},
);

describe("mistakes", () => {
	test("a port in use is an error", async () => {
		await using other = await serve(() => {});
		const { port } = new URL(other.url);
		const state = join(folder, "unused.json");
		const { code, stderr, stdout } = await runCli(["dev", "--port", port, "--state", state]);
		expect([code, stdout]).toEqual([2, ""]);
		expect(stderr).toContain(`port ${port} is already in use`);
		expect(existsSync(`${state}.lock`)).toBe(false);
	});

	test.each([
		[["--port", "70000"], {}, "--port must be a port"],
		[["--host", "203.0.113.5"], {}, "203.0.113.5 isn't an address of this machine"],
		[["--forward-to", "localhost:3000"], {}, "--forward-to must be an http or https URL"],
		[["--write-env", "/no/such/folder/.env"], {}, "/no/such/folder/.env can't be written"],
		[["--write-env", tmpdir()], {}, `${tmpdir()} isn't a regular file`],
		[["--state", tmpdir()], {}, `${tmpdir()} isn't a regular file`],
		[["--profile", "/no/such/profile.mjs"], {}, "can't be loaded"],
		[["--control-token", "short"], {}, "--control-token must be 16 to 256 letters, digits"],
		[["--control-token", "with a space in it"], {}, "--control-token must be 16 to 256 letters, digits"],
		[
			[],
			{ [TOKEN_VARIABLE]: "k+2/w==k+2/w==k+2/w==" },
			`${TOKEN_VARIABLE} must be 16 to 256 letters, digits`,
		],
		[[], { [WINDOW_VARIABLE]: "-1" }, `${WINDOW_VARIABLE} must be a non-negative integer of seconds`],
		[[], { [WINDOW_VARIABLE]: "soon" }, `${WINDOW_VARIABLE} must be a non-negative integer of seconds`],
	])("%j with %j is an error without a stack, with exit code 2", async (args, env, message) => {
		const { code, stderr } = await runCli(["dev", "--port", "0", ...args], { env });
		expect(stderr).toContain(message);
		expect(stderr).not.toMatch(/^\s+at /m);
		expect(code).toBe(2);
	});
});

describe("--write-env", () => {
	test("creates a file with the four variables, readable by its owner only", async () => {
		const path = join(folder, "new.env");
		await using dev = await startDev(["--write-env", path]);
		const lines = Object.entries(dev.variables).map(([name, value]) => `${name}=${value}\n`);
		expect(lines).toHaveLength(4);
		expect(readFileSync(path, "utf8")).toBe(lines.join(""));
		expect(statSync(path).mode & 0o777).toBe(0o600);
	});

	test("does not replace an existing value, and names its variable", async () => {
		const path = join(folder, "taken.env");
		const content = "MESSAGING_GATEWAY_APP_SECRET=that-of-production\n";
		writeFileSync(path, content);
		const { code, stdout, stderr } = await runCli(["dev", "--port", "0", "--write-env", path]);
		expect([code, stdout]).toEqual([2, ""]);
		expect(stderr).toContain(`${path} already sets MESSAGING_GATEWAY_APP_SECRET to another value\n`);
		expect(stderr).toContain("--force");
		expect(stderr).not.toContain("that-of-production");
		expect(readFileSync(path, "utf8")).toBe(content);
	});

	test("writes values that are read back unchanged", async () => {
		const path = join(folder, "quoted.env");
		const env = { MESSAGING_GATEWAY_APP_SECRET: "abc#def", MESSAGING_GATEWAY_WEBHOOK_SECRET: "it's $HOME" };
		await using dev = await startDev(["--write-env", path], { env });
		expect(dev.variables).toMatchObject(env);
		expect(parseEnv(readFileSync(path, "utf8"))).toEqual(dev.variables);
		expect((await runCli(["--dotenv", path, "call", "agents.list"])).code).toBe(0);
	});

	test("with --force keeps the other lines, reports and comments out replaced ones, and restricts the file", async () => {
		const path = join(folder, "old.env");
		const others = ["# ours", "", "DATABASE_URL='postgres://localhost/a b'"];
		writeFileSync(path, [...others, "export MESSAGING_GATEWAY_APP_ID=older", "LAST=1"].join("\n"));
		chmodSync(path, 0o644);
		await using dev = await startDev(["--write-env", path, "--force"]);
		expect(dev.replaced).toEqual(["MESSAGING_GATEWAY_APP_ID"]);
		expect(readFileSync(path, "utf8").split("\n")).toEqual([
			...others,
			"# export MESSAGING_GATEWAY_APP_ID=older",
			"export MESSAGING_GATEWAY_APP_ID=local-app",
			"LAST=1",
			`MESSAGING_GATEWAY_BASE_URL=${dev.baseUrl}`,
			`MESSAGING_GATEWAY_APP_SECRET=${dev.appSecret}`,
			`MESSAGING_GATEWAY_WEBHOOK_SECRET=${dev.webhookSecret}`,
			"",
		]);
		expect(statSync(path).mode & 0o777).toBe(0o600);
	});
});

describe("the rules", () => {
	const twice = { to: USER, text: "The same" };
	test("apply by default", async () => {
		await using dev = await startDev();
		await dev.client.messages.sendText(twice);
		await dev.act({ type: "advance_clock", ms: ACCOUNT_WINDOW_MS });
		await expect(dev.client.messages.sendText(twice)).rejects.toBeInstanceOf(DuplicateMessageError);
	});

	test("a contact's window of 0 seconds leaves only those of the agent and the account", async () => {
		await using dev = await startDev([], { env: { [WINDOW_VARIABLE]: "0" } });
		await dev.client.messages.sendText(twice);
		await dev.act({ type: "advance_clock", ms: ACCOUNT_WINDOW_MS });
		expect((await dev.client.messages.sendText(twice)).message).toMatchObject(twice);
	});

	test("do not apply with --no-rules", async () => {
		await using dev = await startDev(["--no-rules"]);
		await dev.client.messages.sendText(twice);
		expect((await dev.client.messages.sendText(twice)).message).toMatchObject(twice);
	});
});

test("advancing the clock runs every due retry, over the network as well", async () => {
	await using broken = await serve((_, response) => void response.writeHead(500).end());
	await using dev = await startDev(["--forward-to", broken.url]);
	await dev.act({ type: "reply", from: USER, text: "Hi" });
	await dev.act({ type: "advance_clock", ms: ACCOUNT_WINDOW_MS });
	expect(await dev.deliveries()).toMatchObject([
		{ state: "failed", attempts: Array(6).fill({ status: 500 }) },
	]);
});

test("port 0 is the system's choice: no port is chosen before, which another program could take", async () => {
	const onlyOnce = `
		import { Server } from "node:net";
		const { listen } = Server.prototype;
		Server.prototype.listen = function (...args) {
			Server.prototype.listen = () => { throw Object.assign(new Error("taken"), { code: "EADDRINUSE" }); };
			return listen.apply(this, args);
		};`;
	const preload = `--import data:text/javascript,${encodeURIComponent(onlyOnce)}`;
	await using dev = await startDev([], {
		env: { NODE_OPTIONS: `${process.env["NODE_OPTIONS"] ?? ""} ${preload}` },
	});
	expect(dev.baseUrl).toMatch(/^http:\/\/localhost:[1-9]\d+$/);
	expect((await dev.client.messages.sendText({ to: USER, text: "Hello" })).message.status).toBe("queued");
});
