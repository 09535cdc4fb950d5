import { mkdtempSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { requireCommand } from "../../../scripts/needed-commands.ts";
import { findFreePort } from "../free-port.ts";
import { startServer } from "./server-process.ts";

/** A Redis of its own. */
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
	/** Every write is on disk before it is answered. */
	durable?: boolean;
	/** How many databases it has. @default 16 */
	databases?: number;
	/** It is a node of a cluster that has yet to be formed. */
	clustered?: boolean;
}

/** Starts Debian's Redis with an empty folder, and waits until it answers. */
export async function startRedis(options: RedisOptions = {}): Promise<RedisServer> {
	const command = requireCommand("redis-server");
	const folder = mkdtempSync(join(tmpdir(), "redis-"));
	const port = await findFreePort();
	const args = ["--bind", "127.0.0.1", "--port", String(port), "--dir", folder, "--save", ""];
	if (options.durable) args.push("--appendonly", "yes", "--appendfsync", "always");
	if (options.databases) args.push("--databases", String(options.databases));
	if (options.clustered) args.push("--cluster-enabled", "yes");
	const server = await startServer({
		command,
		args,
		folder,
		endSignal: "SIGKILL",
		async ask() {
			const answer = await askRedis(port, "PING");
			// While it loads its data it answers with an error.
			if (!answer.startsWith("+PONG")) throw new Error(answer);
		},
	});
	return { ...server, url: `redis://127.0.0.1:${port}`, port, stop: (how = "SIGTERM") => server.stop(how) };
}

/** What a Redis answers to a command, over a plain socket. */
export async function askRedis(port: number, command: string): Promise<string> {
	const socket = connect(port, "127.0.0.1").setEncoding("utf8");
	socket.write(`${command}\r\nQUIT\r\n`);
	let answer = "";
	for await (const text of socket) answer += text;
	return answer;
}
