/** What a diagnosis can find, and what it means. Only the keys are part of the client; the table is for the docs. */
export const DIAGNOSIS_CAUSES = {
	// No answer.
	dns_failed: "The host of `baseUrl` has no address.",
	connection_refused: "Nothing listens at the address.",
	host_unreachable: "There is no way to the address, or a firewall drops what is sent there.",
	certificate_rejected: "The certificate is expired, for another host, or from an unknown issuer.",
	wrong_scheme: "`baseUrl` says http where the port speaks TLS, or the other way round.",
	connection_broken: "The connection ended before an answer came.",
	no_response: "The gateway took longer than a time-out.",
	blocked_by_browser: "The browser does not let the page see an answer, e.g. for want of CORS.",
	port_blocked: "`fetch` does not call this port at all.",
	out_of_time: "`timeoutMs` was over before everything was tried.",
	// An answer that is not the gateway's.
	redirected: "The address redirects; the client does not follow.",
	wrong_base_path: "There is no gateway at this path of the host.",
	html_response: "A web page answers: a proxy, a login, a console.",
	not_the_gateway: "Something answers, but not in the gateway's envelopes.",
	access_denied: "Something in front of the gateway refuses everything.",
	proxy_authentication: "Something in front of the gateway asks for credentials of its own.",
	rate_limited: "The gateway answers 429.",
	gateway_failing: "The gateway, or a proxy in front of it, answers 5xx.",
	unexpected_response: "A status that none of the others explains.",
	health_unavailable: "`GET /health` does not work, though signed calls reach the gateway.",
	plain_http: "Requests go to another machine unencrypted.",
	// The clock.
	clock_off: "This machine's clock is further off than the gateway accepts.",
	clock_drifting: "This machine's clock is more than a minute off.",
	timestamp_rejected: "The gateway refuses the timestamp, though the clocks agree.",
	// The signature.
	credentials_or_dialect: "The app id or the secret is wrong, or the gateway signs in another form.",
	app_id_unknown: "The gateway says that it does not know the app id.",
	other_signing_form: "The gateway signs in another form, which was found: see `profileSource`.",
	unknown_signing_form: "Queries or bodies are signed in a form that was not found.",
	path_rewritten: "Something on the way rewrites escaped characters in the path.",
	header_dropped: "Something on the way drops a signed header.",
	nonce_rejected: "The gateway refuses a nonce that was never used before.",
	nonce_repeated: "`createNonce` returns the same nonce again.",
	not_permitted: "The signature is right, but the app may not do this.",
	signature_not_checked: "A wrong signature is answered like a right one.",
} as const satisfies Readonly<Record<string, string>>;

/** A stable word for what a diagnosis found. */
export type DiagnosisCause = keyof typeof DIAGNOSIS_CAUSES;
