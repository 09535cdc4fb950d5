import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { type RunningDevServer, startDev } from "../support/dev-server.ts";
import { sendRaw } from "./support/raw-request.ts";

const USER = "+15551234567";

let dev: RunningDevServer;

beforeAll(async () => {
	dev = await startDev();
});

afterAll(async () => {
	await dev[Symbol.asyncDispose]();
});

describe("the control routes", () => {
	const ROUTES = [
		"snapshot",
		"stream",
		"credentials",
		"actions",
		"attachments/1",
		"test?conversation=1",
		"none",
	];

	test.each(ROUTES)("%s requires the token", async (route) => {
		const method = route === "actions" ? "POST" : "GET";
		for (const authorization of ["", "Bearer ", `Bearer ${"0".repeat(32)}`, dev.authorization.slice(0, -1)]) {
			expect((await dev.control(route, { method, headers: { authorization } })).status).toBe(401);
		}
	});

	test("the token is accepted only in the header", async () => {
		const token = dev.authorization.replace("Bearer ", "");
		for (const query of [`token=${token}`, `access_token=${token}`]) {
			expect((await fetch(`${dev.baseUrl}/_local/snapshot?${query}`)).status).toBe(401);
		}
	});

	test.each([
		"evil.example",
		"evil.example:80",
		"localhost.evil.example",
		"127.0.0.1.evil.example",
		"169.254.1.1",
	])("every path responds with 403 to the host %s", async (host) => {
		for (const path of ["/_local/snapshot", "/", "/docs", "/openapi.json", "/_console/docs.js"]) {
			const { status, body } = await sendRaw(dev.baseUrl + path, { host, authorization: dev.authorization });
			expect([path, status]).toEqual([path, 403]);
			expect(body).not.toContain("<html");
		}
	});

	test.each(["localhost", "127.0.0.1"])("the host %s is accepted", async (name) => {
		const { port } = new URL(dev.baseUrl);
		const headers = { host: `${name}:${port}`, authorization: dev.authorization };
		expect((await sendRaw(`${dev.baseUrl}/_local/snapshot`, headers)).status).toBe(200);
	});

	test.each([
		{ origin: "https://evil.example" },
		{ origin: "http://localhost:1" },
		{ origin: "null" },
		{ "sec-fetch-site": "cross-site" },
		{ "sec-fetch-site": "same-site" },
	])("requests from %j are rejected, without CORS headers", async (headers) => {
		const body = JSON.stringify({ type: "reset" });
		const requests = [
			dev.control("snapshot", { headers }),
			dev.control("actions", { method: "POST", headers, body }),
			fetch(`${dev.baseUrl}/_local/actions`, {
				method: "OPTIONS",
				headers: { ...headers, "access-control-request-method": "POST" },
			}),
		];
		for (const response of await Promise.all(requests)) {
			expect(response.status).toBe(403);
			expect(corsHeadersOf(response)).toEqual([]);
		}
	});

	test("responses have no CORS headers and are not cached", async () => {
		const response = await dev.control("snapshot", { headers: { origin: dev.baseUrl } });
		expect(response.status).toBe(200);
		expect(corsHeadersOf(response)).toEqual([]);
		expect(response.headers.get("cache-control")).toBe("no-store");
	});
});

describe("the pages", () => {
	test.each(["/", "/docs"])("the policy of %s allows no foreign scripts", async (path) => {
		const { status, headers } = await fetch(dev.baseUrl + path);
		expect(status).toBe(200);
		const policy = headers.get("content-security-policy") ?? "";
		expect(policy).toContain("default-src 'none'");
		expect(policy).toContain("script-src 'self';");
		expect(policy).toContain("frame-ancestors 'none'");
		expect(policy).not.toMatch(/unsafe-(inline|eval)|\*|https?:/);
		expect(headers.get("x-content-type-options")).toBe("nosniff");
		expect(headers.get("referrer-policy")).toBe("no-referrer");
		expect(headers.get("access-control-allow-origin")).toBeNull();
	});

	test("contain no token and no secret", async () => {
		const token = dev.authorization.replace("Bearer ", "");
		for (const path of ["/", "/docs", "/openapi.json"]) {
			const page = await (await fetch(dev.baseUrl + path)).text();
			for (const secret of [token, dev.appSecret, dev.webhookSecret]) expect(page).not.toContain(secret);
		}
	});

	test.each([
		"../cli/messaging-gateway.js",
		"%2e%2e%2fopenapi.json",
		"..%5copenapi.json",
		"none.js",
		"docs.js%00",
	])("serve no file outside their folder: %s", async (name) => {
		const url = new URL(dev.baseUrl);
		const { status } = await sendRaw(url.href, {}, `/_console/${name}`);
		expect(status).toBe(404);
	});
});

test.each([
	["page.html", "text/html", "<script>alert(1)</script>"],
	["drawing.svg", "image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"],
	["page.xhtml", "application/xhtml+xml", "<html xmlns='http://www.w3.org/1999/xhtml'/>"],
])("an attachment %s of type %s is downloaded, never rendered", async (name, mimeType, content) => {
	const attachments = [{ name, mimeType, data: btoa(content) }];
	await dev.act({ type: "reply", from: USER, text: "", attachments });
	const { messages } = await dev.snapshot();
	const { id } = z.object({ id: z.string() }).parse(messages.at(-1)?.attachments[0]);
	const response = await dev.control(`attachments/${id}`);
	expect(response.status).toBe(200);
	expect(response.headers.get("content-type")).toBe("application/octet-stream");
	expect(response.headers.get("content-disposition")).toMatch(/^attachment;/);
	expect(response.headers.get("x-content-type-options")).toBe("nosniff");
	expect(response.headers.get("content-security-policy")).toMatch(/default-src 'none'.*sandbox/);
	expect(await response.text()).toBe(content);
});

test("the API accepts pages on this machine, on any port", async () => {
	const response = await fetch(`${dev.baseUrl}/message/text`, {
		method: "OPTIONS",
		headers: {
			origin: "http://localhost:5173",
			"access-control-request-method": "POST",
			"access-control-request-headers": "authorization,x-app-id,x-nonce,x-timestamp",
		},
	});
	expect(response.status).toBe(204);
	expect(response.headers.get("access-control-allow-origin")).toBe("*");
	expect(response.headers.get("access-control-allow-methods")).toContain("POST");
	expect(response.headers.get("access-control-allow-headers")).toContain("X-Nonce");
});

test("it listens on 127.0.0.1 only", async () => {
	const { port } = new URL(dev.baseUrl);
	expect((await fetch(`http://127.0.0.1:${port}/docs`)).status).toBe(200);
	// Another address of this machine, which works if a server listens on all addresses.
	await expect(fetch(`http://127.0.0.2:${port}/docs`)).rejects.toThrow("fetch failed");
});

function corsHeadersOf({ headers }: Response): string[] {
	return [...headers.keys()].filter((name) => name.startsWith("access-control-"));
}

describe("the API, even with its secrets", () => {
	const path = "/mapping/%2B15551234567";

	test.each([
		{ origin: "https://evil.example" },
		{ origin: "http://localhost.evil.example" },
		{ origin: "null" },
		{ host: "evil.example", "sec-fetch-site": "same-origin" },
		{ host: "evil.example", origin: "http://evil.example" },
		{ host: "evil.example" },
		{ host: "internal.evil.example" },
		{ host: "evil.example." },
		{ host: "127.0.0.1.evil.example" },
	])("rejects a foreign page: %j", async (headers) => {
		expect((await sendRaw(dev.baseUrl + path, headers)).status).toBe(403);
	});

	test.each([
		{ origin: "http://localhost:5173" },
		{ origin: "http://127.0.0.1:3000" },
		{ host: "gateway.internal" },
		{ host: "gateway" },
		{ host: "192.0.2.7:8080" },
		{ host: "[2001:db8::7]" },
	])("accepts a page on this machine, and clients other than browsers: %j", async (headers) => {
		// 401, not 403: only the signature is missing.
		expect((await sendRaw(dev.baseUrl + path, headers)).status).toBe(401);
	});
});
