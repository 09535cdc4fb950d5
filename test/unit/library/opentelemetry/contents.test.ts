import { SpanKind } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";
import fc from "fast-check";
import { traceCalls, traceEvents } from "messaging-gateway/opentelemetry";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SPAN_ATTRIBUTES } from "../../../../src/library/opentelemetry/attributes.ts";
import { cases } from "../../../support/cases.ts";
import { catchRejection } from "../../../support/catch-error.ts";
import { settle } from "../../../support/counting-clock.ts";
import { createCalledGateway, METHODS } from "../../../support/operation-calls.ts";
import { type RecordedSpans, recordSpans } from "../../../support/recorded-spans.ts";
import { SECRET, type SentRequest, scriptGateway } from "../../../support/scripted-gateway.ts";
import { throwing } from "../../../support/throwing.ts";
import { webhookSecret } from "../../../support/webhook-delivery.ts";
import { inboundMessage, inboundReaction, statusUpdate } from "../../../support/webhook-payloads.ts";
import { createReceiver } from "../../../support/webhook-receiver.ts";
import { errorResponse, html, networkError, text, USER } from "../../../support/wire.ts";

/** Shorter texts stand in anything by chance. */
const TELLING_LENGTH = 4;

/** So do a few digits: in an id, and in a time. */
const FEW_DIGITS = /^\d{1,6}$/;

let spans: RecordedSpans;
beforeEach(() => {
	spans = recordSpans();
});
afterEach(() => spans[Symbol.dispose]());

/** Everything of a span that an exporter sends, but its resource: that is the SDK's, and has this folder's path. */
function exported({ name, attributes, events, links, status, instrumentationScope }: ReadableSpan) {
	return JSON.stringify({ name, attributes, events, links, status, instrumentationScope });
}

function expectNothingOf(secrets: Iterable<string>): void {
	const shown = spans.all().map(exported).join("\n");
	for (const secret of secrets) {
		if (secret.length < TELLING_LENGTH || FEW_DIGITS.test(secret)) continue;
		for (const written of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]) {
			expect(shown).not.toContain(written);
		}
	}
}

/** Every text in a value, at any depth; numbers too. */
function* textsOf(value: unknown): Generator<string> {
	if (typeof value === "string" || typeof value === "number") yield String(value);
	else if (typeof value === "object" && value !== null) {
		for (const member of Object.values(value)) yield* textsOf(member);
	}
}

/** What a request holds beside its method and the names in its path: values of path, query, body and headers. */
function contentsOf(url: string, init: RequestInit, template: string): string[] {
	const { pathname, searchParams } = new URL(url);
	const known = new Set(template.split("/"));
	const inPath = pathname.split("/").filter((part) => !known.has(part));
	const headers = Object.fromEntries(new Headers(init.headers));
	const signed = ["authorization", "x-app-id", "x-nonce", "x-timestamp"].map((name) => headers[name] ?? "");
	const body = init.body instanceof Uint8Array ? new TextDecoder().decode(init.body) : "null";
	const values = [...inPath.map(decodeURIComponent), ...searchParams.values(), ...textsOf(JSON.parse(body))];
	return [...values, ...signed.map((value) => value.replace("HMAC ", ""))].flatMap(withDigits);
}

/** A phone number is one without its plus, too. */
function withDigits(value: string): string[] {
	return /^\+\d+$/.test(value) ? [value, value.slice(1)] : [value];
}

describe("the spans of every operation", () => {
	test.each(METHODS)(
		"$name: contain nothing of its request and its response",
		async ({ operation, method }) => {
			const { local, requests, responses, callMethod } = await createCalledGateway({ hooks: traceCalls() });
			await using _ = local;
			requests.length = 0;
			responses.length = 0;
			await callMethod(operation.id, method);
			const contents = requests.flatMap(({ url, init }) => contentsOf(url, init, operation.path));
			const bodies = await Promise.all(responses.map((response) => response.json()));
			const sent = bodies.flatMap(({ data }) => [...textsOf(data)]).flatMap(withDigits);
			expect(requests).toHaveLength(1);
			expect(spans.all().length).toBeGreaterThanOrEqual(2);
			expectNothingOf([local.appSecret, local.appId, ...contents, ...sent]);
		},
	);
});

const number = fc.stringMatching(/^\+[1-9]\d{9,14}$/);
const anyText = fc.string({ minLength: 8, maxLength: 60 }).filter((value) => value.trim().length >= 8);
const word = fc.stringMatching(/^[a-z]{12,20}$/);

/** How an attempt ends, with what was sent in its words. */
type Ending = (said: string, request: SentRequest) => Response | Promise<Response>;

const ENDINGS: readonly Ending[] = [
	(said) => errorResponse(400, { message: said, details: [{ field: "text", issue: said, message: said }] }),
	(said) => errorResponse(409, { code: said, message: said }),
	(said) => errorResponse(500, { message: said }),
	(said) => text(502, said),
	(said) => text(200, said),
	(said) => Promise.reject(networkError("ECONNRESET", said)),
	(said) => Promise.reject(Object.assign(new Error(said), { name: said, code: said })),
	(_said, { url, headers }) => Promise.reject(new Error(`${url} ${headers.get("Authorization")}`)),
];

test("no number, text, query or echo of them is in a span, however a call ends", async () => {
	const run = async (to: string, said: string, query: string, end: Ending) => {
		spans[Symbol.dispose]();
		spans = recordSpans();
		const { gateway, clock, requests } = scriptGateway([(request) => end(said, request)], {
			hooks: traceCalls(),
			maxRetries: 1,
		});
		const calls = [
			gateway.messages.sendText({ to, text: said }),
			gateway.mappings.get(to),
			gateway.analytics.listMessages(to, { cursor: query }),
			gateway.mappings.get(said),
			gateway.request("GET", "/search/{name}", { params: { name: query }, query: { query, said } }),
			gateway.request("POST", `/number/${to}`, { body: { said } }),
		];
		await Promise.all(
			calls.map((call) =>
				settle(
					clock,
					call.catch(() => undefined),
				),
			),
		);
		expect(spans.all().length).toBeGreaterThanOrEqual(10);
		const stamps = requests.flatMap(({ headers }) => [
			headers.get("X-Nonce") ?? "",
			headers.get("Authorization")?.slice(5) ?? "",
		]);
		expectNothingOf([SECRET, to.slice(1), said, query, ...stamps]);
	};
	const ending = fc.constantFrom(...ENDINGS);
	await fc.assert(fc.asyncProperty(number, anyText, word, ending, run), { numRuns: cases(60) });
});

test("nothing of an event, its signature or its handler's error is in a span", async () => {
	const run = async (to: string, said: string) => {
		spans[Symbol.dispose]();
		spans = recordSpans();
		const fail = throwing(new Error(`could not answer ${said} to ${to}`, { cause: said }));
		const on = { inbound_message: fail, inbound_reaction: fail, status: fail, unknown: fail };
		const receiver = createReceiver({ hooks: traceEvents(), on });
		const payloads = [
			{ ...inboundMessage, from: to, text: said },
			{ ...inboundReaction, from: to, originalText: said },
			{ ...statusUpdate, to, text: said, error: said },
			{ type: said, from: to },
		];
		for (const [at, payload] of payloads.entries()) {
			const delivery = { eventId: `evt_${at}`, payload };
			const signature = receiver.sign(delivery).headers["x-svc-signature"]?.slice(3) ?? "";
			expect(await receiver.respond(delivery)).toBe("500 handler_failed");
			const { messageId: _, type, status, ...rest } = payload as Record<string, unknown>;
			expectNothingOf([webhookSecret, signature, to.slice(1), said, ...textsOf(rest)]);
		}
		expect(spans.all()).toHaveLength(payloads.length);
	};
	await fc.assert(fc.asyncProperty(number, anyText, run), { numRuns: cases(40) });
});

const KINDS = { call: SpanKind.INTERNAL, attempt: SpanKind.CLIENT, handler: SpanKind.CONSUMER } as const;

/** The kind of a value, as a span would show a leak of anything longer than a word. */
const WORD = /^[\w.{}/-]{1,64}$/;

test("the spans have every attribute that the docs list, and no other, each with a number or a word", async () => {
	const { gateway, clock } = scriptGateway([html(502), errorResponse(404)], { hooks: traceCalls() });
	await catchRejection(settle(clock, gateway.mappings.get(USER)));
	const fail = () => Promise.reject(new TypeError("private"));
	await createReceiver({ hooks: traceEvents(), on: { inbound_message: fail } }).respond();
	for (const [sort, attributes] of Object.entries(SPAN_ATTRIBUTES)) {
		const found = spans.all().filter(({ kind }) => kind === KINDS[sort as keyof typeof KINDS]);
		const names = new Set(found.flatMap((span) => Object.keys(span.attributes)));
		expect([...names].sort()).toEqual(Object.keys(attributes).sort());
		for (const value of found.flatMap((span) => Object.values(span.attributes))) {
			expect(String(value)).toMatch(WORD);
		}
	}
});
