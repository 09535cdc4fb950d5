/** A process that receives webhooks and may be killed at any time. It prints its port when it is ready. */
import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { postgresInbox } from "messaging-gateway/stores/postgres";
import {
	createWebhookHandler,
	type HandlerContext,
	type InboxContext,
	type WebhookEvent,
	type WebhookHandler,
	type WebhookResponse,
} from "messaging-gateway/webhooks";
import { toNode } from "messaging-gateway/webhooks/node";
import type pg from "pg";
import { serve } from "../../support/serve.ts";
import { readSettings } from "../children.ts";
import { Random } from "../random.ts";
import { INSERT_DONE, Journal, type Run } from "./journal.ts";
import { openPool, openStore } from "./open-store.ts";
import { LEASE_MS, type ReceiverSettings, SECRET, STORE_TIMEOUT_MS } from "./settings.ts";
import type { JournaledRun } from "./verdict.ts";

/** Longer than any timer of a lease that is overdue. */
const SETTLE_MS = 5;
const COMMON = {
	secret: SECRET,
	storeTimeoutMs: STORE_TIMEOUT_MS,
	maxHandlerMs: 20_000,
	// In the end, each event comes again as it was signed first.
	toleranceSeconds: 3_600,
};

/** What one request led to. */
interface Handling {
	run?: Run;
	isFinished: boolean;
	/** Whether the lease still held when the run ended. */
	wasHeld: boolean;
	/** The hints that `onError` got. */
	readonly hints: string[];
}

const { seed, worker, store, hasInbox, journalUrl } = readSettings<ReceiverSettings>();
const random = new Random(seed * 1_000 + worker);
const webhooks = hasInbox ? receiveInTransactions() : await receiveOverStore();
const { url } = await serve(toNode(webhooks));
console.log(new URL(url).port);

/** Each run is written in its transaction. */
function receiveInTransactions(): WebhookHandler {
	const work = async ({ eventId }: WebhookEvent, context: InboxContext<pg.ClientBase>): Promise<void> => {
		await sleep(drawWorkMs());
		await context.transaction.query(INSERT_DONE, [eventId, worker]);
		if (random.chance(0.02)) throw new Error("it fails after its effect, as it should");
		await sleep(drawWorkMs());
	};
	const inbox = postgresInbox(openPool(store.address));
	return createWebhookHandler<pg.ClientBase>({
		...COMMON,
		inbox,
		on: eachKind(work),
		onError: () => undefined,
	});
}

/** Each run is written beside the store, and each response to it before it is sent. */
async function receiveOverStore(): Promise<WebhookHandler> {
	const journal = new Journal(journalUrl);
	const handlings = new AsyncLocalStorage<Handling>();

	async function work({ eventId }: WebhookEvent, { attempt, token, signal }: HandlerContext): Promise<void> {
		const handling = handlings.getStore();
		if (handling === undefined) return;
		const run: Run = { id: randomUUID(), eventId, token, worker };
		handling.run = run;
		const ignoresSignal = random.chance(0.5);
		await journal.begin(run);
		let hasEffect = false;
		try {
			await sleep(drawWorkMs(attempt), undefined, ignoresSignal ? {} : { signal });
			if (random.chance(0.02)) throw new Error("it fails before its effect, as it should");
			hasEffect = true;
			if (random.chance(0.01)) throw new Error("it fails after its effect, as it should");
		} finally {
			await journal.end(run, hasEffect);
			// In a process that had to wait, the timers that are overdue come first.
			await sleep(SETTLE_MS);
			handling.wasHeld = !signal.aborted;
		}
		handling.isFinished = true;
	}

	const webhooks = createWebhookHandler({
		...COMMON,
		store: await openStore(store, worker),
		leaseMs: LEASE_MS,
		on: eachKind(work),
		onError: (_error, { hint }) => {
			handlings.getStore()?.hints.push(hint);
		},
	});
	return {
		...webhooks,
		async handle(delivery) {
			const handling: Handling = { isFinished: false, wasHeld: false, hints: [] };
			const response = await handlings.run(handling, () => webhooks.handle(delivery));
			const { run, wasHeld } = handling;
			if (run) await journal.conclude(run, { wasHeld, acknowledged: findAcknowledged(handling, response) });
			return response;
		},
	};
}

/** Every kind of event, to one handler. */
function eachKind<Work>(work: Work) {
	return { inbound_message: work, inbound_reaction: work, status: work, unknown: work };
}

/** Mostly next to nothing, now and then longer than several heartbeats, and seldom longer than a lease. */
function drawWorkMs(attempt = 1): number {
	const kind = random.fraction();
	if (kind < 0.01) return LEASE_MS * (1.1 + 0.5 * random.fraction());
	if (kind < 0.04) return LEASE_MS * (0.4 + 0.4 * random.fraction());
	// A second run takes longer, so that the first one meets it.
	if (attempt > 1 && kind < 0.7) return LEASE_MS * (0.1 + 0.5 * random.fraction());
	return 30 * random.fraction();
}

/** Concludes from a response whether its run was acknowledged, and whether the store could record it. */
function findAcknowledged(
	{ isFinished, hints }: Handling,
	{ status }: WebhookResponse,
): JournaledRun["acknowledged"] {
	if (!isFinished || status !== 200) return null;
	if (hints.length === 0) return "noted";
	// With any other hint the response is not to this run: a 200 means that another one has finished the event. After a
	// loss of the record another run may have begun, and have failed, before this one was recorded again.
	const isUnnoted = /the store could not record it|no longer knew of this run/;
	return hints.some((hint) => isUnnoted.test(hint)) ? "unnoted" : null;
}
