import fc from "fast-check";
import { isMessagingGatewayError, type MessagingGateway } from "messaging-gateway";
import { expect, test } from "vitest";
import { cases } from "../../../support/cases.ts";
import { settle } from "../../../support/counting-clock.ts";
import { scriptGateway } from "../../../support/scripted-gateway.ts";
import { AGENT, DUPLICATE, MAPPING, MESSAGE, USER } from "../../../support/wire.ts";

const calls: [title: string, call: (gateway: MessagingGateway) => PromiseLike<unknown>][] = [
	["mappings.get", (gateway) => gateway.mappings.get(USER)],
	["mappings.get with its response", (gateway) => gateway.mappings.get(USER).withResponse()],
	["mappings.delete", (gateway) => gateway.mappings.delete(USER)],
	["messages.sendText", (gateway) => gateway.messages.sendText({ to: USER, text: "Hello" })],
	["agents.list, iterated", (gateway) => gateway.agents.list().toArray({ limit: 3 })],
	["agents.reassign", (gateway) => gateway.agents.reassign({ userNumber: USER, toAgentNumber: AGENT })],
	[
		"settings.setWebhooks",
		(gateway) => gateway.settings.setWebhooks({ inboundWebhookUrl: "https://x.example" }),
	],
	["health.check", (gateway) => gateway.health.check()],
	["request", (gateway) => gateway.request("POST", "/x", { body: { a: 1 }, retry: "safe" })],
];

const status = fc.oneof(
	fc.integer({ min: 200, max: 599 }),
	fc.constantFrom(
		...[200, 201, 202, 204, 205, 301, 302, 303, 304, 400, 401, 404, 408, 409, 429, 500, 502, 503, 504],
	),
);

const odd = fc.oneof(fc.jsonValue(), fc.constantFrom<unknown>(null, true, "", 0, [], {}));

/** An envelope, any of whose parts may be missing or something else. */
const envelope = fc.record(
	{
		ok: fc.oneof({ weight: 3, arbitrary: fc.boolean() }, odd),
		data: fc.oneof(
			fc.constantFrom<unknown>({ mapping: MAPPING }, { message: MESSAGE }, { agents: [], nextCursor: "c" }),
			odd,
		),
		meta: fc.oneof(
			fc.record(
				{
					requestId: odd,
					timestamp: fc.oneof(
						fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
						odd,
					),
				},
				{ requiredKeys: [] },
			),
			odd,
		),
		error: fc.oneof(
			fc.record(
				{
					code: odd,
					message: odd,
					requestId: odd,
					details: fc.oneof(fc.constant<unknown>(DUPLICATE), fc.array(odd), odd),
				},
				{ requiredKeys: [] },
			),
			odd,
		),
	},
	{ requiredKeys: [] },
);

const body = fc.oneof(
	envelope.map((value) => JSON.stringify(value)),
	fc.json(),
	fc.string({ unit: "binary" }),
	fc.tuple(envelope, fc.nat(80)).map(([value, at]) => JSON.stringify(value).slice(0, at)),
	fc.constantFrom(
		"",
		" ",
		"null",
		'"text"',
		"<html></html>",
		"\ufeff{}",
		'{"ok":true,"data":{"__proto__":1}}',
	),
);

const headerValue = fc.string({ unit: "grapheme-ascii", maxLength: 20 });
const headers = fc.record(
	{
		"Retry-After": fc.oneof(
			fc.constantFrom("0", "1", "-1", "9e9", "99999999999999999999", "Thu, 01 Jan 2026 00:00:05 GMT"),
			headerValue,
		),
		Date: fc.oneof(fc.constantFrom("Thu, 01 Jan 2026 01:00:00 GMT", "soon"), headerValue),
		Age: fc.constantFrom("0", "x"),
		"Content-Length": fc.constantFrom("0", "5", "-1", "x", "99999999999"),
		"Content-Type": headerValue,
		"X-Request-Id": headerValue,
		Location: headerValue,
	},
	{ requiredKeys: [] },
);

const response = fc.record({ status, body, headers });

test.each(calls)("%s ends in data or in one of our errors for every response", async (_title, call) => {
	await fc.assert(
		fc.asyncProperty(fc.array(response, { minLength: 1, maxLength: 3 }), async (responses) => {
			const steps = responses.map(({ status, body, headers }) => () => {
				const isEmpty = [204, 205, 304].includes(status);
				return new Response(isEmpty ? null : body, { status, headers });
			});
			const { gateway, clock, requests } = scriptGateway(steps);
			const ending = await settle(clock, call(gateway), 10_000).then(
				(data) => ({ data }),
				(error: unknown) => ({ error }),
			);
			expect(clock.openTimers).toBe(0);
			if (!("error" in ending)) return;
			const { error } = ending;
			if (!isMessagingGatewayError(error)) throw error;
			expect(["accepted", "rejected", "unknown"]).toContain((error as { outcome?: string }).outcome);
			expect(error).toHaveProperty("status");
			expect((error as { attempts?: number }).attempts).toBeLessThanOrEqual(requests.length);
			JSON.stringify(error);
		}),
		{ numRuns: cases(150) },
	);
});

test.each(calls)("whatever %s is thrown by fetch, it ends in one of our errors", async (_title, call) => {
	const thrown = fc.oneof(
		fc.anything(),
		fc
			.record({ name: fc.string(), message: fc.string(), code: fc.anything(), cause: fc.anything() })
			.map(({ message, cause, ...rest }) => Object.assign(new Error(message, { cause }), rest)),
	);
	await fc.assert(
		fc.asyncProperty(thrown, async (reason) => {
			const { gateway, clock } = scriptGateway([() => Promise.reject(reason)], { maxRetries: 0 });
			const error = await settle(clock, call(gateway)).then(
				() => undefined,
				(error: unknown) => error,
			);
			expect(error).toMatchObject({
				code: "connection_failed",
				outcome: expect.stringMatching(/^unknown$|^not_sent$/),
			});
		}),
		{ numRuns: cases(60) },
	);
});
