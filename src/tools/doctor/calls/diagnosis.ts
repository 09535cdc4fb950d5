import type { HttpMethod } from "../../../library/catalogue/operation.ts";
import type { DiagnosisCause } from "./causes.ts";

/** Options of `diagnose`. */
export interface DiagnoseOptions {
	/** Aborts the diagnosis, which then rejects with the signal's reason. */
	signal?: AbortSignal | undefined;
	/**
	 * The longest that it may take, in milliseconds; then it reports what it has found. Each request is limited by the
	 * client's `attemptTimeoutMs`.
	 * @default 30_000
	 */
	timeoutMs?: number | undefined;
	/**
	 * Also finds how bodies are signed, which no GET can show: it posts keys that no gateway knows to
	 * `/settings/webhooks`, where absent fields stay unchanged (specification, section 4.2). Their values have everything
	 * that JSON libraries write in different ways.
	 * @default false
	 */
	probeBody?: boolean | undefined;
	/**
	 * The contact whose mapping is read; nothing is sent to it.
	 * @default "+15555550100", which is reserved for fiction
	 */
	probeNumber?: string | undefined;
}

/** A problem or a note, and what to do about it. It never contains a secret, a signature or a contact. */
export interface DiagnosisFinding {
	/** A stable code for programs. */
	readonly cause: DiagnosisCause;
	/** `"certain"`: a probe proved it. `"likely"`: the probes suggest it, but do not prove it. */
	readonly certainty: "certain" | "likely";
	/** Whether calls fail because of it; otherwise it is only a note. */
	readonly isBlocking: boolean;
	/** What is wrong, in a sentence or two. */
	readonly message: string;
	/** What to do, in a sentence or two. */
	readonly fix: string;
}

/** What is known of a finding before it is known whether it blocks. */
export type FindingDescription = Omit<DiagnosisFinding, "isBlocking">;

/** The signing choices that the probes have shown. Assignable to `profile.signing`. */
export interface SigningChoices {
	/** What the App Secret encodes; absent if it is text, and the client's profile says so too. */
	readonly secret?: "text" | "hex" | "base64" | "prefixed_base64";
	/** How a body is serialized; absent if no body was accepted, and for a function, which only `profileSource` has. */
	readonly canonicalBody?:
		| "rfc8785"
		| "json"
		| "ascii"
		| "ascii_spaced"
		| "ascii_slashes"
		| "slashes"
		| "html_escaped"
		| "no_nulls";
	/** Which path is signed; absent if the base URL has no path and nothing is decoded, since all are then the same. */
	readonly path?: "request_line" | "without_base_path" | "decoded" | "decoded_without_base_path";
	/** Whether the query is signed. */
	readonly query?: "excluded" | "included" | "sorted";
	/** What is hashed when there is no body. */
	readonly emptyBody?: "empty_string" | "empty_object";
	/** The unit of timestamps; absent for milliseconds, which the specification shows (section 5.1). */
	readonly timestamp?: "seconds";
}

/** What a request of a diagnosis is for. */
export type DiagnosisProbe =
	/** Whether the address responds, its latency, and its clock. */
	| "health"
	/** Whether an address of this machine responds without the proxy of the environment. */
	| "health_without_proxy"
	/** Whether the gateway responds at a shorter path of the same host. */
	| "health_of_parent"
	/** Whether a signed call is accepted. */
	| "signed"
	/** The same with a signature that is wrong on purpose: whether it gets another response. */
	| "wrongly_signed"
	/** Whether a space in a contact, whose escape proxies keep, is decoded in the signed path. */
	| "signed_with_space"
	/** Whether a path that does not exist gets another response than the mapping. */
	| "signed_unknown_path"
	/** Whether a signed call with a query is accepted. */
	| "signed_with_query"
	/** Whether a signed body is accepted. */
	| "signed_body"
	/** The same with a signature that is wrong on purpose. */
	| "wrongly_signed_body";

/**
 * How a probe ended:
 *
 * - `"accepted"`: the gateway accepted it; for a signed call that includes a 404 that a wrong signature does not get;
 * - `"rejected"`: 401, the response that a wrong signature gets, or an error about the signed headers;
 * - `"forbidden"`: another 403 in the gateway's own envelope;
 * - `"unusable"`: an inconclusive response, such as a redirect, a page or a 5xx;
 * - `"no_response"`: the network failed, or it timed out.
 */
export type ProbeOutcome = "accepted" | "rejected" | "forbidden" | "unusable" | "no_response";

/** One request that a diagnosis made. */
export interface DiagnosisCheck {
	/** What was tried. */
	readonly probe: DiagnosisProbe;
	/** The HTTP method. */
	readonly method: HttpMethod;
	/** The path with its parameters' names, below the base URL. */
	readonly path: string;
	/** How it was signed; `undefined` if it was not. */
	readonly signing: SigningChoices | undefined;
	/** Which clock the timestamp was from; `undefined` if it was not signed. */
	readonly clock: "ours" | "gateway" | undefined;
	/** How it ended. */
	readonly outcome: ProbeOutcome;
	/** The HTTP status, or `undefined` if there was no response. */
	readonly status: number | undefined;
	/** The code in the gateway's error envelope, or of the network failure. */
	readonly code: string | undefined;
	/** The gateway's request id. Quote it to the gateway's support. */
	readonly requestId: string | undefined;
	/** From sending until the whole response was read, in milliseconds. */
	readonly durationMs: number;
}

/**
 * Whether a client's calls work, and why not. It can be serialized with `JSON.stringify`, and contains no secret, no
 * signature and no contact.
 */
export interface Diagnosis {
	/**
	 * `true` if signed calls with and without a body were accepted, and no finding makes calls of this client fail. `null`
	 * if signed GETs work and bodies are unproven, so sends may still fail, or escapes in a path are. Otherwise `false`.
	 */
	readonly isHealthy: boolean | null;
	/** Whether a signed body was accepted; if not, at most signed GETs were seen to work. `probeBody` tests bodies. */
	readonly hasTestedBodies: boolean;
	/** Whether the base URL responds, be it the gateway or something in front of it. */
	readonly isReachable: boolean;
	/** The base URL. */
	readonly baseUrl: string;
	/** The median of the health calls, in milliseconds; `undefined` if none got a response. */
	readonly latencyMs: number | undefined;
	/**
	 * How far the gateway's clock is ahead of ours, in milliseconds, accurate to about a second; `undefined` if no
	 * response shows it.
	 */
	readonly clockOffsetMs: number | undefined;
	/** What was found, with the causes of failing calls first; empty if everything that was tried works. */
	readonly findings: readonly DiagnosisFinding[];
	/** Every request that was made, in order. */
	readonly checks: readonly DiagnosisCheck[];
	/** What could not be tested, in a sentence each. */
	readonly untested: readonly string[];
	/** The signing that the gateway accepts, as far as the probes showed it; `undefined` if none was accepted. */
	readonly signing: SigningChoices | undefined;
	/** The correct profile as TypeScript to paste; `undefined` if the client's own is correct or the correct one is unknown. */
	readonly profileSource: string | undefined;
}
