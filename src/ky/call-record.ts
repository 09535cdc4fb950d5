import type { AttemptFailure } from "../client/attempt.ts";
import { combineOutcomes, type ReadResponse } from "../client/response.ts";
import type { CallContext, Outcome } from "../errors.ts";

/** One request that left, or tried to. */
export interface SentAttempt {
	/** What is known of it; nothing, until a response has come. */
	outcome: Outcome;
	read: ReadResponse | undefined;
	failure: AttemptFailure | undefined;
}

/** The limits of a call, in milliseconds, as ky has them. */
interface CallLimits {
	timeout: number | false;
	totalTimeout: number | false;
}

/** ky hands on to `fetch` and to its hooks what it does not know, so a call's record reaches both under this name. */
const OPTION = "messagingGatewayCall";

/** What is known of one call of ky, over all its attempts. */
export class CallRecord {
	readonly limits: CallLimits;
	/** When the call began, by a clock that runs evenly. */
	readonly startedAt: number;
	/** What the attempt before the current one ended with. */
	previousError: Error | undefined;
	/** Whether our `fetch` was reached. If another one replaces it, nothing shows what was sent. */
	isObserved = false;
	readonly #attempts: SentAttempt[] = [];

	constructor(limits: CallLimits, startedAt: number) {
		this.limits = limits;
		this.startedAt = startedAt;
	}

	/** The record among the options that ky hands on; none if a hook or `fetch` of the user's removed it. */
	static find(options: object | undefined): CallRecord | undefined {
		const record: unknown = options === undefined ? undefined : Reflect.get(options, OPTION);
		return record instanceof CallRecord ? record : undefined;
	}

	/** A record for a request that our `init` hook has not seen. */
	static unlimited(): CallRecord {
		return new CallRecord({ timeout: false, totalTimeout: false }, 0);
	}

	/** Puts the record among the options of its call. */
	joinOptions(options: object): void {
		Object.assign(options, { [OPTION]: this });
	}

	/** Notes that a request is leaving. */
	begin(): SentAttempt {
		const attempt: SentAttempt = { outcome: "unknown", read: undefined, failure: undefined };
		this.#attempts.push(attempt);
		return attempt;
	}

	/** The attempt that was begun last. */
	get last(): SentAttempt | undefined {
		return this.#attempts.at(-1);
	}

	/** What every error of the call has. */
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

/** The options that ky hands on to `fetch`, without the record. */
export function withoutRecord(options: object | undefined): object {
	return Object.fromEntries(Object.entries(options ?? {}).filter(([name]) => name !== OPTION));
}
