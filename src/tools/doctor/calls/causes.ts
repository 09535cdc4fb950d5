/** The causes that a diagnosis can find, with their meaning. */
export const DIAGNOSIS_CAUSES = {
	// No response.
	argument_rejected:
		"`fetch` rejects what it is given, such as an `AbortSignal` of jsdom or an `Agent` of another undici.",
	no_connection_opened:
		"This machine opens no connection for the process: a permission, a file or an address is missing.",
	dns_failed: "The host of `baseUrl` has no address.",
	environment_proxy:
		"Requests go through the proxy in `HTTP_PROXY` or `HTTPS_PROXY`, which does not pass them on, or may not.",
	connection_refused: "Nothing listens at the address.",
	host_unreachable: "No route to the address exists, or a firewall drops packets to it.",
	certificate_rejected: "The certificate is expired, for another host, or from an unknown issuer.",
	wrong_scheme: "`baseUrl` has http but the port speaks TLS, or the reverse.",
	connection_broken: "The connection ended before a response arrived.",
	no_response: "The gateway did not respond within a time-out.",
	blocked_by_browser: "The browser, or happy-dom, keeps the response from the page, e.g. because of CORS.",
	port_blocked: "`fetch` does not allow this port.",
	out_of_time: "`timeoutMs` ended before everything was tried.",
	// A response that is not the gateway's.
	redirected: "The address redirects; the client does not follow.",
	wrong_base_path: "The gateway is not at this path of the host, or no known path was found there.",
	html_response: "The response is a web page: of a proxy, a login or a console.",
	not_the_gateway: "The response is not in the gateway's envelope.",
	access_denied: "Something in front of the gateway, or the gateway without its envelope, denies access.",
	proxy_authentication: "Something in front of the gateway requires its own credentials.",
	rate_limited: "The gateway responds with 429.",
	gateway_failing: "The gateway, or a proxy in front of it, responds with 5xx.",
	unexpected_response: "A status that no other cause explains.",
	health_unavailable: "`GET /health` does not work, though signed calls get a gateway's responses.",
	errors_without_envelope: "Signatures are checked, but errors have no envelope, e.g. are web pages.",
	plain_http: "Requests go to another machine unencrypted.",
	// The clock.
	clock_off: "This machine's clock and the gateway's are further apart than it accepts.",
	clock_drifting: "This machine's clock and the time in responses are more than a minute apart.",
	timestamp_rejected: "The gateway rejects the timestamp, though the clocks agree.",
	// The signature.
	credentials_or_dialect: "The app id or the secret is wrong, or the gateway uses another signing form.",
	app_id_unknown: "The gateway reports an unknown app id.",
	other_signing_form: "The gateway uses another signing form, which was found: see `profileSource`.",
	unknown_signing_form: "Queries or bodies are signed in a form that was not found.",
	path_rewritten: "Escapes in the path are rewritten, by a proxy or the gateway's own server.",
	header_dropped: "The gateway reports that a signed header is missing, e.g. because a proxy drops it.",
	nonce_rejected: "The gateway rejects a nonce that was never used before.",
	nonce_repeated: "Your `signer` returns the same nonce again.",
	not_permitted: "The signature is correct, but the app may not do this.",
	signature_not_checked: "A wrong signature gets the same response as the client's own.",
} as const satisfies Readonly<Record<string, string>>;

/** A stable code for a cause that a diagnosis found. */
export type DiagnosisCause = keyof typeof DIAGNOSIS_CAUSES;
