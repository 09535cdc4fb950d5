// A user's `lib` may lack what `using` needs.
/// <reference lib="esnext.disposable" preserve="true" />

import type { Message } from "../catalogue/message.ts";
import type { Profile } from "../catalogue/profile.ts";
import type { Clock } from "../runtime.ts";
import type { AgentActor, ContactActor } from "./actors.ts";
import type { AdjustableClock } from "./adjustable-clock.ts";
import type { RecordedDelivery } from "./deliveries.ts";
import type { Faults } from "./faults.ts";
import type { IncomingRequest } from "./incoming.ts";
import type { RecordedRequest } from "./traffic.ts";

/** What a client needs to talk to a local gateway; spread it into its options. */
export interface LocalClientOptions {
	/** The gateway's address. */
	baseUrl: string;
	/** An app id that it accepts. */
	appId: string;
	/** The App Secret of that app id. */
	appSecret: string;
	/** Reaches the gateway in process. */
	fetch: (url: string, init?: RequestInit) => Promise<Response>;
	/** The gateway's own clock, so that both see the same time. */
	clock: Clock;
	/** The gateway's profile, where it was given one. */
	profile?: Profile;
}

/** A gateway in process. Close it, or use `await using`; between tests, `reset` does as well. */
export interface LocalGateway extends AsyncDisposable {
	/**
	 * Answers a request. It is bound, and rejects with a TypeError only where a fault breaks the connection or
	 * the gateway was closed, and with the signal's reason when the request is aborted.
	 */
	fetch(request: Request): Promise<Response>;
	/**
	 * Answers a request as `fetch` does. For servers, whose requests may be what a Fetch API Request cannot
	 * be: a GET with a body (specification, section 4.1).
	 */
	handle(request: IncomingRequest): Promise<Response>;
	/** The address under which it is reached, without a slash at its end. */
	readonly baseUrl: string;
	/** The app id that it accepts. */
	readonly appId: string;
	/** The App Secret of that app id. */
	readonly appSecret: string;
	/** Signs the webhooks. */
	readonly webhookSecret: string;
	/** Options of a client that talks to it in process. */
	readonly clientOptions: LocalClientOptions;
	/** The time that everything happens in; move it forward with `advance`. */
	readonly clock: AdjustableClock;
	/**
	 * Acts as a contact.
	 * @throws ConfigurationError when the number is not E.164.
	 */
	contact(number: string): ContactActor;
	/** Acts as an agent. */
	agent(number: string): AgentActor;
	/** Makes requests and deliveries go wrong. */
	readonly faults: Faults;
	/** The outbound messages as they stand now, the oldest first. */
	readonly sent: readonly Message[];
	/** The requests that arrived, the oldest first; preflights are left out. */
	readonly requests: readonly RecordedRequest[];
	/** The webhooks and what became of them, the oldest first. */
	readonly deliveries: readonly RecordedDelivery[];
	/**
	 * Resolves when nothing is scheduled or in flight any more. Time moves forward to whatever is due next, so
	 * no test waits for it. A receiver that never answers is waited for: move time past its ten seconds with
	 * `clock.advance`.
	 */
	settled(): Promise<void>;
	/** Sets everything but the time back to the start: state, faults and records. */
	reset(): void;
	/** Stops what is scheduled: no webhook leaves any more, and no request is answered. */
	close(): Promise<void>;
}
