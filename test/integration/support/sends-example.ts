import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { LocalGateway } from "messaging-gateway/testing";
import { listen } from "messaging-gateway/testing/node";
import { PgBoss } from "pg-boss";
import { startPostgres } from "../../support/servers/postgres-server.ts";
import { startRedis } from "../../support/servers/redis-server.ts";
import { environmentFor } from "../../support/started-example.ts";
import { type StartedProcess, startProcess } from "../../support/started-process.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const run = promisify(execFile);

/** How long a worker holds a send. Longer than a send takes on a slow machine. */
const LEASE_MS = 4_000;

/**
 * What the processes report of refusals, of a receiver without Redis and of a lease, which a test does to them, and of
 * limits that were up while the machine was busy: of BullMQ's lock, of a connection and of a command. The work is done
 * again, and what came of it is asserted.
 */
const EXPECTED_ERRORS =
	/^order-\d+-shipped: |\b[Jj]ob order-\d+-shipped\b|ECONNREFUSED|ECONNRESET|EPIPE|Connection is closed|enableOfflineQueue|Connection terminated|Command timed out/;

/** An example around a sender with its servers, its receiver and a gateway; workers are started by the test. */
export interface SendsExample extends AsyncDisposable {
	readonly local: LocalGateway;
	readonly receiver: StartedProcess;
	readonly redis: Awaited<ReturnType<typeof startRedis>>;
	/** Starts a worker as users do, with a hook before it. */
	startWorker(hook?: string[]): Promise<StartedProcess>;
	/** Ships an order. @returns the status of the response. */
	ship(order: string, phone?: string): Promise<number>;
	/** Runs decide.ts. @returns what it prints. */
	decide(...args: string[]): Promise<string[]>;
}

/** Starts PostgreSQL, Redis, a gateway over HTTP and the receiver. */
export async function startSendsExample(name: string): Promise<SendsExample> {
	await using starting = new AsyncDisposableStack();
	const postgres = starting.use(await startPostgres());
	const redis = starting.use(await startRedis({ durable: true }));
	const gateway = starting.use(await listen());
	const environment: NodeJS.Dict<string> = {
		...environmentFor(gateway),
		DATABASE_URL: postgres.url,
		REDIS_URL: redis.url,
		LEASE_MS: String(LEASE_MS),
		LOCK_DURATION_MS: "500",
		MESSAGING_GATEWAY_DIGEST_SECRET: "a secret for digests",
	};
	const pathOf = (file: string): string => `examples/${name}/${file}.ts`;

	async function start(file: string, hook: string[] = []): Promise<StartedProcess> {
		const args = [...hook, "--conditions=@messaging-gateway/source", pathOf(file)];
		const ready = /^(listening|waiting)/;
		return startProcess(args, { cwd: ROOT, environment, ready, expectedErrors: EXPECTED_ERRORS });
	}

	const receiver = starting.use(await start("receiver"));
	environment["PUBLIC_URL"] = receiver.url;
	if (name === "sends-pg-boss") await shortenExpiry(postgres.url);
	const started = starting.move();
	return {
		local: gateway.local,
		receiver,
		redis,
		startWorker: async (hook) => started.use(await start("worker", hook)),
		async ship(order, phone = "+15551234567") {
			const body = JSON.stringify({ order, phone });
			const headers = { "Content-Type": "application/json" };
			return (await fetch(`${receiver.url}/orders`, { method: "POST", headers, body })).status;
		},
		async decide(...args) {
			const command = ["--conditions=@messaging-gateway/source", pathOf("decide"), ...args];
			const env = { ...process.env, ...environment };
			const { stdout } = await run(process.execPath, command, { cwd: ROOT, env });
			return stdout.split("\n").filter((line) => line !== "");
		},
		[Symbol.asyncDispose]: () => started.disposeAsync(),
	};
}

/** The job of a killed worker runs again soon. */
async function shortenExpiry(connectionString: string): Promise<void> {
	const boss = new PgBoss({ connectionString, supervise: false, schedule: false });
	await boss.start();
	await boss.updateQueue("notices", { expireInSeconds: 1 });
	await boss.stop({ graceful: false });
}

/** Arguments of Node with which a process prints "killed" and kills itself, directly before or after its first POST. */
export function killAtPost(when: "before" | "after"): string[] {
	const kill = 'if (init.method === "POST") { console.log("killed"); process.kill(process.pid, "SIGKILL"); }';
	const module = `const { fetch } = globalThis;
		globalThis.fetch = async (input, init) => {
			${when === "before" ? kill : ""}
			const response = await fetch(input, init);
			${when === "after" ? kill : ""}
			return response;
		};`;
	return ["--import", `data:text/javascript,${encodeURIComponent(module)}`];
}
