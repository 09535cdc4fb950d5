/**
 * Traces calls, attempts and webhook events, and measures deliveries, with OpenTelemetry.
 *
 * See [Observability](../../../docs/observability.md).
 * @module messaging-gateway/opentelemetry
 */
export { measureDeliveries } from "../opentelemetry/measure-deliveries.ts";
export { traceCalls } from "../opentelemetry/trace-calls.ts";
export { traceEvents } from "../opentelemetry/trace-events.ts";
