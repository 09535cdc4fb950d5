import { startPostgres } from "../../test/support/servers/postgres-server.ts";
import { startRedis } from "../../test/support/servers/redis-server.ts";
import { type AtEnd, type Contender, type OpenCases, prove, type Role } from "../cases.ts";
import { newEventId } from "../inputs.ts";
import { DELIVERIES, LOADS, RATES, RECEIVERS } from "../settings.ts";
import { createFolder } from "../stores/in-process.ts";
import { startServer } from "../stores/redis.ts";
import type { ServerSettings } from "./process.ts";
import { openReceiver } from "./start.ts";

/** Deliveries over HTTP to a receiver in a process of its own, each with a new event, at several loads. */
export const openDeliveries: OpenCases = async function* (atEnd) {
	const [redis, postgres] = [await startRedis(), await startPostgres()];
	for (const server of [redis, postgres]) atEnd(() => server[Symbol.asyncDispose]());
	const open = (name: string, role: Role, route: ServerSettings["route"], storeUrl = "") =>
		openContender(name, role, { route, storeUrl }, atEnd);
	const contenders = [
		await open("memory store", "ours", "webhook handler"),
		await open("stripe alone", "peer", "stripe"),
		await open("HMAC alone", "floor", "HMAC"),
		await open("Redis store", "ours", "webhook handler", redis.url),
		await open("SET and SET by hand", "floor", "SET and SET", redis.url),
		await open("PostgreSQL store", "ours", "webhook handler", postgres.url),
		await open("two statements by hand", "floor", "two statements", postgres.url),
		await open("PostgreSQL inbox", "ours", "inbox", postgres.url),
		await open("a transaction by hand", "floor", "transaction", postgres.url),
	];
	for (const concurrency of LOADS) {
		yield { ...DELIVERIES, name: `${concurrency} in flight`, concurrency, isWaitCounted: true, contenders };
	}
};

/** What several receivers can share; each resolves to the address of an empty one. */
const SERVERS: Readonly<Record<string, (atEnd: AtEnd) => Promise<string>>> = {
	"Redis, appendfsync everysec": async (atEnd) => (await startServer(atEnd, "everysec"))[0],
	async "PostgreSQL, synchronous_commit on"(atEnd) {
		const server = await startPostgres();
		atEnd(() => server[Symbol.asyncDispose]());
		return server.url;
	},
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
		{ ...settings, connections: Math.max(...LOADS) },
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
	// Those that only verify do not know a repeat.
	if (settings.route !== "HMAC" && settings.route !== "stripe") delivered--;
	prove((await deliver(newEventId(), " ")) >= 400, `${name} rejects another body`);
	atEnd(async () => {
		const processed = await countProcessed();
		prove(processed === delivered, `${name} processed ${processed} of ${delivered} events`);
	});
	return { name, role, run: () => run() };
}
