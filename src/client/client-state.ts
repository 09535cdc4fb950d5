import type { Operation } from "../catalogue/operation.ts";
import type { Profile } from "../catalogue/profile.ts";
import { ConfigurationError } from "../errors.ts";
import { type Clock, platformFetch, randomUuid, systemClock } from "../runtime.ts";
import { isUuid } from "../signing/uuid.ts";
import { ClockSkew } from "./clock-skew.ts";
import { Credentials } from "./credentials.ts";
import type { CustomFetch } from "./custom-fetch.ts";
import { Observer } from "./observer.ts";
import { type ClientOptions, mergeHeaders, type ValidationMode } from "./options.ts";
import { toSafeCause } from "./safe-cause.ts";

/** The state that all calls of a client share: its options with their defaults, and what it has learned. */
export class ClientState {
	readonly options: ClientOptions;
	readonly profile: Profile | undefined;
	readonly clock: Clock;
	readonly fetch: CustomFetch;
	readonly headers: Readonly<Record<string, string>>;
	readonly maxResponseBytes: number;
	readonly checkPhoneNumbers: boolean;
	readonly credentials: Credentials;
	readonly skew: ClockSkew;
	readonly observer: Observer;

	/** @param shared - the state shared with a client for another app of the same gateway. */
	constructor(options: ClientOptions, shared?: Pick<ClientState, "skew" | "observer">) {
		this.options = options;
		this.profile = options.profile;
		this.clock = options.clock ?? systemClock;
		this.fetch = options.fetch ?? platformFetch;
		this.headers = mergeHeaders(options.headers);
		this.maxResponseBytes = options.maxResponseBytes ?? 10 * 1024 * 1024;
		this.checkPhoneNumbers = options.checkPhoneNumbers ?? true;
		this.credentials = new Credentials(options);
		this.skew = shared?.skew ?? new ClockSkew(options.correctClockSkew ?? true);
		this.observer = shared?.observer ?? new Observer(options);
	}

	/** A timestamp, on the gateway's clock unless it is given, and a new nonce. */
	createStamp(timestamp = this.skew.correct(this.clock.now())): { timestamp: number; nonce: string } {
		return { timestamp, nonce: this.#createNonce() };
	}

	#createNonce(): string {
		const { createNonce } = this.options;
		if (createNonce === undefined) return randomUuid();
		let nonce: string;
		try {
			nonce = createNonce();
		} catch (error) {
			throw new ConfigurationError("createNonce failed", { cause: toSafeCause(error) });
		}
		// Section 5.1: a UUID, unique per request.
		if (isUuid(nonce)) return nonce;
		throw new ConfigurationError("createNonce must return a UUID");
	}

	/** What happens if the response of this operation does not have the expected shape. */
	validationMode(operation: Operation<unknown, unknown>): ValidationMode {
		const { documented = "throw", provisional = "warn" } = this.options.responseValidation ?? {};
		return operation.isDataDocumented ? documented : provisional;
	}
}
