import { metrics } from "@opentelemetry/api";
import { DataPointType, MeterProvider, MetricReader, type ResourceMetrics } from "@opentelemetry/sdk-metrics";

/** A point of a metric: its attributes and its value, which is the number of values for a histogram. */
export interface RecordedPoint {
	readonly metric: string;
	readonly attributes: Readonly<Record<string, unknown>>;
	readonly value: number;
	/** The sum of a histogram's values, in its unit. */
	readonly sum?: number | undefined;
	/** The upper bounds of a histogram's buckets. */
	readonly boundaries?: readonly number[];
}

/** An OpenTelemetry SDK that keeps every metric in memory, until it is disposed of. */
export interface RecordedMetrics extends Disposable {
	/** Every point so far, and the names, units and scopes of the metrics. */
	collect(): Promise<{ points: RecordedPoint[]; described: string[]; exported: string }>;
}

class Reader extends MetricReader {
	protected override async onForceFlush(): Promise<void> {}
	protected override async onShutdown(): Promise<void> {}
}

/** Registers the SDK for the whole process. */
export function recordMetrics(): RecordedMetrics {
	const reader = new Reader();
	if (!metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))) {
		throw new Error("another SDK is registered");
	}
	return {
		async collect() {
			const { resourceMetrics } = await reader.collect();
			return {
				points: listPoints(resourceMetrics),
				described: resourceMetrics.scopeMetrics.flatMap(({ scope, metrics: found }) =>
					found.map(({ descriptor: { name, unit } }) => `${scope.name}: ${name} in ${unit}`),
				),
				exported: JSON.stringify(resourceMetrics.scopeMetrics),
			};
		},
		[Symbol.dispose]: () => metrics.disable(),
	};
}

function listPoints({ scopeMetrics }: ResourceMetrics): RecordedPoint[] {
	return scopeMetrics
		.flatMap((scope) => scope.metrics)
		.flatMap((metric): RecordedPoint[] => {
			const { name } = metric.descriptor;
			if (metric.dataPointType === DataPointType.HISTOGRAM) {
				return metric.dataPoints.map(({ attributes, value: { count, sum, buckets } }) => {
					return { metric: name, attributes, value: count, sum, boundaries: buckets.boundaries };
				});
			}
			if (metric.dataPointType !== DataPointType.SUM) throw new Error(`${name} is of another kind`);
			return metric.dataPoints.map(({ attributes, value }) => ({ metric: name, attributes, value }));
		});
}
