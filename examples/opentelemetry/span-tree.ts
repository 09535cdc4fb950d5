import { SpanKind } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";

/** The attributes that are not part of a span's name. */
const SHOWN = [
	"http.response.status_code",
	"http.request.resend_count",
	"messaging_gateway.call.attempt_count",
	"messaging_gateway.call.outcome",
	"messaging_gateway.handler.attempt",
	"error.type",
];

/** One line for each span, indented below its parent. */
export function drawSpans(spans: readonly ReadableSpan[], parentId?: string, indent = ""): string[] {
	const children = spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === parentId);
	return children.flatMap((span) => [
		`${indent}${drawSpan(span)}`,
		...drawSpans(spans, span.spanContext().spanId, `${indent}  `),
	]);
}

function drawSpan({ kind, name, attributes }: ReadableSpan): string {
	const shown = SHOWN.flatMap((key) => (attributes[key] === undefined ? [] : [`${key}=${attributes[key]}`]));
	return [SpanKind[kind], name, ...shown].join("  ");
}
