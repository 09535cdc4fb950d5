import { context, type Span, trace } from "@opentelemetry/api";
import type { CallEnding, Hooks, MessagingGateway } from "messaging-gateway";
import { traceCalls } from "messaging-gateway/opentelemetry";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { settle } from "../../../support/counting-clock.ts";
import { type RecordedSpans, recordSpans } from "../../../support/recorded-spans.ts";
import { type Step, scriptGateway, silence } from "../../../support/scripted-gateway.ts";
import {
	brokenBody,
	DUPLICATE,
	errorResponse,
	html,
	json,
	MAPPING,
	MESSAGE,
	networkError,
	ok,
	REQUEST_ID,
	text,
	USER,
} from "../../../support/wire.ts";

const success = ok({ mapping: MAPPING });
const CALL = "messaging-gateway mappings.get";
const ATTEMPT = "GET /mapping/{toNumber}";

let spans: RecordedSpans;
beforeEach(() => {
	spans = recordSpans();
});
afterEach(() => spans[Symbol.dispose]());

const getMapping = (gateway: MessagingGateway) => gateway.mappings.get(USER);
const sendText = (gateway: MessagingGateway) => gateway.messages.sendText({ to: USER, text: "Hello" });

function traced(steps: readonly Step[], options: Parameters<typeof scriptGateway>[1] = {}) {
	return scriptGateway(steps, { hooks: traceCalls(), ...options });
}

describe("a call that succeeds", () => {
	test("is a span with one for its attempt, and both are over when the call is", async () => {
		const { gateway } = traced([success]);
		await getMapping(gateway);
		expect(spans.tree()).toEqual([`INTERNAL ${CALL}`, `  CLIENT ${ATTEMPT}`]);
		expect(spans.named(CALL).attributes).toEqual({
			"messaging_gateway.operation.id": "mappings.get",
			"messaging_gateway.call.attempt_count": 1,
		});
		expect(spans.named(ATTEMPT).attributes).toEqual({
			"http.request.method": "GET",
			"server.address": "gateway.example",
			"server.port": 443,
			"url.template": "/mapping/{toNumber}",
			"http.response.status_code": 200,
			"messaging_gateway.request.id": REQUEST_ID,
		});
		expect(spans.all().map(({ instrumentationScope: { name } }) => name)).toEqual([
			"messaging-gateway",
			"messaging-gateway",
		]);
	});

	test.each([
		["http://127.0.0.1:8080", "127.0.0.1", 8080, "/mapping/{toNumber}"],
		["http://gateway.test", "gateway.test", 80, "/mapping/{toNumber}"],
		["https://gateway.example/v1/", "gateway.example", 443, "/v1/mapping/{toNumber}"],
	])("at %s names host, port and the whole template", async (baseUrl, address, port, template) => {
		const { gateway } = traced([success], { baseUrl });
		await getMapping(gateway);
		expect(spans.named(`GET ${template}`).attributes).toMatchObject({
			"server.address": address,
			"server.port": port,
			"url.template": template,
		});
	});

	test("follows the profile's method and path", async () => {
		const operations = { "mappings.get": { path: "/m/{toNumber}" } };
		const { gateway } = traced([success], { profile: { operations } });
		await getMapping(gateway);
		expect(spans.tree()).toEqual([`INTERNAL ${CALL}`, "  CLIENT GET /m/{toNumber}"]);
	});

	test("of gateway.request hides a number that was written into the path", async () => {
		const { gateway } = traced([ok({})]);
		await gateway.request("GET", `/agent/${USER}/log`);
		expect(spans.tree()).toEqual(["INTERNAL messaging-gateway request", "  CLIENT GET /agent/{…}/log"]);
	});
});

describe("attempts", () => {
	test("that fail are errors of their own; the call that recovers is none", async () => {
		const { gateway, clock } = traced([errorResponse(429), networkError("ECONNREFUSED"), success]);
		await settle(clock, getMapping(gateway));
		expect(spans.tree()).toEqual([
			`INTERNAL ${CALL}`,
			`  CLIENT ${ATTEMPT} 429`,
			`  CLIENT ${ATTEMPT} connection_failed`,
			`  CLIENT ${ATTEMPT}`,
		]);
		expect(spans.named(CALL).attributes).toMatchObject({ "messaging_gateway.call.attempt_count": 3 });
		const resends = spans.all().map(({ attributes }) => attributes["http.request.resend_count"]);
		expect(resends).toEqual([undefined, 1, 2, undefined]);
	});

	test("count on after a 401 that taught the clock", async () => {
		const refused = errorResponse(401, { headers: { Date: "Thu, 01 Jan 2026 01:00:00 GMT" } });
		const { gateway, clock } = traced([refused, success]);
		await settle(clock, getMapping(gateway));
		expect(spans.tree()).toEqual([`INTERNAL ${CALL}`, `  CLIENT ${ATTEMPT} 401`, `  CLIENT ${ATTEMPT}`]);
		expect(spans.all()[1]?.attributes["http.request.resend_count"]).toBe(1);
	});

	test("do not last while a secret is fetched again", async () => {
		const seen: (Span | undefined)[] = [];
		const secrets = ["old-secret", "new-secret"];
		const appSecret = () => {
			seen.push(trace.getActiveSpan());
			return secrets.shift() ?? "none";
		};
		const { gateway, clock } = traced([errorResponse(401), success], { appSecret });
		await settle(clock, getMapping(gateway));
		const id = spans.named(CALL).spanContext().spanId;
		expect(seen.map((span) => span?.spanContext().spanId)).toEqual([id, id]);
	});

	test("that meet a 404 where an earlier one had done the work are no errors", async () => {
		const { gateway, clock } = traced([html(502), errorResponse(404)]);
		await settle(clock, gateway.mappings.delete(USER));
		expect(spans.tree()).toEqual([
			"INTERNAL messaging-gateway mappings.delete",
			"  CLIENT DELETE /mapping/{toNumber} 502",
			"  CLIENT DELETE /mapping/{toNumber}",
		]);
		expect(spans.all()[1]?.attributes["http.response.status_code"]).toBe(404);
	});
});

describe("a call that fails", () => {
	test.each<[code: string, type: string, outcome: string, step: Step, status: number | undefined]>([
		["bad_request", "400", "rejected", errorResponse(400), 400],
		["authentication_failed", "401", "rejected", errorResponse(401), 401],
		["permission_denied", "403", "rejected", errorResponse(403), 403],
		["not_found", "404", "rejected", errorResponse(404), 404],
		["conflict", "409", "rejected", errorResponse(409), 409],
		["duplicate_message", "409", "rejected", errorResponse(409, { details: DUPLICATE }), 409],
		["unprocessable", "422", "rejected", errorResponse(422), 422],
		["rate_limited", "429", "rejected", errorResponse(429), 429],
		["server_error", "500", "unknown", html(500), 500],
		["unexpected_status", "unexpected_status", "unknown", text(302, ""), 302],
		["unexpected_response", "unexpected_response", "accepted", json(200, { ok: true }), 200],
		["connection_failed", "connection_failed", "not_sent", networkError("ECONNREFUSED"), undefined],
		["connection_failed", "connection_failed", "unknown", networkError("ECONNRESET"), undefined],
		["connection_failed", "connection_failed", "accepted", brokenBody(200), 200],
		["server_error", "500", "unknown", brokenBody(500), 500],
		["timeout", "timeout", "unknown", silence, undefined],
	])(
		"with %s has it as its type, its attempt %s; the outcome is %s",
		async (code, type, outcome, step, status) => {
			const { gateway, clock } = traced([step], { maxRetries: 0 });
			await catchRejection(settle(clock, sendText(gateway)));
			expect(spans.tree()).toEqual([
				`INTERNAL messaging-gateway messages.sendText ${code}`,
				`  CLIENT POST /message/text ${type}`,
			]);
			expect(spans.named("messaging-gateway messages.sendText").attributes).toEqual({
				"messaging_gateway.operation.id": "messages.sendText",
				"messaging_gateway.call.attempt_count": 1,
				"messaging_gateway.call.outcome": outcome,
				"error.type": code,
			});
			const attempt = spans.named("POST /message/text").attributes;
			expect(attempt["http.response.status_code"]).toBe(status);
		},
	);

	test("before anything is sent has no attempt", async () => {
		const { gateway } = traced([]);
		await catchRejection(gateway.mappings.get("no number"));
		expect(spans.tree()).toEqual([`INTERNAL ${CALL} invalid_input`]);
		expect(spans.named(CALL).attributes).toMatchObject({
			"messaging_gateway.call.attempt_count": 0,
			"messaging_gateway.call.outcome": "not_sent",
		});
	});

	test("because its signer fails has no attempt either", async () => {
		const signer = () => Promise.reject(new Error("the key is disabled"));
		const { gateway } = traced([], { appSecret: undefined, signer });
		await catchRejection(getMapping(gateway));
		expect(spans.tree()).toEqual([`INTERNAL ${CALL} signer_failed`]);
	});

	test("records no event, no message and no link", async () => {
		const { gateway, clock } = traced([errorResponse(404, { message: "no such mapping" })]);
		await catchRejection(settle(clock, getMapping(gateway)));
		for (const { events, status, links } of spans.all()) {
			expect({ events, links, message: status.message }).toEqual({
				events: [],
				links: [],
				message: undefined,
			});
		}
		expect(spans.all()).toHaveLength(2);
	});

	test("hides the status 0 that a browser gives a redirect", async () => {
		const redirect = { status: 0, headers: new Headers(), body: null } as unknown as Response;
		const { gateway, clock } = traced([() => redirect], { maxRetries: 0 });
		await catchRejection(settle(clock, getMapping(gateway)));
		expect(spans.tree()[1]).toBe(`  CLIENT ${ATTEMPT} unexpected_status`);
		expect(spans.named(ATTEMPT).attributes).not.toHaveProperty("http.response.status_code");
	});
});

describe("a call that is ended from outside", () => {
	test.each<[title: string, step: Step, afterMs: number, attempt: string, outcome: string]>([
		["while it is under way is aborted, and its fate unknown", silence, 1_000, "aborted", "unknown"],
		["between two attempts keeps what was known", errorResponse(429), 0, "429", "rejected"],
	])("by its caller %s", async (_title, step, afterMs, attempt, outcome) => {
		const controller = new AbortController();
		const { gateway, clock } = traced([step]);
		const call = gateway.mappings.get(USER, { signal: controller.signal });
		await clock.advance(afterMs);
		controller.abort("the user left");
		await catchRejection(call);
		expect(spans.tree()).toEqual([`INTERNAL ${CALL} aborted`, `  CLIENT ${ATTEMPT} ${attempt}`]);
		expect(spans.named(CALL).attributes).toMatchObject({
			"messaging_gateway.call.attempt_count": 1,
			"messaging_gateway.call.outcome": outcome,
		});
	});

	test("by its caller before it began has no attempt", async () => {
		const { gateway } = traced([success]);
		await catchRejection(gateway.mappings.get(USER, { signal: AbortSignal.abort() }));
		expect(spans.tree()).toEqual([`INTERNAL ${CALL} aborted`]);
		expect(spans.named(CALL).attributes["messaging_gateway.call.outcome"]).toBe("not_sent");
	});

	test("by timeoutMs is timed out, and so is its last attempt", async () => {
		const { gateway, clock } = traced([silence], { timeoutMs: 1_000 });
		await catchRejection(settle(clock, getMapping(gateway)));
		expect(spans.tree()).toEqual([`INTERNAL ${CALL} timeout`, `  CLIENT ${ATTEMPT} timeout`]);
		expect(spans.named(CALL).attributes["messaging_gateway.call.outcome"]).toBe("unknown");
	});
});

describe("the tree", () => {
	test("has a call for each page", async () => {
		const page = (cursor: string | null) => ok({ mappings: [MAPPING], nextCursor: cursor });
		const { gateway } = traced([page("next"), page(null)]);
		await gateway.mappings.list().toArray({ limit: 10 });
		const lines = ["INTERNAL messaging-gateway mappings.list", "  CLIENT GET /mapping"];
		expect(spans.tree()).toEqual([...lines, ...lines]);
	});

	test("hangs below what is active where a call is made", async () => {
		const { gateway } = traced([success]);
		await trace.getTracer("app").startActiveSpan("job", async (job) => {
			await getMapping(gateway);
			job.end();
		});
		expect(spans.tree()).toEqual(["INTERNAL job", `  INTERNAL ${CALL}`, `    CLIENT ${ATTEMPT}`]);
	});

	test("does not mix calls that run at the same time", async () => {
		let respond: (response: Response) => void = () => undefined;
		const slow = () => new Promise<Response>((resolve) => (respond = resolve));
		const { gateway, clock } = traced([slow, errorResponse(429), ok({ message: MESSAGE }), success]);
		const first = getMapping(gateway);
		await clock.advance(0);
		const second = settle(clock, sendText(gateway));
		await second;
		respond(errorResponse(503));
		await settle(clock, first);
		expect(spans.tree()).toEqual([
			`INTERNAL ${CALL}`,
			`  CLIENT ${ATTEMPT} 503`,
			`  CLIENT ${ATTEMPT}`,
			"INTERNAL messaging-gateway messages.sendText",
			"  CLIENT POST /message/text 429",
			"  CLIENT POST /message/text",
		]);
		const traces = new Set(spans.all().map((span) => span.spanContext().traceId));
		expect(traces.size).toBe(2);
	});

	test("has an instrumented fetch and logger below the attempt", async () => {
		const fetch = async () => {
			trace.getTracer("fetch").startSpan("fetch").end();
			return success.clone();
		};
		const logged: (string | undefined)[] = [];
		const debug = () => logged.push(trace.getActiveSpan()?.spanContext().spanId);
		const logger = { ...console, debug };
		const { gateway } = traced([], { fetch, logger, logLevel: "debug" });
		await getMapping(gateway);
		expect(spans.tree()).toEqual([`INTERNAL ${CALL}`, `  CLIENT ${ATTEMPT}`, "    INTERNAL fetch"]);
		const attempt = spans.named(ATTEMPT).spanContext().spanId;
		expect(logged).toEqual([attempt, attempt]);
	});

	test("stays whole where a hook of the caller's own runs inside", async () => {
		const spansOfCalls = traceCalls();
		const endings: CallEnding[] = [];
		const note = async (run: () => Promise<CallEnding>): Promise<CallEnding> => {
			const ending = await run();
			endings.push(ending);
			return ending;
		};
		const aroundCall: Hooks["aroundCall"] = (call, run) => spansOfCalls.aroundCall?.(call, () => note(run));
		const { gateway } = traced([success], { hooks: { ...spansOfCalls, aroundCall } });
		await getMapping(gateway);
		expect(spans.tree()).toEqual([`INTERNAL ${CALL}`, `  CLIENT ${ATTEMPT}`]);
		expect(endings).toMatchObject([{ attempts: 1, errorCode: undefined }]);
	});

	test("leaves nothing active behind", async () => {
		const { gateway } = traced([success]);
		const before = context.active();
		const call = getMapping(gateway);
		expect(context.active()).toBe(before);
		await call;
		expect(trace.getActiveSpan()).toBeUndefined();
	});

	test("holds together where nothing follows promises, and over several clients", async () => {
		spans[Symbol.dispose]();
		spans = recordSpans("none");
		const { gateway, clock } = traced([html(502), success]);
		const tenant = gateway.withCredentials({ appId: "app-2", appSecret: "another-secret" });
		await Promise.all([settle(clock, getMapping(gateway)), tenant.mappings.get(USER)]);
		const calls = spans.all().filter(({ name }) => name === CALL);
		const attempts = spans.all().filter(({ name }) => name === ATTEMPT);
		expect(calls.map(({ parentSpanContext }) => parentSpanContext)).toEqual([undefined, undefined]);
		const parents = attempts.map(({ parentSpanContext }) => parentSpanContext?.spanId);
		expect(new Set(parents)).toEqual(new Set(calls.map((span) => span.spanContext().spanId)));
		expect(attempts).toHaveLength(3);
	});
});
