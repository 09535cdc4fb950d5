import { setTimeout as sleep } from "node:timers/promises";
import { WAIT_MS } from "../support/patience.ts";

/** Polls until a condition is met. @returns whether it was met before the patience of tests ends. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<boolean> {
	const deadline = Date.now() + WAIT_MS;
	while (!(await isSo())) {
		if (Date.now() > deadline) return false;
		await sleep(20);
	}
	return true;
}

/** Tries again after a failure, for as long as the patience of tests lasts; the last failure is thrown. */
export async function retry<Result>(attempt: () => Promise<Result>): Promise<Result> {
	const deadline = Date.now() + WAIT_MS;
	for (;;) {
		try {
			return await attempt();
		} catch (error) {
			if (Date.now() > deadline) throw error;
			await sleep(50);
		}
	}
}
