import {
	type Attributes,
	type Context,
	context,
	type SpanKind,
	SpanStatusCode,
	trace,
} from "@opentelemetry/api";
import { ConfigurationError } from "../errors.ts";

/**
 * The API is the application's own, in whatever version.
 * @throws ConfigurationError where it is too old.
 */
export function assertApi(): void {
	if (typeof trace.setSpan === "function") return;
	throw new ConfigurationError(
		"messaging-gateway/opentelemetry needs @opentelemetry/api 1.0 or later: npm install @opentelemetry/api@latest",
	);
}

/** What a span begins with. Samplers see it, so all that is known is there from the start. */
export interface SpanStart {
	name: string;
	kind: SpanKind;
	attributes: Attributes;
}

/**
 * Runs something inside a span, which is the active one meanwhile; with an `error.type` at its end, the span is an
 * error. No message, stack or event is recorded: they could hold what was sent, and the semantic conventions advise
 * against events for errors.
 * @see https://opentelemetry.io/docs/specs/semconv/general/recording-errors/
 */
export async function runInSpan<Ending>(
	{ name, ...options }: SpanStart,
	parent: Context,
	run: (within: Context) => Promise<Ending>,
	describe: (ending: Ending) => Attributes,
): Promise<void> {
	// Looked up each time, so that an SDK that is registered later is found.
	const span = trace.getTracer("messaging-gateway").startSpan(name, options, parent);
	const within = trace.setSpan(parent, span);
	try {
		const end = describe(await context.with(within, () => run(within)));
		span.setAttributes(end);
		if (end["error.type"] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
	} finally {
		span.end();
	}
}
