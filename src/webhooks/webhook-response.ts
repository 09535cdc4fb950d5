/** What the sender is answered. It carries a code for programs, and nothing of the event. */
export interface WebhookResponse {
	/** The HTTP status. */
	readonly status: number;
	/** The headers. */
	readonly headers: Readonly<Record<string, string>>;
	/** The code, or nothing where all went well. */
	readonly body: string;
}

/** Why a delivery was not acknowledged, apart from the codes of `WebhookVerificationError`. */
export type WebhookResponseCode =
	| "method_not_allowed"
	| "in_flight"
	| "lease_lost"
	| "handler_failed"
	| "handler_timed_out"
	| "schema_rejected"
	| "store_unavailable";

/** The event is processed, or nothing is to be done with it. */
export const ACKNOWLEDGED: WebhookResponse = Object.freeze({ status: 200, headers: {}, body: "" });

/** An answer that does not acknowledge: it tells the sender what was wrong, or when to try again. */
export function respondWith(status: number, code: string, retryAfterMs?: number): WebhookResponse {
	const retryAfter =
		retryAfterMs === undefined ? {} : { "Retry-After": String(Math.max(1, Math.ceil(retryAfterMs / 1000))) };
	return { status, headers: { "Content-Type": "text/plain; charset=utf-8", ...retryAfter }, body: code };
}

/** An answer as the Fetch API has it. */
export function toResponse({ status, headers, body }: WebhookResponse): Response {
	return new Response(body === "" ? null : body, { status, headers: { ...headers } });
}
