import type { AttemptFailure } from "../client/attempt-failure.ts";
import { combineOutcomes, type ReadResponse } from "../client/response.ts";
import type { CallContext, Outcome } from "../errors.ts";

/** An attempt to send the request. */
export interface SentAttempt {
	/** `"unknown"` until the attempt has ended. */
	outcome: Outcome;
	read: ReadResponse | undefined;
	failure: AttemptFailure | undefined;
	/** Whether a copy may have been rejected because it came too late, and the request itself accepted. */
	mayBeLateCopy: boolean;
}

/** The limits of a call, in milliseconds, as ky has them. */
interface KyLimits {
	timeout: number | false;
	totalTimeout: number | false;
}

/** The option that carries a call's record: ky passes options that it does not know to `fetch` and its hooks. */
const OPTION = "messagingGatewayCall";

/** The attempts of one call of ky, and what its errors report about them. */
export class CallRecord {
	readonly limits: KyLimits;
	/** When the call began, on the monotonic clock, in milliseconds. */
	readonly startedAt: number;
	/** The error of the previous attempt. */
	previousError: Error | undefined;
	/** Whether our `fetch` was reached. If another one replaces it, nothing shows what was sent. */
	isObserved = false;
	readonly #attempts: SentAttempt[] = [];

	constructor(limits: KyLimits, startedAt: number) {
		this.limits = limits;
		this.startedAt = startedAt;
	}

	/** Finds the record in the options that ky passes on; `undefined` if the user's hook or `fetch` removed it. */
	static find(options: object | undefined): CallRecord | undefined {
		const record: unknown = options === undefined ? undefined : Reflect.get(options, OPTION);
		return record instanceof CallRecord ? record : undefined;
	}

	/** A record for a request that our `init` hook has not seen. */
	static unlimited(): CallRecord {
		return new CallRecord({ timeout: false, totalTimeout: false }, 0);
	}

	joinOptions(options: object): void {
		Object.assign(options, { [OPTION]: this });
	}

	/** Adds an attempt, which the caller completes. */
	begin(): SentAttempt {
		const attempt: SentAttempt = {
			outcome: "unknown",
			read: undefined,
			failure: undefined,
			mayBeLateCopy: false,
		};
		this.#attempts.push(attempt);
		return attempt;
	}

	get last(): SentAttempt | undefined {
		return this.#attempts.at(-1);
	}

	get context(): CallContext {
		const outcomes = this.#attempts.map(({ outcome }) => outcome);
		return {
			operationId: "ky",
			outcome: outcomes.reduce(combineOutcomes, this.isObserved ? "not_sent" : "unknown"),
			attempts: outcomes.length,
			clockOffsetMs: undefined,
		};
	}
}

/** The options that ky passes to `fetch`, without the record. */
export function withoutRecord(options: object | undefined): object {
	return Object.fromEntries(Object.entries(options ?? {}).filter(([name]) => name !== OPTION));
}
