import { monotonicNow } from "../runtime.ts";
import { boundStore } from "../stores/bound-store.ts";
import type { ClaimResult } from "../stores/event-store.ts";
import { chooseWork } from "./choose-work.ts";
import type { EventRunner } from "./event-runner.ts";
import type { HandlerContext, Handling, ResolvedHandlerOptions, WithStore } from "./handler-options.ts";
import { runInHook, runUnderLease } from "./run-work.ts";
import { complete, conclude, type Processing, storeUnavailable } from "./settle-event.ts";
import { ACKNOWLEDGED_BEFORE, respondWith } from "./webhook-response.ts";

/** Runs each event under a claim of the store: the event is done only when its handler has finished. */
export function claimRunner(
	handling: WithStore & Handling<HandlerContext>,
	{ storeTimeoutMs, clock, leaseMs, retentionMs }: ResolvedHandlerOptions,
): EventRunner {
	const store = boundStore(handling.store, storeTimeoutMs, clock);
	return {
		bind: store.bind,
		async run(job) {
			const { event, tenant, key, report } = job;
			const heldSince = monotonicNow(clock);
			let claim: ClaimResult;
			try {
				// One lease longer than a finished event is kept, so that completing it need not change when its record expires.
				claim = await store.claim(key, { leaseMs, retentionMs: retentionMs + leaseMs });
			} catch (error) {
				return storeUnavailable(report, error);
			}
			if (claim.status === "done") return ACKNOWLEDGED_BEFORE;
			if (claim.status === "in_flight") return respondWith(503, "in_flight", claim.retryAfterMs);
			const { token, attempt } = claim;
			const processing: Processing = { ...job, store, attempt };
			const work = chooseWork(event, handling);
			if (work === undefined) return await complete(processing, token);
			const running = runInHook(job, attempt, () =>
				runUnderLease(processing, work, { tenant, attempt, token, heldSince }),
			);
			// A run that has ended already is not awaited.
			return await conclude(processing, token, "kind" in running ? running : await running);
		},
	};
}
