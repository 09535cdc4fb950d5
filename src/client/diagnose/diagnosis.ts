import type { HttpMethod } from "../../catalogue/operation.ts";
import type { DiagnosisCause } from "./causes.ts";

/** Options of `gateway.diagnose`. */
export interface DiagnoseOptions {
	/** Aborts the diagnosis, which then rejects with the signal's own reason. */
	signal?: AbortSignal | undefined;
	/**
	 * The longest that it may take, in milliseconds; what is known by then is reported. One request takes no
	 * longer than the client's `attemptTimeoutMs`.
	 * @default 30_000
	 */
	timeoutMs?: number | undefined;
	/**
	 * Also finds how bodies are signed, which no GET can show: posts keys that no gateway knows to
	 * `/settings/webhooks`, where an absent field stays as it is (specification, section 4.2).
	 * @default false
	 */
	probeBody?: boolean | undefined;
	/**
	 * The number whose mapping is asked for; nothing is sent to it.
	 * @default "+15555550100", which is reserved for fiction
	 */
	probeNumber?: string | undefined;
}

/** What is wrong, or worth knowing, and what to do about it. No text of it holds a secret, a signature or a number. */
export interface DiagnosisFinding {
	/** A stable word for programs. */
	readonly cause: DiagnosisCause;
	/** `"certain"`: a probe proved it. `"likely"`: something speaks for it, but nothing proves it. */
	readonly certainty: "certain" | "likely";
	/** Whether calls fail because of it; otherwise it is only worth knowing. */
	readonly isBlocking: boolean;
	/** What is wrong, in a sentence or two. */
	readonly message: string;
	/** What to do, in a sentence or two. */
	readonly fix: string;
}

/** A choice of signing for each part that a probe has shown. It fits `profile.signing`. */
export interface SigningChoices {
	/** How a body becomes text; absent where no body was tried, and for a function of your own. */
	readonly canonicalBody?: "rfc8785" | "json";
	/** Which path is signed; absent where the base address has no path, which makes both the same. */
	readonly path?: "request_line" | "without_base_path";
	/** Whether the query is signed. */
	readonly query?: "excluded" | "included";
	/** What is hashed when there is no body. */
	readonly emptyBody?: "empty_string" | "empty_object";
}

/** What a request of a diagnosis is for. */
export type DiagnosisProbe =
	/** Whether anything answers, how fast, and what its clock says. */
	| "health"
	/** Whether the gateway answers at a shorter path of the same host. */
	| "health_of_parent"
	/** Whether a signed call is accepted. */
	| "signed"
	/** The same with a signature that is wrong on purpose: whether signatures are checked at all. */
	| "wrongly_signed"
	/** Whether the plus of a number, which is escaped in a path, is what breaks the signature. */
	| "signed_without_plus"
	/** Whether a signed call with a query is accepted. */
	| "signed_with_query"
	/** Whether a signed body is accepted. */
	| "signed_body"
	/** The same with a signature that is wrong on purpose. */
	| "wrongly_signed_body";

/**
 * How a probe ended:
 *
 * - `"accepted"`: it came through; for a signed one a 404 for the mapping is as good as a mapping;
 * - `"refused"`: 401, so the gateway did not take the signature;
 * - `"forbidden"`: 403 in the gateway's own envelope;
 * - `"unusable"`: an answer that proves nothing, such as a redirect, a page or a 5xx;
 * - `"no_response"`: the network failed, or the time was over.
 */
export type ProbeOutcome = "accepted" | "refused" | "forbidden" | "unusable" | "no_response";

/** One request that a diagnosis made. */
export interface DiagnosisCheck {
	/** What was tried. */
	readonly probe: DiagnosisProbe;
	/** The HTTP method. */
	readonly method: HttpMethod;
	/** The path with its parameters' names, below the base address. */
	readonly path: string;
	/** How it was signed; `undefined` where it was not. */
	readonly signing: SigningChoices | undefined;
	/** Whose time the timestamp was; `undefined` where it was not signed. */
	readonly clock: "ours" | "gateway" | undefined;
	/** What came of it. */
	readonly outcome: ProbeOutcome;
	/** The HTTP status, or `undefined` where none came. */
	readonly status: number | undefined;
	/** The code in the gateway's error envelope, or that of the network's failure. */
	readonly code: string | undefined;
	/** The gateway's id of the request. Quote it to the gateway's support. */
	readonly requestId: string | undefined;
	/** From sending until the whole answer was read, in milliseconds. */
	readonly durationMs: number;
}

/**
 * What a client's calls meet, and why. It survives `JSON.stringify`, and holds no secret, no signature and
 * no number.
 */
export interface Diagnosis {
	/** Whether a signed call was accepted, and nothing was found that makes calls of this client fail. */
	readonly isHealthy: boolean;
	/** Whether anything answers at the base address, the gateway or something in front of it. */
	readonly isReachable: boolean;
	/** The base address. */
	readonly baseUrl: string;
	/** The median of the health calls, in milliseconds; `undefined` where none was answered. */
	readonly latencyMs: number | undefined;
	/**
	 * How far the gateway's clock is ahead of ours, in milliseconds, to a second or so; `undefined` where no
	 * answer shows it.
	 */
	readonly clockOffsetMs: number | undefined;
	/** What was found, what makes calls fail first; empty where all is well. */
	readonly findings: readonly DiagnosisFinding[];
	/** Every request that was made, in order. */
	readonly checks: readonly DiagnosisCheck[];
	/** What nothing was found out about, in a sentence each. */
	readonly untested: readonly string[];
	/** The signing that the gateway accepts, as far as the probes showed it; `undefined` where none was accepted. */
	readonly signing: SigningChoices | undefined;
	/** The profile as TypeScript to paste; `undefined` where the client's own is right or the right one is not known. */
	readonly profileSource: string | undefined;
}
