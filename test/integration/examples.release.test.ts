import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { connect, createAdjustableClock, type LocalGatewayOptions } from "messaging-gateway/testing";
import { type ListeningGateway, listen } from "messaging-gateway/testing/node";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { fillHistory } from "../../scripts/examples/fill-history.ts";
import { listExamples } from "../../scripts/examples/list-examples.ts";
import { eventually } from "../support/eventually.ts";
import { startPostgres } from "../support/servers/postgres-server.ts";
import { runCommand, runExample, startExample } from "../support/started-example.ts";

const ALICE = "+15551234567";
const BOB = "+15557654321";
const EXAMPLES = listExamples();

describe("the list", () => {
	test("without a name every example is listed with its sentence", async () => {
		const { code, stdout, stderr } = await runCommand([]);
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		const listed = stdout.split("\n").map((line) => line.split(/ {2,}/));
		expect(listed.slice(0, EXAMPLES.length)).toEqual(EXAMPLES.map(({ name, sentence }) => [name, sentence]));
	});

	test("an unknown name is reported", async () => {
		const { code, stderr } = await runExample("send-fax");
		expect({ code, stderr }).toEqual({ code: 1, stderr: "there is no example named send-fax\n\n" });
	});

	test("a test runs every example", () => {
		const tests = globSync("test/{integration,package,support,unit}/**/*.ts").map((path) =>
			readFileSync(path, "utf8"),
		);
		const forgotten = EXAMPLES.filter(({ name }) => {
			return !tests.some((source) => source.includes(`"${name}"`) || source.includes(`examples/${name}/`));
		});
		expect(forgotten.map(({ name }) => name)).toEqual([]);
	});
});

describe("against a gateway named in the environment", () => {
	test("send-text sends once", async () => {
		// With a frozen clock the whole window remains.
		await using gateway = await startGateway({ clock: createAdjustableClock({ frozen: true }) });
		expect(await printedBy("send-text", gateway)).toBe(`message   UUID
status    queued
request   UUID, attempt 1
again     rejected for another 300 s
`);
		expect(gateway.local.sent).toMatchObject([{ to: ALICE, text: "Your table is ready." }]);
	});

	test("send-attachment sends what is on disk", async () => {
		await using gateway = await startGateway();
		expect(await printedBy("send-attachment", gateway)).toBe(`files        UUID is queued
             sunrise.png, image/png
             opening-hours.txt, text/plain
voice note   UUID is queued
             hello.wav, audio/wav
`);
		expect(gateway.local.sent).toMatchObject([
			{
				to: ALICE,
				text: "Our new opening hours",
				attachments: [
					{ name: "sunrise.png", size: 563 },
					{ name: "opening-hours.txt", size: 45 },
				],
			},
			{ to: ALICE, text: "", attachments: [{ name: "hello.wav", size: 8_044 }] },
		]);
	});

	test("send-to-group sends twice to one group", async () => {
		await using gateway = await startGateway();
		expect(await printedBy("send-to-group", gateway)).toBe(`group     group-UUID
in it     +15550000001, ${ALICE}, ${BOB}
queued    Who is hungry?
queued    At noon, at the corner?
`);
		const [first, second] = gateway.local.sent;
		expect(first?.groupId).toMatch(/^group-/);
		expect(second).toMatchObject({ groupId: first?.groupId, text: "At noon, at the corner?" });
	});

	test("mappings-and-agents shows what each step changes, and may run again", async () => {
		await using gateway = await startGateway({ rules: { duplicateWindowSeconds: { agent: 0, account: 0 } } });
		const steps = `assign     agentNumber +15550000011, outbound 0, consecutiveCount 0, maxConsecutiveMessages 5
send       outbound 0 → 1, consecutiveCount 0 → 1
reassign   agentNumber +15550000011 → +15550000012
block      Night desk is blocked: on holiday
send       rejected: AGENT_BLOCKED
update     maxConsecutiveMessages 5 → 2
send       outbound 1 → 2, consecutiveCount 1 → 2
send       rejected: MAX_CONSECUTIVE_EXCEEDED
reset      consecutiveCount 2 → 0
list       ${BOB} is handled by +15550000012
delete     ${BOB} is free again
`;
		expect(await printedBy("mappings-and-agents", gateway)).toBe(`register   Day desk, +15550000011
register   Night desk, +15550000012
${steps}`);
		const texts = gateway.local.sent.map(({ from, text }) => [from, text]);
		expect(texts).toEqual([
			["+15550000011", "We are open until six."],
			["+15550000012", "Anything else?"],
		]);
		expect(await printedBy("mappings-and-agents", gateway)).toBe(`register   Day desk is registered already
register   Night desk is registered already
${steps}`);
	});

	test("analytics-table shows what the gateway has counted", async () => {
		await using gateway = await startGateway({ agents: ["+15550000001", "+15550000002"] });
		await fillHistory(gateway.local);
		const cells = (await printedBy("analytics-table", gateway))
			.split("\n")
			.filter((line) => line.startsWith("│ "))
			.map((line) => line.split(/\s*│\s*/).slice(2, -1));
		const time = expect.stringMatching(/^'\d\d\/\d\d\/\d{4}, \d\d:\d\d:\d\d'$/);
		expect(cells).toEqual([
			["contact", "agent", "sent", "received", "last message"],
			["'…1001'", "'…0002'", "1", "0", time],
			["'…0103'", "'…0001'", "1", "1", time],
			["'…0102'", "'…0002'", "2", "1", time],
			["'…0101'", "'…0001'", "1", "0", time],
			["agent", "status", "contacts", "sent", "read", "failed", "contacts that answered"],
			["'…0001'", "'online'", "2", "2", "2", "0", "'50 %'"],
			["'…0002'", "'online'", "2", "3", "2", "1", "'50 %'"],
		]);
	});

	test("an example that fails prints the error, and exits with 1", async () => {
		await using gateway = await startGateway({ agents: [] });
		const { code, stdout, stderr } = await runExample("send-text", gateway);
		expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
		expect(stderr).toContain("NO_AGENT_AVAILABLE");
	});
});

describe("against a local gateway", () => {
	test.each(["send-text", "send-attachment", "send-to-group", "mappings-and-agents", "analytics-table"])(
		"%s runs to its end",
		async (name) => {
			const { code, stdout, stderr } = await runExample(name);
			expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
			expect(stdout.split("\n")[0]).toMatch(/^· a local gateway listens on http:\/\/127\.0\.0\.1:\d+$/);
		},
	);

	test.each([
		{ name: "testing-with-msw", tests: 4 },
		{ name: "testing-with-local-gateway", tests: 6 },
		{ name: "playwright", tests: 4 },
	])("$name passes", async ({ name, tests }) => {
		const { code, stdout } = await runExample(name);
		expect(code).toBe(0);
		expect(stdout).toMatch(new RegExp(`Tests +${tests} passed`));
	});

	test.each([
		"webhooks-express",
		"webhooks-fastify",
		"webhooks-hono",
		"webhooks-lambda",
		"webhooks-next",
		"bullmq-worker",
		"pg-boss-worker",
	])("%s prints each event, and ends on a signal", async (name) => {
		await using example = await startExample(name, { ready: /a text is sent to a contact/ });
		const events = ["is sent", "is delivered", "is read", "a reaction: love", "a text of 20 characters"];
		const printed = () => example.lines.flatMap((line) => events.filter((event) => line.endsWith(event)));
		await eventually(() => expect(printed()).toEqual(events));
		await eventually(() => expect(example.lines).toContain("· Ctrl+C ends it"));
		expect(await example.stop()).toBe(0);
	});

	test("express-postgresql stores the reply, and ends on a signal", async () => {
		await using postgres = await startPostgres();
		const variables = { DATABASE_URL: postgres.url };
		await using example = await startExample("express-postgresql", { ready: /Ctrl\+C ends it/, variables });
		const pool = new pg.Pool({ connectionString: postgres.url });
		const { rows } = await pool.query("SELECT text FROM replies");
		await pool.end();
		expect(rows).toEqual([{ text: "Where is order 4711?" }]);
		expect(await example.stop()).toBe(0);
	});

	test("express-postgresql passes its own test", async () => {
		await using postgres = await startPostgres();
		const config = resolve("scripts/examples/vitest.config.ts");
		const vitest = resolve("node_modules/vitest/vitest.mjs");
		const { stdout } = await promisify(execFile)(
			process.execPath,
			[vitest, "run", "--root", "examples/express-postgresql", "--config", config],
			{ env: { ...process.env, DATABASE_URL: postgres.url, NO_COLOR: "1" } },
		);
		expect(stdout).toMatch(/Tests +5 passed/);
	});

	test("python shows the response to each webhook, also to one that comes late", async () => {
		const { code, stdout, stderr } = await runExample("python");
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		const [, ...lines] = stdout.trimEnd().split("\n");
		expect(lines).toEqual([
			"· a stand-in for your application receives its webhooks",
			"the contact writes: Is my table ready?",
			"  its webhook is delivered",
			"  attempt 1: 200 thank you",
			"fault: next webhook: 1 min late",
			"the contact writes: Hello?",
			"  its webhook is pending",
			"the clock moves forward by 60 s",
			"  its webhook is delivered",
			"  attempt 1: 200 thank you",
		]);
	});

	test("turns replies once to three lines, and ends on a signal", async () => {
		// Longer than a slow machine takes for a line.
		const variables = { QUIET_SECONDS: "10" };
		await using example = await startExample("turns", { ready: /the contact types: Hello!/, variables });
		await eventually(() => expect(example.lines).toContain("· Ctrl+C ends it"));
		expect(example.lines.filter((line) => line.startsWith("· the contact gets"))).toEqual([
			"· the contact gets the reply: You wrote 3 lines: Hello! / I have a question. / Where is order 4711?",
		]);
		expect(await example.stop()).toBe(0);
	});

	test("stop answers until STOP, and again after START", async () => {
		await using example = await startExample("stop", { ready: /the contact writes: Hello!/ });
		await eventually(() => expect(example.lines).toContain("· Ctrl+C ends it"));
		expect(example.lines.filter((line) => line.startsWith("· the contact gets"))).toEqual([
			"· the contact gets: You said: Hello!",
			expect.stringMatching(/^· the contact gets: You will get no more messages from us\. .* \(\w{6}\)$/),
			"· the contact gets nothing",
			expect.stringMatching(/^· the contact gets: You will get our messages again\. .* \(\w{6}\)$/),
			"· the contact gets: You said: Hello again!",
		]);
		expect(await example.stop()).toBe(0);
	});

	test.each(["chat-bot", "chat-bot-pg-boss"])("%s answers in the gateway's page", async (name) => {
		await using example = await startExample(name, { ready: /a contact writes: Hello/ });
		await eventually(() => expect(example.lines).toContain("· Ctrl+C ends it"));
		expect(example.lines).toContainEqual(
			expect.stringMatching(/^· the contact gets the reply: .*you said: Hello$/i),
		);
		const link = example.lines.find((line) => line.startsWith("· write to the bot on the page: ")) ?? "";
		const [, baseUrl, token = ""] = /(http.+)\/#token=(.+)$/.exec(link) ?? [];
		const page = await (await fetch(baseUrl ?? "")).text();
		const files = Array.from(page.matchAll(/(?:src|href)="(\/[^"]+)"/g), ([, path]) => path);
		expect(files).not.toHaveLength(0);
		for (const path of files) expect((await fetch(`${baseUrl}${path}`)).status, path).toBe(200);
		const local = await connect({ baseUrl, token });
		await local.contact(BOB).reply("And me?");
		await eventually(async () => {
			const { items } = await local.messages();
			expect(items.map(({ text }) => text)).toContainEqual(expect.stringMatching(/you said: And me\?$/i));
		});
		expect(await example.stop()).toBe(0);
	});

	test("worker replies to a question, and ends on a signal", async () => {
		await using example = await startExample("worker", { ready: /a text is sent to a contact/ });
		await eventually(() => expect(example.lines).toContain("· Ctrl+C ends it"));
		// Two processes write: the order of the worker's line is open.
		await eventually(() => expect(example.lines).toContainEqual(expect.stringMatching(/^evt_\w+: replied$/)));
		expect(example.lines.filter((line) => line.startsWith("· "))).toEqual([
			"· the contact reacts to it",
			"· the contact asks: Where is order 4711?",
			"· the contact gets the reply: Order 4711 arrives tomorrow.",
			"· Ctrl+C ends it",
		]);
		expect(await example.stop()).toBe(0);
	});
});

function startGateway(options: LocalGatewayOptions = {}): Promise<ListeningGateway> {
	return listen(options);
}

/** What an example prints, with `UUID` in place of each id. */
async function printedBy(name: string, gateway: ListeningGateway): Promise<string> {
	const { code, stdout, stderr } = await runExample(name, gateway);
	expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
	return stdout.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UUID");
}
