import { runAround } from "../around.ts";
import { WebhookVerificationError } from "../errors.ts";
import { sha256Hex } from "../signing/hash.ts";
import type { ClaimResult, EventStore } from "../stores/event-store.ts";
import { ACKNOWLEDGED, answerWith, type WebhookAnswer } from "./answer.ts";
import type { WebhookEvent } from "./events.ts";
import type {
	HandlerContext,
	HandlerEnding,
	HandlerRunInfo,
	ResolvedHandlerOptions,
} from "./handler-options.ts";
import { Lease } from "./lease.ts";
import { PermanentWebhookError } from "./permanent-error.ts";

/** Tells `onError`, whatever that does. */
export type Report = (error: unknown, hint: string) => void;

/** What to do with an event once it is claimed: run something, acknowledge it unseen, or leave it unacknowledged. */
export type Work =
	| { readonly run: (context: HandlerContext) => unknown }
	| { readonly skip: "acknowledge" | "refuse"; readonly problem?: { error: Error; hint: string } };

/** One event and everything that its processing needs. */
export interface Processing {
	readonly event: WebhookEvent;
	/** What the event came signed with. */
	readonly signature: Uint8Array;
	/** The store's key: consumer and event id. */
	readonly key: string;
	readonly work: Work;
	/** Each of its calls is bounded in time. */
	readonly store: Required<EventStore>;
	readonly options: ResolvedHandlerOptions;
	readonly report: Report;
}

/**
 * The pauses between the tries to note that a handler has finished. A client that has lost its connection refuses at
 * once, and has a new one a moment later.
 */
const COMPLETE_PAUSES_MS = [100, 400, 1_600];

/** The specification shows no retries (section 6.4). */
const NOT_ACKNOWLEDGED =
	"the event is not acknowledged; whether the gateway delivers it again is not specified";

/** How soon the sender may try again where the store does not say. */
const RETRY_MS = 5_000;

/**
 * Processes one event once: binds its signature to it, claims it, does the work under a lease, and says what the sender
 * is answered. The event is acknowledged only when its handler has finished. Never rejects.
 */
export async function processEvent(processing: Processing): Promise<WebhookAnswer> {
	const { event, key, store, work, options, report } = processing;
	let heldSince: number;
	let claim: ClaimResult;
	try {
		if (options.bindSignature && (await bindSignature(processing)) !== event.eventId)
			return refuseReuse(report);
		heldSince = options.clock.now();
		claim = await store.claim(key, { leaseMs: options.leaseMs, retentionMs: options.retentionMs });
	} catch (error) {
		report(error, `the store did not answer; ${NOT_ACKNOWLEDGED}`);
		return answerWith(503, "store_unavailable", RETRY_MS);
	}
	if (claim.status === "done") return ACKNOWLEDGED;
	if (claim.status === "in_flight") return answerWith(503, "in_flight", claim.retryAfterMs);
	const { token, attempt } = claim;
	if ("skip" in work) {
		if (work.problem !== undefined) report(work.problem.error, work.problem.hint);
		if (work.skip === "acknowledge") return await complete(processing, token);
		await release(processing, token);
		return answerWith(500, "schema_rejected");
	}
	const running = runInsideHook(processing, attempt, () =>
		runHandler(processing, work.run, { token, attempt, heldSince }),
	);
	// What has ended already is not waited for.
	return await conclude(processing, token, "kind" in running ? running : await running);
}

/** Binds the signature, which does not cover the event id, to the first id that comes with it, and resolves to that. */
function bindSignature({ event, signature, store, options }: Processing): Promise<string> {
	const { consumer, toleranceSeconds } = options;
	// A delivery may be as old as the tolerance allows, or as new; and the last second counts in full.
	const ttlMs = (2 * toleranceSeconds + 1) * 1000;
	return store.bind(`${consumer}:${sha256Hex(signature)}`, event.eventId, ttlMs);
}

function refuseReuse(report: Report): WebhookAnswer {
	const error = new WebhookVerificationError(
		"event_id_reused",
		"the same signed delivery came before under another event id: it was probably captured and sent again",
	);
	report(error, error.message);
	return answerWith(error.status, error.code);
}

function runInsideHook(
	{ event, options, report }: Processing,
	attempt: number,
	run: () => HandlerEnding | Promise<HandlerEnding>,
): HandlerEnding | Promise<HandlerEnding> {
	const hook = options.hooks?.aroundHandler;
	if (hook === undefined) return run();
	const { eventId, kind } = event;
	const info: HandlerRunInfo = { eventId, kind, consumer: options.consumer, attempt };
	return runAround(hook, {
		info,
		run: async () => run(),
		describe: (settled): HandlerEnding =>
			settled.status === "fulfilled" ? settled.value : { kind: "failed", error: settled.reason },
		onFailure: (error) => report(error, "hooks.aroundHandler failed; the handler runs without it"),
	});
}

function runHandler(
	{ key, store, options }: Processing,
	run: (context: HandlerContext) => unknown,
	{ token, attempt, heldSince }: { token: number; attempt: number; heldSince: number },
): HandlerEnding | Promise<HandlerEnding> {
	const { clock, leaseMs, maxHandlerMs } = options;
	const controller = new AbortController();
	const { signal } = controller;
	const startedAt = clock.now();
	let returned: unknown;
	try {
		returned = run({ attempt, token, signal });
	} catch (error) {
		return { kind: "failed", error };
	}
	// Only an object can be a promise, or act as one.
	if (Object(returned) !== returned) return { kind: "finished" };
	const extend = (): Promise<boolean> => store.extend(key, token, leaseMs);
	const abort = (error: Error): void => controller.abort(error);
	return waitUnderLease(
		returned,
		() => new Lease({ clock, leaseMs, maxHandlerMs, heldSince, startedAt, signal, abort, extend }),
	);
}

async function waitUnderLease(returned: unknown, createLease: () => Lease): Promise<HandlerEnding> {
	let ending: HandlerEnding | undefined;
	const handled = (async (): Promise<HandlerEnding> => {
		try {
			await returned;
			ending = { kind: "finished" };
		} catch (error) {
			ending = { kind: "failed", error };
		}
		return ending;
	})();
	// A handler that has nothing to wait for is over by now: it needs no lease, whose timers cost as much as a store call.
	await undefined;
	if (ending !== undefined) return ending;
	const lease = createLease();
	try {
		// A handler that ignores its signal must not keep the sender waiting for ever.
		return await Promise.race([
			handled,
			lease.over.then((error): HandlerEnding => ({ kind: "over", error })),
		]);
	} finally {
		lease.end();
	}
}

function conclude(
	processing: Processing,
	token: number,
	ending: HandlerEnding,
): WebhookAnswer | Promise<WebhookAnswer> {
	const { report } = processing;
	switch (ending.kind) {
		case "finished":
			return complete(processing, token);
		case "over":
			report(ending.error, `the handler did not stop when its signal fired; ${NOT_ACKNOWLEDGED}`);
			// Until its time was over the lease was ours: nobody else can have finished the event.
			return ending.error.reason === "time"
				? answerWith(503, "handler_timed_out", RETRY_MS)
				: leaseLost(processing);
		case "failed":
			if (ending.error instanceof PermanentWebhookError) {
				report(ending.error, "the handler gave the event up; it is acknowledged");
				return complete(processing, token);
			}
			report(ending.error, `the handler failed; ${NOT_ACKNOWLEDGED}`);
			return release(processing, token).then((isHeld) =>
				isHeld ? answerWith(500, "handler_failed") : leaseLost(processing),
			);
	}
}

/** The work is done: a store that cannot note it is tried again, and the event acknowledged all the same. */
async function complete(processing: Processing, token: number): Promise<WebhookAnswer> {
	const { key, store, options, report } = processing;
	for (let attempt = 0; ; attempt++) {
		try {
			if (await store.complete(key, token, options.retentionMs)) return ACKNOWLEDGED;
			report(
				new Error("the lease was lost"),
				"another worker took the event over; a handler should stop when its signal fires",
			);
			return leaseLost(processing);
		} catch (error) {
			const pauseMs = COMPLETE_PAUSES_MS[attempt];
			if (pauseMs === undefined) {
				report(
					error,
					"the event was processed, but the store could not note it: a repeat would be processed again",
				);
				return ACKNOWLEDGED;
			}
			await new Promise<void>((resolve) => {
				options.clock.setTimer(resolve, pauseMs);
			});
		}
	}
}

/** Whoever holds the event now decides; only one that is done is acknowledged. */
async function leaseLost({ key, store, options }: Processing): Promise<WebhookAnswer> {
	try {
		// This only asks: where nobody holds the event, the claim is over at once.
		const claim = await store.claim(key, { leaseMs: 1, retentionMs: options.retentionMs });
		if (claim.status === "done") return ACKNOWLEDGED;
		if (claim.status === "in_flight") return answerWith(503, "lease_lost", claim.retryAfterMs);
	} catch {
		// The response is the same: not acknowledged.
	}
	return answerWith(503, "lease_lost", RETRY_MS);
}

/**
 * A failed release must not hide why it was tried: the lease ends by itself.
 * @returns `false` where the lease was lost to another worker.
 */
async function release({ key, store, report }: Processing, token: number): Promise<boolean> {
	try {
		return await store.release(key, token);
	} catch (error) {
		report(error, "the store could not let the event go; another delivery runs it when the lease is over");
		return true;
	}
}
