import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { setImmediate as afterTimers, setTimeout as sleep } from "node:timers/promises";
import {
	createWebhookHandler,
	type EventStore,
	type HandlerContext,
	type WebhookEvent,
	type WebhookHandler,
	type WebhookResponse,
} from "messaging-gateway/webhooks";
import type { Halts } from "./halts.ts";
import type { Journal, Run, RunEnd } from "./journal.ts";
import { Random } from "./random.ts";
import {
	LEASE_MS,
	PROBE_PREFIX,
	type ReceiverSettings,
	RUN_HEADER,
	SECRET,
	STORE_TIMEOUT_MS,
} from "./receiver-settings.ts";

/** Longer than any timer of a lease that is overdue. */
const SETTLE_MS = 5;

/** What one request led to. */
interface Handling {
	run?: Run;
	isFinished: boolean;
	/** Whether the lease still held when the run ended. */
	wasHeld: boolean;
	/** The hints that `onError` got. */
	readonly hints: string[];
}

/** Makes the webhook handler of a receiver. Each response to a run is journaled before it is sent. */
export function createChaosHandler(
	settings: ReceiverSettings,
	{ store, journal, halts }: { store: EventStore; journal: Journal; halts: Halts },
): WebhookHandler {
	const handlings = new AsyncLocalStorage<Handling>();
	const random = new Random(settings.seed * 1_000 + settings.worker);

	async function work({ eventId }: WebhookEvent, { attempt, token, signal }: HandlerContext): Promise<void> {
		const handling = handlings.getStore();
		if (eventId.startsWith(PROBE_PREFIX) || handling === undefined) return;
		const ignoresSignal = random.chance(0.5);
		const run: Run = { id: randomUUID(), eventId, token, worker: String(settings.worker) };
		handling.run = run;
		await journal.begin(run);
		try {
			const workMs = drawWorkMs(random, attempt);
			await sleep(workMs, undefined, ignoresSignal ? {} : { signal });
			if (random.chance(0.02)) throw new Error("it fails before its effect, as it should");
			await halts.reach("handler", run.id);
			const isRejected = !(await journal.write(run));
			// The others complete the event, which the store must reject as well.
			if (isRejected && random.chance(0.5)) throw new Error("a newer run has written");
			if (random.chance(0.01)) throw new Error("it fails after its effect, as it should");
		} catch (error) {
			await journal.fail(run);
			throw error;
		} finally {
			// In a process that was paused, what is overdue comes first; Node runs timers of equal length together, though.
			await sleep(SETTLE_MS);
			await afterTimers();
			handling.wasHeld = !signal.aborted;
		}
		await halts.reach("end", run.id);
		handling.isFinished = true;
	}

	const webhooks = createWebhookHandler({
		store,
		secret: SECRET,
		leaseMs: LEASE_MS,
		storeTimeoutMs: STORE_TIMEOUT_MS,
		maxHandlerMs: 20_000,
		on: { inbound_message: work, inbound_reaction: work, status: work, unknown: work },
		onError: (_error, { hint }) => {
			handlings.getStore()?.hints.push(hint);
		},
	});

	return {
		...webhooks,
		async handle(delivery) {
			const handling: Handling = { isFinished: false, wasHeld: false, hints: [] };
			const response = await handlings.run(handling, () => webhooks.handle(delivery));
			const { run } = handling;
			if (run === undefined) return response;
			await journal.conclude(run, describeEnd(handling, response));
			return { ...response, headers: { ...response.headers, [RUN_HEADER]: String(run.token) } };
		},
	};
}

/** Mostly next to nothing, now and then longer than several heartbeats, and seldom longer than a lease. */
function drawWorkMs(random: Random, attempt: number): number {
	const kind = random.fraction();
	if (kind < 0.01) return LEASE_MS * (1.1 + 0.5 * random.fraction());
	if (kind < 0.04) return LEASE_MS * (0.4 + 0.4 * random.fraction());
	// A second run takes longer, so that the first one meets it.
	if (attempt > 1 && kind < 0.7) return LEASE_MS * (0.1 + 0.5 * random.fraction());
	return 30 * random.fraction();
}

/** Concludes from a response how its run ended. */
function describeEnd({ isFinished, wasHeld, hints }: Handling, { status, body }: WebhookResponse): RunEnd {
	const isNoted = hints.length === 0;
	// After a loss of the record another run may have begun, and have failed, before this one was recorded again.
	const isUnnoted = hints.some((hint) =>
		/the store could not record it|no longer knew of this run/.test(hint),
	);
	// With any other hint the response is not to this run: a 200 means that another one has finished the event.
	const isOurs = isFinished && status === 200 && (isNoted || isUnnoted);
	return {
		wasHeld,
		// The lease held when the run ended, but no longer when the store was called.
		wasRejected: wasHeld && !isOurs && (status === 200 || body === "lease_lost"),
		acknowledged: isOurs ? (isNoted ? "noted" : "unnoted") : null,
	};
}
