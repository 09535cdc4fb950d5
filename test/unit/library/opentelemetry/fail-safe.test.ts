import { context, type Span, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import { traceCalls, traceEvents } from "messaging-gateway/opentelemetry";
import { afterEach, describe, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { settle } from "../../../support/counting-clock.ts";
import { recordSpans } from "../../../support/recorded-spans.ts";
import { scriptGateway } from "../../../support/scripted-gateway.ts";
import { throwing } from "../../../support/throwing.ts";
import { watchRejections } from "../../../support/unhandled-rejections.ts";
import { createReceiver } from "../../../support/webhook-receiver.ts";
import { errorResponse, html, MAPPING, ok, USER } from "../../../support/wire.ts";

const rejections = watchRejections();
afterEach(async () => {
	trace.disable();
	context.disable();
	vi.restoreAllMocks();
	await new Promise((resolve) => setImmediate(resolve));
	expect(rejections).toEqual([]);
});

/** Makes a call that succeeds after a retry, one that fails, and receives an event. */
async function useEverything() {
	const warnings: string[] = [];
	const logger = { ...console, warn: (line: string) => warnings.push(line) };
	const { gateway, clock, requests } = scriptGateway(
		[html(502), ok({ mapping: MAPPING }), errorResponse(404)],
		{
			hooks: traceCalls(),
			logger,
			logLevel: "warn",
		},
	);
	const data = await settle(clock, gateway.mappings.get(USER));
	const error = await catchRejection(settle(clock, gateway.mappings.get(USER)));
	const onMessage = vi.fn();
	const receiver = createReceiver({ hooks: traceEvents(), on: { inbound_message: onMessage } });
	const response = await receiver.respond();
	return {
		data,
		error,
		response,
		warnings,
		sent: requests.length,
		handled: onMessage.mock.calls.length,
		receiver,
	};
}

const UNCHANGED = {
	data: { mapping: MAPPING },
	error: { code: "not_found" },
	response: "200",
	sent: 3,
	handled: 1,
};

test("without an SDK nothing changes, and nothing is reported", async () => {
	const used = await useEverything();
	expect(used).toMatchObject({ ...UNCHANGED, warnings: [] });
	expect(used.receiver.reports).toEqual([]);
});

test("an SDK that is registered after the hooks were made is found", async () => {
	const { gateway } = scriptGateway([ok({ mapping: MAPPING })], { hooks: traceCalls() });
	using spans = recordSpans();
	await gateway.mappings.get(USER);
	expect(spans.all()).toHaveLength(2);
});

describe("an SDK whose", () => {
	const fail = throwing(new Error("private: the exporter is gone"));
	const failingSpan = (method: keyof Span) => () => {
		const provider = new BasicTracerProvider();
		const tracer = provider.getTracer("broken");
		const startSpan: typeof tracer.startSpan = (...args) =>
			Object.assign(tracer.startSpan(...args), { [method]: fail });
		trace.setGlobalTracerProvider({ getTracer: () => ({ ...tracer, startSpan }) as typeof tracer });
	};
	const failingContext = (breakIt: (manager: AsyncLocalStorageContextManager) => void) => () => {
		const manager = new AsyncLocalStorageContextManager().enable();
		breakIt(manager);
		context.setGlobalContextManager(manager);
		trace.setGlobalTracerProvider(new BasicTracerProvider());
	};

	test.each<[title: string, register: () => void]>([
		["getTracer throws", () => void trace.setGlobalTracerProvider({ getTracer: fail })],
		[
			"startSpan throws",
			() =>
				void trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan: fail, startActiveSpan: fail }) }),
		],
		["spans refuse attributes", failingSpan("setAttributes")],
		["spans do not end", failingSpan("end")],
		["active context throws", failingContext((manager) => Object.assign(manager, { active: fail }))],
		["context does not run anything", failingContext((manager) => Object.assign(manager, { with: fail }))],
		[
			"context throws once it has run something",
			failingContext((manager) => {
				const run = manager.with.bind(manager);
				const runAndFail: typeof run = (...args) => {
					run(...args);
					return fail();
				};
				Object.assign(manager, { with: runAndFail });
			}),
		],
	])("%s changes nothing but a warning", async (_title, register) => {
		register();
		const { warnings, receiver, ...used } = await useEverything();
		expect(used).toMatchObject(UNCHANGED);
		expect(warnings.sort()).toEqual([
			"messaging-gateway: hooks.aroundAttempt failed; the call goes on without it",
			"messaging-gateway: hooks.aroundCall failed; the call goes on without it",
		]);
		expect(receiver.reports.map(({ hint }) => hint)).toEqual([
			"hooks.aroundHandler threw. Your handler runs without it: fix the hook",
		]);
	});
});
