import { makeAttempt } from "../../../library/client/attempt.ts";
import type { Caller } from "../../../library/client/caller.ts";
import type { Deadline } from "../../../library/client/deadline.ts";
import type { AttemptInfo } from "../../../library/client/observer.ts";
import { type PreparedRequest, prepareRequest, readBaseUrl } from "../../../library/client/request.ts";
import { summarizeResponse } from "../../../library/client/response.ts";
import { shownGatewayCode, shownRequestId } from "../../../library/errors.ts";
import { isBrowser } from "../../../library/host.ts";
import { readTimestamp } from "../../../library/signing/dialect.ts";
import { type EnvironmentProxy, findEnvironmentProxy } from "../../environment-proxy.ts";
import { PROBE_AGENT } from "../../probe-agent.ts";
import { fetchDirectly, toolFetch, toolProxy } from "../../tool-fetch.ts";
import { type ClockSample, readSamples } from "./clock.ts";
import type { DiagnosisCheck } from "./diagnosis.ts";
import { judgeProbe, type Probe, type ProbeEnding, type SentProbe, type Signing } from "./probe.ts";
import { toChoices } from "./signing-form.ts";

/** Requests made one after the other leave few connections alive; each of these may break once. */
const MAX_KEPT_CONNECTIONS = 2;

/** A request that was made, and how it ended unless the diagnosis was aborted. */
interface MadeProbe {
	readonly probe: Probe;
	readonly ending: ProbeEnding | undefined;
	readonly durationMs: number;
}

/** Makes the requests of one diagnosis with the client's own fetch, clock and credentials. */
export class Prober {
	/** The mark of the response to a wrong signature, once it is known: outcomes are judged by it. */
	rejection: string | undefined;
	readonly samples: ClockSample[] = [];
	readonly baseUrl: string;
	/** The proxy of the environment through which the client's requests go. */
	readonly proxy: EnvironmentProxy | undefined;
	/** The longest that one request may take, in milliseconds. */
	readonly timeoutMs: number;
	readonly #caller: Caller;
	readonly #deadline: Deadline;
	readonly #made: MadeProbe[] = [];
	readonly #nonces: string[] = [];

	constructor(caller: Caller, deadline: Deadline, timeoutMs: number) {
		this.baseUrl = caller.credentials.baseUrl().href;
		this.proxy = findProxyOf(caller, new URL(this.baseUrl));
		this.timeoutMs = timeoutMs;
		this.#caller = caller;
		this.#deadline = deadline;
	}

	/** Every request that was made, in order, judged by what is known now. */
	get checks(): DiagnosisCheck[] {
		return this.#made.map((made) => toCheck(made, this.rejection));
	}

	/** Whether the response to a wrong signature can only be about the signature, not about an unknown field or path. */
	get isRejectionClear(): boolean {
		return this.rejection === undefined || /^\[40[13],/.test(this.rejection);
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
		await this.#createHeaders(probe, this.#prepare(probe));
	}

	/**
	 * Makes one request, again if it broke on a connection that may have been kept alive, which gateways close at any
	 * time. Every response and network failure is a result.
	 * @throws ConfigurationError (`configuration`) if it cannot be signed.
	 * @throws what the deadline throws once it is over.
	 */
	async send(probe: Probe): Promise<ProbeEnding> {
		let repeatsLeft = this.hasResponses ? MAX_KEPT_CONNECTIONS : 0;
		let ending = await this.#sendOnce(probe);
		while (hasBroken(ending) && repeatsLeft-- > 0) ending = await this.#sendOnce(probe);
		return ending;
	}

	async #sendOnce(probe: Probe): Promise<ProbeEnding> {
		const { parts } = probe;
		const request = this.#prepare(probe);
		const headers = await this.#createHeaders(probe, request);
		const sent: SentProbe = {
			where: `${parts.method} ${parts.pathTemplate}`,
			request,
			path: parts.path,
			timestamp: readTimestamp(headers["X-Timestamp"] ?? null, probe.signing?.form),
		};
		const startedAt = this.#caller.clock.now();
		let ending: ProbeEnding | undefined;
		try {
			ending = await this.#attempt(probe, sent, headers);
			return ending;
		} finally {
			this.#made.push({ probe, ending, durationMs: this.#caller.clock.now() - startedAt });
		}
	}

	/**
	 * Calls the secret's function again, after the gateway rejected a signature with its last result.
	 * @throws ConfigurationError (`configuration`) if it fails.
	 */
	refreshSecret(request: PreparedRequest): Promise<boolean> {
		return this.#caller.credentials.refresh(request, this.#deadline);
	}

	#prepare({ parts, signing, baseUrl }: Probe): PreparedRequest {
		const profile = { ...this.#caller.profile, ...(signing && { signing: signing.form }) };
		return prepareRequest(parts, readBaseUrl(baseUrl ?? this.baseUrl), profile);
	}

	async #createHeaders({ signing }: Probe, request: PreparedRequest): Promise<Record<string, string>> {
		const headers = {
			// A browser sends its own, or asks the gateway first whether it may be set.
			...(isBrowser() ? {} : { "user-agent": PROBE_AGENT }),
			...request.headers,
			...this.#caller.headers,
			...(request.body === undefined ? {} : { "Content-Type": "application/json" }),
		};
		return signing === undefined ? headers : { ...headers, ...(await this.#sign(request, signing)) };
	}

	async #sign(request: PreparedRequest, { form, clockOffsetMs, isForged = false }: Signing) {
		const { credentials, clock } = this.#caller;
		const now = () => Math.round(clock.now() + clockOffsetMs);
		const signed = await credentials.sign(request, this.#deadline, { signing: form, now });
		this.#deadline.throwIfOver();
		this.#nonces.push(signed["X-Nonce"]);
		if (!isForged) return signed;
		const { Authorization: right } = signed;
		return { ...signed, Authorization: right.slice(0, -1) + (right.endsWith("0") ? "1" : "0") };
	}

	async #attempt(probe: Probe, sent: SentProbe, headers: Record<string, string>): Promise<ProbeEnding> {
		const { observer } = this.#caller;
		const { method, pathTemplate } = probe.parts;
		const call = { operationId: probe.operationId, method, pathTemplate };
		const info: AttemptInfo = { ...call, call, baseUrl: sent.request.base.href, attempt: 1 };
		observer.report("onRequest", () => info);
		const { clock, maxResponseBytes } = this.#caller;
		const transport = probe.isDirect ? { fetch: fetchDirectly, clock, maxResponseBytes } : this.#caller;
		const { response: read, failure } = await makeAttempt(sent.request, transport, {
			headers,
			timeoutMs: this.timeoutMs,
			deadline: this.#deadline,
		});
		if (failure !== undefined) return { ...sent, outcome: "no_response", failure, status: read?.status };
		observer.report("onResponse", () => ({ ...info, ...summarizeResponse(read) }));
		this.samples.push(...readSamples(read));
		return { ...sent, outcome: judgeProbe(probe, read, this.rejection), read };
	}
}

/** The proxy of the environment that a client's `fetch` uses; a custom one may do anything. */
function findProxyOf({ options: { fetch } }: Caller, url: URL): EnvironmentProxy | undefined {
	if (fetch === toolFetch) return toolProxy(url);
	return fetch === undefined ? findEnvironmentProxy(url) : undefined;
}

/** Whether the connection ended before the response began. */
function hasBroken(ending: ProbeEnding): boolean {
	return ending.outcome === "no_response" && ending.failure.kind === "broken" && ending.status === undefined;
}

function toCheck({ probe, ending, durationMs }: MadeProbe, rejection: string | undefined): DiagnosisCheck {
	const { purpose, parts, signing } = probe;
	const read = ending !== undefined && "read" in ending ? ending.read : undefined;
	const failed = ending?.outcome === "no_response" ? ending : undefined;
	const cause = failed?.failure.cause;
	const failureCode: unknown = cause !== undefined && "code" in cause ? cause.code : undefined;
	return {
		probe: purpose,
		method: parts.method,
		path: parts.pathTemplate,
		signing: signing && toChoices(signing.form, parts.body !== undefined),
		clock: signing && (signing.clockOffsetMs === 0 ? "ours" : "gateway"),
		outcome: read === undefined ? "no_response" : judgeProbe(probe, read, rejection),
		status: read?.status ?? failed?.status,
		code:
			read !== undefined
				? shownGatewayCode(read.error?.code)
				: typeof failureCode === "string"
					? failureCode
					: undefined,
		requestId: shownRequestId(read?.givenRequestId),
		durationMs: Math.round(durationMs),
	};
}
