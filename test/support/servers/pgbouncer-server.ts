import { chownSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { requireCommand } from "../../../scripts/needed-commands.ts";
import { onFreePort } from "../free-port.ts";
import { WAIT_MS } from "../patience.ts";
import { type RestartableServer, startServer } from "./server-process.ts";

/** Debian's ids of `nobody` and `nogroup`: PgBouncer does not run as root. */
const NOBODY = { uid: 65_534, gid: 65_534 };

/** A PgBouncer in front of a PostgreSQL. */
export interface PgBouncer extends RestartableServer {
	readonly url: string;
}

/** Starts Debian's PgBouncer, and waits until it responds. */
export function startPgBouncer(target: string, mode: PoolMode, poolSize = 4): Promise<PgBouncer> {
	return onFreePort((port) => startOn(port, target, mode, poolSize));
}

/** When a connection of the server goes back to the pool. */
type PoolMode = "transaction" | "statement";

async function startOn(port: number, target: string, mode: PoolMode, poolSize: number): Promise<PgBouncer> {
	const command = requireCommand("pgbouncer");
	const folder = mkdtempSync(join(tmpdir(), "pgbouncer-"));
	const user = process.getuid?.() === 0 ? NOBODY : undefined;
	if (user) chownSync(folder, user.uid, user.gid);
	const { hostname, port: targetPort, pathname } = new URL(target);
	const settings = join(folder, "pgbouncer.ini");
	writeFileSync(
		settings,
		`[databases]
inbox = host=${hostname} port=${targetPort} dbname=${pathname.slice(1)} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${poolSize}
`,
	);
	const url = `postgres://postgres@127.0.0.1:${port}/inbox`;
	const server = await startServer({
		command,
		args: [settings],
		folder,
		user,
		endSignal: "SIGKILL",
		async probe() {
			const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: WAIT_MS });
			client.on("error", () => undefined);
			await client.connect();
			await client.end();
		},
	});
	return { ...server, url };
}
