// Not a named import: versions before 1.3 have no `metrics`, and a missing export would break the spans as well.
import * as api from "@opentelemetry/api";
import { ConfigurationError } from "../errors.ts";
import type { WebhookHooks, WebhookResponseInfo } from "../webhooks/handler-options.ts";
import type { MetricAttributes } from "./attributes.ts";

/** In seconds: the buckets of the semantic conventions for HTTP, and more up to the default of `maxHandlerMs`. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30, 60, 300];

/**
 * Creates hooks that count and time your responses to deliveries. They write `messaging_gateway.webhook.responses`, and
 * `messaging_gateway.webhook.duration` in seconds. Without an OpenTelemetry SDK they do nothing.
 *
 * Both metrics have the status, the code, the event's kind and whether it was a repeat, and nothing else, so strangers
 * can't add time series.
 *
 * @example
 * ```ts
 * const hooks = { ...traceEvents(), ...measureDeliveries() };
 * export const webhooks = createWebhookHandler({ store, on, hooks });
 * ```
 * @throws ConfigurationError (`configuration`) with an `@opentelemetry/api` before 1.3.
 */
export function measureDeliveries(): WebhookHooks {
	const metrics: typeof api.metrics | undefined = api.metrics;
	if (metrics === undefined) {
		throw new ConfigurationError(
			"measureDeliveries needs @opentelemetry/api 1.3 or later: npm install @opentelemetry/api@latest",
		);
	}
	let provider: api.MeterProvider | undefined;
	let record: (info: WebhookResponseInfo) => void = () => undefined;
	return {
		onResponse(info) {
			const current = metrics.getMeterProvider();
			// An SDK may be registered later, and instruments stay with their provider.
			if (current !== provider) {
				record = createRecorder(current);
				provider = current;
			}
			record(info);
		},
	};
}

function createRecorder(provider: api.MeterProvider): (info: WebhookResponseInfo) => void {
	const meter = provider.getMeter("messaging-gateway");
	const responses = meter.createCounter("messaging_gateway.webhook.responses", {
		unit: "{response}",
		description: "Responses to webhook deliveries.",
	});
	const duration = meter.createHistogram("messaging_gateway.webhook.duration", {
		unit: "s",
		description: "From a webhook delivery to its response.",
		advice: { explicitBucketBoundaries: BUCKETS },
	});
	return (info) => {
		const attributes = describeResponse(info);
		responses.add(1, attributes);
		duration.record(info.durationMs / 1000, attributes);
	};
}

function describeResponse({ status, code, kind, isRepeat }: WebhookResponseInfo): MetricAttributes {
	return {
		"http.response.status_code": status,
		...(code === "acknowledged" ? {} : { "error.type": code }),
		...(kind === undefined ? {} : { "messaging.destination.name": kind }),
		"messaging_gateway.webhook.is_repeat": isRepeat,
	};
}
