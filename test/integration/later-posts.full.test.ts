import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { MessagingGateway } from "messaging-gateway";
import { createSender, listSends, resolveSend, type SendInput } from "messaging-gateway/sends";
import { postgresSendStore, postgresStore } from "messaging-gateway/stores/postgres";
import { createLocalGateway } from "messaging-gateway/testing";
import { listen } from "messaging-gateway/testing/node";
import { Pool } from "pg";
import { expect, test } from "vitest";
import { Random } from "../chaos/random.ts";
import { PROCESS_LIFE_MS } from "../support/patience.ts";
import { SEED } from "../support/seed.ts";
import { share } from "../support/shared/shared.ts";
import { environmentFor } from "../support/started-example.ts";
import { type StartedProcess, startProcess } from "../support/started-process.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const DIGEST_SECRET = "a secret for digests";
const CONTACTS = 50;

/** At 1,000, seven were held with a key and none posted twice; without a key 32 were. */
const ANSWERS = Number(process.env["TEST_ANSWERS"] ?? 100);
const KILLS = Math.max(8, Math.round(ANSWERS / 25));

/** What becomes of the answers of two processes of a runtime that are killed again and again. */
async function play(variables: NodeJS.Dict<string> = {}, allKills = KILLS) {
	await using resources = new AsyncDisposableStack();
	const { url: databaseUrl } = await share("postgres");
	const pool = new Pool({ connectionString: databaseUrl });
	resources.defer(() => pool.end());
	await postgresSendStore(pool).createTable();
	await postgresStore(pool).createTable();
	await pool.query(`
		CREATE TABLE turns (
			id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
			message_id text NOT NULL,
			contact text NOT NULL,
			question text NOT NULL,
			taken_until timestamptz NOT NULL DEFAULT '-infinity',
			done boolean NOT NULL DEFAULT false
		)`);
	const random = new Random(SEED);
	const running: StartedProcess[] = [];
	resources.defer(async () => void (await Promise.all(running.map((each) => each[Symbol.asyncDispose]()))));
	const local = createLocalGateway({
		rules: "off",
		webhooks: { retryDelaysMs: Array(1_000).fill(200) },
		deliverTo: async (request) => {
			const { search } = new URL(request.url);
			const { url } = random.pick(running);
			const body = await request.arrayBuffer();
			return fetch(`${url}/webhooks${search}`, { method: "POST", headers: request.headers, body });
		},
	});
	resources.use(local);
	const gateway = resources.use(await listen(local));
	const start = () =>
		startProcess(
			["--conditions=@messaging-gateway/source", "test/integration/support/agent-runtime/later-runtime.ts"],
			{
				cwd: ROOT,
				environment: {
					...environmentFor(gateway),
					DATABASE_URL: databaseUrl,
					MESSAGING_GATEWAY_DIGEST_SECRET: DIGEST_SECRET,
					...variables,
				},
				ready: /^listening/,
				expectedErrors: /^messaging-gateway: /,
			},
		);
	running.push(await start(), await start());

	const count = async (condition: string): Promise<number> => {
		const { rows } = await pool.query(`SELECT count(*)::int AS count FROM turns WHERE ${condition}`);
		return rows[0].count;
	};
	const questions = Array.from({ length: ANSWERS }, (_, at) => `Question ${at}`);
	const asked = (async () => {
		for (const [at, question] of questions.entries()) {
			await local.contact(`+1556${String(at % CONTACTS).padStart(7, "0")}`).reply(question);
			await sleep(random.between(0, 40));
		}
	})();
	for (let kills = 1; kills <= allKills; kills++) {
		while ((await count("done")) < (ANSWERS * kills) / (allKills + 1)) await sleep(10);
		await sleep(random.between(0, 100));
		const [doomed, ...others] = random.shuffle(running);
		await doomed?.[Symbol.asyncDispose]();
		running.splice(0, 2, ...others, await start());
	}
	await asked;
	await local.settled();
	while ((await count("NOT done")) > 0) await sleep(50);
	await local.settled();

	const posted = local.sent.length;
	const held = await sendAgain(pool, new MessagingGateway(local.clientOptions));
	const answered = local.sent.map(({ text }) => text.replace(/ is answered by .*/, ""));
	const turns = await count("true");
	return {
		posted,
		held,
		turns,
		lost: ANSWERS - new Set(answered).size,
		doubled: answered.length - new Set(answered).size,
	};
}

/** A rule sends what may have been accepted, and has no status, once ten minutes are over. @returns how many. */
async function sendAgain(pool: Pool, gateway: MessagingGateway): Promise<number> {
	const store = postgresSendStore({
		query: async (text: string, values: unknown[]) => {
			const { rows } = await pool.query(text, values);
			return {
				rows: rows.map((row) => ("now" in row ? { ...row, now: Number(row.now) + 11 * 60_000 } : row)),
			};
		},
	});
	const sender = createSender({ gateway, store, digestSecret: DIGEST_SECRET });
	let held = 0;
	for await (const { key, input } of listSends(store, { status: "unresolved" })) {
		await resolveSend(store, key, "send_again");
		await sender.send(key, toText(input));
		held++;
	}
	return held;
}

function toText(input: unknown): SendInput {
	const { to, text } = Object(input);
	if (typeof to === "string" && typeof text === "string") return { to, text };
	throw new Error("the input of a text was not kept");
}

const isMeasured = process.env["TEST_ANSWERS"] !== undefined;

test(`${ANSWERS} answers of a later handler are posted once each`, { timeout: PROCESS_LIFE_MS }, async () => {
	const result = await play();
	if (isMeasured) console.log({ answers: ANSWERS, kills: KILLS, ...result });
	expect(result).toMatchObject({ lost: 0, doubled: 0 });
	expect(result.posted + result.held).toBe(ANSWERS);
});

test("without a key some are posted again", { timeout: PROCESS_LIFE_MS }, async () => {
	// Three of four kills double an answer: with so many it is no chance that some do.
	const result = await play({ WITHOUT_KEY: "1" }, 3 * KILLS);
	if (isMeasured) console.log({ answers: ANSWERS, kills: 3 * KILLS, ...result });
	expect(result).toMatchObject({ lost: 0 });
	expect(result.doubled).toBeGreaterThan(0);
});
