import { monotonicNow } from "../runtime.ts";
import type { LeaseTime } from "../store-calls/lease-time.ts";
import { describeStoreFailure } from "../store-calls/store-error.ts";
import type { Processing } from "./claim.ts";
import { readText } from "./decode-payload.ts";
import type { HandlerContext, HandlerEnding } from "./handler-options.ts";
import { LateHeartbeatError, Lease, type LeaseOptions } from "./lease.ts";
import { thrownByStore } from "./report-failure.ts";

/** Does the work under the lease. A promise only if there is something to wait for. */
export function runUnderLease(
	{ key, tenant, body, attempt, store, options, report }: Processing,
	work: (context: HandlerContext) => unknown,
	token: number,
	held: LeaseTime,
): HandlerEnding | Promise<HandlerEnding> {
	const { clock, leaseMs, maxHandlerMs, storeTimeoutMs } = options;
	const controller = new AbortController();
	const { signal } = controller;
	const startedAt = monotonicNow(clock);
	let returned: unknown;
	try {
		returned = work({
			attempt,
			token,
			tenant,
			signal,
			readBody: () => readText(body),
		});
	} catch (error) {
		return { kind: "failed", error };
	}
	// Only an object or a function can be a promise or a thenable.
	if (Object(returned) !== returned) return { kind: "finished" };
	return waitUnderLease(returned, {
		clock,
		leaseMs,
		maxHandlerMs,
		storeTimeoutMs,
		held,
		startedAt,
		signal,
		abort: (error) => controller.abort(error),
		extend: () => store.extend(key, token, leaseMs),
		onLate: (leftMs, error) =>
			report(
				"lease_at_risk",
				error ?? new LateHeartbeatError(),
				describeLate(leftMs, error),
				thrownByStore(error),
			),
	});
}

/** A shared pool also fails at once, or after its own time-out, if handlers hold its connections. */
const OWN_POOL =
	"give the store a Pool of its own, since on a shared one its statements wait for those of handlers. Without the lease a repeat runs beside this run";

function describeLate(leftMs: number, error: unknown): string {
	const left = `Your handler still runs, and its lease ends in ${Math.round(leftMs)} ms`;
	return error === undefined
		? `${left}, because the store hasn't responded: ${OWN_POOL}`
		: `${left}, because the store failed: ${describeStoreFailure(error)}. If the server is up, ${OWN_POOL}`;
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
