import { context, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
	BasicTracerProvider,
	InMemorySpanExporter,
	type ReadableSpan,
	SimpleSpanProcessor,
	type SpanProcessor,
} from "@opentelemetry/sdk-trace-base";

/** An OpenTelemetry SDK that keeps every finished span in memory, until it is disposed of. */
export interface RecordedSpans extends Disposable {
	/** The finished spans, in the order of their ends. */
	all(): ReadableSpan[];
	/** The one finished span of this name; fails the test if there is none, or more than one. */
	named(name: string): ReadableSpan;
	/** One line for each finished span: its kind, name and `error.type`, indented below its parent. */
	tree(): string[];
}

/** Registers the SDK for the whole process. `"none"` is what most browsers have: nothing follows promises. */
export function recordSpans(contextManager: "async" | "none" = "async"): RecordedSpans {
	const exporter = new InMemorySpanExporter();
	// Start times have milliseconds, which do not distinguish two spans.
	const started: string[] = [];
	const starts: SpanProcessor = {
		onStart: (span) => started.push(span.spanContext().spanId),
		onEnd: () => undefined,
		forceFlush: async () => undefined,
		shutdown: async () => undefined,
	};
	const spanProcessors = [starts, new SimpleSpanProcessor(exporter)];
	const provider = new BasicTracerProvider({ spanProcessors });
	if (!trace.setGlobalTracerProvider(provider)) throw new Error("another SDK is registered");
	if (contextManager === "async") {
		context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
	}
	return {
		all: () => exporter.getFinishedSpans(),
		named(name) {
			const found = exporter.getFinishedSpans().filter((span) => span.name === name);
			const [span] = found;
			if (span === undefined || found.length > 1) throw new Error(`${found.length} spans of ${name}`);
			return span;
		},
		tree: () => drawTree(exporter.getFinishedSpans(), started),
		[Symbol.dispose]() {
			trace.disable();
			context.disable();
		},
	};
}

function drawTree(spans: readonly ReadableSpan[], started: readonly string[]): string[] {
	const startOf = (span: ReadableSpan): number => started.indexOf(span.spanContext().spanId);
	const ids = new Set(spans.map((span) => span.spanContext().spanId));
	const below = (parent: string | undefined, indent: string): string[] =>
		spans
			.filter(({ parentSpanContext }) => {
				const id = parentSpanContext?.spanId;
				return (id !== undefined && ids.has(id) ? id : undefined) === parent;
			})
			.sort((a, b) => startOf(a) - startOf(b))
			.flatMap((span) => [`${indent}${drawSpan(span)}`, ...below(span.spanContext().spanId, `${indent}  `)]);
	return below(undefined, "");
}

function drawSpan({ kind, name, status, attributes }: ReadableSpan): string {
	const failure = attributes["error.type"] ?? "";
	const isError = status.code === SpanStatusCode.ERROR;
	if (isError !== (failure !== "")) throw new Error(`${name} has an error.type or an error's status alone`);
	return `${SpanKind[kind]} ${name} ${failure}`.trimEnd();
}
