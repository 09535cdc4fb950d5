import { type ClientOptions, MessagingGateway } from "messaging-gateway";
import { type DiagnoseOptions, type Diagnosis, diagnose } from "messaging-gateway/doctor";
import { createAdjustableClock, createLocalGateway } from "messaging-gateway/testing";
import { afterEach, describe, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { START_MS, settle } from "../../../support/counting-clock.ts";
import { SECRET, scriptGateway, silence } from "../../../support/scripted-gateway.ts";
import { errorResponse, MAPPING, ok, text } from "../../../support/wire.ts";
import { causesOf, triedBy } from "./diagnosed.ts";

const PROBE_NUMBER = "+15555550100";

afterEach(() => vi.unstubAllEnvs());

function createStoppedClock() {
	return createAdjustableClock({ frozen: true, startMs: START_MS });
}

describe("a healthy gateway", () => {
	test("is reported so, with the measurements and what could not be tested", async () => {
		await using local = createLocalGateway({ clock: createStoppedClock() });
		const diagnosis = await diagnose(new MessagingGateway(local.clientOptions));
		expect(diagnosis).toMatchObject({
			isHealthy: null,
			isReachable: true,
			baseUrl: local.baseUrl,
			latencyMs: 0,
			findings: [],
			signing: { emptyBody: "empty_string", query: "excluded" },
			profileSource: undefined,
		});
		// A date of whole seconds is taken for the middle of its second.
		expect(diagnosis.clockOffsetMs).toBe(500);
		expect(diagnosis.untested).toEqual([
			expect.stringMatching(/^Bodies are unproven: .*sends may still fail.*probeBody/),
			expect.stringMatching(/^Webhooks: .*explainWebhookFailure/),
		]);
	});

	test("gets ten requests, which only read, and of which those of its health are not signed", async () => {
		await using local = createLocalGateway();
		const diagnosis = await diagnose(new MessagingGateway(local.clientOptions));
		expect(triedBy(diagnosis)).toEqual([
			"health accepted",
			"health accepted",
			"health accepted",
			"wrongly_signed rejected",
			"signed accepted",
			"signed accepted",
			"wrongly_signed rejected",
			"signed_unknown_path accepted",
			"signed_with_query accepted",
			"wrongly_signed rejected",
		]);
		const path = `/mapping/${encodeURIComponent(PROBE_NUMBER)}`;
		expect(local.requests.map((request) => `${request.method} ${request.path}${request.query}`)).toEqual([
			"GET /health",
			"GET /health",
			"GET /health",
			"GET /mapping/15555550100",
			"GET /mapping/15555550100",
			`GET ${path}`,
			`GET ${path}`,
			"GET /path-that-no-gateway-has",
			`GET ${path}?probeB=1&probeA=2`,
			`GET ${path}?probeB=1&probeA=2`,
		]);
		expect(local.sent).toEqual([]);
		for (const { path, headers } of local.requests) {
			expect("authorization" in headers).toBe(path !== "/health");
			expect(headers["accept"]).toBe("application/json");
		}
		expect(await new MessagingGateway(local.clientOptions).mappings.list()).toMatchObject({ mappings: [] });
	});

	test("gets two bodies with probeBody, which have all that JSON libraries write in different ways", async () => {
		await using local = createLocalGateway();
		const gateway = new MessagingGateway(local.clientOptions);
		const diagnosis = await diagnose(gateway, { probeBody: true });
		expect(diagnosis).toMatchObject({ isHealthy: true, hasTestedBodies: true, findings: [] });
		expect(triedBy(diagnosis).slice(10)).toEqual(["wrongly_signed_body rejected", "signed_body accepted"]);
		for (const { body } of local.requests.slice(10)) {
			for (const part of [
				"é",
				"<",
				"&",
				">",
				"/",
				"\u2028",
				"👋",
				"'",
				'\\"',
				"+",
				"=",
				"`",
				":null",
				"[{",
				":1",
			])
				expect(body).toContain(part);
		}
	});

	test("that has a mapping for the number and accepts any query needs seven", async () => {
		const { gateway, requests } = scriptGateway([
			({ url }) => {
				if (url.endsWith("/health")) return text(200, "OK");
				return requests.length === 4 ? errorResponse(401) : ok({ mapping: MAPPING });
			},
		]);
		const diagnosis = await diagnose(gateway);
		expect(diagnosis).toMatchObject({ isHealthy: null, findings: [], signing: { query: "excluded" } });
		expect(triedBy(diagnosis).slice(3)).toEqual([
			"wrongly_signed rejected",
			"signed accepted",
			"signed accepted",
			"signed_with_query accepted",
		]);
	});
});

describe("what the requests have in common with other calls", () => {
	test("headers, hooks and the profile's paths; a rejection is not a failure for hooks", async () => {
		const seen: string[] = [];
		const { gateway, requests } = scriptGateway([errorResponse(401)], {
			headers: { "X-Tenant": "t-1" },
			hooks: {
				onRequest: ({ operationId, method, pathTemplate, attempt }) =>
					seen.push(`${operationId} ${method} ${pathTemplate} ${attempt}`),
				onResponse: ({ operationId, status }) => seen.push(`${operationId} ${status}`),
				onError: () => seen.push("error"),
				onRetry: () => seen.push("retry"),
			},
			profile: {
				operations: { "mappings.get": { path: "/v2/map/{toNumber}" }, "health.check": { path: "/up" } },
			},
		});
		await diagnose(gateway);
		expect(seen.slice(0, 4)).toEqual([
			"health.check GET /up 1",
			"health.check 401",
			"mappings.get GET /v2/map/{toNumber} 1",
			"mappings.get 401",
		]);
		expect(seen).not.toContain("error");
		expect(seen).not.toContain("retry");
		expect(requests.every(({ headers }) => headers.get("X-Tenant") === "t-1")).toBe(true);
		expect(requests[0]?.url).toBe("https://gateway.example/up");
	});

	test("the client's clock and its learned offset stay as they were", async () => {
		await using local = createLocalGateway();
		local.faults.skewClock(3_600_000);
		const gateway = new MessagingGateway(local.clientOptions);
		await diagnose(gateway);
		expect(gateway.clockOffsetMs).toBeUndefined();
	});

	test("no request is repeated, whatever it meets", async () => {
		for (const step of [errorResponse(503), errorResponse(429), new TypeError("x"), errorResponse(500)]) {
			const { gateway, clock, requests } = scriptGateway([step], { maxRetries: 5 });
			const diagnosis = await settle(clock, diagnose(gateway));
			expect(diagnosis.isHealthy).toBe(false);
			expect(requests.length).toBeLessThanOrEqual(2);
			expect(diagnosis.checks).toHaveLength(requests.length);
		}
	});
});

describe("what it throws", () => {
	const post = { method: "POST" } as const;
	const vault = () => Promise.reject(new Error("vault"));

	test.each<[title: string, options: unknown, client?: ClientOptions, message?: string]>([
		["a misspelt option", { timeout: 5 }],
		["no object", 5],
		["a time that is none", { timeoutMs: 0 }],
		["probeBody as a text", { probeBody: "yes" }],
		["a number that is not E.164", { probeNumber: "5550100" }],
		["a signal that is none", { signal: {} }],
		["a missing app id", {}, { appId: undefined }, "MESSAGING_GATEWAY_APP_ID"],
		["a missing App Secret", {}, { appSecret: undefined }, "MESSAGING_GATEWAY_APP_SECRET"],
		["a POST for the mapping", {}, { profile: { operations: { "mappings.get": post } } }, "mappings.get"],
		["a POST for the health", {}, { profile: { operations: { "health.check": post } } }, "health.check"],
		["a secret's function that fails", {}, { appSecret: vault }],
	])(
		"%s is a configuration error, before anything is sent",
		async (_title, options, client, message = "") => {
			vi.stubEnv("MESSAGING_GATEWAY_APP_ID", "");
			vi.stubEnv("MESSAGING_GATEWAY_APP_SECRET", "");
			const { gateway, requests } = scriptGateway([text(200, "OK")], client);
			const error = await catchRejection(diagnose(gateway, options as DiagnoseOptions));
			expect(error).toMatchObject({ code: "configuration", message: expect.stringContaining(message) });
			expect(requests).toEqual([]);
		},
	);

	test("a signal's own reason, before, while it waits, and while it signs", async () => {
		const reason = new Error("enough");
		const early = scriptGateway([text(200, "OK")]);
		expect(await catchRejection(diagnose(early.gateway, { signal: AbortSignal.abort(reason) }))).toBe(reason);
		expect(early.requests).toEqual([]);

		for (const { gateway, clock } of [
			scriptGateway([silence]),
			scriptGateway([], { appSecret: () => new Promise<string>(() => undefined) }),
		]) {
			const controller = new AbortController();
			const running = diagnose(gateway, { signal: controller.signal });
			await clock.advance(100);
			controller.abort(reason);
			expect(await catchRejection(running)).toBe(reason);
			expect(clock.openTimers).toBe(0);
		}
	});
});

describe("time", () => {
	test("a gateway that never responds is reported so after timeoutMs", async () => {
		const { gateway, clock } = scriptGateway([silence]);
		const diagnosis = await settle(clock, diagnose(gateway, { timeoutMs: 2_000 }));
		expect(diagnosis).toMatchObject({ isHealthy: false, isReachable: false, latencyMs: undefined });
		expect(diagnosis.findings).toMatchObject([
			{ cause: "no_response", certainty: "certain", message: expect.stringContaining("2000 ms") },
		]);
		expect(triedBy(diagnosis)).toEqual(["health no_response"]);
		expect(clock.openTimers).toBe(0);
	});

	test("one request takes no longer than attemptTimeoutMs, 15 s unless it is set", async () => {
		for (const [options, limitMs] of [
			[{}, 15_000],
			[{ attemptTimeoutMs: 700 }, 700],
		] as const) {
			const { gateway, clock } = scriptGateway([silence], options);
			const diagnosis = await settle(clock, diagnose(gateway));
			expect(diagnosis.findings).toMatchObject([
				{ cause: "no_response", message: expect.stringContaining(`${limitMs} ms`) },
			]);
			expect(diagnosis.checks).toMatchObject([{ durationMs: limitMs, outcome: "no_response" }]);
		}
	});

	test("what was known by then stays in the result", async () => {
		const { gateway, clock, requests } = scriptGateway([
			() => (requests.length <= 3 ? text(200, "OK") : new Promise(() => undefined)),
		]);
		const diagnosis = await settle(clock, diagnose(gateway, { timeoutMs: 5_000 }));
		expect(diagnosis).toMatchObject({ isHealthy: false, isReachable: true, latencyMs: 0 });
		expect(diagnosis.findings).toMatchObject([
			{ cause: "out_of_time", message: expect.stringContaining("GET /mapping/{toNumber}") },
		]);
		expect(diagnosis.untested[0]).toMatch(/^The credentials and the signing/);
	});

	test("a form that was found stays in it too", async () => {
		const clock = createStoppedClock();
		await using local = createLocalGateway({ clock, profile: { signing: { emptyBody: "empty_object" } } });
		const { profile: _, ...options } = local.clientOptions;
		const fetch = (url: string, init: RequestInit): Promise<Response> =>
			url.includes("?") ? silence() : options.fetch(url, init);
		const gateway = new MessagingGateway({ ...options, fetch });
		const diagnosis = await settle(clock, diagnose(gateway, { timeoutMs: 300 }));
		expect(causesOf(diagnosis)).toEqual(["out_of_time", "other_signing_form"]);
		expect(diagnosis.profileSource).toContain('emptyBody: "empty_object"');
		expect(diagnosis.signing).toEqual({ emptyBody: "empty_object" });
	});

	test("a signer that never resolves is named", async () => {
		const { gateway, clock, requests } = scriptGateway([], {
			appSecret: undefined,
			signer: () => new Promise(() => undefined),
		});
		const diagnosis = await settle(clock, diagnose(gateway, { timeoutMs: 1_000 }));
		expect(diagnosis.findings).toMatchObject([
			{ cause: "out_of_time", message: expect.stringContaining("during signing") },
		]);
		expect(requests).toEqual([]);
	});

	test("latency is the median of the health calls", async () => {
		const delays = [900, 40, 80];
		const scripted = scriptGateway([
			() =>
				new Promise((resolve) => {
					const delayMs = delays[scripted.requests.length - 1] ?? 500;
					scripted.clock.setTimer(() => resolve(text(200, "OK")), delayMs);
				}),
		]);
		const diagnosis = await settle(scripted.clock, diagnose(scripted.gateway), 10);
		expect(diagnosis.checks.slice(0, 3).map(({ durationMs }) => durationMs)).toEqual(delays);
		expect(diagnosis.latencyMs).toBe(80);
	});
});

describe("the result", () => {
	test.each(["right", "wrong"])(
		"survives JSON, and nothing in it is secret: a %s App Secret",
		async (kind) => {
			await using local = createLocalGateway({ appSecret: "a-secret-of-this-test" });
			const hidden = [local.appSecret, PROBE_NUMBER.slice(1)];
			const fetch: ClientOptions["fetch"] = (url, init) => {
				hidden.push(new Headers(init.headers).get("Authorization")?.slice(5) ?? "HMAC");
				return local.clientOptions.fetch(url, init);
			};
			const appSecret = `${local.appSecret}${kind === "right" ? "" : "-but-wrong"}`;
			const gateway = new MessagingGateway({ ...local.clientOptions, appSecret, fetch });
			const diagnosis = await diagnose(gateway, { probeBody: true });
			expect(JSON.parse(JSON.stringify(diagnosis)) as Diagnosis).toEqual(diagnosis);
			for (const word of hidden) expect(JSON.stringify(diagnosis)).not.toContain(word);
		},
	);

	test("lists the causes of failing calls first", async () => {
		const { gateway } = scriptGateway([errorResponse(401)], { baseUrl: "http://gateway.example" });
		expect((await diagnose(gateway)).findings.map(({ isBlocking }) => isBlocking)).toEqual([
			true,
			false,
			false,
		]);
	});

	test("of a client for another app is its own", async () => {
		await using local = createLocalGateway({ apps: { "app-2": "secret-2" } });
		const gateway = new MessagingGateway({ ...local.clientOptions, appSecret: SECRET });
		expect((await diagnose(gateway)).isHealthy).toBe(false);
		const sibling = gateway.withCredentials({ appId: "app-2", appSecret: "secret-2" });
		expect((await diagnose(sibling)).isHealthy).toBe(null);
	});

	test("of another probeNumber is the same, with that number", async () => {
		await using local = createLocalGateway();
		const gateway = new MessagingGateway(local.clientOptions);
		expect((await diagnose(gateway, { probeNumber: "+15555550142" })).isHealthy).toBe(null);
		expect(local.requests.at(-1)?.path).toBe("/mapping/%2B15555550142");
	});
});
