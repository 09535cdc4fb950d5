import type { HttpMethod } from "../../../library/catalogue/operation.ts";
import { isJsonObject } from "../../../library/is-object.ts";
import type { DiagnosisProbe, ProbeOutcome } from "./diagnosis.ts";
import type { ProbeFailure, ProbeResponse } from "./probe-response.ts";
import { readReason } from "./reasons.ts";
import type { SigningForm } from "./signing-form.ts";

/** How a probe is signed. */
export interface Signing {
	readonly form: SigningForm;
	/** How far ahead of our clock its timestamp is, in milliseconds. */
	readonly clockOffsetMs: number;
	/** Whether one digit of the signature is changed. */
	readonly isForged?: boolean;
}

/** What a probe requests below the base URL. */
export interface ProbeTarget {
	/** The operation that it stands for, in hooks. */
	readonly operationId: "health.check" | "mappings.get" | "settings.setWebhooks";
	readonly method: HttpMethod;
	/** The path with `{name}` for its parameters. */
	readonly path: string;
	/** The fields of the path, and of the query or the body. */
	readonly fields: Readonly<Record<string, unknown>>;
	/** Those that a map sets. */
	readonly headers?: Readonly<Record<string, string>>;
}

/** One request to make. */
export interface Probe {
	readonly purpose: DiagnosisProbe;
	readonly target: ProbeTarget;
	/** Absent for a request without a signature. */
	readonly signing?: Signing;
	/** The base URL, if it is not the client's own. */
	readonly baseUrl?: string;
	/** Whether it is made without the proxy of the environment. */
	readonly isDirect?: boolean;
}

/** What is known about a request, regardless of its result. */
export interface SentProbe {
	/** The request without its base URL, such as `GET /health`. */
	readonly where: string;
	readonly url: string;
	readonly baseUrl: string;
	/** The time that it was signed with, in Unix milliseconds; NaN if it was not signed. */
	readonly timestamp: number;
}

/** A probe that got a response, not necessarily from the gateway. */
export interface Responded extends SentProbe {
	readonly outcome: Exclude<ProbeOutcome, "no_response">;
	readonly read: ProbeResponse;
}

/** A probe that got no response. */
export interface Unresponded extends SentProbe {
	readonly outcome: "no_response";
	readonly failure: ProbeFailure;
	/** The status of the response, if it broke off. */
	readonly status: number | undefined;
}

export type ProbeEnding = Responded | Unresponded;

/** The status that a probe got, to continue "it got …". */
export function describeStatus(ending: ProbeEnding): string {
	return ending.outcome === "no_response" ? "no response" : String(ending.read.status);
}

/** Error statuses that a gateway responds with after accepting a signature, unless a wrong one gets the same response. */
const AUTHENTICATED_STATUSES = new Set([400, 404, 405, 409, 410, 422]);

/**
 * Judges a probe by its response.
 * @param rejections - the marks of the responses to wrong signatures, as far as they are known.
 */
export function judgeProbe(
	{ purpose, signing }: Probe,
	read: ProbeResponse,
	rejections: ReadonlySet<string>,
): Responded["outcome"] {
	const isSuccess = hasSuccessStatus(read);
	// The specification does not show the responses of health and the webhook settings (sections 4.2, 4.3).
	const isShapeOpen = signing === undefined || purpose.endsWith("_body");
	if (isSuccess && isShapeOpen && !read.isPage && !hasEnvelope(read)) return "accepted";
	if (signing === undefined || !isConclusive(read)) return "unusable";
	if (read.success !== undefined && isSuccess) return "accepted";
	if (read.status === 401 || rejections.has(markOf(read)) || namesHeaders(read)) return "rejected";
	if (read.status === 403) return hasEnvelope(read) ? "forbidden" : "unusable";
	// Without an envelope, only the comparison with a wrong signature shows that the gateway is behind it.
	if (!hasEnvelope(read) && rejections.size === 0) return "unusable";
	return AUTHENTICATED_STATUSES.has(read.status) || isSuccess ? "accepted" : "unusable";
}

/** Whether a response to a signed call can depend on the signature: a success, or an error that names the request as its cause. */
export function isConclusive(read: ProbeResponse): boolean {
	const { status, success } = read;
	if (hasSuccessStatus(read)) return success !== undefined || hasEnvelope(read);
	if (status === 401) return !hasForeignChallenge(read);
	return status === 403 || AUTHENTICATED_STATUSES.has(status);
}

/** Whether an error is about the signed headers, which a gateway may check before the signature, with another status. */
function namesHeaders(read: ProbeResponse): boolean {
	const reason = readReason(read);
	return (read.status === 400 || read.status === 403) && reason !== undefined && reason !== "signature";
}

/** What distinguishes responses: the status, the code, the reason, and whether the gateway's envelope is around them. */
export function markOf({
	status,
	error,
	success,
	isPage,
}: Pick<ProbeResponse, "status" | "error" | "isPage"> & { readonly success: unknown }): string {
	const reason = isJsonObject(error?.details) ? error.details["reason"] : undefined;
	const body =
		error === undefined ? (isPage ? "page" : success === undefined ? "other" : "data") : "envelope";
	return JSON.stringify([status, body, error?.code, typeof reason === "string" ? reason : undefined]);
}

/** Whether a response is an error in the gateway's own envelope. */
export function hasEnvelope({ error }: Pick<ProbeResponse, "error">): boolean {
	return error?.code !== undefined || error?.message !== undefined;
}

/** Whether a response challenges for credentials in a scheme that is not the gateway's. */
export function hasForeignChallenge(read: ProbeResponse): boolean {
	const challenge = read.header("WWW-Authenticate") ?? "";
	const isForeign = /^(basic|bearer|digest|negotiate|ntlm)\b/i.test(challenge);
	return read.status === 401 && !hasEnvelope(read) && isForeign;
}

/** Whether a response says that the call succeeded. */
export function hasSuccessStatus({ status }: Pick<ProbeResponse, "status">): boolean {
	return status >= 200 && status < 300;
}
