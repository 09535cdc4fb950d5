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
 * Checks the version of the application's OpenTelemetry API.
 * @throws ConfigurationError if it is too old.
 */
export function assertApi(): void {
	if (typeof trace.setSpan === "function") return;
	throw new ConfigurationError(
		"messaging-gateway/opentelemetry needs @opentelemetry/api 1.0 or later: npm install @opentelemetry/api@latest",
	);
}

/** What a span starts with. Samplers see only this, so it has every attribute that is known at the start. */
export interface SpanStart {
	name: string;
	kind: SpanKind;
	attributes: Attributes;
}

/**
 * Runs a function inside an active span. The span's status is an error if its final attributes have an `error.type`.
 * No message, stack or event is recorded: they could contain what was sent, and the semantic conventions advise against
 * events for errors.
 * @see https://opentelemetry.io/docs/specs/semconv/general/recording-errors/
 */
export async function runInSpan<Ending>(
	{ name, ...options }: SpanStart,
	parent: Context,
	run: (within: Context) => Promise<Ending>,
	describe: (ending: Ending) => Attributes,
): Promise<void> {
	// Looked up each time, because an SDK may be registered later.
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
