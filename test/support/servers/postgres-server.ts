import { execFile } from "node:child_process";
import { chownSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { requireCommand } from "../../../scripts/needed-commands.ts";
import { onFreePort } from "../free-port.ts";
import { WAIT_MS } from "../patience.ts";
import { startServer } from "./server-process.ts";

const run = promisify(execFile);

/** Debian's ids of `nobody` and `nogroup`: PostgreSQL does not run as root. */
const NOBODY = { uid: 65_534, gid: 65_534 };

/** A PostgreSQL for one test file. */
export interface PostgresServer extends AsyncDisposable {
	readonly url: string;
	readonly port: number;
	/** @param how - SIGINT by default: it ends open connections and stops cleanly. */
	stop(how?: "SIGINT" | "SIGKILL"): Promise<void>;
	/** Starts it again on the same port with the same data. */
	start(): Promise<void>;
}

/** Starts Debian's newest PostgreSQL with an empty database, and waits until it responds. */
export function startPostgres(options: { fsync?: boolean } = {}): Promise<PostgresServer> {
	return onFreePort((port) => startOn(port, options));
}

async function startOn(port: number, options: { fsync?: boolean }): Promise<PostgresServer> {
	const command = requireCommand("postgres");
	const folder = mkdtempSync(join(tmpdir(), "postgres-"));
	const data = join(folder, "data");
	const user = process.getuid?.() === 0 ? NOBODY : undefined;
	if (user) chownSync(folder, user.uid, user.gid);
	const setup = [
		"-D",
		data,
		"--auth=trust",
		"--username=postgres",
		"--encoding=UTF8",
		"--locale=C",
		"--no-sync",
	];
	await run(join(dirname(command), "initdb"), setup, { ...user, cwd: folder });
	const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
	// The empty -k: no socket in a folder that others share.
	const args = ["-D", data, "-p", String(port), "-k", "", "-c", "listen_addresses=127.0.0.1"];
	if (options.fsync === false) args.push("-c", "fsync=off");
	// SIGQUIT is as quick as SIGKILL, but leaves no shared memory behind.
	const server = await startServer({
		command,
		args,
		folder,
		user,
		endSignal: "SIGQUIT",
		probe: () => ping(url),
	});
	return { ...server, url, port, stop: (how = "SIGINT") => server.stop(how) };
}

async function ping(url: string): Promise<void> {
	const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: WAIT_MS });
	client.on("error", () => undefined);
	try {
		await client.connect();
		await client.query("SELECT 1");
	} finally {
		await client.end();
	}
}
