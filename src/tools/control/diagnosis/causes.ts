/** Why a delivery failed, or has a wrong acknowledgement. */
export type DeliveryCause =
	// Nothing was sent.
	| "no_webhook_url"
	// There was no response, or no whole one.
	| "nobody_listens"
	| "unknown_host"
	| "port_blocked"
	| "https_expected_http"
	| "certificate_rejected"
	| "connection_closed"
	| "no_response_in_time"
	| "response_not_ended"
	| "unreachable"
	// What the gateway sent was wrong on purpose.
	| "altered_by_fault"
	| "signature_not_checked"
	// The receiver rejected the signature.
	| "signature_rejected"
	| "unauthorized"
	| "body_already_parsed"
	| "header_lost"
	| "timestamp_rejected"
	| "body_not_json"
	| "payload_not_decoded"
	| "body_too_large"
	// The receiver got the event and did not process it.
	| "receiver_misconfigured"
	| "still_processing"
	| "handler_failed"
	| "handler_timed_out"
	| "store_unavailable"
	// Something else responded.
	| "path_not_found"
	| "method_not_allowed"
	| "redirected"
	| "login_expected"
	| "rate_limited"
	| "server_failed"
	| "page_responded"
	| "event_not_accepted"
	| "other_status"
	| "slow_response";

/** Why a request failed. */
export type RequestCause =
	// A fault, whatever the request.
	| "response_by_fault"
	| "connection_broken_by_fault"
	| "response_corrupted_by_fault"
	// The signature.
	| "signed_with_webhook_secret"
	| "signed_with_secret_of_another_app"
	| "signed_in_another_form"
	| "other_app_secret"
	| "other_app_id"
	| "not_signed"
	| "signature_malformed"
	| "clock_differs"
	| "nonce_repeated"
	| "nonce_not_checked"
	| "body_too_large"
	// The address.
	| "wrong_base_path"
	| "unknown_path"
	| "wrong_method"
	// The rules.
	| "duplicate"
	| "too_many_unanswered"
	| "no_agent_online"
	| "agent_blocked"
	// The input.
	| "invalid_fields"
	| "not_found"
	| "conflict"
	| "not_supported"
	| "unavailable"
	| "gateway_failed";
