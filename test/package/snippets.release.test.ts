import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { MessagingGateway } from "messaging-gateway";
import { postgresStore } from "messaging-gateway/stores/postgres";
import { createLocalGateway, createWebhookRequest, type LocalGateway } from "messaging-gateway/testing";
import { listen } from "messaging-gateway/testing/node";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isModule } from "../support/documented-modules.ts";
import { onFreePort } from "../support/free-port.ts";
import { createUserProject, FRAMEWORKS, LINKED, type UserProject } from "../support/packed-package.ts";
import { PROCESS_LIFE_MS, TEST_TIMEOUT_MS } from "../support/patience.ts";
import { readSnippets, type Snippet } from "../support/read-snippets.ts";
import { type RunningServer, serve } from "../support/serve.ts";
import { type DynamodbServer, startDynamodb } from "../support/servers/dynamodb-server.ts";
import type { Share } from "../support/shared/resources.ts";
import { share } from "../support/shared/shared.ts";

const run = promisify(execFile);

/** Documents whose blocks other tests run. */
const TESTED_ELSEWHERE: Readonly<Record<string, string>> = {
	"docs/control.md": "test/integration/control-guide.full.test.ts",
	"docs/openapi.md": "test/package/openapi-clients.release.test.ts",
	"docs/quickstart.md": "test/package/quickstart.test.ts",
};

const ALL = readSnippets();
/** Sections of such a document that are run here all the same. */
const RUN_HERE = ["ky", "Verify a webhook"];
const SNIPPETS = ALL.filter(
	({ document, heading }) => !(document in TESTED_ELSEWHERE) || RUN_HERE.includes(heading),
);
const CODE = SNIPPETS.filter(({ language }) => language === "ts");
const TESTS = CODE.filter(({ code }) => code.includes('from "vitest"'));
/** What is run here: the rest is in test/integration/documented-*.release.test.ts. */
const MODULES = CODE.filter((snippet) => !TESTS.includes(snippet) && !isModule(snippet));
const COMMANDS = SNIPPETS.filter(({ language }) => language === "sh").flatMap(({ code }) =>
	code
		.trim()
		.replaceAll(/\\\n\s*/g, "")
		.split("\n"),
);

/** Commands that are not run here, and why. */
const NOT_RUN: Readonly<Record<string, string>> = {
	"npm install messaging-gateway": "the packed package is installed already",
	"npm install react-native-get-random-values": "hosts-react-native.release.test.ts bundles both polyfills",
	"npm ci && npm run demo": "test/integration/demo.full.test.ts runs the demo",
	"aws dynamodb": "needs an account of AWS; stores-dynamodb.full.test.ts creates such a table",
	"npm test": "runs this test",
	"node --env-file=.env bot.ts":
		"runs until it is stopped; documented-workers.release.test.ts runs such bots",
	"npx messaging-gateway certify": "needs a running receiver; certify.full.test.ts runs it",
	"npx messaging-gateway dev": "runs until it is stopped; quickstart.test.ts runs it",
	"npx messaging-gateway --dotenv .env adopt":
		"needs an account; cli-adopt.full.test.ts runs it, and its sends wait for a confirmation",
	"NODE_USE_ENV_PROXY=1": "needs a proxy; documented-connections.release.test.ts runs one",
	"npx messaging-gateway listen": "runs until it is stopped; documented-sending.release.test.ts runs it",
	"npx messaging-gateway --dotenv .env listen": "runs until it is stopped; cli-listen.test.ts runs it",
	"npx messaging-gateway replay":
		"needs a running `dev` and a captured file; cli-replay.full.test.ts runs it",
	"npx messaging-gateway verify webhook rejected": "needs a captured file; cli-replay.full.test.ts runs it",
	"npx messaging-gateway log": "needs a running `dev`; cli-local.full.test.ts runs it",
};

/** Whose pages next-hosts.release.test.ts builds. */
const NEXT = ["Call the gateway from Next.js"];

const CONTACT = "+15551234567";
const WEBHOOK_SECRET = "snippet-secret";

let project: UserProject;
let redis: Share<"redis">;
let postgres: Share<"postgres">;
let dynamodb: DynamodbServer;
/** A server for everything else that the snippets call. */
let elsewhere: RunningServer;
/** What the compiler says about all blocks. */
let mistakes: string;

beforeAll(async () => {
	project = await createUserProject([...LINKED, ...FRAMEWORKS, "zod", "pg-boss", "bullmq", "vite"]);
	[redis, postgres] = await Promise.all([share("redis"), share("postgres")]);
	const pool = new pg.Pool({ connectionString: postgres.url });
	await postgresStore(pool).createTable();
	// What a migration creates, as the inbox's snippet says.
	await pool.query("CREATE TABLE notes (event_id text, body text)");
	await pool.query("CREATE TABLE replies (contact text, text text)");
	await pool.query("CREATE TABLE unknown_events (event_id text PRIMARY KEY, raw_body text)");
	await pool.end();
	dynamodb = await startDynamodb();
	await dynamodb.createTable({ name: "messaging_gateway_records" });
	elsewhere = await serve(async (request, response) => {
		response.end(
			createHmac("sha256", "local-app-secret")
				.update(await text(request))
				.digest("hex"),
		);
	});
	mkdirSync(join(project.folder, "src"));
	for (const { name, code } of CODE) {
		project.write(`src/${name}.${isTest(name) ? "test.ts" : "ts"}`, code);
		// A module that others import starts with its name.
		const [, file] = /^\/\/ ([\w-]+\.ts)\n/.exec(code) ?? [];
		if (file !== undefined) project.write(`src/${file}`, code);
	}
	project.write("run-module.ts", readFileSync("test/package/support/run-module.ts", "utf8"));
	for (const file of ["photo.jpg", "voice.m4a"]) project.write(file, "bytes");
	// What `keepUnknown` has kept, of a gateway whose events have other names.
	const rawBody = await createWebhookRequest("inbound_message").text();
	project.write(
		"profile.json",
		SNIPPETS.find(({ language, heading }) => language === "json" && heading === "Describe calls as data")
			?.code ?? "",
	);
	project.write("unknown-events.jsonl", `${JSON.stringify({ eventId: "evt_1", rawBody })}\n`);
	mkdirSync(join(project.folder, "node_modules/.bin"));
	symlinkSync(
		"../messaging-gateway/dist/cli/messaging-gateway.js",
		join(project.folder, "node_modules/.bin/messaging-gateway"),
	);
	// Nest's decorators need the last one.
	const compilerOptions = { rootDir: "src", outDir: "dist", experimentalDecorators: true };
	mistakes = await project.compile({ compilerOptions, include: ["src"] });
});

afterAll(async () => {
	project.remove();
	await elsewhere[Symbol.asyncDispose]();
	await dynamodb[Symbol.asyncDispose]();
});

test("every block is in a language that is tested here or in languages.release.test.ts, or a picture", () => {
	const others = SNIPPETS.filter(
		({ language, heading }) =>
			!["ts", "sh", "text", "python", "php"].includes(language) &&
			!(language === "tsx" && NEXT.includes(heading)) &&
			!(language === "json" && ["Describe calls as data", "Translate events", "Maps"].includes(heading)),
	);
	expect(others).toEqual([]);
});

test("a document that is not tested here has another test", () => {
	const others = new Set(
		ALL.filter(({ document }) => document in TESTED_ELSEWHERE).map(({ document }) => document),
	);
	for (const document of others) expect(existsSync(TESTED_ELSEWHERE[document] ?? "")).toBe(true);
});

test("all blocks compile in an empty project", () => {
	expect(mistakes).toBe("");
});

describe.concurrent("runs unchanged", () => {
	test.each(MODULES)("$document: $heading ($name)", async (snippet) => {
		const printed = Array.from(
			snippet.code.matchAll(/console\.log\(.*\); \/\/ (?:prints )?(.+)$/gm),
			(match) => match[1] ?? "",
		);
		const { stdout, stderr } = await onFreePort((port) => runModule(snippet, port, printed.length));

		expect(stderr).toBe("");
		expect(stdout).toMatch(new RegExp(printed.map(toPattern).join("[\\s\\S]*")));
		if (/^console\.log|^ +on: \{[^}]*console\.log/m.test(snippet.code)) expect(stdout).not.toBe("");
	});
});

/** Runs the module of a snippet, which listens on this port if it listens. */
async function runModule({ code, name }: Snippet, port: number, expectedLines: number) {
	await using local = createLocalGateway({ apps: { "app-1": "local-app-secret" } });
	await using server = await listen(local);
	await setScene(local);
	const compiled = readFileSync(join(project.folder, `dist/${name}.js`), "utf8");
	const module = join(project.folder, `dist/${name}.adapted.js`);
	writeFileSync(module, adapt(compiled, { gateway: server.url, port }));
	const address = /\.listen\(|listen\(\{ port|\bserve\(\{ fetch: POST/.test(code)
		? [`http://127.0.0.1:${port}`]
		: [];
	// Awaited here: the gateway ends with this block.
	return await run(process.execPath, ["run-module.ts", module, ...address], {
		cwd: project.folder,
		timeout: PROCESS_LIFE_MS,
		env: { ...process.env, ...variablesOf(local, server.url), EXPECTED_LINES: String(expectedLines) },
	});
}

test("the blocks that are tests pass", async () => {
	const vitest = join(project.folder, "node_modules/vitest/vitest.mjs");
	const { stdout } = await run(
		process.execPath,
		[vitest, "run", "--dir", "src", `--testTimeout=${TEST_TIMEOUT_MS}`],
		{
			cwd: project.folder,
			timeout: PROCESS_LIFE_MS,
			env: { ...process.env, NO_COLOR: "1" },
		},
	);
	expect(stdout).toMatch(new RegExp(`Test Files\\s+${TESTS.length} passed`));
});

describe("at the command line", () => {
	const isExcused = (command: string): boolean =>
		Object.keys(NOT_RUN).some((start) => command.startsWith(start));

	test("every command is run, or has a reason not to be", () => {
		const others = COMMANDS.filter(
			(command) => !isExcused(command) && !command.startsWith("npx messaging-gateway "),
		);
		expect(others).toEqual([]);
		for (const start of Object.keys(NOT_RUN)) {
			expect(
				COMMANDS.some((command) => command.startsWith(start)),
				`${start} is nowhere`,
			).toBe(true);
		}
	});

	test.each(COMMANDS.filter((command) => !isExcused(command)))("%s", async (command) => {
		await using local = createLocalGateway({ webhookSecret: WEBHOOK_SECRET });
		await using server = await listen(local);
		const line = adapt(command, { gateway: server.url, port: 0 }).replace(/^npx /, "");
		// Code 3 of the doctor: what it read works, and nothing was written.
		const accepted = /\bdoctor\b/.test(line) ? `${line} || [ $? -eq 3 ]` : line;
		const variables = variablesOf(local, server.url);
		const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
		writeFileSync(join(project.folder, ".env"), lines.join(""));
		// Its timestamp has to be recent.
		project.write("delivery.http", await writeDelivery());
		const { stdout } = await run("sh", ["-c", accepted], {
			cwd: project.folder,
			timeout: PROCESS_LIFE_MS,
			env: {
				...process.env,
				...variables,
				PATH: `${join(project.folder, "node_modules/.bin")}:${process.env["PATH"]}`,
			},
		});
		expect(stdout).not.toBe("");
	});
});

function isTest(name: string): boolean {
	return TESTS.some((snippet) => snippet.name === name);
}

/** A conversation before the snippet runs. */
async function setScene(local: LocalGateway): Promise<void> {
	const gateway = new MessagingGateway(local.clientOptions);
	await gateway.messages.sendText({ to: CONTACT, text: "Are you there?" });
	await local.settled();
	await local.contact(CONTACT).reply("Yes!");
	await local.settled();
}

function variablesOf({ appId, appSecret }: LocalGateway, baseUrl: string): Record<string, string> {
	return {
		MESSAGING_GATEWAY_BASE_URL: baseUrl,
		MESSAGING_GATEWAY_APP_ID: appId,
		MESSAGING_GATEWAY_APP_SECRET: appSecret,
		MESSAGING_GATEWAY_WEBHOOK_SECRET: WEBHOOK_SECRET,
		MESSAGING_GATEWAY_DIGEST_SECRET: WEBHOOK_SECRET,
		MESSAGING_GATEWAY_CAPTURE_KEY: Buffer.alloc(32, 1).toString("base64"),
		REDIS_URL: redis.url,
		DATABASE_URL: postgres.url,
		...dynamodb.environment,
		NO_COLOR: "1",
	};
}

/** The addresses of the docs do not exist, port 3000 may be in use, and this machine may be slow. */
function adapt(code: string, { gateway, port }: { gateway: string; port: number }): string {
	return code
		.replaceAll("https://gateway.example", gateway)
		.replaceAll(/https:\/\/(app|notes)\.example/g, elsewhere.url)
		.replaceAll("http://localhost:3000", elsewhere.url)
		.replaceAll(/postgres:\/\/(one|two)\/events/g, postgres.url)
		.replaceAll(/\b(connectionTimeoutMillis|query_timeout|commandTimeout): [\d_]+/g, `$1: ${TEST_TIMEOUT_MS}`)
		.replaceAll(/(\.listen\((\{ port: )?|\bserve\(\{ fetch: POST, port: )3000\b/g, `$1${port}`);
}

/** A comment's expected output as a pattern; an ellipsis stands for anything. */
function toPattern(printed: string): string {
	return printed.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&").replaceAll("…", ".*");
}

/** A signed webhook as sent over the wire. */
async function writeDelivery(): Promise<string> {
	const request = createWebhookRequest("status", {}, { secret: WEBHOOK_SECRET });
	const headers = Array.from(request.headers, ([name, value]) => `${name}: ${value}`);
	return `${headers.join("\r\n")}\r\n\r\n${await request.text()}`;
}
