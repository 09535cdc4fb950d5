import { SpanKind } from "@opentelemetry/api";
import { traceCalls, traceEvents } from "messaging-gateway/opentelemetry";
import { expect, test } from "vitest";
import { SPAN_ATTRIBUTES } from "../../../../src/library/opentelemetry/attributes.ts";
import { catchRejection } from "../../../support/catch-error.ts";
import { settle } from "../../../support/counting-clock.ts";
import { recordSpans } from "../../../support/recorded-spans.ts";
import { scriptGateway } from "../../../support/scripted-gateway.ts";
import { createReceiver } from "../../../support/webhook-receiver.ts";
import { errorResponse, html, USER } from "../../../support/wire.ts";

const KINDS = { call: SpanKind.INTERNAL, attempt: SpanKind.CLIENT, handler: SpanKind.CONSUMER } as const;

/** The kind of a value, as a span would show a leak of anything longer than a word. */
const WORD = /^[\w.{}/-]{1,64}$/;

test("the spans have every attribute that the docs list, and no other, each with a number or a word", async () => {
	using spans = recordSpans();
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
