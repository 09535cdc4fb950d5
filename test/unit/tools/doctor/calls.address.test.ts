import { type ClientOptions, MessagingGateway } from "messaging-gateway";
import { diagnose } from "messaging-gateway/doctor";
import { createLocalGateway } from "messaging-gateway/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { holdClosedPort } from "../../../support/closed-port.ts";
import { settle } from "../../../support/counting-clock.ts";
import { PAGE, stubHost } from "../../../support/hosts.ts";
import { reply, startServer } from "../../../support/http-server.ts";
import { type Step, scriptGateway } from "../../../support/scripted-gateway.ts";
import { serve } from "../../../support/serve.ts";
import { errorResponse, html, json, networkError, text } from "../../../support/wire.ts";
import { causesOf, triedBy } from "./diagnosed.ts";

const PROXY_VARIABLES = [
	"HTTPS_PROXY",
	"https_proxy",
	"HTTP_PROXY",
	"http_proxy",
	"NO_PROXY",
	"no_proxy",
	"NODE_USE_ENV_PROXY",
];

afterEach(() => {
	vi.unstubAllEnvs();
	vi.unstubAllGlobals();
});

beforeEach(() => {
	for (const name of PROXY_VARIABLES) vi.stubEnv(name, undefined);
});

/** What a client finds whose every request meets the same. */
async function examine(step: Step, options: ClientOptions = {}) {
	const { gateway, clock, requests } = scriptGateway([step], options);
	return { requests, ...(await settle(clock, diagnose(gateway))) };
}

describe("over a real network", () => {
	const findAt = (baseUrl: string) =>
		diagnose(new MessagingGateway({ appId: "app-1", appSecret: "s", logLevel: "off", baseUrl }));

	test("a closed port", async () => {
		await using closed = await holdClosedPort();
		const diagnosis = await findAt(closed.url);
		expect(diagnosis).toMatchObject({
			isHealthy: false,
			isReachable: false,
			latencyMs: undefined,
			clockOffsetMs: undefined,
		});
		expect(diagnosis.findings).toMatchObject([
			{
				cause: "connection_refused",
				certainty: "certain",
				message: `Nothing listens at ${new URL(closed.url).host}.`,
				fix: expect.stringContaining("Start the gateway"),
			},
		]);
		expect(diagnosis.checks).toMatchObject([
			{ probe: "health", outcome: "no_response", status: undefined, code: "ECONNREFUSED" },
		]);
		expect(diagnosis.untested.join()).toMatch(/The credentials and the signing.*The clock/);
	});

	test("an unknown host name", async () => {
		expect((await findAt("https://gateway.invalid")).findings).toMatchObject([
			{ cause: "dns_failed", message: expect.stringContaining("gateway.invalid") },
		]);
	});

	test("https to a port that speaks http", async () => {
		await using server = await startServer(reply(200, "OK"));
		expect((await findAt(server.url.replace("http:", "https:"))).findings).toMatchObject([
			{ cause: "wrong_scheme", certainty: "certain", fix: expect.stringContaining("use http in baseUrl") },
		]);
	});

	test("a connection that is closed", async () => {
		await using server = await serve((request) => request.socket.destroy());
		expect((await findAt(server.url)).findings).toMatchObject([
			{ cause: "connection_broken", fix: expect.stringContaining("https") },
		]);
	});

	test("a port that fetch blocks", async () => {
		expect((await findAt("http://127.0.0.1:6000")).findings).toMatchObject([{ cause: "port_blocked" }]);
	});

	test("a redirect to https, with the address to set", async () => {
		await using server = await serve((request, response) => {
			response.writeHead(301, { Location: `https://gateway.example${request.url}` }).end();
		});
		expect((await findAt(`${server.url}/v1`)).findings).toMatchObject([
			{ cause: "redirected", certainty: "certain", fix: "Set baseUrl to https://gateway.example/v1." },
		]);
	});
});

describe("the runtimes' errors for a failed connection", () => {
	const failed = (message: string) => new TypeError("fetch failed", { cause: new Error(message) });
	const deno = (message: string) =>
		failed(`error sending request for url (https://x/): client error ${message}`);
	const bun = Object.assign(new Error("Unable to connect."), { code: "ConnectionRefused" });

	test.each<[said: Error, cause: string]>([
		[networkError("ENOTFOUND"), "dns_failed"],
		[networkError("EAI_AGAIN"), "dns_failed"],
		[deno("(Connect): dns error: failed to lookup address information"), "dns_failed"],
		[networkError("ECONNREFUSED"), "connection_refused"],
		[bun, "connection_refused"],
		[deno("(Connect): tcp connect error: Connection refused (os error 111)"), "connection_refused"],
		...["EMFILE", "EADDRNOTAVAIL", "ERR_ACCESS_DENIED"].map((code): [Error, string] => [
			networkError(code),
			"no_connection_opened",
		]),
		[new Error('Requires net access to "gateway.example:443", run again'), "no_connection_opened"],
		[networkError("EHOSTUNREACH"), "host_unreachable"],
		[networkError("UND_ERR_CONNECT_TIMEOUT"), "host_unreachable"],
		[deno("(Connect): tcp connect error: Connection timed out (os error 110)"), "host_unreachable"],
		[networkError("ERR_SSL_WRONG_VERSION_NUMBER"), "wrong_scheme"],
		[networkError("EPROTO", "EPROTO: The TLS handshake failed. Does the server speak TLS?"), "wrong_scheme"],
		[deno("(Connect): received corrupt message of type InvalidContentType"), "wrong_scheme"],
		[networkError("ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION"), "wrong_scheme"],
		[failed("Response does not match the HTTP/1.1 protocol (Expected HTTP/)"), "wrong_scheme"],
		[deno("(SendRequest): invalid HTTP version parsed"), "wrong_scheme"],
		[networkError("CERT_HAS_EXPIRED"), "certificate_rejected"],
		[networkError("DEPTH_ZERO_SELF_SIGNED_CERT"), "certificate_rejected"],
		[networkError("UNABLE_TO_GET_ISSUER_CERT_LOCALLY"), "certificate_rejected"],
		[networkError("ERR_TLS_CERT_ALTNAME_INVALID"), "certificate_rejected"],
		[deno("(Connect): invalid peer certificate: UnknownIssuer"), "certificate_rejected"],
		[failed("bad port"), "port_blocked"],
		[new TypeError("Fetch failed: Requests to port 6000 are blocked"), "port_blocked"],
		[
			new Error('Failed to execute "fetch()" on "Window" with URL "x": connect ECONNREFUSED'),
			"connection_refused",
		],
		[networkError("UND_ERR_INVALID_ARG", "invalid connection header"), "argument_rejected"],
		[networkError("UND_ERR_NOT_SUPPORTED", "expect header not supported"), "argument_rejected"],
		[networkError("ECONNRESET"), "connection_broken"],
		[networkError("UND_ERR_SOCKET", "other side closed"), "connection_broken"],
		[new Error("something else"), "connection_broken"],
	])("%o is %s", async (said, cause) => {
		const { findings, requests, ...diagnosis } = await examine(said);
		expect(findings).toMatchObject([{ cause, isBlocking: true }]);
		expect(diagnosis).toMatchObject({ isHealthy: false, isReachable: false });
		expect(requests).toHaveLength(1);
	});

	test.each([
		["CERT_HAS_EXPIRED", "date"],
		["CERT_NOT_YET_VALID", "date"],
		["ERR_TLS_CERT_ALTNAME_INVALID", "host name"],
		["SELF_SIGNED_CERT_IN_CHAIN", "NODE_EXTRA_CA_CERTS"],
	])("%s comes with its own fix", async (code, words) => {
		expect((await examine(networkError(code))).findings[0]?.fix).toContain(words);
	});

	test("a proxy of the environment, which Node's fetch passes by, is named where it may be needed", async () => {
		const fixOf = async () => (await examine(networkError("ENOTFOUND"))).findings[0]?.fix;
		expect(await fixOf()).not.toContain("PROXY");
		vi.stubEnv("HTTPS_PROXY", "http://user:password@proxy.example");
		expect(await fixOf()).toMatch(/HTTPS_PROXY is set.*NODE_USE_ENV_PROXY=1/);
		expect(await fixOf()).not.toContain("password");
		vi.stubEnv("NODE_USE_ENV_PROXY", "1");
		expect(await fixOf()).not.toContain("PROXY");
	});

	describe("behind a proxy of the environment", () => {
		const PROXY = "the proxy in HTTP_PROXY (proxy.example:3128)";
		const rejected = (status: number) =>
			networkError("UND_ERR_ABORTED", `Proxy response (${status}) !== 200 when HTTP Tunneling`);

		/** What a client without a fetch of its own finds, whose requests through the proxy meet the same. */
		async function examineProxied(baseUrl: string, met: Error | (() => Response)) {
			vi.stubEnv("NODE_USE_ENV_PROXY", "1");
			vi.stubEnv("HTTP_PROXY", "http://user:password@proxy.example:3128");
			vi.stubGlobal("fetch", async () => {
				if (met instanceof Error) throw met;
				return met();
			});
			const client = new MessagingGateway({ appId: "app-1", appSecret: "s", logLevel: "off", baseUrl });
			const diagnosis = await diagnose(client);
			expect(JSON.stringify(diagnosis)).not.toContain("password");
			return diagnosis;
		}

		test.each([
			[rejected(502), ", which responded with 502 instead of connecting to it"],
			[networkError("ECONNREFUSED"), ": ECONNREFUSED"],
		])("%o for this machine, which responds without it", async (error, reason) => {
			await using server = await startServer(reply(200, { status: "ok" }));
			const { findings, checks, isReachable } = await examineProxied(server.url, error);
			const { host } = new URL(server.url);
			expect(findings).toEqual([
				{
					cause: "environment_proxy",
					certainty: "certain",
					isBlocking: true,
					message: `GET /health got no response from 127.0.0.1 through ${PROXY}${reason}. Without the proxy ${host} responds.`,
					fix: "Set NO_PROXY=localhost,127.0.0.1 where your application runs: a proxy looks for 127.0.0.1 on its own machine.",
				},
			]);
			expect(checks.map(({ probe, status }) => [probe, status])).toEqual([
				["health", undefined],
				["health_without_proxy", 200],
			]);
			expect(isReachable).toBe(false);
		});

		test("for this machine, where nothing listens", async () => {
			await using closed = await holdClosedPort();
			const { findings } = await examineProxied(closed.url, rejected(403));
			expect(findings).toMatchObject([
				{ cause: "connection_refused", certainty: "certain" },
				{ cause: "environment_proxy", certainty: "likely", message: expect.stringContaining("with 403") },
			]);
		});

		test("for this machine, to which it passes requests on", async () => {
			const { findings } = await examineProxied(
				"http://localhost:8080",
				() => new Response("x", { status: 418 }),
			);
			expect(findings).toContainEqual(
				expect.objectContaining({ cause: "environment_proxy", certainty: "likely", isBlocking: false }),
			);
		});

		test("for another machine, it is named, and less is certain", async () => {
			expect(
				(await examineProxied("https://gateway.example", networkError("ECONNREFUSED"))).findings,
			).toMatchObject([
				{
					cause: "environment_proxy",
					certainty: "likely",
					message: `GET /health got no response from gateway.example through ${PROXY}: ECONNREFUSED.`,
					fix: expect.stringContaining("add gateway.example to NO_PROXY"),
				},
			]);
			const expired = await examineProxied("https://gateway.example", networkError("CERT_HAS_EXPIRED"));
			expect(expired.findings).toMatchObject([
				{
					cause: "certificate_rejected",
					certainty: "likely",
					message: expect.stringContaining(`The request went through ${PROXY}.`),
				},
			]);
		});
	});

	describe("a mistake that has a name is the first finding", () => {
		const FOREIGN_SIGNAL = {
			cause: "argument_rejected",
			certainty: "certain",
			message: expect.stringMatching(/^fetch rejects the AbortSignal, .* Nothing was sent\.$/),
			fix: expect.stringMatching(/environment node of your test runner, remove the polyfill/),
		};
		const OTHER_UNDICI = {
			cause: "argument_rejected",
			certainty: "certain",
			message: expect.stringMatching(/^fetch rejects its dispatcher, .* another version of undici/),
			fix: expect.stringMatching(/^Take fetch and the Agent from the same undici/),
		};
		const HIDDEN = {
			cause: "blocked_by_browser",
			certainty: "likely",
			message: expect.stringMatching(/from the page: CORS, or no network/),
			fix: expect.stringMatching(/For CORS, call the gateway from your server, or let it allow this origin/),
		};
		const CORS = {
			cause: "blocked_by_browser",
			certainty: "certain",
			message: expect.stringMatching(/^CORS: the page may not read the response of gateway\.example/),
			fix: expect.stringMatching(/environment node instead of happy-dom/),
		};

		/** The words of Node, undici, Bun and browsers, and of happy-dom. */
		test.each<[said: Error, finding: object]>([
			[
				new TypeError('RequestInit: Expected signal ("AbortSignal {}") to be an instance of AbortSignal.'),
				FOREIGN_SIGNAL,
			],
			[
				new TypeError(
					'RequestInit: Expected signal ("AbortSignal {\n  reason: certificate\n}") to be an instance of AbortSignal.',
				),
				FOREIGN_SIGNAL,
			],
			[
				new TypeError("Failed to execute 'fetch' on 'Window': member signal is not of type AbortSignal."),
				FOREIGN_SIGNAL,
			],
			[new TypeError("Expected signal to be an instanceof AbortSignal"), FOREIGN_SIGNAL],
			[failed("agent.dispatch is not a function"), OTHER_UNDICI],
			[networkError("UND_ERR_INVALID_ARG", "invalid onRequestStart method"), OTHER_UNDICI],
			[networkError("UND_ERR_INVALID_ARG", "invalid onError method"), OTHER_UNDICI],
			[new TypeError("Failed to fetch"), HIDDEN],
			[new TypeError("Failed to fetch (gateway.example)"), HIDDEN],
			[new TypeError("Load failed"), HIDDEN],
			[new TypeError("NetworkError when attempting to fetch resource."), HIDDEN],
			[
				new Error(
					'Cross-Origin Request Blocked: The Same Origin Policy disallows reading the remote resource at "https://gateway.example/health".',
				),
				CORS,
			],
		])("%o", async (said, finding) => {
			for (const isPage of [false, true]) {
				if (isPage) stubHost(PAGE);
				const { findings, requests } = await examine(said, { dangerouslyAllowBrowser: true });
				expect(findings).toMatchObject([{ ...finding, isBlocking: true }]);
				expect(requests).toHaveLength(1);
				expect(JSON.stringify(findings)).not.toContain(said.message);
			}
		});

		test("in a page that sends unsigned calls: the headers of a signed one", async () => {
			stubHost(PAGE);
			const failing: Step = ({ url }) =>
				url.endsWith("/health") ? text(200, "OK") : Promise.reject(new TypeError("Failed to fetch"));
			expect((await examine(failing, { dangerouslyAllowBrowser: true })).findings).toMatchObject([
				{
					cause: "blocked_by_browser",
					message: expect.stringMatching(/^CORS: .* to send the signed headers/),
				},
			]);
		});

		test("in a page without any response", async () => {
			stubHost(PAGE);
			const { findings } = await examine(new TypeError("?"), { dangerouslyAllowBrowser: true });
			expect(findings).toMatchObject([HIDDEN]);
		});

		test("of the platform's own fetch: a signal, and a dispatcher as undici 8 has it", async () => {
			await using server = await startServer(reply(200, { status: "ok" }));
			const options = { baseUrl: server.url, appId: "app-1", appSecret: "s", logLevel: "off" } as const;
			// undici 8 wants handlers that older versions of fetch do not have.
			const dispatch = (_options: unknown, handler: { onRequestStart?: unknown }): never => {
				const code = "UND_ERR_INVALID_ARG";
				if (typeof handler.onRequestStart === "function") throw new Error("it is no mistake any more");
				throw Object.assign(new Error("invalid onRequestStart method"), { code });
			};
			for (const dispatcher of [{}, { dispatch }]) {
				const fetch = (url: string, init: RequestInit) =>
					globalThis.fetch(url, { ...init, dispatcher } as RequestInit);
				const { findings } = await diagnose(new MessagingGateway({ ...options, fetch }));
				expect(findings).toMatchObject([OTHER_UNDICI]);
			}
			class AbortSignal extends EventTarget {
				readonly aborted = false;
			}
			vi.stubGlobal(
				"AbortController",
				class AbortController {
					readonly signal = new AbortSignal();
					abort(): void {}
				},
			);
			expect((await diagnose(new MessagingGateway(options))).findings).toMatchObject([FOREIGN_SIGNAL]);
		});
	});

	test("a connection that breaks later may have been kept alive: two more requests, then the diagnosis ends", async () => {
		let count = 0;
		const { findings, isReachable } = await examine(() =>
			++count < 3 ? text(200, "OK") : Promise.reject(networkError("ECONNRESET")),
		);
		expect(findings).toMatchObject([{ cause: "connection_broken" }]);
		expect(isReachable).toBe(true);
		expect(count).toBe(5);
	});

	test("connections that were kept alive and broke are no finding", async () => {
		await using local = createLocalGateway();
		let count = 0;
		const { isHealthy, checks } = await diagnose(
			new MessagingGateway({
				...local.clientOptions,
				fetch: (url, init) =>
					++count % 3 === 1
						? local.clientOptions.fetch(url, init)
						: Promise.reject(networkError("ECONNRESET")),
			}),
		);
		expect(isHealthy).toBe(null);
		expect(checks.filter(({ outcome }) => outcome === "no_response").length).toBeGreaterThan(0);
	});
});

describe("a response that is not the gateway's", () => {
	test.each<[title: string, response: Response, cause: string]>([
		["a redirect", text(302, "", { Location: "https://login.example/?next=x" }), "redirected"],
		["a redirect without an address", text(308, ""), "redirected"],
		["a page", html(200), "html_response"],
		["a page without a type", text(200, "\n<!DOCTYPE html><p>Hello"), "html_response"],
		["404 without an envelope", text(404, "no route"), "wrong_base_path"],
		["404 with an envelope", errorResponse(404), "wrong_base_path"],
		["404 with a page", html(404), "wrong_base_path"],
		["405", text(405, ""), "wrong_base_path"],
		[
			"401 with a challenge for a password",
			text(401, "", { "WWW-Authenticate": "Basic realm=x" }),
			"proxy_authentication",
		],
		["407", text(407, ""), "proxy_authentication"],
		["403 of a firewall", html(403), "access_denied"],
		["429", text(429, "", { "Retry-After": "5" }), "rate_limited"],
		["502 of a proxy", html(502), "gateway_failing"],
		["500 of the gateway", errorResponse(500), "gateway_failing"],
		["418", text(418, ""), "unexpected_response"],
	])("%s, everywhere", async (_title, response, cause) => {
		const { findings, requests, ...diagnosis } = await examine(response);
		expect(findings).toMatchObject([{ cause, isBlocking: true }]);
		expect(diagnosis).toMatchObject({
			isHealthy: false,
			isReachable: true,
			latencyMs: 0,
			signing: undefined,
		});
		// The health once, and one call with a wrong signature; a 404 may be about the contact, and is compared with a right one.
		expect(requests.length).toBeLessThanOrEqual(4);
	});

	test.each([
		["text", text(200, "OK")],
		["JSON", json(200, { status: "up" })],
		["JSON with ok, without data", json(200, { ok: true })],
	])("a stub that responds to everything with %s is not the gateway", async (_title, response) => {
		const { findings } = await examine(response);
		expect(findings).toMatchObject([
			{ cause: "not_the_gateway", message: expect.stringContaining("/mapping") },
		]);
	});

	test("more than maxResponseBytes", async () => {
		const { findings } = await examine(text(200, "x".repeat(100)), { maxResponseBytes: 50 });
		expect(findings).toMatchObject([{ cause: "not_the_gateway" }]);
	});

	test("a body that mentions HTTPS over http is the wrong scheme", async () => {
		const response = text(400, "Client sent an HTTP request to an HTTPS server.");
		const { findings } = await examine(response, { baseUrl: "http://localhost:8443" });
		expect(findings).toMatchObject([{ cause: "wrong_scheme", fix: expect.stringContaining("https") }]);
	});

	test("the target of a redirect is only shown if it has the same path", async () => {
		const fixOf = async (location: string, baseUrl = "http://gateway.example") =>
			(await examine(text(301, "", { Location: location }), { baseUrl })).findings[0]?.fix;
		expect(await fixOf("https://gateway.example/health")).toContain(
			"Set baseUrl to https://gateway.example.",
		);
		expect(await fixOf("/v2/health")).toContain("Set baseUrl to http://gateway.example/v2.");
		const login = await fixOf("https://login.example/t/eyJhbGciOiJIUzI1NiJ9?next=/health");
		expect(login).toContain("the final address at https://login.example");
		expect(login).toContain("login page");
		expect(login).not.toContain("eyJ");
		expect(await fixOf("https://u:p@x.example/a%20b/health")).not.toMatch(/u:p|a%20b/);
		expect(await fixOf("http://[")).toContain("curl -I");
	});

	test("the health and the signed call may each have their own cause", async () => {
		const { findings } = await examine(({ url }) => (url.endsWith("/health") ? html(200) : html(502)));
		expect(findings.map(({ cause }) => cause)).toEqual(["html_response", "gateway_failing"]);
	});
});

describe("the path of baseUrl", () => {
	test.each([
		["", "/docs"],
		["", "/a/b/c"],
		["/api", "/v1/docs"],
	])("of a gateway at %j, %s too much is found by its parents", async (base, extra) => {
		await using local = createLocalGateway({ baseUrl: `http://gateway.localhost${base}` });
		const { profile: _, ...options } = local.clientOptions;
		const gateway = new MessagingGateway({ ...options, baseUrl: local.baseUrl + extra });
		const diagnosis = await diagnose(gateway);
		expect(diagnosis.findings).toMatchObject([
			{
				cause: "wrong_base_path",
				fix: `Set baseUrl to ${local.baseUrl}, at which /health responds as a gateway's does.`,
			},
		]);
		expect(triedBy(diagnosis).at(-1)).toBe("health_of_parent accepted");
	});

	test("too little cannot be guessed", async () => {
		await using local = createLocalGateway({ baseUrl: "http://gateway.localhost/api" });
		const gateway = new MessagingGateway({ ...local.clientOptions, baseUrl: "http://gateway.localhost" });
		const diagnosis = await diagnose(gateway);
		expect(diagnosis.findings).toMatchObject([
			{ cause: "wrong_base_path", fix: expect.stringContaining("below a path") },
		]);
		expect(local.requests.map(({ path }) => path)).not.toContain("/api/health");
	});

	test("is looked for three levels up, on the same host, without a signature", async () => {
		const { requests } = await examine(text(404, ""), { baseUrl: "https://gateway.example/a/b/c/d" });
		expect(requests.map(({ url }) => url.replace("https://gateway.example", ""))).toEqual([
			"/a/b/c/d/health",
			"/a/b/c/d/mapping/15555550100",
			"/a/b/c/d/mapping/%2B15555550100",
			"/a/b/c/d/mapping/15555550100",
			"/a/b/c/health",
			"/a/b/health",
			"/a/health",
		]);
		for (const { headers } of requests.slice(4)) expect(headers.has("Authorization")).toBe(false);
	});

	test("is not searched for after an unrelated response", async () => {
		const { requests } = await examine(html(503), { baseUrl: "https://gateway.example/a/b" });
		expect(requests).toHaveLength(2);
	});
});

describe("a health call that fails", () => {
	const no = json(200, { ok: false, error: { code: "DOWN", message: "down" } });

	test.each([text(404, ""), html(200), errorResponse(401), text(500, ""), no])(
		"is only worth knowing where signed calls do: %o",
		async (response) => {
			await using local = createLocalGateway();
			const { fetch } = local.clientOptions;
			const gateway = new MessagingGateway({
				...local.clientOptions,
				fetch: async (url, init) => (url.endsWith("/health") ? response.clone() : fetch(url, init)),
			});
			const diagnosis = await diagnose(gateway);
			expect(diagnosis.isHealthy).toBe(null);
			expect(diagnosis.findings).toMatchObject([{ cause: "health_unavailable", isBlocking: false }]);
		},
	);

	test("keeps its own fix if the path is not the problem", async () => {
		const limited = text(429, "", { "Retry-After": "30" });
		const { findings } = await examine(({ url }) =>
			url.endsWith("/health") ? limited.clone() : errorResponse(401),
		);
		expect(findings[1]).toMatchObject({
			cause: "health_unavailable",
			message: "GET /health got 429 without an error envelope.",
			fix: expect.stringContaining("Wait"),
		});
	});

	test("is reported beside a rejection", async () => {
		const { findings } = await examine(({ url }) =>
			url.endsWith("/health") ? text(404, "") : errorResponse(401),
		);
		expect(findings.map(({ cause }) => cause)).toEqual(["credentials_or_dialect", "health_unavailable"]);
	});
});

test("a proxy that requires a password for signed calls only", async () => {
	const asks = text(401, "", { "WWW-Authenticate": 'Bearer realm="x"' });
	const { findings, requests } = await examine(({ url }) =>
		url.endsWith("/health") ? text(200, "OK") : asks.clone(),
	);
	expect(findings).toMatchObject([{ cause: "proxy_authentication" }]);
	expect(requests).toHaveLength(4);
});

test.each([
	["http://gateway.example", true],
	["https://gateway.example", false],
	["http://localhost:8080", false],
	["http://127.0.0.1", false],
])("%s is plain http to another machine: %s", async (baseUrl, isPlain) => {
	const diagnosis = await examine(text(200, "OK"), { baseUrl });
	expect(causesOf(diagnosis).includes("plain_http")).toBe(isPlain);
});
