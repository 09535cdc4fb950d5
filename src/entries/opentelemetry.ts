/**
 * Spans of calls, attempts and webhook events, for OpenTelemetry.
 *
 * See [Observability](../../docs/observability.md).
 * @module messaging-gateway/opentelemetry
 */
export { traceCalls } from "../opentelemetry/trace-calls.ts";
export { traceEvents } from "../opentelemetry/trace-events.ts";
