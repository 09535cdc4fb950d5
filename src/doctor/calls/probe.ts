import type { OperationId } from "../../catalogue/index.ts";
import type { AttemptFailure } from "../../client/attempt.ts";
import type { PreparedRequest, RequestParts } from "../../client/request.ts";
import type { ReadResponse } from "../../client/response.ts";
import type { DiagnosisProbe, ProbeOutcome } from "./diagnosis.ts";
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
}

/** What is known about a request, regardless of its result. */
export interface SentProbe {
	/** The request without its base URL, such as `GET /health`. */
	readonly where: string;
	readonly request: PreparedRequest;
	/** The escaped path below the base URL. */
	readonly path: string;
	/** The timestamp that it was signed with; NaN if it was not signed. */
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

/** Error statuses that the gateway responds with only after accepting the signature. */
const AUTHENTICATED_STATUSES = new Set([400, 404, 409, 410, 422]);

/** Judges a probe by its response. */
export function judge({ purpose }: Probe, read: ReadResponse): Responded["outcome"] {
	const { status, success } = read;
	const isSuccess = status >= 200 && status < 300;
	// The specification does not show the responses of health and the webhook settings (sections 4.2, 4.3).
	const isShapeOpen = purpose.startsWith("health") || purpose.endsWith("_body");
	if (isSuccess && isShapeOpen) return read.isPage || hasEnvelope(read) ? "unusable" : "accepted";
	if (purpose.startsWith("health")) return "unusable";
	if (isSuccess) return success === undefined ? "unusable" : "accepted";
	if (status === 401) return hasForeignChallenge(read) ? "unusable" : "rejected";
	if (!hasEnvelope(read)) return "unusable";
	if (status === 403) return "forbidden";
	return AUTHENTICATED_STATUSES.has(status) ? "accepted" : "unusable";
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
