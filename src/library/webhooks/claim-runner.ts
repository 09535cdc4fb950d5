import { boundStore } from "../stores/bound-store.ts";
import type { ClaimResult } from "../stores/event-store.ts";
import { complete, conclude, giveBack, type Processing, release } from "./claim.ts";
import { bindingOf } from "./delivery-binding.ts";
import { type EventRunner, toJob } from "./event-runner.ts";
import type { HandlerContext, Handling, ResolvedHandlerOptions, WithStore } from "./handler-options.ts";
import { measureLease } from "./lease.ts";
import { createReport } from "./report.ts";
import { storeUnavailable } from "./report-failure.ts";
import { watchEventIds } from "./reused-ids.ts";
import { chooseWork, runInHook } from "./run-handler.ts";
import { runUnderLease } from "./run-under-lease.ts";
import { eventKeyOf, nameEvent, readyKey } from "./verified-delivery.ts";
import { ACKNOWLEDGED_BEFORE, respondWith } from "./webhook-response.ts";

/** Runs each event under a claim of the store: the event is done only when its handler has finished. */
export function claimRunner(
	handling: WithStore & Handling<HandlerContext>,
	options: ResolvedHandlerOptions,
): EventRunner {
	const { leaseMs, retentionMs } = options;
	const store = boundStore(handling.store, options);
	// One lease longer than a finished event is kept, so that completing it need not change when its record expires.
	const times = { leaseMs, retentionMs: retentionMs + leaseMs };
	const noteEvent = watchEventIds();

	return {
		async ready() {
			const key = readyKey(options);
			const claim = await store.claim(key, { leaseMs, retentionMs: leaseMs });
			if (claim.status === "acquired") await store.release(key, claim.token, { unused: true });
		},
		async run(delivery) {
			let held = measureLease(options);
			const binding = bindingOf(delivery);
			let claim: ClaimResult;
			try {
				claim = await store.claim(eventKeyOf(delivery), times, binding);
				nameEvent(delivery, claim.boundKey);
			} catch (error) {
				return storeUnavailable(createReport(delivery, delivery.event), error);
			}
			if (claim.status === "in_flight") return respondWith(503, "in_flight", claim.retryAfterMs);
			const job = toJob(delivery, options);
			noteEvent(job, binding.digest, claim.status === "done");
			if (claim.status === "done") return ACKNOWLEDGED_BEFORE;
			const { token, attempt } = claim;
			const report = createReport(delivery, job.event, attempt);
			const processing: Processing = { ...job, store, attempt, report };
			// After a process stood still or slept, the answer of the store may come first, and timers after it: the store is asked.
			if (!held().isCertain) {
				const asked = measureLease(options);
				try {
					if (await store.extend(job.key, token, leaseMs)) held = asked;
				} catch (error) {
					await release(processing, token, { unused: true });
					return storeUnavailable(job.report, error);
				}
				if (!held().isCertain) return await giveBack(processing, token);
			}
			const work = chooseWork(job.event, handling);
			if (work === undefined) return await complete(processing, token);
			const running = runInHook(job, attempt, () => runUnderLease(processing, work, token, held));
			// A run that has ended already is not awaited.
			return await conclude(processing, token, "kind" in running ? running : await running);
		},
	};
}
