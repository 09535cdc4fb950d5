import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";

const HELPER = new URL("../support/free-port.ts", import.meta.url).href;

/** So many that two processes would find some of them twice if they knew nothing of each other. */
const COUNT = 400;

/** Finds ports, prints them in one line, and lives until its input ends. */
const FINDER = `
	import { findFreePort } from ${JSON.stringify(HELPER)};
	const ports = [];
	for (let at = 0; at < ${COUNT}; at++) ports.push(await findFreePort());
	console.log(JSON.stringify(ports));
	process.stdin.resume();`;

function startFinder(): ChildProcessWithoutNullStreams {
	return spawn(process.execPath, ["--input-type=module", "--eval", FINDER]);
}

async function readPorts(finder: ChildProcessWithoutNullStreams): Promise<number[]> {
	const [line]: string[] = await once(createInterface(finder.stdout), "line");
	return JSON.parse(line ?? "");
}

test("no two processes are given the same port while both live", async () => {
	const finders = [startFinder(), startFinder()];
	const found = await Promise.all(finders.map(readPorts));
	expect(new Set(found.flat()).size).toBe(2 * COUNT);
	const ended = Promise.all(finders.map((finder) => once(finder, "exit")));
	for (const finder of finders) finder.stdin.end();
	await ended;
});
