import { startPostgres } from "../../test/support/servers/postgres-server.ts";
import { startRedis } from "../../test/support/servers/redis-server.ts";
import { type Contender, type OpenCases, prove, type Role } from "../cases.ts";
import { newEventId } from "../inputs.ts";
import { DELIVERIES, LOADS } from "../settings.ts";
import type { ServerSettings } from "./process.ts";
import { openReceiver } from "./start.ts";

/** Deliveries over HTTP to a receiver in a process of its own, each with a new event, at several loads. */
export const openDeliveries: OpenCases = async function* (atEnd) {
	const [redis, postgres] = [await startRedis(), await startPostgres()];
	for (const server of [redis, postgres]) atEnd(() => server[Symbol.asyncDispose]());

	async function open(
		name: string,
		role: Role,
		route: ServerSettings["route"],
		storeUrl = "",
	): Promise<Contender> {
		const settings = { route, storeUrl, connections: Math.max(...LOADS) };
		const { deliver, countProcessed } = await openReceiver(settings, atEnd);
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
		if (route !== "HMAC" && route !== "stripe") delivered--;
		prove((await deliver(newEventId(), " ")) >= 400, `${name} rejects another body`);
		atEnd(async () => {
			const processed = await countProcessed();
			prove(processed === delivered, `${name} processed ${processed} of ${delivered} events`);
		});
		return { name, role, run: () => run() };
	}

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
