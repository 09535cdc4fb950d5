// A user's `lib` may lack what `using` needs.
/// <reference lib="esnext.disposable" preserve="true" />

import type { Message } from "../../library/catalogue/message.ts";
import type { Profile } from "../../library/catalogue/profile.ts";
import type { Clock } from "../../library/runtime.ts";
import type { AgentActor, ContactActor } from "./actors.ts";
import type { AdjustableClock } from "./adjustable-clock.ts";
import type { RecordedDelivery } from "./delivery.ts";
import type { Faults } from "./faults.ts";
import type { IncomingRequest } from "./incoming.ts";
import type { RecordedRequest } from "./traffic.ts";

/** The options of a client of a local gateway. Spread them into the client's options. */
export interface LocalClientOptions {
	/** The gateway's address. */
	baseUrl: string;
	/** An app id that the gateway accepts. */
	appId: string;
	/** The App Secret of that app id. */
	appSecret: string;
	/** Calls the gateway in your process. */
	fetch: (url: string, init?: RequestInit) => Promise<Response>;
	/** Allows the App Secret in a page, or in a test that simulates one, since it is no secret. */
	dangerouslyAllowBrowser: true;
	/** The gateway's clock, so that client and gateway have the same time. */
	clock: Clock;
	/** The gateway's profile, if it has one. */
	profile?: Profile;
}

/** A gateway in your process. Close it, or use `await using`. Between tests, `reset` is enough. */
export interface LocalGateway extends AsyncDisposable {
	/**
	 * Responds to a request. You can call it without its object. It rejects with a TypeError if a fault breaks the
	 * connection or the gateway was closed, and with the signal's reason if the request is aborted.
	 */
	fetch(request: Request): Promise<Response>;
	/**
	 * Responds to a request like `fetch`, for servers. They may receive a GET with a body, which a Fetch API Request
	 * can't represent.
	 * @see Specification, section 4.1
	 */
	handle(request: IncomingRequest): Promise<Response>;
	/** The base URL, without a trailing slash. */
	readonly baseUrl: string;
	/** The app id that the gateway accepts. */
	readonly appId: string;
	/** The App Secret of that app id. */
	readonly appSecret: string;
	/** The secret that signs the webhooks. */
	readonly webhookSecret: string;
	/** The options of a client that talks to it in your process. */
	readonly clientOptions: LocalClientOptions;
	/** The gateway's clock. Move it forward with `advance`. */
	readonly clock: AdjustableClock;
	/**
	 * Acts as a contact.
	 * @param handle - a number in E.164, an e-mail address, or a short code.
	 * @throws ConfigurationError (`configuration`) if it is none of them.
	 */
	contact(handle: string): ContactActor;
	/** Acts as an agent. Its methods throw a ConfigurationError when no agent has the number. */
	agent(number: string): AgentActor;
	/** Injects faults into requests and deliveries. */
	readonly faults: Faults;
	/** The outbound messages in their current state, the oldest first. */
	readonly sent: readonly Message[];
	/** The received requests except preflights, the oldest first. */
	readonly requests: readonly RecordedRequest[];
	/** The webhooks and the state of their deliveries, the oldest first. */
	readonly deliveries: readonly RecordedDelivery[];
	/**
	 * Resolves when nothing is scheduled or in flight. The clock moves forward to each due task, so your test doesn't
	 * wait in real time. A receiver that never responds keeps `settled` waiting: move the clock past the time-out of
	 * ten seconds with `clock.advance`.
	 */
	settled(): Promise<void>;
	/** Resets everything except the time: state, faults and records. */
	reset(): void;
	/** Stops all scheduled work. It sends no further webhook, and further requests fail. */
	close(): Promise<void>;
}
