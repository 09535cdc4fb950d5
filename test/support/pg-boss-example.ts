import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { PgBoss } from "pg-boss";
import { EXAMPLE_SECRET } from "./prove-example.ts";
import { type PostgresServer, startPostgres } from "./servers/postgres-server.ts";
import { type StartedProcess, startProcess } from "./started-process.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);

/** What the processes report of jobs that are made to fail, and of a server that is stopped: a test does that to them. */
const EXPECTED_ERRORS =
	/made to fail|^messaging-gateway: |^evt_\w+ |^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}: |ECONNREFUSED|ECONNRESET|EPIPE|terminating connection|Connection terminated|database system is/;

/** An example on pg-boss, with its own PostgreSQL. */
export class PgBossExample implements AsyncDisposable {
	readonly postgres: PostgresServer;
	/** To change the queue, and to read the jobs from pg-boss itself. */
	readonly boss: PgBoss;
	readonly #name: string;
	readonly #started = new AsyncDisposableStack();

	constructor(name: string, postgres: PostgresServer) {
		this.#name = name;
		this.postgres = postgres;
		this.boss = new PgBoss({ connectionString: postgres.url, supervise: false, schedule: false });
		// PostgreSQL is stopped on purpose.
		this.boss.on("error", () => undefined);
		this.#started.use(postgres);
		this.#started.defer(() => this.boss.stop({ graceful: false }));
	}

	/** Starts one of the example's processes as users do, with a hook before it. */
	async start(
		file: "receiver" | "worker",
		hook: string[] = [],
		environment: NodeJS.Dict<string> = {},
	): Promise<StartedProcess> {
		const args = [...hook, "--conditions=@messaging-gateway/source", `examples/${this.#name}/${file}.ts`];
		const started = await startProcess(args, {
			cwd: ROOT,
			environment: { ...this.#environment, ...environment },
			ready: /^(listening|waiting)/,
			expectedErrors: EXPECTED_ERRORS,
		});
		return this.#started.use(started);
	}

	/** Runs another file of the example to its end. @returns what it prints. */
	async run(file: string, ...args: string[]): Promise<string[]> {
		const command = ["--conditions=@messaging-gateway/source", `examples/${this.#name}/${file}.ts`, ...args];
		const env = { ...process.env, ...this.#environment };
		const { stdout } = await run(process.execPath, command, { cwd: ROOT, env });
		return stdout.split("\n").filter((line) => line !== "");
	}

	/** The rows of a statement. */
	async query<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
		const { rows } = await this.boss.getDb().executeSql(text, values);
		return rows;
	}

	get #environment(): NodeJS.Dict<string> {
		return { DATABASE_URL: this.postgres.url, MESSAGING_GATEWAY_WEBHOOK_SECRET: EXAMPLE_SECRET };
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.#started.disposeAsync();
	}
}

/** Starts PostgreSQL for an example; its processes are started by the test. */
export async function startPgBossExample(name: string): Promise<PgBossExample> {
	const example = new PgBossExample(name, await startPostgres());
	await example.boss.start();
	return example;
}
