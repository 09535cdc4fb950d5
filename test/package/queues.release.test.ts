import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { createWebhookRequest } from "messaging-gateway/testing";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { createUserProject, DEPENDENCIES, type UserProject } from "../support/packed-package.ts";
import { PROCESS_LIFE_MS } from "../support/patience.ts";
import { share } from "../support/shared/shared.ts";
import { type StartedProcess, startProcess } from "../support/started-process.ts";
import { startNatsCluster } from "./support/servers/nats-cluster.ts";
import { type Broker, startRabbitMq } from "./support/servers/rabbitmq-server.ts";

const run = promisify(execFile);
const ROOT = new URL("../..", import.meta.url).pathname;
const CLIENTS = join(ROOT, "test/queue-clients");
const FOLDER = join(ROOT, "examples/modules/queues");

/** What the modules import besides the clients of `test/queue-clients`. */
const LINKED = [
	...DEPENDENCIES,
	"typescript",
	"@types/node",
	"undici-types",
	"pg",
	"@types/pg",
	"@types/aws-lambda",
];

/** The modules for brokers, and what they share, by file name. */
const MODULES = Object.fromEntries(
	readdirSync(FOLDER).map((file) => [file, readFileSync(join(FOLDER, file), "utf8")]),
);
const SHARED = "process-once.ts";

const SECRET = "queue-secret";

/** Six texts of each of eight contacts, and one event that no worker can process. */
const POISON = "0.poison";
const EVENTS = Array.from({ length: 48 }, (_, at) => `${at % 8}.${Math.floor(at / 8)}`);

let project: UserProject;
/** What the compiler says. */
let mistakes: string;

beforeAll(async () => {
	project = await createUserProject(LINKED);
	for (const name of Object.keys(readClients())) {
		const target = join(project.folder, "node_modules", name);
		mkdirSync(dirname(target), { recursive: true });
		symlinkSync(join(CLIENTS, "node_modules", name), target);
	}
	for (const [file, code] of Object.entries(MODULES)) project.write(file, code);
	project.write("run-queue.ts", readFileSync(join(ROOT, "test/package/support/run-queue.ts"), "utf8"));
	mistakes = await project.compile({ compilerOptions: { rewriteRelativeImportExtensions: true } });
	// The modules' pauses, shorter.
	shorten("process-once.js", "1_000 * count", "count");
	shorten("nats-jetstream.js", "nanos(60_000)", "nanos(3_000)");
	shorten("nats-jetstream.js", "nak(5_000)", "nak(50)");
});

function shorten(file: string, pause: string, shorter: string): void {
	const code = readFileSync(join(project.folder, file), "utf8");
	expect(code).toContain(pause);
	project.write(file, code.replace(pause, shorter));
}

afterAll(() => project?.remove());

test("each module keeps the order of a conversation", () => {
	const { [SHARED]: shared, ...brokers } = MODULES;
	expect(shared).toBeDefined();
	expect(Object.keys(brokers)).toEqual(["kafka.ts", "nats-jetstream.ts", "rabbitmq.ts", "sqs-fifo.ts"]);
	for (const code of Object.values(brokers)) expect(code).toMatch(/shardOf\(event|orderingKey\(event/);
});

test("the modules compile against the types of the clients", () => {
	expect(mistakes).toBe("");
});

test("each client is used by a module", () => {
	const code = Object.values(MODULES).join("\n");
	for (const name of Object.keys(readClients())) expect(code).toContain(`from "${name}"`);
});

describe.each([
	{
		name: "rabbitmq",
		start: startRabbitMq,
		variable: "AMQP_URL",
		client: `
			import { connect } from "amqplib";
			const connection = await connect(process.env.AMQP_URL);
			const channel = await connection.createChannel();`,
		before: `
			await channel.assertExchange("webhooks-dead", "fanout");
			await channel.assertQueue("dead");
			await channel.bindQueue("dead", "webhooks-dead", "");`,
		readRest: `
			const message = await channel.get("dead", { noAck: true });
			console.log(message ? message.properties.messageId : "");`,
		keepsOrder: false,
		removeQueues: `for (let shard = 0; shard < 8; shard++) await channel.deleteQueue("webhooks-" + shard);`,
	},
	{
		name: "nats-jetstream",
		start: startNatsCluster,
		variable: "NATS_URL",
		client: `
			import { connect } from "@nats-io/transport-node";
			import { jetstreamManager } from "@nats-io/jetstream";
			const connection = await connect({ servers: process.env.NATS_URL.split(",") });
			const manager = await jetstreamManager(connection);`,
		before: "",
		readRest: `
			const { state } = await manager.streams.info("webhooks");
			const left = await manager.streams.getMessage("webhooks", { seq: state.first_seq });
			console.log(state.messages === 1 ? left.json().eventId : "");`,
		keepsOrder: true,
		removeQueues: `await manager.streams.delete("webhooks");`,
	},
])("$name", ({ name, start, variable, client, before, readRest, keepsOrder, removeQueues }) => {
	let broker: Broker;
	let pool: pg.Pool;
	let environment: Record<string, string>;

	beforeAll(async () => {
		broker = await start();
		const { url } = await share("postgres");
		environment = { [variable]: broker.url, DATABASE_URL: url, MESSAGING_GATEWAY_WEBHOOK_SECRET: SECRET };
		pool = new pg.Pool({ connectionString: url });
		await pool.query(`${/`(CREATE TABLE processed_events [^`]+)`/.exec(MODULES[SHARED] ?? "")?.[1]};
			ALTER TABLE processed_events ADD CHECK (event_id <> '${POISON}');
			CREATE TABLE notes (kind text NOT NULL);
			CREATE SEQUENCE attempts;
			CREATE FUNCTION fail_at_times() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
				PERFORM pg_sleep(0.02);
				IF nextval('attempts') % 7 = 0 THEN RAISE 'made to fail'; END IF; -- a sequence is never rolled back
				RETURN NEW;
			END $$;
			CREATE TRIGGER fail_at_times BEFORE INSERT ON notes FOR EACH ROW EXECUTE FUNCTION fail_at_times()`);
		await manage(before);
	});

	afterAll(async () => {
		await pool?.end();
		await broker?.[Symbol.asyncDispose]();
	});

	/** Runs a script against the broker with its own client. @returns what it prints. */
	async function manage(script: string): Promise<string> {
		const { stdout } = await run(
			process.execPath,
			["--input-type=module", "--eval", `${client}\n${script}\nawait connection.close();`],
			{ cwd: project.folder, env: { ...process.env, ...environment }, timeout: PROCESS_LIFE_MS },
		);
		return stdout.trim();
	}

	function startProgram(role: "receive" | "work", expectedErrors?: RegExp): Promise<StartedProcess> {
		const args = ["run-queue.js", `./${name}.js`, role];
		return startProcess(args, { cwd: project.folder, environment, ready: /^ready$/, expectedErrors });
	}

	async function count(table: string): Promise<number> {
		const { rows } = await pool.query(`SELECT count(*)::int AS count FROM ${table}`);
		return rows[0].count;
	}

	test("each event is processed once, in the order that the guide states: repeated, failed at times, a worker killed", async () => {
		// The second receiver knows nothing of the first one's events, so the queue gets each of them again.
		for (const eventIds of [[POISON, ...EVENTS], EVENTS]) {
			await using receiver = await startProgram("receive");
			for (const eventId of eventIds) expect(await deliver(receiver.url, eventId)).toBe(200);
		}
		await using killed = await startProgram("work");
		await eventually(async () => expect(await count("notes")).toBeGreaterThan(10));
		await killed[Symbol.asyncDispose]();
		expect(await count("notes")).toBeLessThan(EVENTS.length);
		await using _worker = await startProgram("work");
		await eventually(async () => expect(await count("processed_events")).toBe(EVENTS.length));
		await eventually(async () => expect(await manage(readRest)).toBe(POISON));

		const { rows } = await pool.query("SELECT event_id FROM processed_events ORDER BY at");
		const processed: string[] = rows.map((row) => row.event_id);
		expect(processed.toSorted()).toEqual(EVENTS.toSorted());
		for (const contact of keepsOrder ? "01234567" : "") {
			const ofContact = (eventId: string) => eventId.startsWith(`${contact}.`);
			expect(processed.filter(ofContact)).toEqual(EVENTS.filter(ofContact));
		}
		expect(await count("notes")).toBe(EVENTS.length);
	});

	test("an event for which the broker has no place is not acknowledged", async () => {
		await using receiver = await startProgram("receive", /./);
		expect(await deliver(receiver.url, "1.before")).toBe(200);
		await manage(removeQueues);
		expect(await deliver(receiver.url, "1.after")).toBe(500);
	});
});

async function deliver(url: string, eventId: string): Promise<number> {
	const from = `+1555000000${eventId.split(".")[0]}`;
	const request = createWebhookRequest("inbound_message", { from }, { url, secret: SECRET, eventId });
	return (await fetch(request)).status;
}

function readClients(): Record<string, string> {
	return JSON.parse(readFileSync(join(CLIENTS, "package.json"), "utf8")).dependencies;
}
