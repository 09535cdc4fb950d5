import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";

const SCRIPT = new URL("../../scripts/busy.ts", import.meta.url).pathname;

/** Prints the processes that its parent has started, and lives as long as that. */
const SIBLINGS = `
	const parent = process.ppid;
	const path = "/proc/" + parent + "/task/" + parent + "/children";
	const children = require("node:fs").readFileSync(path, "utf8").trim().split(" ").map(Number);
	console.log(JSON.stringify(children.filter((id) => id !== process.pid)));
	setInterval(() => process.ppid === parent || process.exit(), 20);`;

function busy(...args: string[]) {
	const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], { encoding: "utf8" });
	return { status, stdout, stderr };
}

/** Linux keeps an ended process as a zombie until its new parent asks for its exit code. */
function isAlive(id: number): boolean {
	try {
		return !readFileSync(`/proc/${id}/status`, "utf8").includes("State:\tZ");
	} catch {
		return false;
	}
}

test("it exits like the command", () => {
	const command = [process.execPath, "--eval", "console.log('done'); process.exitCode = 7"];
	expect(busy("--processes", "1", "--", ...command)).toEqual({ status: 7, stdout: "done\n", stderr: "" });
	const killed = [process.execPath, "--eval", "process.kill(process.pid, 'SIGKILL')"];
	expect(busy("--processes", "1", "--", ...killed)).toMatchObject({ status: 137 });
});

test("the command's options are its own, with and without a -- before it", () => {
	const command = [process.execPath, "-p", "process.argv.slice(1).join()", "--", "--processes", "x", "-y"];
	for (const own of [[], ["--"], ["--processes=1"], ["--processes", "1"], ["--processes", "1", "--"]]) {
		expect(busy(...own, ...command)).toEqual({ status: 0, stdout: "--processes,x,-y\n", stderr: "" });
	}
});

test.runIf(process.platform === "linux")("the processes beside it end with it, even by SIGKILL", async () => {
	const args = [SCRIPT, "--processes", "3", "--", process.execPath, "--eval", SIBLINGS];
	const started = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
	const [line]: string[] = await once(createInterface(started.stdout), "line");
	const loops: number[] = JSON.parse(line ?? "");
	expect(loops.map(isAlive)).toEqual([true, true, true]);
	started.kill("SIGKILL");
	await eventually(() => expect(loops.map(isAlive)).toEqual([false, false, false]));
});

test("--help prints the usage, and so does a mistake", () => {
	const { status, stdout } = busy("--help");
	expect([status, stdout]).toEqual([0, expect.stringContaining("depends on how fast the machine is")]);
	for (const [args, message] of [
		[[], "there is no command to run"],
		[["--proceses", "1", "true"], "Unknown option '--proceses'"],
		[["--processes", "none", "--", "true"], "--processes must be an integer of at least 1"],
		[["--", "/no/such/command"], "ENOENT"],
	] as const) {
		expect(busy(...args)).toMatchObject({ status: 2, stderr: expect.stringContaining(message) });
	}
});
