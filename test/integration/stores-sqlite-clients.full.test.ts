import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { type Client, createClient } from "@libsql/client";
import { build } from "esbuild";
import { type SqliteClient, sqliteClientStore } from "messaging-gateway/stores/sqlite-client";
import { Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TEST_TIMEOUT_MS } from "../support/patience.ts";
import { CLIENT_CASES } from "./support/sqlite-cases.ts";

/** How many events threads claim at once. */
const EVENTS = 200;

const NUMBERED = CLIENT_CASES.map(({ name }, at) => ({ name, at }));

describe("in a Worker without Node's modules", () => {
	let worker: Miniflare;

	beforeAll(async () => {
		const { outputFiles } = await build({
			entryPoints: [new URL("./support/sqlite-worker.ts", import.meta.url).pathname],
			bundle: true,
			format: "esm",
			platform: "browser",
			conditions: ["@messaging-gateway/source", "workerd", "worker"],
			write: false,
			logLevel: "error",
		});
		worker = new Miniflare({
			modules: true,
			script: outputFiles[0]?.text ?? "",
			compatibilityDate: "2026-07-01",
			d1Databases: ["DB"],
			durableObjects: { OBJECT: { className: "StoringObject", useSQLite: true } },
		});
		await worker.ready;
	});

	afterAll(() => worker?.dispose());

	describe.each([
		["D1", "database"],
		["the storage of a Durable Object", "object"],
	])("%s", (_name, host) => {
		test.each(NUMBERED)("$name", async ({ at }) => {
			const response = await worker.dispatchFetch(`http://${host}/${at}`);
			expect(await response.text()).toBe("");
		});
	});
});

describe("libsql on a file", () => {
	let folder: string;
	let clients: Client[];

	/** Without its time limit libsql keeps a statement that found the file locked open, and with it the lock. */
	const openFile = (name: string) =>
		createClient({ url: `file:${join(folder, name)}`, timeout: TEST_TIMEOUT_MS });

	beforeAll(() => {
		folder = mkdtempSync(join(tmpdir(), "messaging-gateway-libsql-"));
		clients = [openFile("records.db"), openFile("records.db")];
	});

	afterAll(() => {
		for (const client of clients) client.close();
		rmSync(folder, { recursive: true });
	});

	/** A client whose calls go to two connections in turn, as those of two processes would. */
	function takeTurns(): SqliteClient {
		let calls = 0;
		return {
			async query(sql, args) {
				const client = clients[calls++ % clients.length];
				if (client === undefined) throw new Error("there is no client");
				return (await client.execute({ sql, args })).rows;
			},
		};
	}

	test.each(CLIENT_CASES)("$name", ({ run }) => run(takeTurns()));

	test("of threads that claim the same events under ids of their own, one gets each", async () => {
		const client = openFile("threads.db");
		const query = async (sql: string) => (await client.execute(sql)).rows;
		await sqliteClientStore({ query }).createTable();
		client.close();
		const claimed = await Promise.all(
			[1, 2, 3].map(async () => {
				const thread = new Worker(new URL("./support/libsql-thread.ts", import.meta.url), {
					workerData: { url: `file:${join(folder, "threads.db")}`, events: EVENTS },
					execArgv: ["--conditions=@messaging-gateway/source"],
				});
				const [numbers]: number[][] = await once(thread, "message");
				return numbers ?? [];
			}),
		);
		expect(claimed.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: EVENTS }, (_, at) => at));
	});
});
