import { StoreError } from "../store-calls/store-error.ts";
import type { DeliveryBinding } from "../stores/event-store.ts";
import type { Inbox, InboxEnding, InboxResult, InboxTimes } from "../stores/inbox.ts";

/** What an inbox does after the work: it commits, and may look up whether that happened. */
const STEPS_AFTER_WORK = 2;

/**
 * Does work in a transaction of an inbox that may be anybody's. The inbox has `storeTimeoutMs` to begin, and for each step
 * after the work, which has a limit of its own. Work that begins when nobody waits any more does nothing.
 * @throws StoreError if the inbox takes too long; otherwise what it throws.
 */
export function runInInbox<Transaction>(
	inbox: Inbox<Transaction>,
	key: string,
	work: (transaction: Transaction, lost?: AbortSignal) => Promise<InboxEnding>,
	times: InboxTimes,
	binding: DeliveryBinding,
): Promise<InboxResult> {
	const { storeTimeoutMs, clock } = times;
	return new Promise((resolve, reject) => {
		let isOver = false;
		let cancel = (): void => undefined;
		const limit = (steps: number): void => {
			cancel = clock.setTimer(() => {
				isOver = true;
				reject(new StoreError(`no response within storeTimeoutMs, ${storeTimeoutMs} ms`));
			}, steps * storeTimeoutMs);
		};
		limit(1);
		const running = inbox.run(
			key,
			async (transaction, lost) => {
				if (isOver) return "roll_back";
				cancel();
				const ending = await work(transaction, lost);
				limit(STEPS_AFTER_WORK);
				return ending;
			},
			times,
			binding,
		);
		// Untyped code may return no promise.
		Promise.resolve(running).then(
			(result) => {
				cancel();
				resolve(result);
			},
			(error: unknown) => {
				cancel();
				reject(error);
			},
		);
	});
}
