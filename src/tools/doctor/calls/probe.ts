import type { OperationId } from "../../../library/catalogue/index.ts";
import type { AttemptFailure } from "../../../library/client/attempt-failure.ts";
import type { PreparedRequest, RequestParts } from "../../../library/client/request.ts";
import type { ReadResponse } from "../../../library/client/response.ts";
import { isJsonObject } from "../../../library/is-object.ts";
import type { DiagnosisProbe, ProbeOutcome } from "./diagnosis.ts";
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

/** One request to make. */
export interface Probe {
	readonly purpose: DiagnosisProbe;
	readonly operationId: OperationId;
	readonly parts: RequestParts;
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
	readonly request: PreparedRequest;
	/** The escaped path below the base URL. */
	readonly path: string;
	/** The time that it was signed with, in Unix milliseconds; NaN if it was not signed. */
	readonly timestamp: number;
}

/** A probe that got a response, not necessarily from the gateway. */
export interface Responded extends SentProbe {
	readonly outcome: Exclude<ProbeOutcome, "no_response">;
	readonly read: ReadResponse;
}

/** A probe that got no response. */
export interface Unresponded extends SentProbe {
	readonly outcome: "no_response";
	readonly failure: AttemptFailure;
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
 * @param rejection - the mark of the response to a wrong signature, once it is known.
 */
export function judgeProbe(
	{ purpose, signing }: Probe,
	read: ReadResponse,
	rejection: string | undefined,
): Responded["outcome"] {
	const isSuccess = isSuccessStatus(read.status);
	// The specification does not show the responses of health and the webhook settings (sections 4.2, 4.3).
	const isShapeOpen = signing === undefined || purpose.endsWith("_body");
	if (isSuccess && isShapeOpen && !read.isPage && !hasEnvelope(read)) return "accepted";
	if (signing === undefined || !isConclusive(read)) return "unusable";
	if (read.success !== undefined && isSuccess) return "accepted";
	if (read.status === 401 || markOf(read) === rejection || namesHeaders(read)) return "rejected";
	if (read.status === 403) return hasEnvelope(read) ? "forbidden" : "unusable";
	// Without an envelope, only the comparison with a wrong signature shows that the gateway is behind it.
	if (!hasEnvelope(read) && rejection === undefined) return "unusable";
	return AUTHENTICATED_STATUSES.has(read.status) || isSuccess ? "accepted" : "unusable";
}

/** Whether a response to a signed call can depend on the signature: a success, or an error that names the request as its cause. */
export function isConclusive(read: ReadResponse): boolean {
	const { status, success } = read;
	if (isSuccessStatus(status)) return success !== undefined || hasEnvelope(read);
	if (status === 401) return !hasForeignChallenge(read);
	return status === 403 || AUTHENTICATED_STATUSES.has(status);
}

/** Whether an error is about the signed headers, which a gateway may check before the signature, with another status. */
function namesHeaders(read: ReadResponse): boolean {
	const reason = readReason(read);
	return (read.status === 400 || read.status === 403) && reason !== undefined && reason !== "signature";
}

/** What distinguishes responses: the status, the code, the reason, and whether the gateway's envelope is around them. */
export function markOf({ status, error, success, isPage }: ReadResponse): string {
	const reason = isJsonObject(error?.details) ? error.details["reason"] : undefined;
	const body =
		error === undefined ? (isPage ? "page" : success === undefined ? "other" : "data") : "envelope";
	return JSON.stringify([status, body, error?.code, typeof reason === "string" ? reason : undefined]);
}

/** Whether a response is an error in the gateway's own envelope. */
export function hasEnvelope({ error }: ReadResponse): boolean {
	return error?.code !== undefined || error?.message !== undefined;
}

/** Whether a response challenges for credentials in a scheme that is not the gateway's. */
export function hasForeignChallenge(read: ReadResponse): boolean {
	const challenge = read.headers.get("WWW-Authenticate") ?? "";
	const isForeign = /^(basic|bearer|digest|negotiate|ntlm)\b/i.test(challenge);
	return read.status === 401 && !hasEnvelope(read) && isForeign;
}

function isSuccessStatus(status: number): boolean {
	return status >= 200 && status < 300;
}
