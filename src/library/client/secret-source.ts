import { ConfigurationError } from "../errors.ts";
import { rethrowControlFlow } from "../host.ts";
import { type Clock, monotonicNow, systemClock } from "../runtime.ts";
import { constantTimeEqual, viewBytes } from "../signing/bytes.ts";
import { copySecret } from "../signing/decode-secret.ts";
import type { Deadline } from "./deadline.ts";
import { assertAppSecret, type ClientOptions } from "./options.ts";
import { toSafeCause } from "./safe-cause.ts";

/** How often a 401 may call the function: in an outage of 401s it would be called for every call. */
const REFETCH_INTERVAL_MS = 10_000;

type Secret = string | Uint8Array;

/** A function that fetches the secret, and the last secret that it returned. */
export class SecretSource {
	readonly #fetch: () => Secret | Promise<Secret>;
	/** The secret in use, and the number of the fetch that returned it. */
	#known: { readonly secret: Secret; readonly fetchNumber: number } | undefined;
	/** A fetch under way, which later calls share. */
	#pending: Promise<Secret> | undefined;
	#fetchCount = 0;
	/** When a 401 last called the function, on the monotonic clock. */
	#refetchedAt = Number.NEGATIVE_INFINITY;
	readonly #clock: Clock;
	readonly #profile: ClientOptions["profile"];

	constructor(
		fetch: () => Secret | Promise<Secret>,
		{ clock = systemClock, profile }: Pick<ClientOptions, "clock" | "profile">,
	) {
		this.#fetch = fetch;
		this.#clock = clock;
		this.#profile = profile;
	}

	/** The secret in use, or the first one. */
	read(deadline: Deadline): Secret | Promise<Secret> {
		return this.#known?.secret ?? this.#fetchSecret(deadline);
	}

	/**
	 * The secret in use if it is not the rejected one, since a parallel call may have fetched it already; otherwise the
	 * function's new result, which a 401 asks for every ten seconds at most. Until that arrives, the rejected secret
	 * stays in use.
	 */
	readOther(rejected: Secret, deadline: Deadline): Secret | Promise<Secret> {
		const known = this.#known?.secret;
		if (known !== undefined && known !== rejected) return known;
		if (this.#pending === undefined) {
			const now = monotonicNow(this.#clock);
			if (now - this.#refetchedAt < REFETCH_INTERVAL_MS) return rejected;
			this.#refetchedAt = now;
		}
		return this.#fetchSecret(deadline);
	}

	async #fetchSecret(deadline: Deadline): Promise<Secret> {
		this.#pending ??= this.#startFetch();
		const pending = this.#pending;
		try {
			return await deadline.limit(pending);
		} catch (error) {
			// After a failure or time-out the next call fetches again.
			if (this.#pending === pending) this.#pending = undefined;
			throw error;
		}
	}

	async #startFetch(): Promise<Secret> {
		this.#fetchCount += 1;
		const fetchNumber = this.#fetchCount;
		let secret: Secret;
		try {
			secret = this.#copy(await this.#fetch());
		} catch (error) {
			rethrowControlFlow(error);
			throw new ConfigurationError(
				"Your appSecret function threw, and nothing was sent. Its error is left out, since it may hold the secret: log it in the function",
				{ cause: toSafeCause(error) },
			);
		}
		assertAppSecret(secret, this.#profile);
		// A late result must not replace that of a later fetch.
		if (fetchNumber > (this.#known?.fetchNumber ?? 0)) this.#known = { secret, fetchNumber };
		if (fetchNumber === this.#fetchCount) this.#pending = undefined;
		return secret;
	}

	/** The secret in use if nothing changed: a function may make new bytes each time, and only another secret is worth a try. */
	#copy(fetched: Secret): Secret {
		const known = viewBytes(this.#known?.secret);
		const bytes = viewBytes(fetched);
		const isKnown = known !== undefined && bytes !== undefined && constantTimeEqual(known, bytes);
		return isKnown ? known : copySecret(fetched);
	}
}
