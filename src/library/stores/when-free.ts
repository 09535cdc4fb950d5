import { monotonicNow, sleep, systemClock } from "../runtime.ts";
import { findInChain } from "./find-in-chain.ts";

/** The longest wait between two attempts while another process writes to the file. */
const MAX_WAIT_MS = 16;

/** After this time nobody waits for a statement any more. */
const MAX_LOCKED_MS = 60_000;

/** Does something in SQLite once no other process writes to the file: an attempt that finds it locked has no effect. */
export async function whenFree<Result>(work: () => Result | Promise<Result>): Promise<Result> {
	const deadline = monotonicNow(systemClock) + MAX_LOCKED_MS;
	for (let waitMs = 1; ; waitMs = Math.min(2 * waitMs, MAX_WAIT_MS)) {
		try {
			return await work();
		} catch (error) {
			const isLocked = /database is locked/.test(String(findInChain(error, "message")));
			if (!isLocked || monotonicNow(systemClock) + waitMs > deadline) throw error;
		}
		await sleep(waitMs);
	}
}
