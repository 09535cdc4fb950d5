import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { parseJson } from "../../src/tools/control/parse-json.ts";
import { eventually } from "../support/eventually.ts";
import { machineAt, runCli } from "../support/run-cli.ts";

const PACKAGE = fileURLToPath(new URL("../../", import.meta.url));

/** The gateway looks for npm once a second. */
const TWO_LOOKS_MS = 2_500;

const recordSchema = z.object({ baseUrl: z.string(), pid: z.number() });

let home: string;
let running: string;
let started: ChildProcess | undefined;
let pid: number | undefined;

/** A project in which the package is installed. */
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "messaging-gateway-npx-"));
	running = join(home, "state", "messaging-gateway", "running");
	mkdirSync(join(home, "node_modules", ".bin"), { recursive: true });
	symlinkSync(PACKAGE, join(home, "node_modules", "messaging-gateway"));
	symlinkSync(
		join("..", "messaging-gateway", "dist", "cli", "messaging-gateway.js"),
		join(home, "node_modules", ".bin", "messaging-gateway"),
	);
});

afterEach(() => {
	started?.kill("SIGKILL");
	if (pid !== undefined && isAlive(pid)) process.kill(pid, "SIGKILL");
	rmSync(home, { recursive: true, force: true });
});

function isAlive(id: number): boolean {
	try {
		return process.kill(id, 0);
	} catch {
		return false;
	}
}

/** Starts a command in the project, and waits until its gateway is recorded. */
async function start(command: string, args: readonly string[]) {
	const env = { ...process.env, ...machineAt(home), npm_config_offline: "true", npm_config_cache: home };
	const child = spawn(command, args, { cwd: home, env, stdio: "ignore" });
	started = child;
	const record = await eventually(() => {
		const [name = ""] = existsSync(running)
			? readdirSync(running).filter((one) => one.endsWith(".json"))
			: [];
		return recordSchema.parse(parseJson(readFileSync(join(running, name), "utf8")));
	});
	({ pid } = record);
	return { child, ...record };
}

const DEV = ["messaging-gateway", "dev", "--port", "0"];

describe.skipIf(process.platform !== "linux")("a gateway that npx started", () => {
	test.each(["SIGTERM", "SIGHUP", "SIGKILL"] as const)("ends after %s of npx alone", async (signal) => {
		const { child, pid: gateway } = await start("npx", DEV);
		child.kill(signal);
		await eventually(() => expect(isAlive(gateway)).toBe(false));
		expect(readdirSync(running)).toEqual([]);
	});

	test("outlives the shell that started npx in the background", async () => {
		const { child, baseUrl } = await start("sh", ["-c", `nohup npx ${DEV.join(" ")} & sleep 1`]);
		if (child.exitCode === null) await once(child, "exit");
		await sleep(TWO_LOOKS_MS);
		expect((await fetch(`${baseUrl}/health`)).status).toBe(200);
	});
});

test("a gateway without npm outlives the process that started it", async () => {
	const script = `'${process.execPath}' node_modules/.bin/${DEV.join(" ")} & sleep 1`;
	const { child, baseUrl } = await start("sh", ["-c", script]);
	if (child.exitCode === null) await once(child, "exit");
	await sleep(TWO_LOOKS_MS);
	expect((await fetch(`${baseUrl}/health`)).status).toBe(200);
});

test("a gateway that holds the port is named, with what stops it", async () => {
	const { baseUrl, pid: gateway } = await start(process.execPath, [
		join("node_modules", ".bin", DEV[0] ?? ""),
		...DEV.slice(1),
	]);
	const { port } = new URL(baseUrl);
	const { code, stderr } = await runCli(["dev", "--port", port], { env: machineAt(home) });
	expect(code).toBe(2);
	expect(stderr).toMatch(`port ${port} is already in use by a local gateway that runs, process ${gateway}\n`);
	expect(stderr).toMatch(new RegExp(`\`(kill|taskkill /F /PID) ${gateway}\` stops it`));
});
