import { mkdtempSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { requireCommand } from "../../../scripts/needed-commands.ts";
import { onFreePort } from "../free-port.ts";
import { startServer } from "./server-process.ts";

/** A Redis for one test file. */
export interface RedisServer extends AsyncDisposable {
	readonly url: string;
	readonly port: number;
	/** @param how - SIGTERM by default. */
	stop(how?: "SIGTERM" | "SIGKILL"): Promise<void>;
	/** Starts it again on the same port; its data are those on disk. */
	start(): Promise<void>;
}

/** How a Redis is started. */
export interface RedisOptions {
	/** Every write is on disk before its reply. */
	durable?: boolean;
	/** How many databases it has. @default 16 */
	databases?: number;
	/** It is a node of a cluster that has yet to be formed. */
	clustered?: boolean;
}

/** Starts Debian's Redis with an empty folder, and waits until it responds. */
export function startRedis(options: RedisOptions = {}): Promise<RedisServer> {
	return onFreePort((port) => startOn(port, options));
}

async function startOn(port: number, options: RedisOptions): Promise<RedisServer> {
	const command = requireCommand("redis-server");
	const folder = mkdtempSync(join(tmpdir(), "redis-"));
	const args = ["--bind", "127.0.0.1", "--port", String(port), "--dir", folder, "--save", ""];
	if (options.durable) args.push("--appendonly", "yes", "--appendfsync", "always");
	if (options.databases) args.push("--databases", String(options.databases));
	if (options.clustered) args.push("--cluster-enabled", "yes");
	const server = await startServer({
		command,
		args,
		folder,
		endSignal: "SIGKILL",
		async probe() {
			const reply = await callRedis(port, "PING");
			// While it loads its data it replies with an error.
			if (!reply.startsWith("+PONG")) throw new Error(reply);
		},
	});
	return { ...server, url: `redis://127.0.0.1:${port}`, port, stop: (how = "SIGTERM") => server.stop(how) };
}

/** The reply of a Redis to a command, over a plain socket. */
export async function callRedis(port: number, command: string): Promise<string> {
	const socket = connect(port, "127.0.0.1").setEncoding("utf8");
	socket.write(`${command}\r\nQUIT\r\n`);
	let reply = "";
	for await (const chunk of socket) reply += chunk;
	return reply;
}
