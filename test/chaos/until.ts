import { setTimeout as sleep } from "node:timers/promises";

/** Asks again and again, until the answer is yes. @returns whether it was in time. */
export async function until(
	isSo: () => boolean | Promise<boolean>,
	{ forMs, everyMs = 20 }: { forMs: number; everyMs?: number },
): Promise<boolean> {
	const deadline = Date.now() + forMs;
	while (!(await isSo())) {
		if (Date.now() > deadline) return false;
		await sleep(everyMs);
	}
	return true;
}

/** Tries again after a failure, for as long as `forMs`; the last failure is thrown. */
export async function retry<Result>(
	attempt: () => Promise<Result>,
	{ forMs }: { forMs: number },
): Promise<Result> {
	const deadline = Date.now() + forMs;
	for (;;) {
		try {
			return await attempt();
		} catch (error) {
			if (Date.now() > deadline) throw error;
			await sleep(50);
		}
	}
}
