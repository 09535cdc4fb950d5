import { context, SpanKind } from "@opentelemetry/api";
import type { HandlerEnding, HandlerRunInfo, WebhookHooks } from "../webhooks/handler-options.ts";
import type { AttributesOf } from "./attributes.ts";
import { assertApi, runInSpan, type SpanStart } from "./run-in-span.ts";

/**
 * Creates hooks that make a consumer span for every run of an event's handler, or of `enqueue`. Without an
 * OpenTelemetry SDK they do nothing.
 *
 * The span is active while the handler runs. Its parent is the span that is active when the delivery is handled, for
 * example an instrumented server's. Trace headers of the delivery are ignored, since its signature doesn't cover them.
 * The span has the event's id and kind, and nothing from the payload or an error's message.
 *
 * @example
 * ```ts
 * export const webhooks = createWebhookHandler({ store, on, hooks: traceEvents() });
 * ```
 * @throws ConfigurationError (`configuration`) with an `@opentelemetry/api` before 1.0.
 */
export function traceEvents(): WebhookHooks {
	assertApi();
	return {
		aroundHandler: (info, run) => runInSpan(startRun(info), context.active(), run, describeRun),
	};
}

function startRun({ eventId, kind, consumer, attempt }: HandlerRunInfo): SpanStart {
	const attributes: AttributesOf<"handler"> = {
		"messaging.system": "messaging_gateway",
		"messaging.operation.name": "process",
		"messaging.operation.type": "process",
		"messaging.destination.name": kind,
		"messaging.message.id": eventId,
		"messaging.consumer.group.name": consumer,
		...(attempt === undefined ? {} : { "messaging_gateway.handler.attempt": attempt }),
	};
	return { name: `process ${kind}`, kind: SpanKind.CONSUMER, attributes };
}

function describeRun(ending: HandlerEnding): AttributesOf<"handler"> {
	const type = errorType(ending);
	return type === undefined ? {} : { "error.type": type };
}

/** For a run that was given up, the same code as in the response to the sender. */
function errorType(ending: HandlerEnding): string | undefined {
	switch (ending.kind) {
		case "finished":
			return undefined;
		case "over":
			return ending.error.reason === "time" ? "handler_timed_out" : "lease_lost";
		case "failed":
			return className(ending.error);
	}
}

/** Code can set any error name: one that does not look like a class name could contain something private. */
function className(error: unknown): string {
	const { name } = (error ?? {}) as Partial<Error>;
	return typeof name === "string" && /^(?!.*\d{5})[A-Za-z]\w{0,63}$/.test(name) ? name : "_OTHER";
}
