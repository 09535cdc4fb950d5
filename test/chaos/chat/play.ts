import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { listSends } from "messaging-gateway/sends";
import { postgresSendStore } from "messaging-gateway/stores/postgres";
import { createLocalGateway, createWebhookRequest, type LocalGateway } from "messaging-gateway/testing";
import { type ListeningGateway, listen } from "messaging-gateway/testing/node";
import { Pool } from "pg";
import { type PgBossExample, startPgBossExample } from "../../support/pg-boss-example.ts";
import { EXAMPLE_SECRET } from "../../support/prove-example.ts";
import { environmentFor } from "../../support/started-example.ts";
import { type StartedProcess, startProcess } from "../../support/started-process.ts";
import type { ChaosCommand } from "../options.ts";
import { Random } from "../random.ts";
import type { ChaosReport } from "../report.ts";
import { retry, until } from "../until.ts";
import { Watch } from "../watch.ts";
import { countAnswers, judgeChat } from "./verdict.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** The worker's posts wait in a queue within its process. */
const HOOK = ["--import", new URL("queued-posts.ts", import.meta.url).href];
const LINES = 3;
/** How many bursts a contact types, one after the other. */
const BURSTS_OF_CONTACT = 10;
const WORKERS = 3;
/** So short that the jobs of a killed worker run again soon. */
const EXPIRE_SECONDS = 6;
const THINKING_MS = "100";
/** The pause of a contact between two bursts. */
const PAUSE_MS = 1_500;

/** How the usual shape of an adapter is compared: with Chat SDK's default, and with its strategy for bursts. */
const PLAIN_STRATEGIES = ["drop", "queue"];

/** Sends a line of a contact to a receiver. */
type Deliver = (contact: number, at: number) => Promise<void>;

/** The example `chat-bot-pg-boss` while its workers are killed; then the same bursts to plain adapters. */
export async function playChat({ bursts, kills, seed }: ChaosCommand): Promise<ChaosReport> {
	const startedAt = performance.now();
	await using example = await startPgBossExample("chat-bot-pg-boss");
	await using local = createGateway();
	await using gateway = await listen(local);
	const receiver = await example.start("receiver");
	const retries = { retryLimit: 1_000, retryDelay: 0, retryBackoff: false };
	await example.boss.updateQueue("chat", { expireInSeconds: EXPIRE_SECONDS, ...retries });
	const variables = {
		...environmentFor(gateway),
		DATABASE_URL: example.postgres.url,
		PUBLIC_URL: receiver.url,
		MESSAGING_GATEWAY_DIGEST_SECRET: "a secret for digests",
		LEASE_MS: "5000",
		ATTEMPTS: String(retries.retryLimit),
		THINKING_MS,
	};
	await using workers = new DoomedProcesses(new Random(seed), () => example.start("worker", HOOK, variables));
	await workers.fill();

	let done = 0;
	using watch = new Watch(() => ({ answers: local.sent.length, done, "workers killed": workers.kills }));
	const problems: string[] = [];
	const lines = bursts * LINES;
	try {
		const deliver: Deliver = (contact, at) => deliverLine(() => receiver.url, contact, at);
		await Promise.all([
			typeBursts(bursts, deliver),
			workers.killWithin(kills, lines, () => local.sent.length),
		]);
		do {
			await sleep(200);
			done = await count(example, "state = 'completed'");
		} while (!watch.over.aborted && (await count(example, "state < 'completed'")) > 0);
		if (watch.hasStalled) problems.push(watch.describeStall(`${lines - local.sent.length} lines`));
	} catch (error) {
		problems.push(`the run broke off: ${String(error)}`);
	}
	const outcome = {
		bursts,
		lines,
		sent: local.sent.map(({ text }) => text),
		unresolved: await listUnresolved(example),
		kills: workers.kills,
		runsAgain: await count(example, "retry_count > 0"),
		problems,
	};
	const { counts, ...judgement } = judgeChat(outcome);
	const plain: Record<string, string> = {};
	for (const strategy of PLAIN_STRATEGIES) {
		const { answers, lost, ...more } = await playPlainly({ bursts, kills, seed }, strategy);
		plain[`plain, ${strategy}`] =
			`${answers} answers, ${lost} lost, ${more["answered twice"]} twice, ${more["out of order"]} out of order`;
	}
	const seconds = Math.round((performance.now() - startedAt) / 1_000);
	return { counts: { seed: String(seed), seconds, ...counts, ...plain }, ...judgement, journal: outcome };
}

/** A gateway that reports only that a message was sent. */
function createGateway(): LocalGateway {
	return createLocalGateway({
		rules: "off",
		webhookSecret: EXAMPLE_SECRET,
		webhooks: {
			encode: (payload, kind) => (kind === "status" && payload["status"] !== "sent" ? [] : [payload]),
		},
	});
}

/** Each contact types its bursts one after the other, and each line as soon as the one before was acknowledged. */
async function typeBursts(bursts: number, deliver: Deliver): Promise<void> {
	const contacts = Math.ceil(bursts / BURSTS_OF_CONTACT);
	const type = async (contact: number): Promise<void> => {
		const own = Math.min(BURSTS_OF_CONTACT, bursts - contact * BURSTS_OF_CONTACT);
		for (let at = 0; at < own * LINES; at++) {
			if (at % LINES === 0) await sleep(PAUSE_MS);
			// Each line comes twice.
			await Promise.all([deliver(contact, at), deliver(contact, at)]);
		}
	};
	await Promise.all(Array.from({ length: contacts }, (_, contact) => type(contact)));
}

/** Delivers a line until it is acknowledged, by whichever process is there then. */
async function deliverLine(findUrl: () => string, contact: number, at: number): Promise<void> {
	const eventId = `evt_${contact}_${at}`;
	const from = `+1556${String(contact).padStart(7, "0")}`;
	await retry(async () => {
		const options = { eventId, secret: EXAMPLE_SECRET, url: `${findUrl()}/webhooks` };
		const { status } = await fetch(createWebhookRequest("inbound_message", { text: eventId, from }, options));
		if (status !== 200) throw new Error(`${eventId} got ${status}`);
	});
}

async function count(example: PgBossExample, condition: string): Promise<number> {
	const [row] = await example.query<{ count: number }>(
		`SELECT count(*)::int AS count FROM pgboss.job WHERE name = 'chat' AND ${condition}`,
	);
	return row?.count ?? 0;
}

/** The events whose answers are in the list of unresolved sends. */
async function listUnresolved({ postgres }: PgBossExample): Promise<string[]> {
	const pool = new Pool({ connectionString: postgres.url });
	const eventIds: string[] = [];
	for await (const { key } of listSends(postgresSendStore(pool), { status: "unresolved" })) {
		eventIds.push(key.split(":")[2] ?? "");
	}
	await pool.end();
	return eventIds;
}

/** The same bursts to processes with a plain adapter. A contact's lines go to one process, as it suits their state best. */
async function playPlainly(
	{ bursts, kills, seed }: Pick<ChaosCommand, "bursts" | "kills" | "seed">,
	strategy: string,
) {
	await using local = createGateway();
	await using gateway: ListeningGateway = await listen(local);
	const args = ["--conditions=@messaging-gateway/source", "test/chaos/chat/plain-bot.ts"];
	const environment = { ...environmentFor(gateway), THINKING_MS, STRATEGY: strategy };
	const start = () => startProcess(args, { cwd: ROOT, environment, ready: /^listening/ });
	await using bots = new DoomedProcesses(new Random(seed), start);
	await bots.fill();
	const lines = bursts * LINES;
	let delivered = 0;
	const deliver: Deliver = async (contact, at) => {
		await deliverLine(() => bots.at(contact).url, contact, at);
		delivered += 0.5; // each line comes twice
	};
	await Promise.all([typeBursts(bursts, deliver), bots.killWithin(kills, lines, () => delivered)]);
	let before = -1;
	while (before < local.sent.length) {
		before = local.sent.length;
		await sleep(3_000);
	}
	return countAnswers({ lines, sent: local.sent.map(({ text }) => text), unresolved: [] });
}

/** Processes of which one after the other is killed, and replaced. */
class DoomedProcesses implements AsyncDisposable {
	kills = 0;
	readonly #random: Random;
	readonly #start: () => Promise<StartedProcess>;
	#running: StartedProcess[] = [];

	constructor(random: Random, start: () => Promise<StartedProcess>) {
		this.#random = random;
		this.#start = start;
	}

	/** One of them, the same for a number while none is killed. */
	at(number: number): StartedProcess {
		const found = this.#running[number % this.#running.length];
		if (found === undefined) throw new Error("no process runs");
		return found;
	}

	async fill(): Promise<void> {
		while (this.#running.length < WORKERS) this.#running.push(await this.#start());
	}

	/** Kills as many of them, each after a further share of all that is to be done. */
	async killWithin(kills: number, all: number, done: () => number): Promise<void> {
		for (let at = 0; at < kills; at++) {
			await until(() => done() >= (all * (at + 1)) / (kills + 1));
			const doomed = this.#random.shuffle(this.#running)[0];
			await doomed?.[Symbol.asyncDispose]();
			this.#running = this.#running.filter((other) => other !== doomed);
			this.kills++;
			await this.fill();
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await Promise.all(this.#running.map((each) => each[Symbol.asyncDispose]()));
	}
}
