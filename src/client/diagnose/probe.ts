import type { OperationId } from "../../catalogue/index.ts";
import type { ReadResponse } from "../answer.ts";
import type { Answer, AttemptFailure } from "../attempt.ts";
import type { PreparedRequest, RequestParts } from "../request.ts";
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
	/** Where it goes, if not to the client's own base address. */
	readonly baseUrl?: string;
}

/** What is known of a request, however it ended. */
export interface SentProbe {
	/** The request without its base address, such as `GET /health`. */
	readonly where: string;
	readonly request: PreparedRequest;
	/** The escaped path below the base address. */
	readonly path: string;
	/** The timestamp that it was signed with; NaN where it was not signed. */
	readonly timestamp: number;
}

/** A probe that was answered, by whomever. */
export interface Responded extends SentProbe {
	readonly outcome: Exclude<ProbeOutcome, "no_response">;
	readonly answer: Answer;
	readonly read: ReadResponse;
}

/** A probe that was not answered. */
export interface Unresponded extends SentProbe {
	readonly outcome: "no_response";
	readonly failure: AttemptFailure;
}

export type ProbeEnding = Responded | Unresponded;

/** Statuses that the gateway gives only to whom it has let in. */
const LET_IN = new Set([400, 404, 409, 410, 422]);

/** What an answer says of the request that it came for. */
export function judge({ purpose }: Probe, answer: Answer, read: ReadResponse): Responded["outcome"] {
	const { status, success } = read;
	const isSuccess = status >= 200 && status < 300;
	// Neither the shape of the health answer nor that of the webhook settings is shown (sections 4.2, 4.3).
	const isShapeOpen = purpose.startsWith("health") || purpose.endsWith("_body");
	if (isSuccess && isShapeOpen) return read.isPage || hasEnvelope(read) ? "unusable" : "accepted";
	if (purpose.startsWith("health")) return "unusable";
	if (isSuccess) return success === undefined ? "unusable" : "accepted";
	if (status === 401) return asksForCredentials(answer, read) ? "unusable" : "refused";
	if (!hasEnvelope(read)) return "unusable";
	if (status === 403) return "forbidden";
	return LET_IN.has(status) ? "accepted" : "unusable";
}

/** Whether an answer is an error in the gateway's own envelope. */
export function hasEnvelope({ error }: ReadResponse): boolean {
	return error?.code !== undefined || error?.message !== undefined;
}

/** Whether an answer asks for credentials in a scheme that is not the gateway's. */
export function asksForCredentials({ response }: Answer, read: ReadResponse): boolean {
	const challenge = response.headers.get("WWW-Authenticate") ?? "";
	const isForeign = /^(basic|bearer|digest|negotiate|ntlm)\b/i.test(challenge);
	return read.status === 401 && !hasEnvelope(read) && isForeign;
}
