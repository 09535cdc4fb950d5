/** Lets pages of any origin call the gateway: requests are signed, so no cookie is involved. Assumed. */
export const CORS_HEADERS: Readonly<Record<string, string>> = {
	"Access-Control-Allow-Origin": "*",
	"Access-Control-Expose-Headers": "Date, Retry-After, X-Request-Id",
};

/** Responds to a preflight, which browsers send unsigned. */
export function respondToPreflight(methods: readonly string[]): Response {
	if (methods.length === 0) return new Response(null, { status: 404, headers: CORS_HEADERS });
	return new Response(null, {
		status: 204,
		headers: {
			...CORS_HEADERS,
			"Access-Control-Allow-Methods": methods.join(", "),
			"Access-Control-Allow-Headers": "Authorization, Content-Type, X-App-Id, X-Nonce, X-Timestamp",
			"Access-Control-Max-Age": "600",
		},
	});
}
