import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { describeProxy, findEnvironmentProxy } from "../../../src/tools/environment-proxy.ts";
import { describeFetchFailure } from "../../../src/tools/local-gateway/failed-attempt.ts";
import { fetchDirectly, toolFetch, toolProxy } from "../../../src/tools/tool-fetch.ts";
import { catchRejection } from "../../support/catch-error.ts";
import { holdClosedPort } from "../../support/closed-port.ts";
import { breakOff, type Respond, reply, startServer } from "../../support/http-server.ts";

const VARIABLES = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()]);

beforeEach(() => {
	for (const name of [...VARIABLES, "NODE_USE_ENV_PROXY", "NODE_OPTIONS"]) vi.stubEnv(name, undefined);
});

afterEach(() => {
	vi.unstubAllEnvs();
	vi.unstubAllGlobals();
});

const ON = { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: "http://user:password@proxy.example:3128" };
const HTTP = "the proxy in HTTP_PROXY (proxy.example:3128)";

function setEnvironment(environment: Readonly<Record<string, string>>): void {
	for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
}

describe("the proxy of the environment, as Node finds it", () => {
	test.each<[proxy: string | undefined, url: string, environment: Record<string, string>]>([
		[HTTP, "http://localhost:8080", ON],
		[HTTP, "http://gateway.example", ON],
		[HTTP, "https://gateway.example", ON],
		[
			"the proxy in HTTPS_PROXY (other.example)",
			"https://gateway.example",
			{ ...ON, HTTPS_PROXY: "http://other.example" },
		],
		[
			"the proxy in http_proxy (small.example)",
			"http://a.example",
			{ ...ON, http_proxy: "http://small.example" },
		],
		["the proxy in HTTP_PROXY", "http://a.example", { ...ON, HTTP_PROXY: "user:password" }],
		[
			HTTP,
			"http://a.example",
			{ ...ON, NODE_USE_ENV_PROXY: "", NODE_OPTIONS: "--no-warnings --use-env-proxy" },
		],
		[undefined, "http://a.example", { ...ON, NODE_USE_ENV_PROXY: "" }],
		[undefined, "http://a.example", { ...ON, http_proxy: "" }],
		[HTTP, "http://localhost", { ...ON, NO_PROXY: "localhost", no_proxy: "" }],
		[undefined, "http://a.example", { NODE_USE_ENV_PROXY: "1", HTTPS_PROXY: "http://other.example" }],
		[undefined, "http://localhost:8080", { ...ON, NO_PROXY: "127.0.0.1, localhost" }],
		[undefined, "http://localhost:8080", { ...ON, no_proxy: "LOCALHOST:8080" }],
		[HTTP, "http://localhost:8080", { ...ON, NO_PROXY: "localhost:80" }],
		[undefined, "http://localhost", { ...ON, NO_PROXY: "localhost:80" }],
		[undefined, "https://localhost", { ...ON, NO_PROXY: "localhost:443" }],
		[undefined, "http://app.localhost", { ...ON, NO_PROXY: ".localhost" }],
		[undefined, "http://app.localhost", { ...ON, NO_PROXY: "*.localhost" }],
		[undefined, "http://app.localhost", { ...ON, NO_PROXY: "localhost" }],
		[undefined, "https://gateway.example.com", { ...ON, NO_PROXY: "EXAMPLE.com" }],
		[undefined, "http://example.com", { ...ON, NO_PROXY: ".example.com" }],
		[undefined, "http://example.com", { ...ON, NO_PROXY: "*.example.com:80" }],
		[HTTP, "http://example.com", { ...ON, NO_PROXY: "*example.com" }],
		[HTTP, "http://anexample.com", { ...ON, NO_PROXY: "example.com" }],
		[HTTP, "http://a.example", { ...ON, NO_PROXY: "b.example, *" }],
		[undefined, "http://[::1]:8080", { ...ON, NO_PROXY: "[::1]" }],
		[undefined, "http://a.example", { ...ON, NO_PROXY: "*" }],
	])("%s for %s with %o", (proxy, url, environment) => {
		setEnvironment(environment);
		const found = findEnvironmentProxy(new URL(url));
		expect(found && describeProxy(found)).toBe(proxy);
	});

	test("is used by tools for other machines only", () => {
		setEnvironment(ON);
		const isProxied = (url: string) => toolProxy(new URL(url)) !== undefined;
		for (const host of ["localhost:1", "127.0.0.1", "127.8.9.1", "[::1]", "app.localhost"])
			expect([host, isProxied(`http://${host}`)]).toEqual([host, false]);
		expect(isProxied("http://app.example")).toBe(true);
	});
});

test.each([
	["this machine past a proxy", "http://localhost:1", ON, "direct"],
	["this machine without a proxy", "http://localhost:1", {}, "platform"],
	["another machine through a proxy", "http://app.example", ON, "platform"],
])("requests to %s", async (_title, url, environment, way) => {
	setEnvironment(environment);
	vi.stubGlobal("fetch", async () => new Response("platform"));
	const response = await toolFetch(url, {}).catch(() => new Response("direct"));
	expect(await response.text()).toBe(way);
});

describe("a direct request", () => {
	const empty: Respond = (response) => response.writeHead(204, { "X-One": "1" }).end();

	test("has the method, the headers and the body, and so has its response", async () => {
		await using server = await startServer(reply(418, "no tea", { "X-One": "1" }));
		const body = Uint8Array.of(0, 255);
		const init = { method: "POST", headers: { "X-Two": "2" }, body, redirect: "manual" } as const;
		const response = await fetchDirectly(`${server.url}/a?b=c`, init);
		expect([response.status, response.headers.get("x-one"), await response.text()]).toEqual([
			418,
			"1",
			"no tea",
		]);
		const [received] = server.received;
		expect(received).toMatchObject({ method: "POST", target: "/a?b=c", headers: { "x-two": "2" } });
		expect(received?.body).toEqual(Buffer.from(body));
	});

	test("a response without a body", async () => {
		await using server = await startServer(empty);
		const response = await fetchDirectly(server.url, {});
		expect([response.status, response.body, response.headers.get("X-One")]).toEqual([204, null, "1"]);
	});

	test("a redirect is an error where none is allowed", async () => {
		await using server = await startServer(reply(302, "", { Location: "/elsewhere" }));
		expect((await fetchDirectly(server.url, { redirect: "manual" })).status).toBe(302);
		expect(await catchRejection(fetchDirectly(server.url, { redirect: "error" }))).toBeInstanceOf(TypeError);
	});

	test("a refused connection and one that breaks are errors with the code of the network", async () => {
		await using closed = await holdClosedPort();
		expect(await catchRejection(fetchDirectly(closed.url, {}))).toMatchObject({
			message: "fetch failed",
			cause: { code: "ECONNREFUSED" },
		});
		await using server = await startServer(breakOff(200));
		const response = await fetchDirectly(server.url, {});
		expect(await catchRejection(response.text())).toMatchObject({ code: "ECONNRESET" });
	});

	test("the reason of its signal ends it", async () => {
		await using server = await startServer(() => undefined);
		const controller = new AbortController();
		const pending = catchRejection(fetchDirectly(server.url, { signal: controller.signal }));
		await expect.poll(() => server.received.length).toBe(1);
		controller.abort(new Error("enough"));
		expect(await pending).toMatchObject({ message: "enough" });
		expect(await catchRejection(fetchDirectly(server.url, { signal: controller.signal }))).toMatchObject({
			message: "enough",
		});
	});
});

test("a delivery that failed through a proxy names the proxy", () => {
	const proxy = { variable: "HTTP_PROXY", host: "proxy.example:3128" };
	const failedWith = (cause: Error) =>
		describeFetchFailure(new TypeError("fetch failed", { cause }), "https://app.example/hook", proxy);
	const failed = (code: string) => failedWith(Object.assign(new Error(), { code }));
	const error = `no response from https://app.example through ${HTTP}`;
	for (const code of ["ECONNREFUSED", "UND_ERR_ABORTED", "ENOTFOUND"])
		expect(failed(code)).toEqual({ failure: "other", error });
	expect(failed("CERT_HAS_EXPIRED").failure).toBe("certificate");
	expect(failedWith(new Error("bad port")).failure).toBe("port_blocked");
});
