import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Queue } from "bullmq";
import { createLocalGateway, type LocalGateway } from "messaging-gateway/testing";
import { type ListeningGateway, listen } from "messaging-gateway/testing/node";
import { signWebhook, verifyWebhook } from "messaging-gateway/webhooks";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { CORPUS } from "../support/event-corpus.ts";
import { eventually } from "../support/eventually.ts";
import { findFreePort } from "../support/free-port.ts";
import { createUserProject, LINKED, type UserProject } from "../support/packed-package.ts";
import { HOOK_TIMEOUT_MS, PROCESS_LIFE_MS, TEST_TIMEOUT_MS } from "../support/patience.ts";
import { readSnippets } from "../support/read-snippets.ts";
import { share } from "../support/shared/shared.ts";
import { environmentFor } from "../support/started-example.ts";
import { inboundMessage } from "../support/webhook-payloads.ts";

const ROOT = new URL("../..", import.meta.url).pathname;
const SECRET = "workers-secret";
const AGENT = inboundMessage.to;

/** A bot for the worker of BullMQ, which the module leaves to its readers. */
const BOT = `
	import { createMemoryState } from "@chat-adapter/state-memory";
	import { Chat } from "chat";
	import { MessagingGateway } from "messaging-gateway";
	import { createGatewayAdapter } from "messaging-gateway/chat";
	import { createSender, memorySendStore } from "messaging-gateway/sends";

	const client = new MessagingGateway();
	const sender = createSender({ gateway: client, store: memorySendStore(), digestSecret: "a secret" });
	export const gateway = createGatewayAdapter({ gateway: client, sender, onUnknown: () => undefined });
	const bot = new Chat({
		userName: "bot",
		adapters: { gateway },
		state: createMemoryState(),
		concurrency: "concurrent",
		logger: "silent",
	});
	bot.onDirectMessage(async (thread, message) => void (await thread.post(\`you said \${message.text}\`)));
	await bot.initialize();`;

/** What docs/queues.md and the module leave to their readers. */
const WORK = "console.log(event.kind); // inbound_message";

/** The waits of the pages, which last for hours, and what the test has instead. */
const SHORTER: readonly (readonly [documented: string, shorter: string])[] = [
	["retryDelayMax: 600", "retryDelayMax: 1"],
	["delay: 1_000", "delay: 1"],
];

/** What a worker's death costs. */
const SOON: readonly (readonly [documented: string | RegExp, shorter: string])[] = [
	["ATTEMPTS = 12;", "ATTEMPTS = 4;"],
	['"ATTEMPTS"] ?? 12', '"ATTEMPTS"] ?? 4'],
	[/expireInSeconds: \d+/, "expireInSeconds: 1"],
	["new PgBoss({", "new PgBoss({ superviseIntervalSeconds: 1, monitorIntervalSeconds: 1,"],
	[
		"superviseIntervalSeconds: 5, monitorIntervalSeconds: 5",
		"superviseIntervalSeconds: 1, monitorIntervalSeconds: 1",
	],
	["maxStalledCount: 10", "maxStalledCount: 3, lockDuration: 1_000, stalledInterval: 500"],
];

const POISON = "poison";
const FAILING = "failing";
/** Its run does not end. */
const SLOW = "slow";
/** Its run takes a second. */
const BRIEF = "brief";

/** Code for a handler: one text ends its process, and one is never processed. */
const deadly = (text: string) =>
	`if (${text}.includes("${POISON}")) process.exit(1); if (${text}.includes("${FAILING}")) throw new Error("a bug");`;

/** The same for one text that takes its time. */
const slowly = (text: string) =>
	`if (${text}.includes("${SLOW}")) { console.log("${SLOW}"); await new Promise(() => undefined); }
	if (${text}.includes("${BRIEF}")) { console.log("${BRIEF}"); await new Promise((end) => setTimeout(end, 1_000)); }`;

function find(document: string, heading: string): string {
	const found = readSnippets().find(
		(snippet) => snippet.document === document && snippet.heading === heading && snippet.language === "ts",
	);
	if (found === undefined) throw new Error(`${document} has no ${heading}`);
	return found.code;
}

/** Code with its first changes, as far as it has them. */
function changed(code: string, changes: typeof SOON): string {
	return changes.reduce((all, [documented, other]) => all.replace(documented, () => other), code);
}

function insert(code: string, before: string, added: string): string {
	expect(code).toContain(before);
	return code.replace(before, () => `${added} ${before}`);
}

/** The files of the example that docs/chat.md names. */
const CHAT = ["queue", "receiver", "worker"] as const;
const [chatQueue, chatReceiver, chat] = CHAT.map((name) =>
	readFileSync(join(ROOT, `examples/chat-bot-pg-boss/${name}.ts`), "utf8"),
) as [string, string, string];
/** Where its worker begins to answer. */
const ANSWER = '	await sleep(Number(process.env["THINKING_MS"]';
const pgBoss = find("docs/queues.md", "pg-boss");
/** What a program of the reader's calls. */
const bullmq = `${readFileSync(join(ROOT, "examples/modules/bullmq.ts"), "utf8")}\nawait startWorker();`;
const bullmqBot = `import { gateway } from "./bot.js";\n${bullmq.replace(WORK, "await gateway.process(event);")}`;

const print = "console.log(JSON.stringify(event));";

/** The workers on pg-boss with a handler that takes its time. */
const SLOW_PROGRAMS = {
	chat: insert(chat, ANSWER, slowly("message.text")),
	"pg-boss": insert(pgBoss, WORK, `${slowly("JSON.stringify(event)")} ${print}`),
};

/** What a page shows, and the same with a handler that ends its process. */
const PROGRAMS = {
	chat: [chat, insert(chat, ANSWER, deadly("message.text"))],
	"bullmq-bot": [
		bullmqBot,
		insert(bullmqBot, "await gateway.process(event);", deadly("JSON.stringify(event)")),
	],
	"pg-boss": [
		pgBoss,
		insert(pgBoss, WORK, `${deadly("JSON.stringify(event)")} console.log(JSON.stringify(event));`),
	],
	bullmq: [
		bullmq,
		insert(bullmq, WORK, `${deadly("JSON.stringify(event)")} console.log(JSON.stringify(event));`),
	],
};

let project: UserProject;
/** What the compiler says. */
let mistakes: string;
let redis: string;
let postgres: string;
let local: LocalGateway;
let gateway: ListeningGateway;

beforeAll(async () => {
	project = await createUserProject([...LINKED, "pg-boss"]);
	project.write("bot.ts", BOT);
	project.write(
		"run-receiver.ts",
		readFileSync(join(ROOT, "test/integration/support/run-receiver.ts"), "utf8"),
	);
	for (const [name, [code = "", deadlyCode = ""]] of Object.entries(PROGRAMS)) {
		writeProgram(name, code, SHORTER);
		writeProgram(`${name}-deadly`, deadlyCode, [...SHORTER, ...SOON]);
	}
	for (const [name, code] of Object.entries(SLOW_PROGRAMS)) writeProgram(`${name}-slow`, code, []);
	mistakes = await project.compile();
}, HOOK_TIMEOUT_MS);

afterAll(() => project?.remove());

/** Writes a program: a snippet, or the worker of the example with its receiver beside it. */
function writeProgram(name: string, code: string, changes: typeof SOON): void {
	if (!name.startsWith("chat")) {
		project.write(`${name}.ts`, changed(code, changes));
		return;
	}
	for (const [at, source] of [chatQueue, chatReceiver, code].entries()) {
		const imported = source.replaceAll("./queue.ts", `./${name}-queue.js`);
		project.write(`${name}-${CHAT[at]}.ts`, changed(imported, changes));
	}
	project.write(`${name}.ts`, `import "./${name}-receiver.js";\nimport "./${name}-worker.js";`);
}

beforeEach(async () => {
	[redis, postgres] = [(await share("redis")).url, (await share("postgres")).url];
	local = createLocalGateway({ rules: "off", webhookSecret: SECRET });
	gateway = await listen(local);
});

afterEach(() => gateway[Symbol.asyncDispose]());

test("the documented workers compile, and have the waits that are cut short", () => {
	expect(mistakes).toBe("");
	const code = chatQueue + chat + pgBoss + bullmq;
	for (const [documented] of [...SHORTER, ...SOON]) expect(code).toMatch(documented);
});

/** A program that is started again when it has ended, as whatever runs workers does. */
class RestartedProgram implements AsyncDisposable {
	starts = 0;
	/** How its processes have ended. */
	readonly codes: (number | null)[] = [];
	readonly lines: string[] = [];
	readonly errors: string[] = [];
	readonly #url: string;
	#child: ReturnType<typeof spawn> | undefined;
	#isDisposed = false;
	#running: Promise<void>;

	constructor(module: string, port: number) {
		this.#url = `http://127.0.0.1:${port}`;
		this.#running = this.#run(module, port);
	}

	static async start(module: string): Promise<RestartedProgram> {
		return new RestartedProgram(module, await findFreePort());
	}

	async #run(module: string, port: number): Promise<void> {
		while (!this.#isDisposed) {
			this.starts++;
			// The example listens by itself.
			const args = module.startsWith("chat") ? [`${module}.js`] : ["run-receiver.js", `./${module}.js`];
			const child = spawn(process.execPath, args, {
				cwd: project.folder,
				env: {
					...process.env,
					...environmentFor(gateway),
					MESSAGING_GATEWAY_WEBHOOK_SECRET: SECRET,
					MESSAGING_GATEWAY_DIGEST_SECRET: "for digests",
					DATABASE_URL: postgres,
					REDIS_URL: redis,
					PORT: String(port),
					PUBLIC_URL: this.#url,
					THINKING_MS: "0",
				},
				stdio: ["ignore", "pipe", "pipe"],
				timeout: PROCESS_LIFE_MS,
				killSignal: "SIGKILL",
			});
			this.#child = child;
			child.stdout
				.setEncoding("utf8")
				.on("data", (text: string) => this.lines.push(...text.trim().split("\n")));
			child.stderr.setEncoding("utf8").on("data", (text: string) => this.errors.push(text));
			await once(child, "close");
			this.codes.push(child.exitCode);
		}
	}

	/** Delivers a body until the program is there. @returns the status. */
	deliver(body: string | Uint8Array<ArrayBuffer>, eventId: string): Promise<number> {
		return eventually(async () => {
			const headers = signWebhook({ body, secret: SECRET, eventId });
			const { status } = await fetch(`${this.#url}/webhooks`, { method: "POST", body, headers });
			return status;
		});
	}

	/** Asks it to end. */
	end(): void {
		this.#child?.kill("SIGTERM");
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#isDisposed = true;
		this.#child?.kill("SIGKILL");
		await this.#running;
	}
}

/** An event of the corpus with a contact of its own, and what that contact writes then. */
interface Turn {
	readonly title: string;
	readonly body: string | Uint8Array<ArrayBuffer>;
	readonly status: number;
	readonly eventId: string;
	readonly later: string;
	readonly laterId: string;
	readonly laterText: string;
	/** Whether the bot answers what comes later: it is no bot of groups, and nobody can write to a name. */
	readonly isAnswered: boolean;
}

function readTurns(): Turn[] {
	const rows = Object.entries(CORPUS).flatMap(([outcome, deliveries]) =>
		deliveries.map(([title, body]) => ({ title, body, status: Number(/^\d{3}/.exec(outcome)?.[0] ?? 200) })),
	);
	return rows.map(({ title, body, status }, at) => {
		const contact = `+1555100${1_000 + at}`;
		const written = body instanceof Uint8Array ? new Uint8Array(body) : withContact(body, contact);
		const { from = contact, groupId } = conversationIn(written, contact);
		const laterText = `later ${at}.`;
		const later = {
			...inboundMessage,
			from,
			groupId,
			participants: groupId === null ? [from, AGENT] : [from, AGENT, "+15550009999"],
			messageId: `later-${at}`,
			messageGuid: `later-${at}`,
			timestamp_ms: Date.now(),
			text: laterText,
		};
		return {
			title,
			body: written,
			status,
			eventId: `evt_${at}`,
			later: JSON.stringify(later),
			laterId: `evt_${at}_later`,
			laterText,
			isAnswered: groupId === null && from !== "ACME",
		};
	});
}

function withContact(body: object | string, contact: string): string {
	const text = typeof body === "string" ? body : JSON.stringify(body);
	return text.replaceAll(inboundMessage.from, contact);
}

/** Who writes in the conversation of a payload, and its group. */
function conversationIn(body: string | Uint8Array, contact: string) {
	let payload: unknown;
	try {
		payload = JSON.parse(String(body).trim());
	} catch {
		// It is no JSON.
	}
	const { from, to, groupId }: { from?: unknown; to?: unknown; groupId?: unknown } = Object(payload);
	const other = [from, to].find((handle) => typeof handle === "string" && handle !== AGENT);
	return {
		from: typeof other === "string" ? other : contact,
		groupId: typeof groupId === "string" && groupId !== "" ? groupId : null,
	};
}

/** Plays the corpus into a program: each event, and then a plain message of its conversation. */
async function playCorpus(program: RestartedProgram): Promise<Turn[]> {
	const turns = readTurns();
	for (const { title, body, status, eventId, later, laterId } of turns) {
		const statuses = [await program.deliver(body, eventId), await program.deliver(later, laterId)];
		expect([title, ...statuses]).toEqual([title, status, 200]);
	}
	return turns;
}

/** The ids of the events that a program has given up. */
async function listFailed(name: string): Promise<string[]> {
	if (name.startsWith("bullmq")) return listFailedJobs();
	const rows = await query<{ event: string }>(
		"SELECT data->>'event' AS event FROM pgboss.job WHERE name = $1",
		[name === "chat" ? "chat-failed" : "webhooks-failed"],
	);
	return rows.map(({ event }) => JSON.parse(event).eventId).toSorted();
}

async function listFailedJobs(): Promise<string[]> {
	const ids: string[] = [];
	for (let shard = 0; shard < 8; shard++) {
		const queue = new Queue(`webhooks-${shard}`, { connection: { url: redis } });
		for (const job of await queue.getFailed()) ids.push(job.data.eventId);
		await queue.close();
	}
	return ids.toSorted();
}

async function query<Row extends object>(sql: string, values: unknown[]): Promise<Row[]> {
	const client = new pg.Client({ connectionString: postgres });
	await client.connect();
	try {
		return (await client.query<Row>(sql, values)).rows;
	} finally {
		await client.end();
	}
}

/** The states in which a program on pg-boss has jobs. */
async function listStates(name: string): Promise<string[]> {
	const rows = await query<{ state: string }>("SELECT DISTINCT state FROM pgboss.job WHERE name = $1", [
		name === "chat" ? "chat" : "webhooks",
	]);
	return rows.map(({ state }) => state);
}

/** Waits longer than other tests: a worker retries, or is started again. */
function inTheEnd<Value>(check: () => Value | Promise<Value>): Promise<Value> {
	return vi.waitFor(check, { timeout: TEST_TIMEOUT_MS, interval: 200 });
}

describe("each message that follows an event of the corpus", { timeout: HOOK_TIMEOUT_MS }, () => {
	test.each(["chat", "bullmq-bot"])("is answered by %s", async (name) => {
		await using program = await RestartedProgram.start(name);
		const turns = await playCorpus(program);
		const expected = turns.filter(({ isAnswered }) => isAnswered).map(({ laterText }) => laterText);
		await inTheEnd(() => {
			const answered = local.sent.map(({ text }) => /you said:? (later \d+\.)$/i.exec(text ?? "")?.[1]);
			expect(expected.filter((text) => !answered.includes(text))).toEqual([]);
		});
		// No text can have as many characters, and nobody can write to a name.
		const ids = turns.flatMap(({ title, eventId, laterId }) => [
			...(["a text of a whole book", "an alphanumeric sender"].includes(title) ? [eventId] : []),
			...(title === "an alphanumeric sender" ? [laterId] : []),
		]);
		await inTheEnd(async () => expect(await listFailed(name)).toEqual(ids.toSorted()));
		if (name === "chat") await inTheEnd(async () => expect(await listStates(name)).toEqual(["completed"]));
		expect(program.starts).toBe(1);
	});

	test.each(["pg-boss", "bullmq"])("is processed by the worker of %s", async (name) => {
		await using program = await RestartedProgram.start(name);
		const turns = await playCorpus(program);
		const acknowledged = turns.filter(({ status }) => status === 200);
		const kinds = acknowledged.map(
			({ body }) =>
				verifyWebhook({ body, headers: signWebhook({ body, secret: SECRET }) }, { secret: SECRET }).kind,
		);
		const expected = [...kinds, ...turns.map(() => "inbound_message")].toSorted();
		await inTheEnd(() => {
			const printed = program.lines.filter((line) => /^(inbound_|status|unknown)/.test(line));
			expect(printed.toSorted()).toEqual(expected);
		});
		if (name === "pg-boss") await inTheEnd(async () => expect(await listStates(name)).toEqual(["completed"]));
		expect(program.starts).toBe(1);
	});
});

/** What contacts write to a program, and what it makes of that. */
function contactsOf(program: RestartedProgram) {
	const say = async (contact: number, text: string): Promise<void> => {
		const from = `+1555300${1_000 + contact}`;
		const message = { ...inboundMessage, from, participants: [from, AGENT], text };
		const eventId = `evt_${text.replaceAll(" ", "_")}`;
		// As a gateway does: it may be killed between the event and its response.
		await eventually(async () => expect(await program.deliver(JSON.stringify(message), eventId)).toBe(200));
	};
	const processed = (text: string): boolean =>
		[...local.sent.map((sent) => sent.text ?? ""), ...program.lines].some((line) => line.includes(text));
	const waitFor = (text: string) => inTheEnd(() => expect([text, processed(text)]).toEqual([text, true]));
	return { say, waitFor };
}

describe("an answer that takes its time", { timeout: HOOK_TIMEOUT_MS }, () => {
	test.each(Object.keys(SLOW_PROGRAMS))(
		"holds its own conversation only, in the worker of %s",
		async (name) => {
			await using program = await RestartedProgram.start(`${name}-slow`);
			const { say, waitFor } = contactsOf(program);
			await say(1, SLOW);
			await waitFor(SLOW);
			await say(1, "behind it");
			for (const text of ["first", "second", "third"]) await say(2, text);
			for (const text of ["first", "second", "third"]) await waitFor(text);
			const texts = [...local.sent.map(({ text }) => text ?? ""), ...program.lines];
			expect(texts.filter((text) => text.includes("behind it"))).toEqual([]);
		},
	);

	test("is waited for by a bot that shall end", async () => {
		await using program = await RestartedProgram.start("chat-slow");
		const { say, waitFor } = contactsOf(program);
		await say(1, BRIEF);
		await waitFor(BRIEF);
		program.end();
		await inTheEnd(() => expect(program.codes).toEqual([0]));
		// A status of the answer may have come after the worker's end: the next one processes it.
		const messages = "name = 'chat' AND data->>'event' LIKE '%\"inbound_message\"%'";
		expect(await query(`SELECT state FROM pgboss.job WHERE ${messages}`, [])).toEqual([
			{ state: "completed" },
		]);
		expect(local.sent.map(({ text }) => /said: .*/.exec(text ?? "")?.[0])).toEqual([`said: ${BRIEF}`]);
	});
});

describe("an event that kills its worker, and one that always fails,", { timeout: HOOK_TIMEOUT_MS }, () => {
	test.each(Object.keys(PROGRAMS))("are given up by %s, and hold nobody", async (name) => {
		await using program = await RestartedProgram.start(`${name}-deadly`);
		const { say, waitFor } = contactsOf(program);

		for (const text of [FAILING, "after the failure"]) await say(1, text);
		await waitFor("after the failure");
		await inTheEnd(async () => expect(await listFailed(name)).toEqual([`evt_${FAILING}`]));
		expect(program.starts).toBe(1);

		// What is claimed with the poison each time would be given up with it: here no random pause parts them.
		await local.settled();
		if (!name.startsWith("bullmq"))
			await inTheEnd(async () => expect(await listStates(name)).toEqual(["completed"]));
		for (const text of [POISON, "after the crash"]) await say(2, text);
		await inTheEnd(() => expect(program.starts).toBeGreaterThan(2));
		await say(3, "another contact");
		for (const text of ["another contact", "after the crash"]) await waitFor(text);
		expect(await listFailed(name)).toEqual([`evt_${FAILING}`, `evt_${POISON}`]);
		expect(program.starts).toBe(5);

		await say(2, "once more");
		await waitFor("once more");
		expect(program.starts).toBe(5);
	});
});
