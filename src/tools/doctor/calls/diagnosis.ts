import type { HttpMethod } from "../../../library/catalogue/operation.ts";
import type { DiagnosisCause } from "./causes.ts";

/** The options of `diagnose`. */
export interface DiagnoseOptions {
	/** Aborts the diagnosis, which then rejects with the signal's reason. */
	signal?: AbortSignal | undefined;
	/**
	 * The longest the diagnosis may take, in milliseconds. Then it reports its findings so far. The client's
	 * `attemptTimeoutMs` limits each request.
	 * @default 30_000
	 */
	timeoutMs?: number | undefined;
	/**
	 * Also finds how bodies are signed, which no GET can show. It posts keys that no gateway knows to
	 * `/settings/webhooks`, where absent fields stay unchanged. Their values have everything that JSON libraries write
	 * in different ways.
	 * @default false
	 * @see Specification, section 4.2
	 */
	probeBody?: boolean | undefined;
	/**
	 * The contact to read the mapping of. The diagnosis sends nothing to it.
	 * @default "+15555550100", which is reserved for fiction
	 */
	probeNumber?: string | undefined;
}

/** A problem or a note, and how to fix it. It never contains a secret, a signature or a contact. */
export interface DiagnosisFinding {
	/** A stable code for programs. */
	readonly cause: DiagnosisCause;
	/** How certain it is. `"certain"`: a probe proved it. `"likely"`: the probes suggest it, but don't prove it. */
	readonly certainty: "certain" | "likely";
	/** Whether calls fail because of it. Otherwise it is only a note. */
	readonly isBlocking: boolean;
	/** The problem, in a sentence or two. */
	readonly message: string;
	/** How to fix it, in a sentence or two. */
	readonly fix: string;
}

/** What is known of a finding before it is known whether it blocks. */
export type FindingDescription = Omit<DiagnosisFinding, "isBlocking">;

/** The signing choices that the probes have shown. You can assign them to `profile.signing`. */
export interface SigningChoices {
	/** The encoding of the App Secret. It is absent if it is text, and the client's profile says so too. */
	readonly secret?: "text" | "hex" | "base64" | "prefixed_base64";
	/**
	 * How to write a body. It is absent if no body was accepted, and for a function, which only `profileSource` has.
	 */
	readonly canonicalBody?:
		| "rfc8785"
		| "json"
		| "ascii"
		| "ascii_spaced"
		| "ascii_slashes"
		| "slashes"
		| "html_escaped"
		| "no_nulls";
	/**
	 * The path that is signed. It is absent if the base URL has no path and nothing is decoded, since all are then the
	 * same.
	 */
	readonly path?: "request_line" | "without_base_path" | "decoded" | "decoded_without_base_path";
	/** Whether the signature covers the query. */
	readonly query?: "excluded" | "included" | "sorted";
	/** The string that is hashed when there is no body. */
	readonly emptyBody?: "empty_string" | "empty_object";
	/**
	 * The unit of timestamps. It is absent for milliseconds, which the specification shows.
	 * @see Specification, section 5.1
	 */
	readonly timestamp?: "seconds";
}

/** The purpose of a diagnosis's request. */
export type DiagnosisProbe =
	/** Whether the address responds, its latency, and its clock. */
	| "health"
	/** Whether an address of this machine responds without the proxy of the environment. */
	| "health_without_proxy"
	/** Whether the gateway responds at a shorter path of the same host. */
	| "health_of_parent"
	/** Whether a signed call is accepted. */
	| "signed"
	/** Whether a signature that is wrong on purpose gets another response. */
	| "wrongly_signed"
	/** Whether a space in a contact, with an escape that proxies keep, is decoded in the signed path. */
	| "signed_with_space"
	/** Whether a path that doesn't exist gets another response than the mapping. */
	| "signed_unknown_path"
	/** Whether a signed call with a query is accepted. */
	| "signed_with_query"
	/** Whether a signed body is accepted. */
	| "signed_body"
	/** Whether a body with a signature that is wrong on purpose gets another response. */
	| "wrongly_signed_body";

/**
 * How a probe ended:
 *
 * - `"accepted"`: the gateway accepted it. For a signed call that includes a 404 that a wrong signature does not get;
 * - `"rejected"`: 401, the response that a wrong signature gets, or an error about the signed headers;
 * - `"forbidden"`: another 403 in the gateway's own envelope;
 * - `"unusable"`: an inconclusive response, such as a redirect, a page or a 5xx;
 * - `"no_response"`: the network failed, or it timed out.
 */
export type ProbeOutcome = "accepted" | "rejected" | "forbidden" | "unusable" | "no_response";

/** One request that a diagnosis made. */
export interface DiagnosisCheck {
	/** The purpose of the request. */
	readonly probe: DiagnosisProbe;
	/** The HTTP method. */
	readonly method: HttpMethod;
	/** The path with its parameters' names, below the base URL. */
	readonly path: string;
	/** How the request was signed, or `undefined` if it wasn't. */
	readonly signing: SigningChoices | undefined;
	/** The clock of the timestamp, or `undefined` if the request wasn't signed. */
	readonly clock: "ours" | "gateway" | undefined;
	/** How the probe ended. */
	readonly outcome: ProbeOutcome;
	/** The HTTP status, or `undefined` if there was no response. */
	readonly status: number | undefined;
	/** The code in the gateway's error envelope, or of the network failure. */
	readonly code: string | undefined;
	/** The gateway's request id. Quote it to the gateway's support. */
	readonly requestId: string | undefined;
	/** The time from sending until the whole response was read, in milliseconds. */
	readonly durationMs: number;
}

/**
 * Says whether your client's calls work, and why not. You can serialize it with `JSON.stringify`. It contains no
 * secret, no signature and no contact.
 */
export interface Diagnosis {
	/**
	 * Whether calls work: `true` if signed calls with and without a body were accepted, and no finding makes calls
	 * fail. `null` if signed GETs work and bodies are unproven, so sends may still fail, or escapes in a path are.
	 * Otherwise `false`.
	 */
	readonly isHealthy: boolean | null;
	/** Whether a signed body was accepted. If not, at most signed GETs were seen to work. `probeBody` tests bodies. */
	readonly hasTestedBodies: boolean;
	/** Whether the base URL responds, be it the gateway or something in front of it. */
	readonly isReachable: boolean;
	/** The base URL. */
	readonly baseUrl: string;
	/** The median latency of the health calls, in milliseconds, or `undefined` if none got a response. */
	readonly latencyMs: number | undefined;
	/**
	 * How far the gateway's clock is ahead of yours, in milliseconds, accurate to about a second. It is `undefined` if
	 * no response shows it.
	 */
	readonly clockOffsetMs: number | undefined;
	/** The findings, with the causes of failing calls first. It is empty if everything that was tried works. */
	readonly findings: readonly DiagnosisFinding[];
	/** Every request that was made, in order. */
	readonly checks: readonly DiagnosisCheck[];
	/** The parts that could not be tested, in a sentence each. */
	readonly untested: readonly string[];
	/** The signing that the gateway accepts, as far as the probes showed it, or `undefined` if none was accepted. */
	readonly signing: SigningChoices | undefined;
	/**
	 * The correct profile as TypeScript to paste. It is `undefined` if the client's own is correct or the correct one
	 * is unknown.
	 */
	readonly profileSource: string | undefined;
}
