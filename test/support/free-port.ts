import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

/** A node of a Redis cluster also listens this far above its port. */
const BUS_OFFSET = 10_000;

/** Has a file for each port that a process was given, with the id of that process. */
const CLAIMS = join(tmpdir(), `messaging-gateway-ports-${process.getuid?.() ?? "user"}`);

const claimed: string[] = [];

/**
 * A free port of 127.0.0.1 whose bus port is free too. It is reserved for this process until the process ends: others
 * that look for a port at the same time find another one. Both are below the ports of outgoing connections, so that
 * nothing takes the port of a server that is down for a moment, not even a client that tries to reach it.
 */
export async function findFreePort(): Promise<number> {
	// `fetch` blocks a few ports up to 10080.
	const port = randomInt(11_000, 20_000);
	const isOurs = claim(port) && (await isFree(port)) && (await isFree(port + BUS_OFFSET));
	return isOurs ? port : findFreePort();
}

/** What Node and other programs say of a port that is taken; epmd takes its holder for another epmd. */
const TAKEN = /EADDRINUSE|already in use|already a epmd/i;

/** How many ports are tried. */
const MAX_PORTS = 3;

/**
 * Starts what cannot listen on port 0 on a free port: on another one if a stranger took it in between, as the error's message
 * says.
 */
export async function onFreePort<Started>(start: (port: number) => Promise<Started>): Promise<Started> {
	for (let tried = 1; ; tried++) {
		try {
			return await start(await findFreePort());
		} catch (error) {
			if (tried === MAX_PORTS || !TAKEN.test(String(error))) throw error;
		}
	}
}

function claim(port: number): boolean {
	const path = join(CLAIMS, String(port));
	mkdirSync(CLAIMS, { recursive: true });
	try {
		writeFileSync(path, String(process.pid), { flag: "wx" });
	} catch (error) {
		if (!hasCode(error, "EEXIST")) throw error;
		if (!isAlive(path)) rmSync(path, { force: true });
		return false;
	}
	if (claimed.length === 0) process.once("exit", releaseAll);
	claimed.push(path);
	return true;
}

/** Whether the process of a claim is alive. A killed process leaves its claims behind. */
function isAlive(path: string): boolean {
	try {
		process.kill(Number(readFileSync(path, "utf8")), 0);
		return true;
	} catch (error) {
		return !hasCode(error, "ESRCH");
	}
}

function releaseAll(): void {
	for (const path of claimed) rmSync(path, { force: true });
}

function hasCode(error: unknown, code: string): boolean {
	return error instanceof Error && "code" in error && error.code === code;
}

async function isFree(port: number): Promise<boolean> {
	const server = createServer().listen(port, "127.0.0.1");
	try {
		await once(server, "listening");
	} catch {
		return false;
	}
	server.close();
	await once(server, "close");
	return true;
}
