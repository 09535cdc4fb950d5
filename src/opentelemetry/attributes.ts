/**
 * Every attribute of the spans, with what it tells; docs/observability.md is written from it. Names are those of
 * OpenTelemetry's semantic conventions 1.45 where these have one: `http.*`, `server.*` and `error.type` are stable
 * there, `url.template` and `messaging.*` in development. The others are ours.
 * @see https://opentelemetry.io/docs/specs/semconv/http/http-spans/
 * @see https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/
 */
export const SPAN_ATTRIBUTES = {
	call: {
		"messaging_gateway.operation.id":
			"The operation, e.g. `messages.sendText`; `request` for `gateway.request`.",
		"messaging_gateway.call.attempt_count": "How many attempts were made; 0 where nothing was sent.",
		"messaging_gateway.call.outcome":
			"Of a call that failed: `not_sent`, `rejected`, `unknown` or `accepted`.",
		"error.type":
			"The `code` of the error that the call rejects with, or `aborted` where its `signal` ended it.",
	},
	attempt: {
		"http.request.method": "The method.",
		"server.address": "The host of `baseUrl`.",
		"server.port": "Its port.",
		"url.template": "The path with the names of its parameters, e.g. `/mapping/{toNumber}`.",
		"http.request.resend_count": "From the second attempt on: 1, 2 and so on.",
		"http.response.status_code": "The status, where there was an answer.",
		"messaging_gateway.request.id": "The gateway's id of the request, for its support, where it is a UUID.",
		"error.type":
			"The status from 400 on, else the `code` of the error that the attempt ended with, or `aborted`.",
	},
	handler: {
		"messaging.system": "`messaging_gateway`.",
		"messaging.operation.name": "`process`.",
		"messaging.operation.type": "`process`.",
		"messaging.destination.name":
			"The event's kind: `inbound_message`, `inbound_reaction`, `status` or `unknown`.",
		"messaging.message.id": "The event's id.",
		"messaging.consumer.group.name": "The `consumer` of the webhook handler.",
		"messaging_gateway.handler.attempt": "1 for the first run for this event.",
		"error.type":
			"The class of the error that the handler threw, `handler_timed_out` or `lease_lost`; `_OTHER` for what is no error.",
	},
} as const;

/** The attributes of one sort of span; only these can be set. */
export type AttributesOf<Sort extends keyof typeof SPAN_ATTRIBUTES> = {
	[Name in keyof (typeof SPAN_ATTRIBUTES)[Sort]]?: string | number;
};
