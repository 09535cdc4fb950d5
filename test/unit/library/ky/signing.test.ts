import type { Options } from "ky";
import { ConfigurationError, InputError, signedKy } from "messaging-gateway/ky";
import { afterEach, describe, expect, test, vi } from "vitest";
import { catchError, catchRejection } from "../../../support/catch-error.ts";
import { fixedClock } from "../../../support/fixed-clock.ts";
import { PAGE, stubHost } from "../../../support/hosts.ts";
import { reply, startServer } from "../../../support/http-server.ts";
import { EMPTY_HASH, hmacSha256, sha256 } from "../../../support/node-crypto.ts";
import { USER } from "../../../support/wire.ts";
import { APP_SECRET, expectSigned, printed, startSignedWorld } from "./signed-world.ts";

const DONE = { ok: true, data: { done: true } };

afterEach(() => vi.unstubAllGlobals());

describe("what leaves", () => {
	test("JSON is sent as canonical bytes, and those are signed", async () => {
		await using world = await startSignedWorld([reply(200, DONE)]);
		await world.api.post("chat/archive", { json: { z: 1, a: { c: "é", b: 2 } } });
		const [request] = world.server.received;
		expect(request?.body.toString()).toBe('{"a":{"b":2,"c":"é"},"z":1}');
		expect(request?.headers["content-type"]).toBe("application/json");
		expectSigned(request);
	});

	test("the envelope is what json() gives", async () => {
		await using world = await startSignedWorld([reply(200, DONE)]);
		expect(await world.api.get("chat").json()).toEqual(DONE);
		expect(await world.api.get("chat").then((response) => response.json())).toEqual(DONE);
	});

	test("a request without a body sends none, and its query is not signed", async () => {
		await using world = await startSignedWorld([reply(200, DONE)]);
		await world.api.get("chat", { searchParams: { limit: 3 } });
		const [request] = world.server.received;
		expect(request?.target).toBe("/chat?limit=3");
		expect(sha256(request?.body ?? "x")).toBe(EMPTY_HASH);
		expectSigned(request);
	});

	test.each(["chat", "/chat"])("%s stands below the base path", async (path) => {
		await using world = await startSignedWorld([reply(200, DONE)], { path: "/v1/" });
		await world.api.get(path);
		expect(world.server.received[0]?.target).toBe("/v1/chat");
		expectSigned(world.server.received[0]);
	});

	test.each<{ what: string; options: object; bytes: string }>([
		{
			what: "stringifyJson",
			options: { json: { b: 1, a: 2 }, stringifyJson: () => '{"b":1,  "a":2}' },
			bytes: '{"a":2,"b":1}',
		},
		{
			what: "a raw body of JSON",
			options: { body: '{"b":1, "a":2}', headers: { "Content-Type": "application/json" } },
			bytes: '{"a":2,"b":1}',
		},
		{ what: "a raw body of text", options: { body: '{"b":1, "a":2}' }, bytes: '{"b":1, "a":2}' },
		{ what: "bytes", options: { body: new Uint8Array([123, 32, 125]) }, bytes: "{ }" },
	])("$what is signed as it is sent", async ({ options, bytes }) => {
		await using world = await startSignedWorld([reply(200, DONE)]);
		await world.api.post("chat", options);
		expect(world.server.received[0]?.body.toString()).toBe(bytes);
		expectSigned(world.server.received[0]);
	});

	test("headers of the caller's are kept, but for the signed ones", async () => {
		await using world = await startSignedWorld([reply(200, DONE)]);
		await world.api.get("chat", { headers: { "X-Trace": "1", Authorization: "Bearer x", "x-nonce": "n" } });
		expect(world.server.received[0]?.headers["x-trace"]).toBe("1");
		expectSigned(world.server.received[0]);
	});

	test("options that ky does not know go on to fetch, and nothing of ours beside them", async () => {
		const fetch = vi.fn(async (_url: string, _init: object) => Response.json(DONE));
		const api = signedKy({
			baseUrl: "https://gateway.example",
			appId: "app-1",
			appSecret: APP_SECRET,
			fetch,
		});
		await api.get("chat", Object.assign<Options, object>({}, { dispatcher: "a proxy" }));
		expect(fetch.mock.calls[0]?.[0]).toBe("https://gateway.example/chat");
		expect(Object.keys(fetch.mock.calls[0]?.[1] ?? {}).sort()).toEqual([
			"cache",
			"dispatcher",
			"headers",
			"method",
			"redirect",
			"signal",
		]);
	});

	test("every retry has a nonce, a time and a signature of its own", async () => {
		let time = 1_700_000_000_000;
		const now = (): number => {
			time += 1;
			return time;
		};
		const clock = { ...fixedClock(time), now };
		await using world = await startSignedWorld([reply(503, {}), reply(200, DONE)], { clock });
		await world.api.get("chat");
		const { received } = world.server;
		expect(received).toHaveLength(2);
		for (const header of ["x-nonce", "x-timestamp", "authorization"]) {
			expect(new Set(received.map(({ headers }) => headers[header])).size, header).toBe(2);
		}
		for (const request of received) expectSigned(request);
	});

	test("the form of the profile is used", async () => {
		const profile = { signing: { canonicalBody: "json", query: "included" } } as const;
		await using world = await startSignedWorld([reply(200, DONE)], { profile });
		await world.api.post("chat?a=1", { json: { b: 1, a: 2 } });
		const { body, headers } = world.server.received[0] ?? {};
		expect(body?.toString()).toBe('{"b":1,"a":2}');
		const parts = [
			"POST",
			"/chat?a=1",
			sha256('{"b":1,"a":2}'),
			headers?.["x-timestamp"],
			headers?.["x-nonce"],
		];
		expect(headers?.authorization).toBe(`HMAC ${hmacSha256(APP_SECRET, parts.join("\n"))}`);
	});
});

describe("credentials", () => {
	test("a signer signs every attempt", async () => {
		const signer = vi.fn(async ({ stringToSign }: { stringToSign: string }) => ({
			signature: hmacSha256("elsewhere", stringToSign),
		}));
		await using world = await startSignedWorld([reply(503, {}), reply(200, DONE)], { signer });
		await world.api.get("chat");
		expect(signer).toHaveBeenCalledTimes(2);
		for (const request of world.server.received) expectSigned(request, "elsewhere");
	});

	test("a secret's function is asked again after a 401, and the request signed with what it brings", async () => {
		const secrets = ["old", "new"];
		await using world = await startSignedWorld([reply(401, {}), reply(200, DONE)], {
			appSecret: () => secrets.shift() ?? "none",
		});
		expect(await world.api.get("chat").json()).toEqual(DONE);
		const [first, second] = world.server.received;
		expectSigned(first, "old");
		expectSigned(second, "new");
	});

	const USED = { ok: false, error: { requestId: "r", code: "NONCE_REPLAYED", message: "" } };
	const WRONG = {
		ok: false,
		error: { requestId: "r", code: "X", message: "", details: { reason: "INVALID_SIGNATURE" } },
	};

	test.each<[title: string, method: "get" | "post", body: object, received: number, outcome: string]>([
		["a POST with a 401 without a reason is not signed again", "post", {}, 1, "rejected"],
		["a POST whose signature was wrong is signed again", "post", WRONG, 2, "accepted"],
		["a POST of which a copy was refused is not signed again", "post", USED, 1, "unknown"],
		["a GET of which a copy was refused is signed again", "get", USED, 2, "accepted"],
	])("%s", async (_title, method, body, received, outcome) => {
		const secrets = ["old", "new"];
		await using world = await startSignedWorld([reply(401, body), reply(200, DONE)], {
			appSecret: () => secrets.shift() ?? "none",
		});
		const result = await world.api[method]("chat")
			.json()
			.catch((error: unknown) => error);
		expect(result).toEqual(outcome === "accepted" ? DONE : expect.objectContaining({ status: 401, outcome }));
		expect(world.server.received).toHaveLength(received);
	});

	test("a POST of which a copy came too late, while the machine slept, is not signed again", async () => {
		const secrets = ["old", "new"];
		let slept = 0;
		const late = { requestId: "r", code: "X", message: "", details: { reason: "TIMESTAMP_OUT_OF_RANGE" } };
		const fetch = vi.fn(async () => {
			slept = 360_000;
			const headers = { Date: new Date(Date.now() + slept).toUTCString() };
			return Response.json({ ok: false, error: late }, { status: 401, headers });
		});
		const api = signedKy({
			...{ baseUrl: "https://gateway.example", appId: "app-1", fetch },
			appSecret: () => secrets.shift() ?? "none",
			clock: { now: () => Date.now() + slept, setTimer: () => () => undefined, monotonicNow: () => 0 },
		});
		expect(await catchRejection(api.post("chat"))).toMatchObject({ status: 401, outcome: "unknown" });
		expect(fetch).toHaveBeenCalledOnce();
	});

	test("a secret that is refused is not tried twice", async () => {
		await using world = await startSignedWorld([reply(401, {})], { appSecret: () => "same" });
		expect(await catchRejection(world.api.get("chat"))).toMatchObject({ status: 401, attempts: 1 });
		expect(world.server.received).toHaveLength(1);
	});

	test("a secret is refused in a browser unless that is asked for", () => {
		stubHost(PAGE);
		const options = { baseUrl: "https://gateway.example", appId: "app-1" };
		expect(catchError(() => signedKy({ ...options, appSecret: APP_SECRET }))).toBeInstanceOf(
			ConfigurationError,
		);
		expect(signedKy({ ...options, appSecret: APP_SECRET, dangerouslyAllowBrowser: true })).toBeDefined();
		expect(signedKy({ ...options, signer: () => ({ signature: "" }) })).toBeDefined();
	});

	test("what is left out comes from the environment, at the first call", async () => {
		await using server = await startServer(reply(200, DONE));
		const api = signedKy();
		expect(catchError(() => api.get("chat"))).toMatchObject({ code: "configuration" });
		vi.stubEnv("MESSAGING_GATEWAY_BASE_URL", server.url);
		vi.stubEnv("MESSAGING_GATEWAY_APP_ID", "app-1");
		vi.stubEnv("MESSAGING_GATEWAY_APP_SECRET", APP_SECRET);
		await api.get("chat");
		expectSigned(server.received[0]);
		vi.unstubAllEnvs();
	});

	test.each([
		{ retries: 3 },
		{ baseUrl: "gateway.example" },
		{ appSecret: " padded " },
		{ profile: { signing: { query: "no" } } },
		{ appSecret: "a", signer: () => ({ signature: "" }) },
	])("%j is rejected", (options) => {
		expect(catchError(() => signedKy(options as never))).toBeInstanceOf(ConfigurationError);
	});
});

describe("what is neither signed nor sent", () => {
	test("a request to another origin, another port, or beside the base path", async () => {
		await using elsewhere = await startServer(reply(200, DONE));
		await using world = await startSignedWorld([reply(200, DONE)], { path: "/v1" });
		const { api, server } = world;
		for (const call of [
			() => api.get(new URL(`${elsewhere.url}/v1/chat`)),
			// ky puts the prefix before a string.
			() => api.get(`${elsewhere.url}/v1/chat`),
			() => api.post(`HTTPS://elsewhere.example/v1/chat`, { json: {} }),
			() => api.get("chat", { prefix: `${elsewhere.url}/v1` }),
			() => api.extend({ prefix: "", baseUrl: elsewhere.url }).get(new Request(`${elsewhere.url}/v1/chat`)),
			() => api.get("../v2/chat"),
			() => api.get(new URL(`${server.url}/v10/chat`)),
		]) {
			expect(await catchRejection(call())).toMatchObject({ code: "configuration", outcome: "not_sent" });
		}
		expect([...elsewhere.received, ...server.received]).toEqual([]);
	});

	test.each(["", "{", '"\\ud800"', "[1"])(
		"a body that is announced as JSON and is none: %j",
		async (body) => {
			await using world = await startSignedWorld([reply(200, DONE)]);
			const headers = { "Content-Type": "application/json; charset=utf-8" };
			const call = world.api.post("chat", { body: body || `{"to":"${USER}"`, headers });
			const error = await catchRejection(call);
			expect(error).toBeInstanceOf(InputError);
			expect(printed(error)).not.toContain(USER);
			expect(world.server.received).toEqual([]);
		},
	);

	test("a redirect is not followed", async () => {
		await using elsewhere = await startServer(reply(200, DONE));
		await using world = await startSignedWorld([reply(307, "", { Location: `${elsewhere.url}/chat` })]);
		const call = world.api.post("chat", { json: {}, redirect: "follow" });
		expect(await catchRejection(call)).toMatchObject({ code: "unexpected_status", status: 307 });
		expect(elsewhere.received).toEqual([]);
	});
});

describe("documented limits", () => {
	test("a fetch of an extended instance takes the place of ours: nothing is signed, and nothing is known", async () => {
		await using world = await startSignedWorld([reply(404, {})]);
		const extended = world.api.extend({ fetch: (input, init) => fetch(input, init) });
		expect(await catchRejection(extended.get("chat"))).toMatchObject({ status: 404, outcome: "unknown" });
		expect(world.server.received[0]?.headers).not.toHaveProperty("authorization");
	});

	test("numbers that a double does not hold change with the canonical form, in what is sent and signed", async () => {
		await using world = await startSignedWorld([reply(200, DONE)]);
		await world.api.post("chat", {
			body: "[12345678901234567890]",
			headers: { "Content-Type": "application/json" },
		});
		expect(world.server.received[0]?.body.toString()).toBe("[12345678901234567000]");
		expectSigned(world.server.received[0]);
	});
});
