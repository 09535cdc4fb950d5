import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { MessagingGateway } from "messaging-gateway";
import { createWebhookRequest } from "messaging-gateway/testing";
import { type ListeningGateway, listen } from "messaging-gateway/testing/node";
import { verifyWebhook } from "messaging-gateway/webhooks";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { share } from "../support/shared/shared.ts";
import { environmentFor } from "../support/started-example.ts";
import { type StartedProcess, startProcess } from "../support/started-process.ts";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SOURCES = "--conditions=@messaging-gateway/source";

let gateway: ListeningGateway;
let environment: NodeJS.Dict<string>;
let bot: StartedProcess;

beforeAll(async () => {
	gateway = await listen({ webhooks: { retryDelaysMs: [] } });
	environment = {
		...environmentFor(gateway),
		DATABASE_URL: (await share("postgres")).url,
		MESSAGING_GATEWAY_DIGEST_SECRET: "a secret for digests",
	};
	bot = await start();
});

function start(): Promise<StartedProcess> {
	return startProcess([SOURCES, "examples/stop/main.ts"], {
		cwd: ROOT,
		environment,
		ready: /^listening/,
		// What a test does to a confirmation.
		expectedErrors: /^messaging-gateway: .* evt_rejected[ ,)]/,
	});
}

afterAll(async () => {
	await bot?.[Symbol.asyncDispose]();
	await gateway?.[Symbol.asyncDispose]();
});

const START_MS = 1_767_225_600_000;

let contacts = 0;
/** Each line is written a second after the one before. */
let lines = 0;

/** Somebody who has never written. */
function meet(): string {
	return `+1555300${String(++contacts).padStart(4, "0")}`;
}

interface Line {
	readonly eventId?: string;
	readonly timestamp_ms?: number;
	readonly groupId?: string;
	readonly participants?: string[];
	readonly outbound?: boolean;
}

/** Delivers what a contact writes. @returns the status of the response. */
async function write(from: string, text: string, { eventId, ...data }: Line = {}, to = bot.url) {
	return deliver(from, "inbound_message", { text, ...data }, eventId, to);
}

/** Delivers how a contact reacts. @returns the status of the response. */
function react(from: string) {
	return deliver(from, "inbound_reaction", {});
}

async function deliver(
	from: string,
	kind: "inbound_message" | "inbound_reaction",
	data: object,
	eventId?: string,
	to = bot.url,
) {
	lines++;
	const options = {
		eventId: eventId ?? `evt_${lines}`,
		secret: gateway.local.webhookSecret,
		url: `${to}/webhooks`,
	};
	const fields = { from, timestamp_ms: START_MS + lines * 1_000, ...data };
	return (await fetch(createWebhookRequest(kind, fields, options))).status;
}

/** What a contact or a group got, without the reference at the end. */
function gotBy(name: string): string[] {
	const own = gateway.local.sent.filter(({ to, groupId }) => (groupId ?? to) === name);
	return own.map(({ text }) => text.replace(/ Write .* \(\w{6}\)$/, ""));
}

/** Runs the campaign. @returns what it prints, without the numbers. */
async function campaign(name: string, ...to: string[]): Promise<string[]> {
	const args = [SOURCES, "examples/stop/campaign.ts", name, `${name} sale`, ...to];
	const { stdout } = await run(process.execPath, args, {
		cwd: ROOT,
		env: { ...process.env, ...environment },
	});
	return stdout
		.trimEnd()
		.split("\n")
		.map((line) => line.replace(/^….{4}: /, ""));
}

const STOPPED = "You will get no more messages from us.";
const STARTED = "You will get our messages again.";

describe("a contact who writes a word", () => {
	test.each([
		"STOP",
		"UNSUBSCRIBE",
		"CANCEL",
		"END",
		"QUIT",
		"REVOKE",
		"OPT OUT",
		"stop",
		"  Stop!\n",
		"“Stop.”",
		"🛑 stop 🛑",
		"Opt-out",
		"ＳＴＯＰ",
	])("%j gets one confirmation, and nothing more", async (word) => {
		const contact = meet();
		expect(await write(contact, word)).toBe(200);
		expect(await write(contact, "Hello?")).toBe(200);
		expect(await campaign("spring", contact)).toEqual(["has stopped"]);
		expect(gotBy(contact)).toEqual([STOPPED]);
	});

	test.each(["Please stop writing to me", "CANCEL 4711", "Nonstop", "START", "?"])(
		"%j is answered by the bot",
		async (text) => {
			const contact = meet();
			await write(contact, text);
			expect(gotBy(contact)).toEqual([`You said: ${text}`]);
		},
	);

	test("gets no answer to a reaction either", async () => {
		const [one, other] = [meet(), meet()];
		await write(one, "STOP");
		for (const contact of [one, other]) expect(await react(contact)).toBe(200);
		expect([gotBy(one), gotBy(other)]).toEqual([[STOPPED], [expect.stringMatching(/^You reacted: /)]]);
	});

	test("in other words gets no second confirmation", async () => {
		const contact = meet();
		for (const word of ["STOP", "Quit", "STOP"]) await write(contact, word);
		expect(gotBy(contact)).toEqual([STOPPED]);
	});

	test("gets one confirmation of an event that comes again, whoever gets it and whatever is forgotten", async () => {
		await using other = await start();
		const contact = meet();
		const line = { eventId: "evt_again", timestamp_ms: START_MS };
		await Promise.all([bot, bot, other].map(({ url }) => write(contact, "STOP", line, url)));
		const pool = new Pool({ connectionString: environment["DATABASE_URL"] });
		await pool.query("DELETE FROM messaging_gateway_records");
		await pool.end();
		expect(await write(contact, "STOP", line, other.url)).toBe(200);
		expect(gotBy(contact)).toEqual([STOPPED]);
	});

	test("has stopped even if the confirmation fails, and gets it when the event comes again", async () => {
		const contact = meet();
		gateway.local.faults.respond({ status: 429 });
		const line = { eventId: "evt_rejected", timestamp_ms: START_MS };
		expect(await write(contact, "STOP", line)).toBe(500);
		expect(await campaign("summer", contact)).toEqual(["has stopped"]);
		expect(await write(contact, "STOP", line)).toBe(200);
		expect(gotBy(contact)).toEqual([STOPPED]);
	});

	test("is known by an address in any case", async () => {
		await write("Ana@icloud.com", "STOP");
		expect(await campaign("autumn", "ana@iCloud.com")).toEqual(["has stopped"]);
	});

	test("of ours that comes back is not taken", async () => {
		const contact = meet();
		await write(contact, "STOP", { outbound: true });
		expect(gotBy(contact)).toEqual([]);
	});
});

describe("START", () => {
	test("after STOP gets one confirmation, and everything goes on", async () => {
		const contact = meet();
		await write(contact, "STOP");
		const line = { eventId: "evt_start", timestamp_ms: START_MS + 10_000_000 };
		for (let times = 0; times < 2; times++) await write(contact, "start", line);
		await write(contact, "I am back");
		expect(await campaign("winter", contact)).toEqual(["accepted"]);
		expect(await campaign("winter", contact)).toEqual(["accepted"]);
		expect(gotBy(contact)).toEqual([STOPPED, STARTED, "You said: I am back", "winter sale"]);
		await write(contact, "STOP", { timestamp_ms: START_MS + 20_000_000 });
		expect(gotBy(contact).at(-1)).toBe(STOPPED);
	});

	test("counts as it was written, not as it comes", async () => {
		const [early, late] = [{ timestamp_ms: START_MS + 10_000_000 }, { timestamp_ms: START_MS + 20_000_000 }];
		const [stops, starts] = [meet(), meet()];
		await write(stops, "STOP", late);
		await write(stops, "START", early);
		await write(starts, "start!", late);
		await write(starts, "STOP", early);
		expect(await campaign("easter", stops, starts)).toEqual(["has stopped", "accepted"]);
		expect(gotBy(stops)).toEqual([STOPPED]);
	});
});

test.each([
	["in seconds", (START_MS + 30_000_000) / 1_000],
	["in microseconds", (START_MS + 30_000_000) * 1_000 + 1],
	["without a time", 0],
])("a STOP %s is not taken for an older word than START", async (_name, timestamp_ms) => {
	const contact = meet();
	await write(contact, "STOP", { timestamp_ms: START_MS + 10_000_000 });
	await write(contact, "START", { timestamp_ms: START_MS + 20_000_000 });
	await write(contact, "STOP", { timestamp_ms });
	expect(gotBy(contact)).toEqual([STOPPED, STARTED, STOPPED]);
});

test.each([
	["seconds", 1 / 1_000],
	["microseconds", 1_000],
])("a START is newer than a STOP in %s", async (_name, unit) => {
	const contact = meet();
	await write(contact, "STOP", { timestamp_ms: (START_MS + 10_000_000) * unit });
	await write(contact, "START", { timestamp_ms: START_MS + 20_000_000 });
	expect(gotBy(contact)).toEqual([STOPPED, STARTED]);
});

describe("behind a queue", () => {
	/** What a bot of another program asks, and an event as its queue has it. */
	async function open() {
		for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
		const consent = await import("../../examples/stop/consent.ts");
		const receive = async (from: string, text: string, fields = {}) => {
			const secret = "a secret";
			const data = { from, text, timestamp_ms: START_MS + ++lines * 1_000, ...fields };
			const request = createWebhookRequest("inbound_message", data, { secret, eventId: `evt_${lines}` });
			return verifyWebhook({ body: await request.text(), headers: request.headers }, { secret });
		};
		return { ...consent, receive };
	}

	afterAll(async () => {
		vi.unstubAllEnvs();
		const { pool, storePool } = await import("../../examples/stop/consent.ts");
		await Promise.all([pool.end(), storePool.end()]);
	});

	test("a STOP that is noted ends the answer under way, and is confirmed in its turn", async () => {
		const { hasStopped, isForBot, noteWord, receive } = await open();
		const contact = meet();
		const stop = await receive(contact, "STOP");
		await noteWord(stop);
		expect([await hasStopped([contact]), gotBy(contact)]).toEqual([true, []]);
		expect(await isForBot(stop)).toBe(false);
		expect(gotBy(contact)).toEqual([STOPPED]);
	});

	test("what is not quite as documented is no way around it", async () => {
		const { isForBot, receive } = await open();
		const contact = meet();
		const events = [];
		for (const text of ["Hello", "stop", "Hello?"])
			events.push(await receive(contact, text, { attachments: "none" }));
		expect(events.map(({ kind }) => kind)).toEqual(["unknown", "unknown", "unknown"]);
		const answers = [];
		for (const event of events) answers.push(await isForBot(event));
		expect(answers).toEqual([true, false, false]);
		expect(gotBy(contact)).toEqual([STOPPED]);
	});
});

test("a member of a group who stops silences the group, until the same one starts", async () => {
	const [one, other] = [meet(), meet()];
	const { messages } = new MessagingGateway(gateway.local.clientOptions);
	const { message } = await messages.sendText({ participants: [one, other], text: "Who is hungry?" });
	const groupId = message.groupId ?? "none";
	const group = { groupId, participants: [one, other] };
	await write(other, "I am", group);
	await write(one, "STOP", group);
	await write(other, "Anybody?", group);
	await write(other, "START", group);
	expect(await campaign("may", one, other)).toEqual(["has stopped", "accepted"]);
	await write(one, "START");
	await write(other, "And now?", group);
	expect(gotBy(groupId)).toEqual(["Who is hungry?", "You said: I am", "You said: And now?"]);
	expect(gotBy(one)).toEqual([STOPPED, STARTED]);
});
