import { type Attributes, context, type Span, trace } from "@opentelemetry/api";
import type { CallEnding, Hooks, MessagingGateway } from "messaging-gateway";
import { traceCalls } from "messaging-gateway/opentelemetry";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { settle } from "../../../support/counting-clock.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { type RecordedSpans, recordSpans } from "../../../support/recorded-spans.ts";
import {
	type ScriptedGateway,
	type Step,
	scriptGateway,
	silence,
} from "../../../support/scripted-gateway.ts";
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

/** What a call's attempts end with, and the call. */
interface Story {
	readonly steps: readonly Step[];
	readonly options?: Parameters<typeof scriptGateway>[1];
	readonly call?: (world: ScriptedGateway) => Promise<unknown>;
}

/**
 * The spans of a call and of its attempts, with what tells them apart. No attribute is undefined, and none of the spans has
 * an event, a link or a message.
 */
async function spansOf({
	steps,
	options,
	call = ({ gateway }) => getMapping(gateway),
}: Story): Promise<string> {
	const world = traced(steps, options);
	await settle(world.clock, call(world)).catch(() => undefined);
	for (const { events, status, links, attributes, instrumentationScope } of spans.all()) {
		expect({ events, links, message: status.message }).toEqual({ events: [], links: [], message: undefined });
		expect(instrumentationScope.name).toBe("messaging-gateway");
		expect(Object.values(attributes)).not.toContain(undefined);
	}
	// Attempts end one after the other, and then their call does.
	const inOrder = [spans.all().at(-1), ...spans.all().slice(0, -1)];
	const lines = spans.tree().map((line, at) => `${line}: ${describeSpan(inOrder[at]?.attributes ?? {})}`);
	return lines.join("\n");
}

function describeSpan(attributes: Attributes): string {
	const {
		"messaging_gateway.operation.id": operation,
		"messaging_gateway.call.attempt_count": attempts,
		"messaging_gateway.call.outcome": outcome,
		"server.address": address,
		"server.port": port,
		"http.request.resend_count": resent,
		"http.response.status_code": status,
	} = attributes;
	if (operation !== undefined)
		return `attempts ${attempts}${outcome === undefined ? "" : `, message ${outcome}`}`;
	const response = status === undefined ? "no status" : `status ${status}`;
	return `${address}:${port}, ${response}${resent === undefined ? "" : `, resent ${resent}`}`;
}

const tree = (...lines: readonly string[]): string => lines.join("\n");
const HOST = "gateway.example:443";
const SEND = "messaging-gateway messages.sendText";
const sending = (step: Step): Story => ({
	steps: [step],
	options: { maxRetries: 0 },
	call: ({ gateway }) => sendText(gateway),
});
/** A send that fails in its one attempt. */
const failed = (code: string, outcome: string, attempt: string) =>
	tree(`INTERNAL ${SEND} ${code}: attempts 1, message ${outcome}`, `  CLIENT POST /message/text ${attempt}`);
const REDIRECT = { status: 0, headers: new Headers(), body: null } as unknown as Response;
const abortedAfter =
	(afterMs: number): NonNullable<Story["call"]> =>
	async ({ gateway, clock }) => {
		const controller = new AbortController();
		const call = gateway.mappings.get(USER, { signal: controller.signal });
		await clock.advance(afterMs);
		controller.abort("the user left");
		await call;
	};

const CALLS: Outcomes<Story> = {
	[tree(`INTERNAL ${CALL}: attempts 1`, `  CLIENT ${ATTEMPT}: ${HOST}, status 200`)]: {
		"a success": { steps: [success] },
	},
	[tree(`INTERNAL ${CALL}: attempts 1`, `  CLIENT ${ATTEMPT}: 127.0.0.1:8080, status 200`)]: {
		"the port of a base URL": { steps: [success], options: { baseUrl: "http://127.0.0.1:8080" } },
	},
	[tree(`INTERNAL ${CALL}: attempts 1`, `  CLIENT ${ATTEMPT}: gateway.test:80, status 200`)]: {
		"the port of http": { steps: [success], options: { baseUrl: "http://gateway.test" } },
	},
	[tree(`INTERNAL ${CALL}: attempts 1`, `  CLIENT GET /v1/mapping/{toNumber}: ${HOST}, status 200`)]: {
		"the path of a base URL": { steps: [success], options: { baseUrl: "https://gateway.example/v1/" } },
	},
	[tree(`INTERNAL ${CALL}: attempts 1`, `  CLIENT GET /m/{toNumber}: ${HOST}, status 200`)]: {
		"the path of a profile": {
			steps: [success],
			options: { profile: { operations: { "mappings.get": { path: "/m/{toNumber}" } } } },
		},
	},
	[tree(
		"INTERNAL messaging-gateway request: attempts 1",
		`  CLIENT GET /agent/{…}/log: ${HOST}, status 200`,
	)]: {
		"a number that was written into the path of gateway.request": {
			steps: [ok({})],
			call: ({ gateway }) => gateway.request("GET", `/agent/${USER}/log`),
		},
	},
	[tree(
		`INTERNAL ${CALL}: attempts 3`,
		`  CLIENT ${ATTEMPT} 429: ${HOST}, status 429`,
		`  CLIENT ${ATTEMPT} connection_failed: ${HOST}, no status, resent 1`,
		`  CLIENT ${ATTEMPT}: ${HOST}, status 200, resent 2`,
	)]: {
		"attempts that fail, of a call that recovers": {
			steps: [errorResponse(429), networkError("ECONNREFUSED"), success],
		},
	},
	[tree(
		`INTERNAL ${CALL}: attempts 2`,
		`  CLIENT ${ATTEMPT} 401: ${HOST}, status 401`,
		`  CLIENT ${ATTEMPT}: ${HOST}, status 200, resent 1`,
	)]: {
		"a 401 that taught the clock": {
			steps: [errorResponse(401, { headers: { Date: "Thu, 01 Jan 2026 01:00:00 GMT" } }), success],
		},
	},
	[tree(
		"INTERNAL messaging-gateway mappings.delete: attempts 2",
		`  CLIENT DELETE /mapping/{toNumber} 502: ${HOST}, status 502`,
		`  CLIENT DELETE /mapping/{toNumber}: ${HOST}, status 404, resent 1`,
	)]: {
		"a 404 where an earlier attempt had done the work, which is no error": {
			steps: [html(502), errorResponse(404)],
			call: ({ gateway }) => gateway.mappings.delete(USER),
		},
	},
	[failed("bad_request", "rejected", `400: ${HOST}, status 400`)]: {
		"status 400": sending(errorResponse(400)),
	},
	[failed("authentication_failed", "rejected", `401: ${HOST}, status 401`)]: {
		"status 401": sending(errorResponse(401)),
	},
	[failed("permission_denied", "rejected", `403: ${HOST}, status 403`)]: {
		"status 403": sending(errorResponse(403)),
	},
	[failed("not_found", "rejected", `404: ${HOST}, status 404`)]: {
		"status 404": sending(errorResponse(404)),
	},
	[failed("conflict", "rejected", `409: ${HOST}, status 409`)]: { "status 409": sending(errorResponse(409)) },
	[failed("duplicate_message", "rejected", `409: ${HOST}, status 409`)]: {
		"status 409 for a duplicate": sending(errorResponse(409, { details: DUPLICATE })),
	},
	[failed("unprocessable", "rejected", `422: ${HOST}, status 422`)]: {
		"status 422": sending(errorResponse(422)),
	},
	[failed("rate_limited", "rejected", `429: ${HOST}, status 429`)]: {
		"status 429": sending(errorResponse(429)),
	},
	[failed("server_error", "unknown", `500: ${HOST}, status 500`)]: {
		"status 500": sending(html(500)),
		"status 500 whose body breaks": sending(brokenBody(500)),
	},
	[failed("unexpected_status", "unknown", `unexpected_status: ${HOST}, status 302`)]: {
		"status 302": sending(text(302, "")),
	},
	[failed("unexpected_status", "unknown", `unexpected_status: ${HOST}, no status`)]: {
		"the status 0 that a browser gives a redirect": sending(() => REDIRECT),
	},
	[failed("unexpected_response", "accepted", `unexpected_response: ${HOST}, status 200`)]: {
		"a response that is none": sending(json(200, { ok: true })),
	},
	[failed("connection_failed", "not_sent", `connection_failed: ${HOST}, no status`)]: {
		"a connection that was refused": sending(networkError("ECONNREFUSED")),
	},
	[failed("connection_failed", "unknown", `connection_failed: ${HOST}, no status`)]: {
		"a connection that broke": sending(networkError("ECONNRESET")),
	},
	[failed("connection_failed", "accepted", `connection_failed: ${HOST}, status 200`)]: {
		"a body that breaks": sending(brokenBody(200)),
	},
	[failed("timeout", "unknown", `timeout: ${HOST}, no status`)]: { silence: sending(silence) },
	[`INTERNAL ${CALL} invalid_input: attempts 0, message not_sent`]: {
		"an input that is invalid": { steps: [], call: ({ gateway }) => gateway.mappings.get("no number") },
	},
	[`INTERNAL ${CALL} signer_failed: attempts 0, message not_sent`]: {
		"a signer that fails": {
			steps: [],
			options: { appSecret: undefined, signer: () => Promise.reject(new Error("the key is disabled")) },
		},
	},
	[`INTERNAL ${CALL} aborted: attempts 0, message not_sent`]: {
		"a signal that aborted before the call": {
			steps: [success],
			call: ({ gateway }) => gateway.mappings.get(USER, { signal: AbortSignal.abort() }),
		},
	},
	[tree(
		`INTERNAL ${CALL} aborted: attempts 1, message unknown`,
		`  CLIENT ${ATTEMPT} aborted: ${HOST}, no status`,
	)]: { "a signal that aborts an attempt": { steps: [silence], call: abortedAfter(1_000) } },
	[tree(
		`INTERNAL ${CALL} aborted: attempts 1, message rejected`,
		`  CLIENT ${ATTEMPT} 429: ${HOST}, status 429`,
	)]: {
		"a signal that aborts between two attempts, which keeps what was known": {
			steps: [errorResponse(429)],
			call: abortedAfter(0),
		},
	},
	[tree(
		`INTERNAL ${CALL} timeout: attempts 1, message unknown`,
		`  CLIENT ${ATTEMPT} timeout: ${HOST}, no status`,
	)]: { "the end of timeoutMs": { steps: [silence], options: { timeoutMs: 1_000 } } },
};

describe("the spans of a call", () => {
	testOutcomes(CALLS, spansOf);

	test("have these attributes, and no other", async () => {
		const { gateway } = traced([success]);
		await getMapping(gateway);
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
	});

	test("have these attributes, and no other, after a failure", async () => {
		const { gateway, clock } = traced([errorResponse(400)]);
		await catchRejection(settle(clock, sendText(gateway)));
		expect(spans.named(SEND).attributes).toEqual({
			"messaging_gateway.operation.id": "messages.sendText",
			"messaging_gateway.call.attempt_count": 1,
			"messaging_gateway.call.outcome": "rejected",
			"error.type": "bad_request",
		});
	});

	test("has none of an attempt while a secret is fetched again", async () => {
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
