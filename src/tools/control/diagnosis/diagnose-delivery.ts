import type { WebhookVerificationErrorCode } from "../../../library/errors.ts";
import type { WebhookResponseCode } from "../../../library/webhooks/webhook-response.ts";
import type { Attempt, Delivery } from "../../local-gateway/delivery.ts";
import type { ReceiverFailure } from "../../local-gateway/failed-attempt.ts";
import type { FailureDiagnosis } from "../contract.ts";
import type { DeliveryCause } from "./causes.ts";
import { DELIVERY_WORDS, type DeliveryFacts, type DiagnosedDelivery } from "./delivery-words.ts";
import { findTarget, isLogin } from "./redirect-target.ts";
import { describe } from "./words.ts";

/** More than half of the time that the gateway waits. */
const SLOW_MS = 5_000;

const FAILURES: Readonly<Record<ReceiverFailure, DeliveryCause>> = {
	no_destination: "no_webhook_url",
	nobody_listens: "nobody_listens",
	unknown_host: "unknown_host",
	port_blocked: "port_blocked",
	no_tls: "https_expected_http",
	certificate: "certificate_rejected",
	connection_closed: "connection_closed",
	timed_out: "no_response_in_time",
	not_ended: "response_not_ended",
	other: "unreachable",
};

/** The codes with which a handler of this package responds. */
const CODES: Readonly<Record<WebhookVerificationErrorCode | WebhookResponseCode, DeliveryCause>> = {
	missing_header: "header_lost",
	malformed_header: "header_lost",
	timestamp_out_of_tolerance: "timestamp_rejected",
	signature_mismatch: "signature_rejected",
	raw_body_unavailable: "body_already_parsed",
	body_too_large: "body_too_large",
	invalid_json: "body_not_json",
	several_events: "body_not_json",
	decode_failed: "payload_not_decoded",
	configuration: "receiver_misconfigured",
	method_not_allowed: "method_not_allowed",
	in_flight: "still_processing",
	lease_lost: "still_processing",
	handler_failed: "handler_failed",
	handler_timed_out: "handler_timed_out",
	store_unavailable: "store_unavailable",
};

const STATUSES: Readonly<Record<number, DeliveryCause>> = {
	400: "event_not_accepted",
	401: "unauthorized",
	403: "unauthorized",
	404: "path_not_found",
	405: "method_not_allowed",
	410: "path_not_found",
	413: "body_too_large",
	422: "event_not_accepted",
	429: "rate_limited",
};

/** The gateway that delivers. */
type DiagnosedGateway = Pick<DeliveryFacts, "webhookSecret" | "baseUrl">;

/** Why an attempt failed, or what is wrong although it was acknowledged. */
export function diagnoseAttempt(
	delivery: DiagnosedDelivery,
	attempt: Attempt,
	gateway: DiagnosedGateway,
): FailureDiagnosis | undefined {
	const found = findCause(attempt);
	const target = found === "redirected" ? findTarget(delivery.url, attempt) : undefined;
	const cause = target !== undefined && isLogin(target, delivery.url) ? "login_expected" : found;
	return cause && describe(cause, DELIVERY_WORDS[cause]({ delivery, attempt, ...gateway }));
}

/** Whether something is wrong with the last attempt at a delivery. */
export function isFailing({ attempts }: Delivery): boolean {
	const attempt = attempts.at(-1);
	return attempt !== undefined && findCause(attempt) !== undefined;
}

/** Why a delivery is not delivered: that of its last attempt, or of its missing URL. */
export function diagnoseDelivery(
	delivery: Delivery,
	gateway: DiagnosedGateway,
): FailureDiagnosis | undefined {
	const attempt = delivery.attempts.at(-1);
	if (attempt !== undefined) return diagnoseAttempt(delivery, attempt, gateway);
	return delivery.state === "kept"
		? describe("no_webhook_url", DELIVERY_WORDS.no_webhook_url({ delivery, ...gateway }))
		: undefined;
}

/** What is wrong with an attempt. */
export function findCause(attempt: Attempt): DeliveryCause | undefined {
	const { recorded, failure = "other" } = attempt;
	if (recorded.status === undefined) return FAILURES[failure];
	if (recorded.status >= 200 && recorded.status < 300) return findFlaw(attempt);
	return attempt.check?.isValid === false ? "altered_by_fault" : findRejection(attempt, recorded.status);
}

/** What is wrong with an acknowledgement. */
function findFlaw({ check, response, durationMs = 0 }: Attempt): DeliveryCause | undefined {
	if (check?.isValid === false) return "signature_not_checked";
	if (isPage(response)) return "page_responded";
	return durationMs > SLOW_MS ? "slow_response" : undefined;
}

/** The type alone shows nothing: PHP and Flask give it to every response, an empty one too. */
function isPage(response: Attempt["response"]): boolean {
	const type = response?.headers["content-type"] ?? "";
	return (type.startsWith("text/html") ? /^\s*</ : /^\s*<(!doctype|html)/i).test(response?.body ?? "");
}

function findRejection({ response }: Attempt, status: number): DeliveryCause {
	const code = response?.body.trim() ?? "";
	if (isCode(code)) return CODES[code];
	if (status >= 300 && status < 400) return "redirected";
	return STATUSES[status] ?? (status >= 500 ? "server_failed" : "other_status");
}

function isCode(body: string): body is keyof typeof CODES {
	return Object.hasOwn(CODES, body);
}
