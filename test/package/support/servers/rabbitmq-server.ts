import { mkdtempSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { requireCommand } from "../../../../scripts/needed-commands.ts";
import { findFreePort, onFreePort } from "../../../support/free-port.ts";
import { startServer } from "../../../support/servers/server-process.ts";

/** A broker for one test file. */
export interface Broker extends AsyncDisposable {
	readonly url: string;
}

/** Starts Debian's RabbitMQ without data, and waits until it accepts clients. */
export function startRabbitMq(): Promise<Broker> {
	return onFreePort(startOn);
}

async function startOn(port: number): Promise<Broker> {
	const command = requireCommand("rabbitmq-server");
	await using started = new AsyncDisposableStack();
	const names = started.use(await onFreePort(startNames));
	const folder = mkdtempSync(join(tmpdir(), "rabbitmq-"));
	const nodePort = await findFreePort();
	const environment = {
		HOME: folder, // for the cookie
		ERL_EPMD_PORT: String(names.port),
		RABBITMQ_NODENAME: "tests@localhost",
		RABBITMQ_NODE_IP_ADDRESS: "127.0.0.1",
		RABBITMQ_NODE_PORT: String(port),
		RABBITMQ_DIST_PORT: String(nodePort),
		RABBITMQ_MNESIA_BASE: join(folder, "data"),
		RABBITMQ_LOG_BASE: join(folder, "log"),
		RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, "plugins"),
		RABBITMQ_CONFIG_FILE: join(folder, "settings"),
		RUNNING_UNDER_SYSTEMD: "1", // the script becomes the broker, so that a signal reaches it
	};
	started.use(
		await startServer({
			command,
			args: [],
			environment,
			folder,
			endSignal: "SIGKILL",
			probe: () => hear(port, "AMQP\0\0\x09\x01"),
		}),
	);
	const servers = started.move();
	return { url: `amqp://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => servers.disposeAsync() };
}

/** The port mapper of Erlang. RabbitMQ would start one that outlives it. */
async function startNames(port: number) {
	const folder = mkdtempSync(join(tmpdir(), "epmd-"));
	const args = ["-d", "-port", String(port), "-address", "127.0.0.1"]; // else it says nothing of a taken port
	const server = await startServer({
		command: "epmd",
		args,
		folder,
		endSignal: "SIGKILL",
		probe: () => hear(port, "\0\x01n"),
	});
	return { ...server, port };
}

/** Resolves with what a server responds first. */
function hear(port: number, greeting: string): Promise<unknown> {
	const { promise, resolve, reject } = Promise.withResolvers();
	const socket = connect(port, "127.0.0.1").once("data", resolve).once("error", reject);
	socket.once("close", () => reject(new Error("it closed the connection")));
	socket.write(greeting);
	return promise.finally(() => socket.destroy());
}
