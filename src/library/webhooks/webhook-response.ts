import type { WebhookVerificationErrorCode } from "../errors.ts";

/** The response to the sender. It holds a code for programs, and nothing of the event. */
export interface WebhookResponse {
	/** The HTTP status. */
	readonly status: number;
	/** The headers. */
	readonly headers: Readonly<Record<string, string>>;
	/** The code. It is empty if the event is acknowledged. */
	readonly body: WebhookResponseCode | WebhookVerificationErrorCode | "";
}

/** Why a delivery was not acknowledged, apart from the codes of `WebhookVerificationError`. */
export type WebhookResponseCode =
	| "method_not_allowed"
	| "in_flight"
	| "lease_lost"
	| "handler_failed"
	| "handler_timed_out"
	| "store_unavailable";

/** The event was processed, or needs no processing. */
export const ACKNOWLEDGED: WebhookResponse = /* @__PURE__ */ Object.freeze({
	status: 200,
	headers: {},
	body: "",
});

/** The same for an event that was done before. */
export const ACKNOWLEDGED_BEFORE: WebhookResponse = /* @__PURE__ */ Object.freeze({
	status: 200,
	headers: {},
	body: "",
});

/** Whether the event was already done or being processed when the delivery arrived. */
export function isRepeat(response: WebhookResponse): boolean {
	return response === ACKNOWLEDGED_BEFORE || response.body === "in_flight";
}

/** When the sender may try again if the store gives no time. */
export const RETRY_MS = 5_000;

/** A response that does not acknowledge: the code states what is wrong, and `Retry-After` when to try again. */
export function respondWith(
	status: number,
	code: WebhookResponse["body"],
	retryAfterMs?: number,
): WebhookResponse {
	const retryAfter =
		retryAfterMs === undefined ? {} : { "Retry-After": String(Math.max(1, Math.ceil(retryAfterMs / 1000))) };
	return { status, headers: { "Content-Type": "text/plain; charset=utf-8", ...retryAfter }, body: code };
}

export function toResponse({ status, headers, body }: WebhookResponse): Response {
	return new Response(body === "" ? null : body, { status, headers: { ...headers } });
}
