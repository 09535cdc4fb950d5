import { measureDeliveries, traceCalls, traceEvents } from "messaging-gateway/opentelemetry";
import { expect, test, vi } from "vitest";
import { catchError } from "../../../support/catch-error.ts";

// As version 0.18 looks from here: `setSpan` stood on its own.
vi.mock("@opentelemetry/api", () => ({
	trace: { getTracer: () => undefined },
	context: {},
	SpanKind: {},
	SpanStatusCode: {},
	metrics: undefined,
}));

test.each([
	["traceCalls", traceCalls],
	["traceEvents", traceEvents],
])("%s names an API before 1.0, and what is needed", (_name, trace) => {
	const error = catchError(() => trace());
	expect(error).toMatchObject({ name: "ConfigurationError", code: "configuration" });
	expect(String(error)).toContain("needs @opentelemetry/api 1.0 or later");
});

test("measureDeliveries names an API before 1.3, and what is needed", () => {
	const error = catchError(() => measureDeliveries());
	expect(error).toMatchObject({ name: "ConfigurationError", code: "configuration" });
	expect(String(error)).toContain("needs @opentelemetry/api 1.3 or later");
});
