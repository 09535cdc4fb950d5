import { type Contract, callStore } from "../store-calls/call-store.ts";
import { StoreError } from "../store-calls/store-error.ts";
import type { DeliveryBinding } from "../stores/event-store.ts";
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
import { createReport, NOT_ACKNOWLEDGED, type Report } from "./report.ts";
import { reportHandlerFailure, storeUnavailable } from "./report-failure.ts";
import { watchEventIds } from "./reused-ids.ts";
import { chooseWork, runInHook } from "./run-handler.ts";
import { runInInbox } from "./run-in-inbox.ts";
import { eventKeyOf, nameEvent, readyKey } from "./verified-delivery.ts";
import {
	ACKNOWLEDGED,
	ACKNOWLEDGED_BEFORE,
	RETRY_MS,
	respondWith,
	type WebhookResponse,
} from "./webhook-response.ts";

const BOUND_KEY: Contract = {
	rule: "the bound key, a string",
	holds: (value) => typeof value === "string",
};

/** Runs each event in a transaction of the inbox: its record commits with what its handler did, or neither does. */
export function inboxRunner<Transaction>(
	handling: WithInbox<Transaction> & Handling<InboxContext<Transaction>>,
	options: ResolvedHandlerOptions,
): EventRunner {
	const { inbox } = handling;

	const noteEvent = watchEventIds();

	function bind(key: string, binding: DeliveryBinding): Promise<string> {
		return callStore(inbox, "bind", () => inbox.bind(key, binding, options), BOUND_KEY, options);
	}

	return {
		async ready() {
			const key = readyKey(options);
			await bind(key, { digest: key, ttlMs: 1_000 });
			const result = await runInInbox(inbox, key, async () => "roll_back", options);
			if (result.status === "broken") throw result.error;
		},
		async run(delivery) {
			const binding = bindingOf(delivery);
			try {
				nameEvent(delivery, await bind(eventKeyOf(delivery), binding));
			} catch (error) {
				return storeUnavailable(createReport(delivery, delivery.event), error);
			}
			const job = toJob(delivery, options);
			const { event, body, tenant, key, report } = job;
			const work = chooseWork(event, handling);
			let ended: HandlerEnding = { kind: "finished" };
			let isWorkDone = false;
			try {
				const result = await runInInbox(
					inbox,
					key,
					async (transaction, lost) => {
						isWorkDone = true;
						noteEvent(job, binding.digest, false);
						if (work === undefined) return "commit";
						ended = await runInHook(job, undefined, () =>
							runInTime(
								(signal) =>
									work({
										transaction,
										tenant,
										signal,
										readBody: () => readText(body),
									}),
								options,
								lost,
							),
						);
						return chooseEnding(ended);
					},
					options,
				);
				assertInContract(result, isWorkDone);
				if (result.status === "repeated") {
					noteEvent(job, binding.digest, true);
					return ACKNOWLEDGED_BEFORE;
				}
				if (result.status === "in_flight") return respondWith(503, "in_flight", RETRY_MS);
				if (result.status === "broken") {
					report("handler_failed", result.error, `${result.error.message}; ${NOT_ACKNOWLEDGED}`);
					return respondWith(500, "handler_failed");
				}
			} catch (error) {
				return storeUnavailable(report, error);
			}
			return respondTo(ended, report);
		},
	};
}

/** Untyped code may return anything; a result that is taken for an end would acknowledge an event that nobody has seen. */
function assertInContract(result: InboxResult | null | undefined, isWorkDone: boolean): void {
	const status = result?.status ?? "";
	if (status === "ended" ? isWorkDone : ["repeated", "in_flight", "broken"].includes(status)) return;
	throw new StoreError(
		"the inbox must do the work and resolve to a status: ended, repeated, in_flight or broken",
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
			`the handler did not end in time, and its transaction was undone; ${NOT_ACKNOWLEDGED}`,
		);
		return respondWith(503, "handler_timed_out", RETRY_MS);
	}
	return reportHandlerFailure(report, ended.error) ? ACKNOWLEDGED : respondWith(500, "handler_failed");
}
