import { execFileSync } from "node:child_process";
import { createWebhookRequest } from "messaging-gateway/testing";
import { createWebhookHandler, type WebhookHandler } from "messaging-gateway/webhooks";
import { type CaseRecord, type OpenCases, type OpenTable, prove, record, type Settings } from "../cases.ts";
import { newEventId } from "../inputs.ts";
import { openMemory, openSqlite } from "./in-process.ts";
import { openPostgres, openPrepared } from "./postgres.ts";
import { openRates } from "./rates.ts";
import { openIoredis, openNodeRedis } from "./redis.ts";
import { bindNewDelivery, createCase, type OpenSubject, processNewEvent, type Subject } from "./subject.ts";

/** The tables of `npm run bench:stores`: each store on its server, and receivers. */
export const STORES: Readonly<Record<string, OpenTable>> = {
	redis: table(openNodeRedis("none")),
	"redis, ioredis": table(openIoredis),
	"redis, everysec": table(openNodeRedis("everysec")),
	"redis, always": table(openNodeRedis("always")),
	postgres: table(openPostgres("on")),
	"postgres, prepared": table(openPrepared),
	"postgres, async commit": table(openPostgres("off")),
	sqlite: table(openSqlite),
	memory: table(openMemory),
	rates: () => ({ shows: "rate", cases: openRates() }),
};

function table(open: OpenSubject): OpenTable {
	return async (atEnd, settings) => {
		// Pending writes of another server would delay every commit of this one.
		execFileSync("sync");
		const subject = await open(atEnd);
		const { server, client } = subject;
		return { shows: "rate", server, client, cases: openStore(subject, settings) };
	};
}

async function* openStore(subject: Subject, { size = 0 }: Settings): ReturnType<OpenCases> {
	for (const operation of ["claim", "claim + complete", "full cycle"] as const) {
		for (const workers of [1, 8, 64]) {
			yield createCase(subject, operation, workers);
			await subject.reset();
		}
	}
	yield countCalls(subject);
	const addEvent = () => processNewEvent(subject.store);
	yield record("a done event", "bytes", await measureGrowth(subject, size, addEvent));
	const addDelivery = () => bindNewDelivery(subject.store);
	yield record("a bound delivery", "bytes", await measureGrowth(subject, size, addDelivery));
	const updates = await subject.countUpdates?.();
	const name = "updates that wrote to no index";
	if (updates) yield record(name, "percent", { HOT: (updates.heapOnly / updates.all) * 100 });
}

/** One event in Redis, beside the two commands that any store needs for it, on the same connection. */
export const openRedisStore: OpenCases = async function* (atEnd) {
	for (const open of [openNodeRedis("none"), openIoredis]) {
		const subject = await open(atEnd);
		for (const concurrency of [1, 8, 64]) {
			const name = `${subject.client.split(",")[0]}, ${concurrency} in flight`;
			// More rounds than usual, since two processes share the machine.
			yield { ...createCase(subject, "claim + complete", concurrency), name, rounds: 25 };
			await subject.reset();
		}
	}
};

/** How many of the updates of finished events in PostgreSQL write to the table's indexes. */
export const openUpdates: OpenCases = async function* (atEnd) {
	const deliveries = 5_000;
	const subject = await openPostgres("on")(atEnd);
	const webhooks = openHandler(subject, () => undefined);
	await repeat(deliveries, () => deliver(webhooks, newEventId()));
	const { all, heapOnly } = (await subject.countUpdates?.()) ?? { all: 0, heapOnly: 0 };
	prove(all === deliveries, `PostgreSQL counted one update for each delivery, but ${all}`);
	const name = `${deliveries.toLocaleString("en")} deliveries`;
	yield record(name, "percent", { postgresStore: ((all - heapOnly) / all) * 100 });
};

/** Adds pieces to a store. @returns the bytes of each, by part. */
async function measureGrowth({ reset, measureSizes }: Subject, count: number, add: () => Promise<void>) {
	await reset();
	const before = await measureSizes();
	await repeat(count, add);
	const after = Object.entries(await measureSizes());
	await reset();
	const perPiece = (part: string, size: number) => Math.round((size - (before[part] ?? 0)) / count);
	return Object.fromEntries(after.map(([part, size]) => [part, perPiece(part, size)]));
}

/** Does something so many times, sixteen at a time. */
async function repeat(times: number, run: () => Promise<void>): Promise<void> {
	let left = times;
	async function work(): Promise<void> {
		while (left-- > 0) await run();
	}
	await Promise.all(Array.from({ length: 16 }, work));
}

type OnMessage = () => void | Promise<void>;

/** The calls of the store's client for one delivery to a webhook handler, on average, sweeps included. */
async function countCalls(subject: Subject): Promise<CaseRecord> {
	await subject.reset();
	let onMessage: OnMessage = () => undefined;
	const webhooks = openHandler(subject, () => onMessage());
	const unbound = openHandler(subject, () => undefined, false);

	async function count(handler: WebhookHandler, eventIds: readonly string[], status = 200): Promise<number> {
		const spies = subject.spyOnClient();
		for (const eventId of eventIds) await deliver(handler, eventId, status);
		const calls = spies.map(({ mock }) => mock.callCount());
		for (const { mock } of spies) mock.restore();
		return calls.reduce((sum, one) => sum + one, 0) / eventIds.length;
	}

	// Enough for the sweeps to show, of which there is one for every 50 rows.
	const createEventIds = () => Array.from({ length: 100 }, newEventId);
	const eventIds = createEventIds();
	const first = await count(webhooks, eventIds);
	const repeatOfDone = await count(webhooks, eventIds);
	const firstWithoutBinding = await count(unbound, createEventIds());

	const { promise: isRunning, resolve: markRunning } = Promise.withResolvers<void>();
	const { promise: released, resolve: release } = Promise.withResolvers<void>();
	onMessage = () => {
		markRunning();
		return released;
	};
	const inFlight = newEventId();
	const running = deliver(webhooks, inFlight);
	await isRunning;
	const repeats = eventIds.map(() => inFlight);
	const repeatInFlight = await count(webhooks, repeats, 503);
	release();
	await running;
	await subject.reset();
	const calls = { first, firstWithoutBinding, repeatOfDone, repeatInFlight };
	return record("calls for one delivery", "calls", calls);
}

function openHandler({ store }: Subject, onMessage: OnMessage, bindDelivery = true): WebhookHandler {
	const on = { inbound_message: onMessage, unknown: () => undefined };
	// The secret of `createWebhookRequest`.
	return createWebhookHandler({ secret: "local-webhook-secret", store, on, bindDelivery });
}

/** The text contains the id as well: equal payloads of the same second would have the same signature. */
async function deliver(webhooks: WebhookHandler, eventId: string, expected = 200): Promise<void> {
	const request = createWebhookRequest("inbound_message", { text: eventId }, { eventId });
	const { status } = await webhooks.fetch(request);
	if (status !== expected) throw new Error(`a delivery got ${status} instead of ${expected}`);
}
