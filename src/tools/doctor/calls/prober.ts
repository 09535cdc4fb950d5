import { defineOperation } from "../../../library/catalogue/operation.ts";
import type { Schema } from "../../../library/catalogue/schema.ts";
import type { callerOfClient } from "../../../library/client/bound-caller.ts";
import type { CustomFetch, FetchInit, FetchResponse } from "../../../library/client/custom-fetch.ts";
import type { ClientOptions } from "../../../library/client/options.ts";
import {
	ApiError,
	ConnectionError,
	ResponseShapeError,
	shownGatewayCode,
	TimeoutError,
} from "../../../library/errors.ts";
import { isBrowser } from "../../../library/host.ts";
import { type EnvironmentProxy, findEnvironmentProxy } from "../../environment-proxy.ts";
import { PROBE_AGENT } from "../../probe-agent.ts";
import { fetchDirectly, toolFetch, toolProxy } from "../../tool-fetch.ts";
import { type ClockSample, readSamples } from "./clock.ts";
import type { DiagnosisCheck } from "./diagnosis.ts";
import { judgeProbe, type Probe, type ProbeEnding, type SentProbe } from "./probe.ts";
import { type CallEnd, type Observed, readCallEnd, toProbeFailure } from "./probe-response.ts";
import { toChoices } from "./signing-form.ts";
import type { TimeLimit } from "./time-limit.ts";

/** What a client calls with: the one door into it. */
export type ClientCaller = ReturnType<typeof callerOfClient>;

/** Requests made one after the other leave few connections alive; each of these may break once. */
const MAX_KEPT_CONNECTIONS = 2;

/** How often a request is made again after the wait that a 429 asks for, and how long that may be. */
const MAX_WAITS = 3;
const MAX_WAIT_MS = 10_000;

/** A request that was made, and how it ended unless the diagnosis was aborted. */
interface MadeProbe {
	readonly probe: Probe;
	readonly ending: ProbeEnding | undefined;
	readonly durationMs: number;
}

/** Accepts every input and every response: what was responded is judged here. */
export const ANYTHING: Schema<unknown> = {
	"~standard": { version: 1, vendor: "messaging-gateway", validate: (value) => ({ value }) },
};

/** Keeps a request from being sent. */
const REHEARSED = /* @__PURE__ */ new Error("rehearsed");

/** Makes the requests of one diagnosis as calls of the client, each in the form that is tried. */
export class Prober {
	/** The marks of the responses to wrong signatures, as far as they are known: outcomes are judged by them. */
	readonly rejections = new Set<string>();
	readonly samples: ClockSample[] = [];
	readonly baseUrl: string;
	/** The proxy of the environment through which the client's requests go. */
	readonly proxy: EnvironmentProxy | undefined;
	/** The longest that one request may take, in milliseconds. */
	readonly timeoutMs: number;
	readonly #caller: ClientCaller;
	readonly #limit: TimeLimit;
	readonly #made: MadeProbe[] = [];
	readonly #nonces: string[] = [];
	/** What the secret's function returned last. */
	#secret: Promise<string | Uint8Array> | undefined;

	constructor(caller: ClientCaller, limit: TimeLimit) {
		this.baseUrl = caller.credentials.baseUrl().href;
		this.proxy = findProxyOf(caller.options, new URL(this.baseUrl));
		this.timeoutMs = caller.limits.attemptTimeoutMs;
		this.#caller = caller;
		this.#limit = limit;
	}

	/** Every request that was made, in order, judged by what is known now. */
	get checks(): DiagnosisCheck[] {
		return this.#made.map((made) => toCheck(made, this.rejections));
	}

	/** Whether the responses to wrong signatures can only be about the signature, not about a field, a path or a permission. */
	get isRejectionClear(): boolean {
		return [...this.rejections].every((mark) => mark.startsWith("[401,"));
	}

	/** Whether any request got a response yet. */
	get hasResponses(): boolean {
		return this.checks.some(({ probe, status }) => status !== undefined && probe !== "health_without_proxy");
	}

	/** Whether two requests got the same nonce. */
	get hasRepeatedNonce(): boolean {
		return new Set(this.#nonces).size < this.#nonces.length;
	}

	/**
	 * Signs a probe without sending it: missing credentials are reported before anything is sent.
	 * @throws ConfigurationError (`configuration`) as every signed call does.
	 */
	async rehearse(probe: Probe): Promise<void> {
		await this.#call(probe, { fetch: () => Promise.reject(REHEARSED) });
	}

	/**
	 * Makes one request, again if it broke on a connection that may have been kept alive, which gateways close at any
	 * time, or after the wait that a 429 asks for once the diagnosis itself has reached a limit. Every response and network
	 * failure is a result.
	 * @throws ConfigurationError (`configuration`) if it cannot be signed.
	 * @throws the reason of the time limit's signal once it is over.
	 */
	async send(probe: Probe): Promise<ProbeEnding> {
		let repeatsLeft = this.hasResponses ? MAX_KEPT_CONNECTIONS : 0;
		let waitsLeft = MAX_WAITS;
		for (;;) {
			const ending = await this.#sendOnce(probe);
			const waitMs = this.#waitAfter(ending);
			if (waitMs !== undefined && waitsLeft-- > 0) await this.#limit.sleep(waitMs);
			else if (!hasBroken(ending) || repeatsLeft-- === 0) return ending;
		}
	}

	/** How long to wait for a gateway that limits the requests of this diagnosis; `undefined` for no other try. */
	#waitAfter(ending: ProbeEnding): number | undefined {
		const isFirst = this.#made.every((made) => statusOf(made) === 429);
		if (isFirst || !("read" in ending) || ending.read.status !== 429) return undefined;
		const { retryAfterMs = Number.POSITIVE_INFINITY } = ending.read;
		return retryAfterMs < Math.min(MAX_WAIT_MS, this.#limit.remainingMs()) ? retryAfterMs : undefined;
	}

	async #sendOnce(probe: Probe): Promise<ProbeEnding> {
		const { clock } = this.#caller;
		const startedAt = clock.now();
		const observed: Observed = { url: "", timestamp: Number.NaN, receivedAt: startedAt };
		let ending: ProbeEnding | undefined;
		try {
			const result = await this.#call(probe, this.#observe(probe, observed));
			const { url, timestamp } = observed;
			const { method, path } = probe.target;
			const sent: SentProbe = {
				where: `${method} ${path}`,
				url,
				baseUrl: probe.baseUrl ?? this.baseUrl,
				timestamp,
			};
			const { head } = observed;
			const read = "failure" in result ? undefined : readCallEnd(result, observed);
			if (read !== undefined) this.samples.push(...readSamples(read));
			ending =
				read === undefined
					? { ...sent, outcome: "no_response", failure: toProbeFailure(result), status: head?.status }
					: { ...sent, outcome: judgeProbe(probe, read, this.rejections), read };
			return ending;
		} finally {
			// What could not be signed was not made.
			if (observed.url !== "") this.#made.push({ probe, ending, durationMs: clock.now() - startedAt });
		}
	}

	/**
	 * Calls the secret's function again, after the gateway rejected a signature with its last result.
	 * @returns whether another secret is to be tried; one that cannot be fetched fails the next call.
	 */
	async refreshSecret(): Promise<boolean> {
		const before = this.#secret;
		if (before === undefined) return false;
		this.#secret = undefined;
		const after = this.#readSecret();
		try {
			return String(await before) !== String(await this.#limit.limit(after));
		} catch (error) {
			if (this.#limit.signal.aborted) throw error;
			return true;
		}
	}

	/** The secret's function is called once, whatever the number of forms. */
	#readSecret(): Promise<string | Uint8Array> {
		const { appSecret } = this.#caller.options;
		const fetchSecret = async () => (typeof appSecret === "function" ? await appSecret() : "");
		this.#secret ??= fetchSecret();
		return this.#secret;
	}

	/** Makes a call of the client, with what differs for this probe. */
	async #call({ target, signing, baseUrl }: Probe, options: ClientOptions): Promise<CallEnd> {
		const caller = this.#caller;
		const { profile, clock } = caller;
		const { operationId: id, method, path, fields, headers } = target;
		const { appSecret } = caller.options;
		const { bodyForm: _, ...form } = signing?.form ?? {};
		const client = caller.withOptions({
			...(baseUrl === undefined ? {} : { baseUrl }),
			...(typeof appSecret === "function" ? { appSecret: () => this.#readSecret() } : {}),
			// A browser sends its own, or asks the gateway first whether it may be set.
			headers: {
				...(isBrowser() ? {} : { "User-Agent": PROBE_AGENT }),
				...headers,
				...caller.options.headers,
			},
			profile: { ...profile, operations: undefined, ...(signing && { signing: form }) },
			clock: {
				now: () => Math.round(clock.now() + (signing?.clockOffsetMs ?? 0)),
				setTimer: (run, delayMs) => clock.setTimer(run, delayMs),
				monotonicNow: () => clock.monotonicNow?.() ?? clock.now(),
			},
			correctClockSkew: false,
			hooks: undefined,
			...options,
		});
		const isSigned = signing !== undefined;
		const operation = defineOperation({ id, method, path, input: ANYTHING, data: ANYTHING, isSigned });
		const { signal } = this.#limit;
		try {
			const call = client.call(operation, fields, { maxRetries: 0, timeoutMs: MAX_CALL_MS, signal });
			const { response, meta } = await call.withResponse();
			return { text: await response.text(), time: meta?.timestamp ?? "" };
		} catch (error) {
			if (error instanceof ApiError || error instanceof ResponseShapeError) return { error };
			if (error instanceof ConnectionError || error instanceof TimeoutError) return { failure: error };
			throw error;
		}
	}

	/** Options with which a call shows its request and its response. */
	#observe({ signing, isDirect }: Probe, observed: Observed): ClientOptions {
		const { fetch, clock, options } = this.#caller;
		const { onRequest, onResponse } = options.hooks ?? {};
		const send = async (url: string, init: FetchInit): Promise<FetchResponse> => {
			const { headers } = init;
			observed.url = url;
			if (signing !== undefined) {
				const unit = signing.form.timestamp === "seconds" ? 1000 : 1;
				observed.timestamp = Number(headers["X-Timestamp"]) * unit;
				this.#nonces.push(headers["X-Nonce"] ?? "");
			}
			if (signing?.isForged) headers["Authorization"] = forge(headers["Authorization"] ?? "");
			observed.head = await (isDirect ? fetchDirectly : fetch)(url, init);
			return observed.head;
		};
		return {
			// The client asks a function what it is, so this one has all that the own one has.
			fetch: new Proxy<CustomFetch>(fetch, { apply: (_target, _this, [url, init]) => send(url, init) }),
			hooks: {
				onRequest,
				onResponse: (info) => {
					observed.info = info;
					observed.receivedAt = clock.now();
					return onResponse?.(info);
				},
			},
		};
	}
}

/** Longer than any diagnosis: its own limit ends a call. */
const MAX_CALL_MS = 2_147_483_647;

/** Changes one digit of a signature. */
function forge(authorization: string): string {
	return authorization.slice(0, -1) + (authorization.endsWith("0") ? "1" : "0");
}

/** The proxy of the environment that a client's `fetch` uses; a custom one may do anything. */
function findProxyOf({ fetch }: ClientOptions, url: URL): EnvironmentProxy | undefined {
	if (fetch === toolFetch) return toolProxy(url);
	return fetch === undefined ? findEnvironmentProxy(url) : undefined;
}

function statusOf({ ending }: MadeProbe): number | undefined {
	return ending !== undefined && "read" in ending ? ending.read.status : undefined;
}

/** Whether the connection ended before the response began. */
function hasBroken(ending: ProbeEnding): boolean {
	return ending.outcome === "no_response" && ending.failure.kind === "broken" && ending.status === undefined;
}

function toCheck({ probe, ending, durationMs }: MadeProbe, rejections: ReadonlySet<string>): DiagnosisCheck {
	const { purpose, target, signing } = probe;
	const read = ending !== undefined && "read" in ending ? ending.read : undefined;
	const failed = ending?.outcome === "no_response" ? ending : undefined;
	return {
		probe: purpose,
		method: target.method,
		path: target.path,
		signing: signing && toChoices(signing.form, target.method !== "GET"),
		clock: signing && (signing.clockOffsetMs === 0 ? "ours" : "gateway"),
		outcome: read === undefined ? "no_response" : judgeProbe(probe, read, rejections),
		status: read?.status ?? failed?.status,
		code: read === undefined ? failed?.failure.code || undefined : shownGatewayCode(read.error?.code),
		requestId: read?.requestId,
		durationMs: Math.round(durationMs),
	};
}
