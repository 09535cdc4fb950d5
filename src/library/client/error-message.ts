import { namesPath } from "../catalogue/known-path.ts";
import type { Operation } from "../catalogue/operation.ts";
import type { Profile } from "../catalogue/profile.ts";
import {
	type ApiErrorContext,
	type CallContext,
	type FieldError,
	shownGatewayCode,
	shownRequestId,
} from "../errors.ts";
import { DOCTOR_HINT } from "./attempt-failure.ts";
import { inSeconds, leadOf, pageOf, wayOutOf } from "./outcome-sentences.ts";
import { namesTimestamp, namesUsedNonce } from "./refusals.ts";
import type { BaseUrl } from "./request.ts";
import type { ReadResponse } from "./response.ts";

export interface CallTarget {
	readonly method: string;
	readonly pathTemplate: string;
	readonly base: BaseUrl;
	readonly profile: Profile | undefined;
}

/** Why a call fails, by the codes of the local gateway: a gateway that has the same code means the same. */
const REASONS: Readonly<Record<string, string>> = {
	MAX_CONSECUTIVE_EXCEEDED: "the contact hasn't replied to the last messages. Wait for a reply",
	AGENT_BLOCKED: "the agent is blocked",
	MAPPING_NOT_FOUND: "no agent is mapped to this number. Create a mapping, or send to it first",
	NO_AGENT_AVAILABLE: "each agent is offline or blocked. Bring one online",
};

/**
 * The message of an error response: what became of the message, why, and what to do. Never with the gateway's own message,
 * which only the error's getters return.
 */
export function describeErrorResponse(
	operation: Operation<unknown, unknown>,
	{ method, pathTemplate, base, profile }: CallTarget,
	read: ReadResponse,
	context: CallContext,
	isDuplicate: boolean,
): string {
	const { status, error } = read;
	const where = `${method} ${pathTemplate}`;
	const lead = leadOf(where, context);
	const code = shownGatewayCode(error?.code);
	const got = `${where} got ${status || "a redirect"}${code === undefined ? "" : ` ${code}`}${describeRequestId(read)}`;
	const page = isDuplicate ? `. Wait, or change the message: ${pageOf("duplicate_message")}` : "";
	const again =
		method === "GET" && status >= 500 ? `. A read changes nothing, so try again ${describeWait(read)}` : "";
	const end = `${page}${wayOutOf(where, context)}`;
	const reason = describeReason(read, isDuplicate);
	if (reason !== undefined) {
		if (context.outcome === "unknown") return `${lead}${got}: ${reason}${again}${end}`;
		return `${lead}${lead === "" ? capitalize(reason) : reason}. ${got}${again}${end}`;
	}
	const isOfCopy = namesUsedNonce(read, profile);
	const canBeDiagnosed = !isOfCopy && (status === 401 || error === undefined || isUnknownPath(read));
	const hint = isOfCopy
		? ": its nonce was used, so the gateway already has this request, and something on the way repeated it"
		: describeHint(operation, base, read);
	const why =
		hint === "" && error?.message !== undefined
			? `. error.gatewayMessage has the gateway's reason${status < 500 ? ": fix that, or ask the gateway's operator" : ""}`
			: "";
	return `${lead}${got}${hint}${why}${again}${canBeDiagnosed ? DOCTOR_HINT : ""}${end}`;
}

function describeReason(read: ReadResponse, isDuplicate: boolean): string | undefined {
	const { status, error, retryAfterMs } = read;
	if (isDuplicate || status === 429) {
		const reason = isDuplicate
			? "the same message went out recently, to this contact or to another"
			: "too many requests";
		if (retryAfterMs !== undefined) return `${reason}. Allowed again ${describeWait(read)}`;
		return isDuplicate ? reason : `${reason}. Wait before the next one`;
	}
	return error?.code !== undefined && Object.hasOwn(REASONS, error.code) ? REASONS[error.code] : undefined;
}

function describeWait({ retryAfterMs }: ReadResponse): string {
	return retryAfterMs === undefined ? "later" : `in ${inSeconds(retryAfterMs)}`;
}

function capitalize(sentence: string): string {
	return sentence.slice(0, 1).toUpperCase() + sentence.slice(1);
}

function describeHint(operation: Operation<unknown, unknown>, base: BaseUrl, read: ReadResponse): string {
	const { status, error } = read;
	const { id, provenance } = operation;
	if (status === 0 || (status >= 300 && status < 400 && status !== 304)) {
		return ": redirects aren't followed, because they would forward the signature. Set baseUrl to the final address";
	}
	if (isUnknownPath(read)) {
		const problem = status === 405 ? "the path doesn't accept the method" : "the path doesn't exist";
		const assumed =
			provenance === "provisional"
				? `. If your gateway uses another path, set profile.operations["${id}"].path`
				: "";
		return `: ${problem}. Check it, and baseUrl, whose path is "${base.path}"${assumed}`;
	}
	if (error === undefined) return FOREIGN_HINT + RAW_BODY_HINT;
	if (status === 401 && namesTimestamp(read)) {
		return ": the error names the timestamp, so compare this machine's clock with the gateway's";
	}
	if (status === 401) return ". Check the app id, the App Secret and this machine's clock";
	return describeFields(operation, error.details);
}

/** Whether the path, or the method for it, does not exist. The codes are the local gateway's: the specification shows none. */
function isUnknownPath({ status, error }: ReadResponse): boolean {
	if (status !== 404 && status !== 405) return false;
	return error === undefined || error.code === "NOT_FOUND" || error.code === "METHOD_NOT_ALLOWED";
}

/** The fields that the gateway names, if they are fields of the input: any other name could be a value. */
function describeFields(
	{ input, wireNames }: Operation<unknown, unknown>,
	details: ApiErrorContext["details"],
): string {
	if (!Array.isArray(details) || details.length === 0) return "";
	const ours = new Map(Object.entries(wireNames).map(([name, wire]) => [wire, name]));
	const fields = new Set(
		details.map(({ field }: FieldError) => field.replace(/^\w+/, (head) => ours.get(head) ?? head)),
	);
	const known = [...fields].filter((field) => namesPath(input, field)).slice(0, 10);
	const rejected = known.length === 0 ? "" : `: the gateway rejects "${known.join('", "')}"`;
	return `${rejected}. Correct the input: error.fieldErrors says why`;
}

/** In an error whose whole body is somebody else's. */
export const FOREIGN_HINT =
	". Something other than the gateway seems to have responded, such as a login page or a proxy";

/** In an error whose body is not what the gateway sends. */
export const RAW_BODY_HINT = ". error.readBody() returns the raw body";

/** The request id in parentheses, if it may be shown. */
export function describeRequestId(read: ReadResponse): string {
	const requestId = shownRequestId(read.givenRequestId);
	return requestId === undefined ? "" : ` (request ${requestId})`;
}
