/**
 * Every attribute of the spans, with its meaning; the table of docs/observability.md is generated from it. Names follow
 * OpenTelemetry's semantic conventions 1.45 if these define one: `http.*`, `server.*` and `error.type` are stable there,
 * `url.template` and `messaging.*` are in development. The others are ours.
 * @see https://opentelemetry.io/docs/specs/semconv/http/http-spans/
 * @see https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/
 */
export const SPAN_ATTRIBUTES = {
	call: {
		"messaging_gateway.operation.id":
			"The operation, e.g. `messages.sendText`; `request` for `gateway.request`.",
		"messaging_gateway.call.attempt_count": "How many attempts were made; 0 if nothing was sent.",
		"messaging_gateway.call.outcome": "For a failed call: `not_sent`, `rejected`, `unknown` or `accepted`.",
		"error.type":
			"The `code` of the error that the call rejects with, or `aborted` if its `signal` ended it.",
	},
	attempt: {
		"http.request.method": "The method.",
		"server.address": "The host of `baseUrl`.",
		"server.port": "Its port.",
		"url.template": "The path with the names of its parameters, e.g. `/mapping/{toNumber}`.",
		"http.request.resend_count": "From the second attempt on: 1, 2 and so on.",
		"http.response.status_code": "The status, if there was a response.",
		"messaging_gateway.request.id": "The gateway's request id, for its support, if it is a UUID.",
		"error.type":
			"The status if it is 400 or higher, otherwise the `code` of the attempt's error, or `aborted`.",
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
			"The class of the error that the handler threw, `handler_timed_out` or `lease_lost`; `_OTHER` for other values.",
	},
} as const;

/**
 * Every attribute of the metrics, with its meaning; a table of docs/observability.md is generated from it. Each has a
 * fixed set of values, so strangers cannot add time series.
 */
export const METRIC_ATTRIBUTES = {
	"http.response.status_code": "The status of the response.",
	"error.type":
		"Why the event was not acknowledged: the response's code, e.g. `handler_failed` or `signature_mismatch`.",
	"messaging.destination.name": "The event's kind; absent if the delivery was rejected.",
	"messaging_gateway.webhook.is_repeat":
		"Whether the event was done, or being processed, when the delivery came.",
} as const;

/** The attributes of a point of a metric. */
export type MetricAttributes = { [Name in keyof typeof METRIC_ATTRIBUTES]?: string | number | boolean };

/** The attributes of one kind of span. */
export type AttributesOf<Sort extends keyof typeof SPAN_ATTRIBUTES> = {
	[Name in keyof (typeof SPAN_ATTRIBUTES)[Sort]]?: string | number;
};
