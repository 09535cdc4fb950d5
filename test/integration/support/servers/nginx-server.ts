import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { requireCommand } from "../../../../scripts/needed-commands.ts";
import { findFreePort, onFreePort } from "../../../support/free-port.ts";
import { type RestartableServer, startServer } from "../../../support/servers/server-process.ts";

/** Where nginx would keep files of other users. */
const FOLDERS = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];

/** An nginx with some servers. */
export interface Nginx<Name extends string> extends RestartableServer {
	/** The address of each server. */
	readonly urls: Readonly<Record<Name, string>>;
}

/**
 * Starts an nginx, and waits until it responds.
 * @param http - what its `http` block has beside the servers.
 * @param servers - the directives of each server, by name; they may name the port of another one as `$port_NAME`.
 */
export function startNginx<Name extends string>(
	http: string,
	servers: Readonly<Record<Name, string>>,
): Promise<Nginx<Name>> {
	return onFreePort((port) => startOn(port, http, servers));
}

/** @param firstPort - that of the first server. */
async function startOn<Name extends string>(
	firstPort: number,
	http: string,
	servers: Readonly<Record<Name, string>>,
): Promise<Nginx<Name>> {
	const command = requireCommand("nginx");
	const folder = mkdtempSync(join(tmpdir(), "nginx-"));
	const names = Object.keys(servers) as Name[];
	const ports = new Map<Name, number>();
	for (const name of names) ports.set(name, ports.size === 0 ? firstPort : await findFreePort());
	const insertPorts = (text: string): string =>
		text.replace(/\$port_(\w+)/g, (_, name) => String(ports.get(name)));
	const blocks = names.map((name) => `server { listen 127.0.0.1:${ports.get(name)}; ${servers[name]} }`);
	const settings = join(folder, "nginx.conf");
	writeFileSync(
		settings,
		`daemon off;
master_process off;
pid ${folder}/nginx.pid;
events {}
http {
access_log off;
${FOLDERS.map((each) => `${each}_temp_path ${folder}/${each};`).join("\n")}
${insertPorts(http)}
${blocks.map(insertPorts).join("\n")}
}
`,
	);
	const urls = Object.fromEntries(names.map((name) => [name, `http://127.0.0.1:${ports.get(name)}`]));
	const [first = ""] = Object.values(urls);
	const server = await startServer({
		command,
		args: ["-p", folder, "-c", settings, "-e", "stderr"],
		folder,
		endSignal: "SIGKILL",
		probe: () => fetch(`${first}/probe`),
	});
	return { ...server, urls: urls as Record<Name, string> };
}
