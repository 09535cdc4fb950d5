import { execFileSync } from "node:child_process";
import { mock } from "node:test";
import { createWebhookRequest } from "messaging-gateway/testing";
import { createWebhookHandler, type WebhookHandler } from "messaging-gateway/webhooks";
import { type OpenCases, prove, record } from "../cases.ts";
import { newEventId } from "../inputs.ts";
import { withClosing } from "../measure.ts";
import { DELIVERED } from "../settings.ts";
import { openMemory, openSqlite } from "./in-process.ts";
import { openPostgres } from "./postgres.ts";
import { openIoredis, openNodeRedis } from "./redis.ts";
import { bindNewDelivery, createContenders, processNewEvent, type Subject } from "./subject.ts";

/** The stores of each kind, with the settings that the guide recommends. */
const KINDS = [openNodeRedis("everysec"), openPostgres(), openSqlite, openMemory];

const STORES = [
	...[openNodeRedis("none"), openIoredis, openNodeRedis("everysec"), openNodeRedis("always")],
	...[openPostgres(), openPostgres("prepared"), openPostgres("async commit"), openSqlite, openMemory],
];

/** Every store beside statements by hand on the same server: claim with a binding, and complete. */
export const openSpeeds: OpenCases = async function* (atEnd) {
	const subjects: Subject[] = [];
	for (const open of STORES) subjects.push(await open(atEnd));
	for (const workers of [1, 8, 64]) {
		// Pending writes of another server would delay every commit.
		execFileSync("sync");
		const name = workers === 1 ? "1 worker" : `${workers} workers`;
		const contenders = subjects.flatMap(createContenders);
		yield { name, concurrency: workers, isWaitCounted: true, contenders };
		for (const subject of subjects) await subject.reset();
	}
};

/** What each kind of delivery costs each store in calls of its client. */
export const openCalls: OpenCases = async function* () {
	const counts = await inEach(countCalls);
	for (const name of Object.keys(counts[0]?.[1] ?? {})) {
		const calls = counts.map(([{ kind }, ofStore]) => [kind, ofStore[name] ?? Number.NaN]);
		yield record(name, "calls", Object.fromEntries(calls));
	}
};

/** The bytes of an event and of a delivery in each store. */
export const openBytes: OpenCases = async function* (_, { size }) {
	const pieces = {
		"a done event": (subject: Subject) => processNewEvent(subject.store),
		"a bound delivery": (subject: Subject) => bindNewDelivery(subject.store),
	};
	for (const [name, add] of Object.entries(pieces)) {
		const sizes = await inEach((subject) => measureGrowth(subject, size, () => add(subject)));
		yield record(name, "bytes", Object.assign({}, ...sizes.map(([, bytes]) => bytes)));
	}
};

/** Does something with a store of each kind, one after the other. */
async function inEach<Result>(work: (subject: Subject) => Promise<Result>): Promise<[Subject, Result][]> {
	const results: [Subject, Result][] = [];
	for (const open of KINDS) {
		await withClosing(async (atEnd) => {
			const subject = await open(atEnd);
			results.push([subject, await work(subject)]);
		});
	}
	return results;
}

/** How many of the updates of finished events in PostgreSQL write to the table's indexes. */
export const openUpdates: OpenCases = async function* (atEnd) {
	const deliveries = DELIVERED.postgres;
	const subject = await openPostgres()(atEnd);
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

/** The calls of the store's client for one delivery of each kind to a webhook handler, on average, sweeps included. */
async function countCalls(subject: Subject): Promise<Readonly<Record<string, number>>> {
	let onMessage: OnMessage = () => undefined;
	const webhooks = openHandler(subject, () => onMessage());

	async function count(eventIds: readonly string[], status = 200): Promise<number> {
		const spies = subject.spyOnClient();
		for (const eventId of eventIds) await deliver(webhooks, eventId, status);
		const calls = spies.map(({ mock }) => mock.callCount());
		for (const { mock } of spies) mock.restore();
		return calls.reduce((sum, one) => sum + one, 0) / eventIds.length;
	}

	// Redis has each script from its first call on.
	await deliver(webhooks, newEventId());
	// Enough for the sweeps to show: they come by chance, after one in 50 writes, and here as often as they should.
	let draws = 0;
	const chance = mock.method(Math, "random", () => (draws++ % 50) / 50);
	const eventIds = Array.from({ length: 100 }, newEventId);
	const first = await count(eventIds);
	const repeatOfDone = await count(eventIds);

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
	const repeatInFlight = await count(repeats, 503);
	release();
	await running;
	chance.mock.restore();
	return {
		"first delivery": first,
		"repeat of a done event": repeatOfDone,
		"repeat in flight": repeatInFlight,
	};
}

function openHandler({ store }: Subject, onMessage: OnMessage): WebhookHandler {
	const on = { inbound_message: onMessage, unknown: () => undefined };
	// The secret of `createWebhookRequest`.
	return createWebhookHandler({ secret: "local-webhook-secret", store, on });
}

/** The text contains the id as well: equal payloads of the same second would have the same signature. */
async function deliver(webhooks: WebhookHandler, eventId: string, expected = 200): Promise<void> {
	const request = createWebhookRequest("inbound_message", { text: eventId }, { eventId });
	const { status } = await webhooks.fetch(request);
	if (status !== expected) throw new Error(`a delivery got ${status} instead of ${expected}`);
}
