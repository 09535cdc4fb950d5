import { type CustomFetch, defineOperation, type HttpMethod, type MessagingGateway } from "messaging-gateway";
import { describe, expect, test, vi } from "vitest";
import { settle } from "../../../support/counting-clock.ts";
import { hmacSha256, sha256 } from "../../../support/node-crypto.ts";
import { SECRET, scriptGateway } from "../../../support/scripted-gateway.ts";
import { refusedBy, sentBy } from "../../../support/sent-requests.ts";
import { throwing } from "../../../support/throwing.ts";
import { AGENT, html, json, MAPPING, ok, USER } from "../../../support/wire.ts";

const anything = {
	"~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value: value as object }) },
} as const;

describe("a path value", () => {
	test.each([
		["a plus", "+15551234567", "%2B15551234567"],
		["a space", "a b", "a%20b"],
		["a slash", "a/b", "a%2Fb"],
		["a climb", "../agent", "..%2Fagent"],
		["a percent sign", "100%", "100%25"],
		["an escape", "%2e%2e", "%252e%252e"],
		["a question mark and a hash", "a?b#c", "a%3Fb%23c"],
		["a backslash", "a\\b", "a%5Cb"],
		["letters of any script", "Zoë日本", "Zo%C3%AB%E6%97%A5%E6%9C%AC"],
		["an emoji", "🎉", "%F0%9F%8E%89"],
		["three dots", "...", "..."],
		["a line break", "a\r\nb", "a%0D%0Ab"],
		["a number", 7, "7"],
	])("with %s is escaped", async (_title, value, escaped) => {
		const { url } = await sentBy((gateway) => gateway.request("GET", "/x/{id}/y", { params: { id: value } }));
		expect(url).toBe(`https://gateway.example/x/${escaped}/y`);
	});

	test.each([
		["empty", ""],
		["a dot", "."],
		["two dots", ".."],
		["half a character", "a\ud800"],
		["missing", undefined],
		["null", null],
		["an object", {}],
		["true", true],
	])("that is %s is rejected by name, with nothing sent", async (_title, value) => {
		const path = "/x/{id}";
		const operation = defineOperation({ id: "own", method: "GET", path, input: anything, data: anything });
		for (const call of [
			(gateway: MessagingGateway) => gateway.request("GET", path, { params: { id: value as string } }),
			(gateway: MessagingGateway) => gateway.call(operation, { id: value }),
		]) {
			const issues = [{ path: "id" }];
			expect(await refusedBy(call)).toMatchObject({ code: "invalid_input", outcome: "not_sent", issues });
		}
	});

	test("is not taken from an object's prototype", async () => {
		const error = await refusedBy((gateway) => gateway.request("GET", "/x/{toString}"));
		expect(error).toMatchObject({ code: "invalid_input" });
	});
});

describe("a query", () => {
	test.each<[title: string, query: Record<string, unknown>, search: string]>([
		["texts, numbers and booleans", { a: "x", b: 2, c: false }, "?a=x&b=2&c=false"],
		["a list, under its name each time", { a: ["x", "y", 3] }, "?a=x&a=y&a=3"],
		["what must be escaped", { "a b": "c&d=e+f" }, "?a+b=c%26d%3De%2Bf"],
		["any script", { q: "Zoë 🎉" }, "?q=Zo%C3%AB+%F0%9F%8E%89"],
		["nothing for undefined, null and an empty list", { a: undefined, b: null, c: [] }, ""],
		["an empty text", { a: "" }, "?a="],
	])("holds %s", async (_title, query, search) => {
		const { url } = await sentBy((gateway) => gateway.request("GET", "/x", { query: query as never }));
		expect(url).toBe(`https://gateway.example/x${search}`);
	});

	test.each<[title: string, value: unknown]>([
		["a lone surrogate, which would arrive as another character", "a\ud800"],
		["an object", { a: 1 }],
	])("rejects %s by name", async (_title, value) => {
		const error = await refusedBy((gateway) =>
			gateway.request("GET", "/x", { query: { name: value as never } }),
		);
		expect(error).toMatchObject({ code: "invalid_input", issues: [{ path: "name" }] });
	});

	test("carries what is left of a GET's input", async () => {
		const { url, body } = await sentBy((gateway) =>
			gateway.analytics.listMessages(USER, { agentNumber: AGENT, limit: 5, after: 1, before: 2 }),
		);
		const { pathname, search, searchParams } = new URL(url);
		expect(pathname).toBe("/analytics/conversation/%2B15551234567");
		expect(search).toContain("agentNumber=%2B15550000001");
		expect(Object.fromEntries(searchParams)).toEqual({
			agentNumber: AGENT,
			limit: "5",
			after: "1",
			before: "2",
		});
		expect(body).toBeUndefined();
	});
});

describe("a base address", () => {
	test.each([
		["https://gateway.example", "https://gateway.example/mapping/%2B15551234567"],
		["https://gateway.example/", "https://gateway.example/mapping/%2B15551234567"],
		["https://gateway.example///", "https://gateway.example/mapping/%2B15551234567"],
		["https://gateway.example:8443/api/v1/", "https://gateway.example:8443/api/v1/mapping/%2B15551234567"],
		["HTTPS://Gateway.Example/API", "https://gateway.example/API/mapping/%2B15551234567"],
		[" https://gateway.example ", "https://gateway.example/mapping/%2B15551234567"],
		["https://gateway.example?", "https://gateway.example/mapping/%2B15551234567"],
		["https://gateway.example/api#", "https://gateway.example/api/mapping/%2B15551234567"],
	])("%j leads to %s", async (baseUrl, url) => {
		expect((await sentBy((gateway) => gateway.mappings.get(USER), { baseUrl })).url).toBe(url);
	});
});

describe("what fetch is given", () => {
	test.each<HttpMethod>(["GET", "POST", "PUT", "PATCH", "DELETE"])(
		"%s: a URL and an init that follows no redirect, uncached",
		async (method) => {
			const { url, init } = await sentBy((gateway) => gateway.request(method, "/x"));
			expect(url).toBe("https://gateway.example/x");
			expect(init).toMatchObject({ method, redirect: "manual", cache: "no-store" });
			expect(init.signal).toBeInstanceOf(AbortSignal);
		},
	);

	test.each(["polyfill", "ponyfill"])(
		"no cache mode if it is a %s, which would change the URL",
		async (mark) => {
			const fetch = vi.fn(async (_url: string, _init: object) => Response.json({ ok: true, data: 7 }));
			const send = (fetch: CustomFetch) => scriptGateway([], { fetch }).gateway.request("GET", "/x");
			await send(Object.assign(fetch, { [mark]: true }));
			expect(fetch.mock.calls[0]?.[1]).not.toHaveProperty("cache");
			await send((url, init) => fetch(url, init));
			expect(fetch.mock.calls[1]?.[1]).toHaveProperty("cache", "no-store");
		},
	);

	test("unsigned with signed: false", async () => {
		const { gateway, requests } = scriptGateway([json(200, { ok: true, data: 7 })]);
		expect(await gateway.request("GET", "/x", { signed: false })).toBe(7);
		expect([...(requests[0]?.headers.keys() ?? [])]).toEqual(["accept"]);
	});

	test("signed over method, path and body, as node:crypto finds it", async () => {
		const { headers, body = "" } = await sentBy(
			(gateway) =>
				gateway.request("PATCH", "/x/{id}", {
					params: { id: "a b" },
					query: { q: 1 },
					body: { b: 1, a: "é" },
				}),
			{ baseUrl: "https://gateway.example/api" },
		);
		expect(body).toBe('{"a":"é","b":1}');
		const toSign = [
			"PATCH",
			"/api/x/a%20b",
			sha256(body),
			headers.get("X-Timestamp"),
			headers.get("X-Nonce"),
		];
		expect(headers.get("Authorization")).toBe(`HMAC ${hmacSha256(SECRET, toSign.join("\n"))}`);
	});
});

describe("headers", () => {
	test("of client and call go with every request, the call's winning whatever the case", async () => {
		const { gateway, clock, requests } = scriptGateway([html(502), ok({ mapping: MAPPING })], {
			headers: { "X-Trace": "client", "X-Tenant": "t-1", "User-Agent": "ours/1" },
		});
		await settle(
			clock,
			gateway.mappings.get(USER, { headers: { "x-trace": "call", Accept: "application/problem+json" } }),
		);
		for (const { headers } of requests) {
			expect(headers.get("X-Trace")).toBe("call");
			expect(headers.get("X-Tenant")).toBe("t-1");
			expect(headers.get("User-Agent")).toBe("ours/1");
			expect(headers.get("Accept")).toBe("application/problem+json");
		}
		expect(requests).toHaveLength(2);
	});

	test.each([
		"Authorization",
		"x-app-id",
		"X-TIMESTAMP",
		"X-Nonce",
		"content-type",
		"Content-Length",
		"Transfer-Encoding",
		"host",
		"Expect",
		"KEEP-ALIVE",
		"upgrade",
	])("%s cannot be given", async (name) => {
		expect(() => scriptGateway([], { headers: { [name]: "x" } })).toThrow(
			`The header ${name} belongs to the client and its connection: leave it out`,
		);
		const error = await refusedBy((gateway) => gateway.mappings.get(USER, { headers: { [name]: "x" } }));
		expect(error).toMatchObject({ code: "configuration" });
	});

	test.each<[title: string, headers: Record<string, string>]>([
		["a name with a space", { "X Trace": "a" }],
		["an empty name", { "": "a" }],
		["a value with a line break", { "X-Trace": "secret-a\r\nX-Evil: 1" }],
		["a value beyond Latin-1", { "X-Trace": "secret-日" }],
		["a value that is a number", { "X-Trace": 1 as never }],
	])("%s is rejected, and not quoted", async (_title, headers) => {
		const error = await refusedBy((gateway) => gateway.mappings.get(USER, { headers }));
		expect(error).toMatchObject({ code: "configuration" });
		expect(error.message).not.toContain("secret");
	});
});

describe("a body", () => {
	test("is sent in its canonical form, under the catalogue's wire names", async () => {
		const input = { to: USER, text: "Hello", statusCallback: "https://hooks.example/status", from: AGENT };
		const { body, headers } = await sentBy((gateway) => gateway.messages.sendText(input));
		expect(body).toBe(
			`{"from":"${AGENT}","status_callback":"https://hooks.example/status","text":"Hello","to":"${USER}"}`,
		);
		expect(headers.get("Content-Type")).toBe("application/json");
	});

	test("is left out where nothing is left for it", async () => {
		for (const call of [
			(gateway: MessagingGateway) => gateway.mappings.reset(USER),
			(gateway: MessagingGateway) => gateway.mappings.delete(USER),
			(gateway: MessagingGateway) => gateway.mappings.get(USER),
			(gateway: MessagingGateway) => gateway.request("POST", "/x"),
		]) {
			const { gateway, requests } = scriptGateway([ok({ mapping: MAPPING, deleted: true })]);
			await call(gateway);
			expect(requests[0]?.init).not.toHaveProperty("body");
			expect(requests[0]?.headers.has("Content-Type")).toBe(false);
		}
	});

	test("without undefined members", async () => {
		const { body } = await sentBy((gateway) =>
			gateway.messages.sendText({ to: USER, text: "Hello", from: undefined, effect: undefined } as never),
		);
		expect(body).toBe(`{"text":"Hello","to":"${USER}"}`);
	});

	test("unsets a webhook with an empty text", async () => {
		const { gateway, requests } = scriptGateway([ok({ inboundWebhookUrl: null, statusWebhookUrl: null })]);
		await gateway.settings.setWebhooks({ inboundWebhookUrl: null });
		await gateway.settings.setWebhooks({ statusWebhookUrl: "" });
		await gateway.settings.setWebhooks({});
		expect(requests.map(({ body }) => body)).toEqual([
			'{"inboundWebhookUrl":""}',
			'{"statusWebhookUrl":""}',
			undefined,
		]);
	});

	test.each<[title: string, body: unknown]>([
		["a BigInt", { n: 1n }],
		["NaN", { n: Number.NaN }],
		["half a character", { text: "\ud800" }],
		["nothing to write", () => undefined],
		[
			"a getter that throws",
			Object.defineProperty({}, "text", { enumerable: true, get: throwing(new Error("private")) }),
		],
		[
			"a toJSON that throws",
			{
				toJSON: throwing(new Error("private")),
			},
		],
	])("with %s is rejected, with nothing sent", async (_title, body) => {
		const error = await refusedBy((gateway) => gateway.request("POST", "/x", { body }));
		expect(error).toMatchObject({ code: "invalid_input", outcome: "not_sent" });
		expect(error.message).not.toContain("private");
	});

	test("that contains itself is rejected", async () => {
		const body: Record<string, unknown> = {};
		body["self"] = body;
		for (const call of [
			(gateway: MessagingGateway) => gateway.request("POST", "/x", { body }),
			(gateway: MessagingGateway) => gateway.messages.sendText(body as never),
		])
			expect(await refusedBy(call)).toMatchObject({ code: "invalid_input" });
	});

	test("is rejected with GET before anything is sent", async () => {
		const error = await refusedBy((gateway) => gateway.request("GET", "/x", { body: { a: 1 } }));
		expect(error).toMatchObject({ code: "invalid_input", outcome: "not_sent" });
	});
});
