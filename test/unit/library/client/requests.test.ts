import { defineOperation, type HttpMethod } from "messaging-gateway";
import { describe, expect, test } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { hmacSha256, sha256 } from "../../../support/node-crypto.ts";
import { SECRET, scriptGateway } from "../../../support/scripted-gateway.ts";
import { sentBy } from "../../../support/sent-requests.ts";
import { AGENT, json, ok, USER } from "../../../support/wire.ts";

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
		const { gateway, requests } = scriptGateway([ok({})]);
		const operation = defineOperation({
			id: "own",
			method: "GET",
			path: "/x/{id}",
			input: anything,
			data: anything,
		});
		for (const call of [
			() => gateway.request("GET", "/x/{id}", { params: { id: value as string } }),
			() => gateway.call(operation, { id: value }),
		]) {
			const error = await catchRejection(call());
			expect(error).toMatchObject({ code: "invalid_input", outcome: "not_sent", issues: [{ path: "id" }] });
		}
		expect(requests).toHaveLength(0);
	});

	test("is not taken from an object's prototype", async () => {
		const { gateway } = scriptGateway([ok({})]);
		expect(await catchRejection(gateway.request("GET", "/x/{toString}"))).toMatchObject({
			code: "invalid_input",
		});
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

	test("rejects a lone surrogate, which would arrive as another character", async () => {
		await expect(
			sentBy((gateway) => gateway.request("GET", "/x", { query: { name: "a\ud800" } })),
		).rejects.toMatchObject({ code: "invalid_input", issues: [{ path: "name" }] });
	});

	test("rejects an object by name", async () => {
		const { gateway } = scriptGateway([ok({})]);
		const error = await catchRejection(
			gateway.request("GET", "/x", { query: { filter: { a: 1 } as never } }),
		);
		expect(error).toMatchObject({ code: "invalid_input", issues: [{ path: "filter" }] });
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
	test.each<[method: HttpMethod, cache: string | undefined]>([
		["GET", "no-store"],
		["POST", undefined],
		["PUT", undefined],
		["PATCH", undefined],
		["DELETE", undefined],
	])("%s: a URL and an init that follows no redirect, uncached where it reads", async (method, cache) => {
		const { url, init } = await sentBy((gateway) => gateway.request(method, "/x"));
		expect(url).toBe("https://gateway.example/x");
		expect(init).toMatchObject({ method, redirect: "manual" });
		expect(init.cache).toBe(cache);
		expect(init.signal).toBeInstanceOf(AbortSignal);
	});

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
