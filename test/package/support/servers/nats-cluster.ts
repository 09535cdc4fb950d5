import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { requireCommand } from "../../../../scripts/needed-commands.ts";
import { findFreePort, onFreePort } from "../../../support/free-port.ts";
import { WAIT_MS } from "../../../support/patience.ts";
import { startServer } from "../../../support/servers/server-process.ts";
import type { Broker } from "./rabbitmq-server.ts";

/** Starts three of Debian's NATS servers as a cluster with JetStream, and waits until it has a leader. */
export function startNatsCluster(): Promise<Broker> {
	// Each node names the routes of all, so every port is chosen again if one was taken.
	return onFreePort(startOn);
}

async function startOn(firstPort: number): Promise<Broker> {
	const command = requireCommand("nats-server");
	await using started = new AsyncDisposableStack();
	const nodes = await Promise.all([
		choosePorts("a", firstPort),
		choosePorts("b", await findFreePort()),
		choosePorts("c", await findFreePort()),
	]);
	const routes = nodes.map(({ routePort }) => `nats://127.0.0.1:${routePort}`);
	for (const { name, port, routePort, healthPort } of nodes) {
		const folder = mkdtempSync(join(tmpdir(), "nats-"));
		const args = [
			...["--name", name, "--addr", "127.0.0.1", "--port", String(port), "--http_port", String(healthPort)],
			...["--jetstream", "--store_dir", folder],
			...["--cluster_name", "tests", "--cluster", `nats://127.0.0.1:${routePort}`],
			...["--routes", routes.join(",")],
		];
		const probe = () => fetch(`http://127.0.0.1:${healthPort}/varz`);
		started.use(await startServer({ command, args, folder, endSignal: "SIGKILL", probe }));
	}
	await Promise.all(nodes.map(({ healthPort }) => waitUntilHealthy(healthPort)));
	const servers = started.move();
	const url = nodes.map(({ port }) => `127.0.0.1:${port}`).join(",");
	return { url, [Symbol.asyncDispose]: () => servers.disposeAsync() };
}

async function choosePorts(name: string, port: number) {
	const [routePort, healthPort] = [await findFreePort(), await findFreePort()];
	return { name, port, routePort, healthPort };
}

async function waitUntilHealthy(port: number): Promise<void> {
	const deadline = Date.now() + WAIT_MS;
	while (!(await fetch(`http://127.0.0.1:${port}/healthz`)).ok) {
		if (Date.now() > deadline) throw new Error("the cluster has no leader");
		await sleep(50);
	}
}
