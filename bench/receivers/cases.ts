import { startPostgres } from "../../test/support/servers/postgres-server.ts";
import { startRedis } from "../../test/support/servers/redis-server.ts";
import { type AtEnd, type Case, type Contender, type OpenCases, prove, type Role } from "../cases.ts";
import { newEventId } from "../inputs.ts";
import { DELIVERIES, RATES, RECEIVERS } from "../settings.ts";
import { createFolder } from "../stores/in-process.ts";
import { startServer } from "../stores/redis.ts";
import type { ServerSettings } from "./process.ts";
import { openReceiver } from "./start.ts";

/** Deliveries in the inbox of PostgreSQL, and those of a transaction by hand, both on Express. */
export const openInbox: OpenCases = (atEnd) =>
	compare("PostgreSQL", async () => (await startServerOf(startPostgres, atEnd)).url, atEnd, {
		ours: ["postgresInbox", "inbox"],
		floor: ["a transaction by hand", "transaction"],
	});

/** Deliveries of a store in SQLite; as by hand, each is on disk when it is acknowledged. */
export const openSqlite: OpenCases = (atEnd) =>
	compare("SQLite, FULL", async () => `file:${createFolder(atEnd)}/store.db`, atEnd, {
		ours: ["sqliteStore", "webhook handler"],
		floor: ["two statements by hand", "statements of SQLite"],
	});

/** Deliveries of a store in Redis; by hand too, another process repeats an event whose process has died. */
export const openRedis: OpenCases = (atEnd) =>
	compare("Redis", async () => (await startServerOf(startRedis, atEnd)).url, atEnd, {
		ours: ["redisStore", "webhook handler"],
		floor: ["by hand, with a lease", "lease in Redis"],
	});

/** Our receiver beside one that is written by hand, each with a store of its own on the same server. */
async function* compare(
	name: string,
	openStore: () => Promise<string>,
	atEnd: AtEnd,
	receivers: Readonly<Record<"ours" | "floor", readonly [name: string, route: ServerSettings["route"]]>>,
): AsyncIterable<Case> {
	const storeUrl = await openStore();
	const contenders: Contender[] = [];
	for (const role of ["ours", "floor"] as const) {
		const [receiver, route] = receivers[role];
		contenders.push(await openContender(receiver, role, { route, storeUrl }, atEnd));
	}
	yield {
		...DELIVERIES,
		name: `${name}, ${DELIVERIES.concurrency} in flight`,
		isWaitCounted: true,
		contenders,
	};
}

async function startServerOf<Server extends AsyncDisposable>(
	start: () => Promise<Server>,
	atEnd: AtEnd,
): Promise<Server> {
	const server = await start();
	atEnd(() => server[Symbol.asyncDispose]());
	return server;
}

/** What several receivers can share; each resolves to the address of an empty one. */
const SERVERS: Readonly<Record<string, (atEnd: AtEnd) => Promise<string>>> = {
	"Redis, appendfsync everysec": async (atEnd) => (await startServer(atEnd, "everysec"))[0],
	"PostgreSQL, synchronous_commit on": async (atEnd) => (await startServerOf(startPostgres, atEnd)).url,
	"SQLite, a file of the machine": async (atEnd) => `file:${createFolder(atEnd)}/store.db`,
};

/** Deliveries to more and more receivers that share a store, in turn. */
export const openRates: OpenCases = async function* (atEnd) {
	const stores = new Map<string, Contender[]>();
	for (const [name, start] of Object.entries(SERVERS)) {
		const settings = { route: "webhook handler", storeUrl: await start(atEnd) } as const;
		const receivers: Contender[] = [];
		while (receivers.length < Math.max(...RECEIVERS)) {
			receivers.push(await openContender(name, "ours", settings, atEnd));
		}
		stores.set(name, receivers);
	}
	for (const count of RECEIVERS) {
		const contenders = Array.from(stores, ([name, receivers]): Contender => {
			let delivered = 0;
			return { name, role: "ours", run: () => receivers[delivered++ % count]?.run() };
		});
		yield {
			...RATES,
			name: count === 1 ? "1 receiver" : `${count} receivers`,
			isWaitCounted: true,
			contenders,
		};
	}
};

/** A receiver that is delivered a new event in each run; at the end, it must have processed each of them once. */
async function openContender(
	name: string,
	role: Role,
	settings: ServerSettings,
	atEnd: AtEnd,
): Promise<Contender> {
	const { deliver, countProcessed } = await openReceiver(
		{ ...settings, connections: RATES.concurrency },
		atEnd,
	);
	let delivered = 0;
	async function run(eventId = newEventId()): Promise<void> {
		const status = await deliver(eventId);
		if (status !== 200) throw new Error(`${name}: a delivery got ${status}`);
		delivered++;
	}

	const repeated = newEventId();
	await run(repeated);
	await run(repeated);
	delivered--;
	prove((await deliver(newEventId(), " ")) >= 400, `${name} rejects another body`);
	atEnd(async () => {
		const processed = await countProcessed();
		prove(processed === delivered, `${name} processed ${processed} of ${delivered} events`);
	});
	return { name, role, run: () => run() };
}
