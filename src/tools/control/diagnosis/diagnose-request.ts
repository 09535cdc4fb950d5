import type { KnownGatewayErrorCode } from "../../../library/catalogue/gateway-errors.ts";
import { isJsonObject } from "../../../library/is-object.ts";
import type { GatewayCore } from "../../local-gateway/create-gateway-core.ts";
import type { RequestRejection, SignatureProblem } from "../../local-gateway/request-rejection.ts";
import { createRouter } from "../../local-gateway/router.ts";
import type { HandledRequest } from "../../local-gateway/traffic.ts";
import { routesOf } from "../../routes.ts";
import type { FailureDiagnosis } from "../contract.ts";
import type { RequestCause } from "./causes.ts";
import { REQUEST_WORDS, type RequestFacts } from "./request-words.ts";
import { describe } from "./words.ts";

const FAULTS: Readonly<Record<NonNullable<HandledRequest["fault"]>, RequestCause>> = {
	respond: "response_by_fault",
	drop: "connection_broken_by_fault",
	corrupt: "response_corrupted_by_fault",
};

const SIGNATURES: Readonly<Record<SignatureProblem["code"], RequestCause>> = {
	missing_header: "not_signed",
	malformed_header: "signature_malformed",
	unknown_app_id: "other_app_id",
	timestamp_out_of_range: "clock_differs",
	body_too_large: "body_too_large",
	signature_mismatch: "other_app_secret",
	nonce_replayed: "nonce_repeated",
	nonce_store_unavailable: "nonce_not_checked",
	webhook_secret: "signed_with_webhook_secret",
	secret_of_another_app: "signed_with_secret_of_another_app",
	signing_form: "signed_in_another_form",
};

const CODES: Readonly<Record<KnownGatewayErrorCode, RequestCause>> = {
	VALIDATION_ERROR: "invalid_fields",
	UNAUTHORIZED: "other_app_secret",
	AGENT_BLOCKED: "agent_blocked",
	MAX_CONSECUTIVE_EXCEEDED: "too_many_unanswered",
	NOT_FOUND: "unknown_path",
	AGENT_NOT_FOUND: "not_found",
	GROUP_NOT_FOUND: "not_found",
	MAPPING_NOT_FOUND: "not_found",
	MESSAGE_NOT_FOUND: "not_found",
	METHOD_NOT_ALLOWED: "wrong_method",
	AGENT_EXISTS: "conflict",
	ASSIGNMENT_CONFLICT: "conflict",
	DUPLICATE_MESSAGE: "duplicate",
	MAPPING_EXISTS: "conflict",
	ATTACHMENT_TOO_LARGE: "body_too_large",
	UNSUPPORTED_MEDIA_TYPE: "not_supported",
	NATIVE_UNSUPPORTED: "not_supported",
	RATE_LIMITED: "unavailable",
	INTERNAL_ERROR: "gateway_failed",
	NO_AGENT_AVAILABLE: "no_agent_online",
	SERVICE_UNAVAILABLE: "unavailable",
};

/** Diagnoses the requests of one gateway. */
export type DiagnoseRequest = (
	request: HandledRequest,
	conversation: RequestFacts["conversation"],
) => FailureDiagnosis | undefined;

export function createRequestDiagnosis({ settings, getWorld }: GatewayCore): DiagnoseRequest {
	const { baseUrl, appId, profile, rules } = settings;
	const router = createRouter(routesOf(profile), "");
	/** Whether some end of the path is an operation's. */
	const isOperation = ({ method, path }: HandledRequest): boolean =>
		[...path.matchAll(/\//g)].some(({ index }) => router(method, path.slice(index)).match !== undefined);
	return (request, conversation) => {
		const { fault, rejection } = request;
		const isOtherBasePath = rejection?.code === "NOT_FOUND" && isOperation(request);
		const cause =
			fault !== undefined
				? FAULTS[fault]
				: rejection && (isOtherBasePath ? "wrong_base_path" : causeOf(rejection));
		if (cause === undefined) return undefined;
		const agents = getWorld().agents.all();
		const facts = {
			request,
			message: rejection?.message ?? "",
			words: rejection?.signatureProblem?.words ?? "",
			...readDetails(rejection?.details),
			baseUrl,
			appId,
			doesReplyClearAll: rules.replyClears === "all",
			conversation,
			offlineAgent: agents.find(({ isOnline, isBlocked }) => !isOnline && !isBlocked)?.agentNumber,
		};
		return describe(cause, REQUEST_WORDS[cause](facts));
	};
}

function causeOf({ code, signatureProblem }: RequestRejection): RequestCause {
	return signatureProblem === undefined ? CODES[code] : SIGNATURES[signatureProblem.code];
}

function readDetails(details: RequestRejection["details"]): Pick<RequestFacts, "details" | "fields"> {
	if (isJsonObject(details)) return { details, fields: [] };
	return { details: {}, fields: (details ?? []).map(({ field, message }) => `${field} ${message}`) };
}
