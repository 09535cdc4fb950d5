import { runAround } from "../around.ts";
import { monotonicNow } from "../runtime.ts";
import type { Job } from "./event-runner.ts";
import type { HandlerContext, HandlerEnding, HandlerRunInfo } from "./handler-options.ts";
import { Lease, type LeaseOptions } from "./lease.ts";
import type { Processing } from "./settle-event.ts";

/** A run of the work of an event. */
export interface Run {
	readonly tenant: string | undefined;
	readonly attempt: number;
	readonly token: number;
	/** When the lease was requested. */
	readonly heldSince: number;
}

/** Runs a handler inside the hook, if there is one. A promise only if there is something to wait for. */
export function runInHook(
	{ event, options, report }: Job,
	attempt: number | undefined,
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
		onFailure: (error) =>
			report("hook_failed", error, "hooks.aroundHandler failed; the handler runs without it"),
	});
}

/** Does the work under the lease. A promise only if there is something to wait for. */
export function runUnderLease(
	{ key, store, options }: Processing,
	work: (context: HandlerContext) => unknown,
	{ tenant, attempt, token, heldSince }: Run,
): HandlerEnding | Promise<HandlerEnding> {
	const { clock, leaseMs, maxHandlerMs } = options;
	const controller = new AbortController();
	const { signal } = controller;
	const startedAt = monotonicNow(clock);
	let returned: unknown;
	try {
		returned = work({ attempt, token, tenant, signal });
	} catch (error) {
		return { kind: "failed", error };
	}
	// Only an object or a function can be a promise or a thenable.
	if (Object(returned) !== returned) return { kind: "finished" };
	return waitUnderLease(returned, {
		clock,
		leaseMs,
		maxHandlerMs,
		heldSince,
		startedAt,
		signal,
		abort: (error) => controller.abort(error),
		extend: () => store.extend(key, token, leaseMs),
	});
}

async function waitUnderLease(returned: unknown, options: LeaseOptions): Promise<HandlerEnding> {
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
	// A handler that waits for nothing has finished by now: it needs no lease, whose timers cost as much as a store call.
	await undefined;
	if (ending !== undefined) return ending;
	const lease = new Lease(options);
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
