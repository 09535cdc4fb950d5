import { context, SpanKind } from "@opentelemetry/api";
import type { HandlerEnding, HandlerRunInfo, WebhookHooks } from "../webhooks/handler-options.ts";
import type { AttributesOf } from "./attributes.ts";
import { assertApi, runInSpan, type SpanStart } from "./run-in-span.ts";

/**
 * Hooks that make a consumer span for every run of an event's handler, or of `enqueue`. Without an OpenTelemetry SDK
 * they do nothing.
 *
 * What the handler does finds the span active. Its parent is whatever is active when the delivery is handled, such as
 * the span of an instrumented server; headers of the delivery are not read, since its signature does not cover them.
 * It holds the event's id and kind, and nothing of the payload or of an error's message.
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
		"messaging_gateway.handler.attempt": attempt,
	};
	return { name: `process ${kind}`, kind: SpanKind.CONSUMER, attributes };
}

function describeRun(ending: HandlerEnding): AttributesOf<"handler"> {
	const type = errorType(ending);
	return type === undefined ? {} : { "error.type": type };
}

/** For a run that was given up, what the sender is answered as well. */
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

/** Anybody can set an error's name: what does not look like one could be something else. */
function className(error: unknown): string {
	const { name } = (error ?? {}) as Partial<Error>;
	return typeof name === "string" && /^(?!.*\d{5})[A-Za-z]\w{0,63}$/.test(name) ? name : "_OTHER";
}
