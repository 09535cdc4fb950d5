import { StoreError } from "../store-calls/store-error.ts";
import type { InboxEnding, InboxResult } from "../stores/inbox.ts";
import { readText } from "./decode-payload.ts";
import { bindingOf } from "./delivery-binding.ts";
import { type EventRunner, toJob } from "./event-runner.ts";
import type {
	HandlerEnding,
	Handling,
	InboxContext,
	ResolvedHandlerOptions,
	WithInbox,
} from "./handler-options.ts";
import { LeaseEndedError } from "./lease.ts";
import { PermanentWebhookError } from "./permanent-error.ts";
import { NOT_ACKNOWLEDGED, type Report } from "./report.ts";
import { reportHandlerFailure, storeUnavailable } from "./report-failure.ts";
import { watchEventIds } from "./reused-ids.ts";
import { chooseWork, runInHook } from "./run-handler.ts";
import { runInInbox } from "./run-in-inbox.ts";
import { nameEvent, readyKey } from "./verified-delivery.ts";
import {
	ACKNOWLEDGED,
	ACKNOWLEDGED_BEFORE,
	RETRY_MS,
	respondWith,
	type WebhookResponse,
} from "./webhook-response.ts";

/** Runs each event in a transaction of the inbox: its record commits with what its handler did, or neither does. */
export function inboxRunner<Transaction>(
	handling: WithInbox<Transaction> & Handling<InboxContext<Transaction>>,
	options: ResolvedHandlerOptions,
): EventRunner {
	const { inbox } = handling;

	const noteEvent = watchEventIds();

	return {
		async ready() {
			const key = readyKey(options);
			const binding = { digest: key, ttlMs: 1_000 };
			const result = await runInInbox(inbox, key, async () => "roll_back", options, binding);
			if (result.status === "broken") throw result.error;
		},
		async run(delivery) {
			const binding = bindingOf(delivery);
			let job = toJob(delivery, options);
			let ended: HandlerEnding = { kind: "finished" };
			let isWorkDone = false;
			const work = async (transaction: Transaction, lost?: AbortSignal): Promise<InboxEnding> => {
				isWorkDone = true;
				noteEvent(job, binding.digest, false);
				const { event, body, tenant } = job;
				const handle = chooseWork(event, handling);
				if (handle === undefined) return "commit";
				ended = await runInHook(job, undefined, () =>
					runInTime(
						(signal) => handle({ transaction, tenant, signal, readBody: () => readText(body) }),
						options,
						lost,
					),
				);
				return chooseEnding(ended);
			};
			try {
				let result = await runInInbox(inbox, job.key, work, options, binding);
				if (result?.status === "bound_elsewhere" && typeof result.boundKey === "string" && !isWorkDone) {
					nameEvent(delivery, result.boundKey);
					job = toJob(delivery, options);
					result = await runInInbox(inbox, job.key, work, options, binding);
				}
				assertInContract(result, isWorkDone);
				if (result.status === "repeated") {
					noteEvent(job, binding.digest, true);
					return ACKNOWLEDGED_BEFORE;
				}
				if (result.status === "in_flight") return respondWith(503, "in_flight", RETRY_MS);
				if (result.status === "broken") {
					job.report("handler_failed", result.error, `${result.error.message}. ${NOT_ACKNOWLEDGED}`);
					return respondWith(500, "handler_failed");
				}
			} catch (error) {
				return storeUnavailable(job.report, error);
			}
			return respondTo(ended, job.report);
		},
	};
}

/** Untyped code may return anything; a result that is taken for an end would acknowledge an event that nobody has seen. */
function assertInContract(result: InboxResult | null | undefined, isWorkDone: boolean): void {
	const status = result?.status ?? "";
	if (status === "ended" ? isWorkDone : ["repeated", "in_flight", "broken"].includes(status)) return;
	throw new StoreError(
		"the inbox must do the work and resolve to a status: ended, repeated, in_flight or broken, or bound_elsewhere and another boundKey",
	);
}

/** Runs a handler until it ends, or until its time is over or its connection lost: its signal fires. Never rejects. */
async function runInTime(
	run: (signal: AbortSignal) => unknown,
	{ clock, maxHandlerMs }: ResolvedHandlerOptions,
	lost: AbortSignal | undefined,
): Promise<HandlerEnding> {
	const controller = new AbortController();
	let cancel: (() => void) | undefined;
	const over = new Promise<HandlerEnding>((resolve) => {
		const end = (reason: LeaseEndedError["reason"]): void => {
			const error = new LeaseEndedError(reason);
			resolve({ kind: "over", error });
			controller.abort(error);
		};
		cancel = clock.setTimer(() => end("time"), maxHandlerMs);
		lost?.addEventListener("abort", () => end("lost"));
	});
	const handled = (async (): Promise<HandlerEnding> => {
		try {
			await run(controller.signal);
			return { kind: "finished" };
		} catch (error) {
			return { kind: "failed", error };
		}
	})();
	try {
		return await Promise.race([handled, over]);
	} finally {
		cancel?.();
	}
}

function chooseEnding(ended: HandlerEnding): InboxEnding {
	if (ended.kind === "finished") return "commit";
	if (ended.kind === "over") return "abandon";
	return ended.error instanceof PermanentWebhookError ? "undo" : "roll_back";
}

/** The response to a run whose transaction has ended as it should. */
function respondTo(ended: HandlerEnding, report: Report): WebhookResponse {
	if (ended.kind === "finished") return ACKNOWLEDGED;
	if (ended.kind === "over") {
		report(
			"handler_timed_out",
			ended.error,
			`Your handler ran longer than maxHandlerMs, so its transaction was undone. Make the handler faster, or raise maxHandlerMs. ${NOT_ACKNOWLEDGED}`,
		);
		return respondWith(503, "handler_timed_out", RETRY_MS);
	}
	return reportHandlerFailure(report, ended.error) ? ACKNOWLEDGED : respondWith(500, "handler_failed");
}
