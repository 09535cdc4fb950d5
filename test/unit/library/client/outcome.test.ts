import diagnostics, { channel } from "node:diagnostics_channel";
import type { Outcome } from "messaging-gateway";
import { describe, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { settle } from "../../../support/counting-clock.ts";
import { BY_RETRY_CLASS } from "../../../support/operations.ts";
import { type Step, scriptGateway, silence } from "../../../support/scripted-gateway.ts";
import { throwing } from "../../../support/throwing.ts";
import {
	brokenBody,
	brokenPage,
	errorResponse,
	html,
	json,
	networkError,
	ok,
	text,
} from "../../../support/wire.ts";

/** Which calls are made again after such an attempt: all of them, all but sends, or none. */
type Repeated = "all" | "all but sends" | "none";

/** Checks what each class of call makes of an attempt, with the default two retries. */
async function expectOutcome(step: Step, outcome: Outcome, repeated: Repeated): Promise<void> {
	for (const [retryClass, { call }] of Object.entries(BY_RETRY_CLASS)) {
		const { gateway, clock, requests } = scriptGateway([step], { timeoutMs: 200_000 });
		const error = await catchRejection(settle(clock, call(gateway)));
		const isRepeated = repeated === "all" || (repeated === "all but sends" && retryClass !== "never");
		expect(requests, retryClass).toHaveLength(isRepeated ? 3 : 1);
		expect(error, retryClass).toMatchObject({ outcome, attempts: requests.length });
	}
}

/** A body of which only the begin comes, under this status. */
const silentBody =
	(status: number, begin = "") =>
	() => {
		const start = (controller: ReadableStreamDefaultController<Uint8Array>) =>
			controller.enqueue(new TextEncoder().encode(begin));
		return new Response(new ReadableStream<Uint8Array>({ start }), { status });
	};

// Every status is in the table of docs/errors.md, which test/unit/library/sends/outcome-table.test.ts plays.
test.each<[title: string, step: Step, outcome: Outcome, repeated: Repeated]>([
	["a silence", silence, "unknown", "all but sends"],
	["a silence before the body of a 200", silentBody(200), "unknown", "none"],
	["a silence within the envelope of a 200", silentBody(200, '{ "ok": true, "data"'), "accepted", "none"],
	["a silence within an error of a 200", silentBody(200, '{"ok":false,"error"'), "unknown", "none"],
	["a silence within the body of a 400", silentBody(400), "rejected", "none"],
	["a silence within the body of a 500", silentBody(500), "unknown", "all but sends"],
	["a 200 that breaks off within its envelope", () => brokenBody(200), "accepted", "none"],
	["a 200 that breaks off before it says ok", () => brokenBody(200, '{"ok":tru'), "unknown", "none"],
	["a 200 that breaks off before its body", () => brokenBody(200, ""), "unknown", "none"],
	["a 200 that breaks off within an error", () => brokenBody(200, '{"ok":false,'), "unknown", "none"],
	["a 200 of another service that breaks off", () => brokenBody(200, '{"login":"'), "unknown", "none"],
	["a 200 that breaks off within a text", () => brokenBody(200, '{"a":"{\\"ok\\":true'), "unknown", "none"],
	[
		"a 200 that breaks off after an ok further in",
		() => brokenBody(200, '{"data":{"ok":true'),
		"unknown",
		"none",
	],
	["a 400 that breaks off", () => brokenBody(400), "rejected", "none"],
	["a 429 that breaks off", () => brokenBody(429), "rejected", "all"],
	["a 503 that breaks off", () => brokenBody(503), "unknown", "all but sends"],
	["an HTML page that breaks off", brokenPage(), "unknown", "none"],
	["a 200 that is HTML", html(200), "unknown", "none"],
	["a 200 without a body", text(200, ""), "unknown", "none"],
	["a 204", new Response(null, { status: 204 }), "unknown", "none"],
	["a 200 of another service", json(200, { status: "up" }), "unknown", "none"],
	["a 200 in the gateway's envelope, without data", json(200, { ok: true }), "accepted", "none"],
	["a 200 that says no", errorResponse(200), "unknown", "none"],
])("%s: its outcome, and whether it is repeated", async (_title, step, outcome, repeated) => {
	await expectOutcome(step, outcome, repeated);
});

/** An error that is one of its own members. */
function withItself(): Error {
	const error = new AggregateError([]);
	return Object.assign(error, { errors: [error] });
}

/** An error of OpenSSL, as Node hands it on. */
function openSslError(code: string, said: string): TypeError {
	return networkError(code, `40DD4830307F0000:error:0A00010B:SSL routines:${said}:../deps/openssl/a.c:77:\n`);
}

/** An error of Deno, which has words and no code. */
function denoError(said: string): TypeError {
	const cause = new Error(`error sending request for url (https://gateway.example/mapping/x): ${said}`);
	return new TypeError("fetch failed", { cause });
}

/** An error of Bun, which has its code at the top. */
function bunError(code: string, said: string): TypeError {
	return Object.assign(new TypeError(said), { code });
}

/** An error of a system call, as Node hands it on: its name is not only in the message. */
function callError(syscall: string, code: string): Error {
	return Object.assign(new Error("of a system call"), { syscall, code });
}

/** Node's error for a name with several addresses; its code is that of the first. */
function eachAddress(...errors: readonly Error[]): TypeError {
	const [first] = errors;
	const cause = Object.assign(new AggregateError(errors, ""), {
		code: first && "code" in first && first.code,
	});
	return new TypeError("fetch failed", { cause });
}

const WRONG_VERSION = "ERR_SSL_WRONG_VERSION_NUMBER";
const NO_TLS = "tls_validate_record_header:wrong version number";

test.each<[title: string, error: unknown]>([
	...[
		...["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT", "ConnectionRefused"],
		...["EHOSTUNREACH", "ENETUNREACH", "CERT_HAS_EXPIRED", "DEPTH_ZERO_SELF_SIGNED_CERT"],
		...["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "SELF_SIGNED_CERT_IN_CHAIN", "ERR_TLS_CERT_ALTNAME_INVALID"],
	].map((code): [string, unknown] => [code, networkError(code)]),
	...["EADDRNOTAVAIL", "EMFILE", "ETIMEDOUT", "ERR_ACCESS_DENIED"].map((code): [string, unknown] => [
		`connect ${code}`,
		new TypeError("fetch failed", { cause: callError("connect", code) }),
	]),
	["getaddrinfo ERR_ACCESS_DENIED", callError("getaddrinfo", "ERR_ACCESS_DENIED")],
	["the only address", eachAddress(callError("connect", "ETIMEDOUT"))],
	["every address", eachAddress(callError("connect", "ETIMEDOUT"), callError("connect", "ENETUNREACH"))],
	["a proxy that hangs up at CONNECT", networkError("UND_ERR_PRX_CONN", "Proxy Connection failed")],
	["a header that undici rejects", networkError("UND_ERR_NOT_SUPPORTED", "expect header not supported")],
	["an Agent of another undici", networkError("UND_ERR_INVALID_ARG", "invalid onRequestStart method")],
	[
		"no dispatcher at all",
		new TypeError("fetch failed", { cause: new TypeError("agent.dispatch is not a function") }),
	],
	[
		"a stream that the gateway refused",
		networkError("ERR_HTTP2_STREAM_ERROR", "Stream closed with error code NGHTTP2_REFUSED_STREAM"),
	],
	["a permission that Deno lacks", new Error('Requires net access to "gateway.example:443", run again with')],
	["a port that Deno blocks", new TypeError("Fetch failed: Requests to port 9 are blocked")],
	[
		"a foreign signal, in Node",
		new TypeError('RequestInit: Expected signal ("AbortSignal {}") to be an instance of AbortSignal.'),
	],
	["a foreign signal, in Bun", bunError("ERR_INVALID_ARG_TYPE", "signal is not of type AbortSignal.")],
	[
		"an argument, in Chromium",
		new TypeError("Failed to execute 'fetch' on 'Window': String contains non ISO-8859-1 code point."),
	],
	[
		"a proxy that rejects the tunnel",
		networkError("UND_ERR_ABORTED", "Proxy response (407) !== 200 when HTTP Tunneling"),
	],
	["a refused connection, in Deno", denoError("client error (Connect): tcp connect error: refused")],
	[
		"a certificate for another name, in Bun",
		bunError("ERR_TLS_CERT_ALTNAME_INVALID", "ERR_TLS_CERT_ALTNAME_INVALID fetching"),
	],
	["no TLS at the other side", openSslError(WRONG_VERSION, NO_TLS)],
	["no TLS at the other side, found while writing", openSslError("EPROTO", NO_TLS)],
	[
		"no TLS at the other side, in Deno",
		denoError("client error (Connect): received corrupt message of type InvalidContentType"),
	],
	[
		"a certificate that was not accepted, in Deno",
		denoError("client error (Connect): invalid peer certificate: UnknownIssuer"),
	],
	[
		"a connection that closed within the handshake",
		networkError(
			"ECONNRESET",
			"Client network socket disconnected before secure TLS connection was established",
		),
	],
])("%s: nothing was sent, so that every call is repeated", async (_title, error) => {
	await expectOutcome(() => Promise.reject(error), "not_sent", "all");
});

test.each<[title: string, error: unknown]>([
	...["ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "ETIMEDOUT"].map((code): [string, unknown] => [
		code,
		networkError(code),
	]),
	[
		"one address that was read from",
		eachAddress(callError("connect", "ETIMEDOUT"), callError("read", "ECONNRESET")),
	],
	["an error without end", withItself()],
	...["WAS_ECONNREFUSED", "ECONNREFUSED_LATER", "ERR_TLS_CERT_ALTNAME_INVALID_LATER"].map(
		(code): [string, unknown] => [`the code ${code}`, networkError(code, "lost")],
	),
	...["reconnect", "connecting"].map((name): [string, unknown] => [
		`the system call ${name}`,
		callError(name, "ETIMEDOUT"),
	]),
	...[
		"lost after connect ETIMEDOUT",
		"a bad port",
		"requests to port 9 are blocked at times",
		"a RequestInit: ",
	].map((said): [string, unknown] => [`the words ${said}`, new TypeError(said)]),
	[
		"an error that cannot be looked at",
		new Proxy(new Error(""), { get: throwing(new Error("")), getPrototypeOf: throwing(new Error("")) }),
	],
	[
		"a stream that broke",
		networkError("ERR_HTTP2_STREAM_ERROR", "Stream closed with error code NGHTTP2_INTERNAL_ERROR"),
	],
	["EHOSTUNREACH while waiting for the response", networkError("EHOSTUNREACH", "read EHOSTUNREACH")],
	["ENETUNREACH while sending", networkError("ENETUNREACH", "write ENETUNREACH")],
	["a request that ended early", networkError("UND_ERR_ABORTED", "Request aborted")],
	["a network error without a code", new TypeError("Failed to fetch")],
	["no error at all", undefined],
	[
		"plain bytes after the request, over TLS 1.2",
		openSslError(WRONG_VERSION, `tls_default_${NO_TLS.slice(4)}`),
	],
	["plain bytes after the request, over TLS 1.3", openSslError(WRONG_VERSION, `tls13_${NO_TLS.slice(4)}`)],
	[
		"OpenSSL 3.0, which does not tell the one from the other",
		openSslError(WRONG_VERSION, "ssl3_get_record:wrong version number"),
	],
	[
		"an alert, as for a client's certificate, which comes after a request",
		openSslError(
			"ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED",
			"ssl3_read_bytes:tlsv13 alert certificate required",
		),
	],
	[
		"Bun, which does not tell the one from the other",
		bunError("EPROTO", "EPROTO: The TLS handshake failed. Does the server speak TLS?"),
	],
	[
		"plain bytes after the request, in Deno",
		denoError("client error (SendRequest): received corrupt message of type InvalidContentType"),
	],
])("%s: the gateway may have the request, so that no send is repeated", async (_title, error) => {
	await expectOutcome(() => Promise.reject(error), "unknown", "all but sends");
});

describe("the outcome over several attempts is the one with the greatest risk", () => {
	const refused = networkError("ECONNREFUSED");
	const reset = networkError("ECONNRESET");

	test.each<[title: string, steps: Step[], outcome: Outcome]>([
		["never sent", [refused, refused], "not_sent"],
		["never sent, then rejected", [refused, errorResponse(404)], "rejected"],
		["rejected, then never sent", [errorResponse(429), refused], "rejected"],
		["lost, then never sent", [reset, refused], "unknown"],
		["lost, then rejected", [reset, errorResponse(400)], "unknown"],
		["timed out, then rejected", [silence, errorResponse(404)], "unknown"],
		["failed half way, then lost", [errorResponse(503), reset], "unknown"],
		["lost, then accepted and unusable", [reset, ok({})], "accepted"],
		["lost, then a page of somebody else", [reset, html(200)], "unknown"],
		["never sent, then accepted and unusable", [refused, ok({})], "accepted"],
		["never sent, then a page of somebody else", [refused, html(200)], "unknown"],
		["rejected, failed half way, rejected", [errorResponse(429), html(502), errorResponse(403)], "unknown"],
	])("%s", async (_title, steps, outcome) => {
		const { gateway, clock } = scriptGateway(steps, { maxRetries: steps.length - 1 });
		const error = await catchRejection(settle(clock, BY_RETRY_CLASS.safe.call(gateway)));
		expect(error).toMatchObject({ outcome, attempts: steps.length });
	});

	test("also where the call runs out of time between them", async () => {
		const { gateway, clock } = scriptGateway([refused, silence], { timeoutMs: 5_000 });
		const error = await catchRejection(settle(clock, BY_RETRY_CLASS.safe.call(gateway)));
		expect(error).toMatchObject({ code: "timeout", scope: "call", outcome: "unknown", attempts: 2 });
	});
});

describe("undici reports each time that it writes a request", () => {
	const REFUSED_STREAM = networkError("ERR_HTTP2_STREAM_ERROR", "closed with NGHTTP2_REFUSED_STREAM");
	const REFUSED = networkError("ECONNREFUSED");

	test.each<[title: string, times: number, error: Error, outcome: Outcome]>([
		["never, then refused", 0, REFUSED, "not_sent"],
		["once, then refused", 1, REFUSED, "unknown"],
		["once, and its stream is refused", 1, REFUSED_STREAM, "not_sent"],
		["twice, and the last stream is refused", 2, REFUSED_STREAM, "unknown"],
	])("%s", async (_title, times, error, outcome) => {
		const written = channel("undici:client:sendHeaders");
		const fetch = (url: string, { headers }: { headers: Record<string, string> }) => {
			const list = ["host", new URL(url).host, "x-nonce", headers["X-Nonce"]];
			for (let time = 0; time < times; time++) written.publish({ request: { headers: list } });
			// Requests of others.
			written.publish({ request: { headers: ["x-nonce", "of another call"] } });
			written.publish({ request: {} });
			return Promise.reject(error);
		};
		const { gateway } = scriptGateway([], { fetch, maxRetries: 0 });
		expect(await catchRejection(BY_RETRY_CLASS.never.call(gateway))).toMatchObject({ outcome });
	});

	type Publish = (nonce: string, publish: (headers: unknown, name?: string) => void) => void;

	test.each<[title: string, publish: Publish]>([
		["undici 5, as the lines of a request", (nonce, publish) => publish(`host: x\r\nX-Nonce: ${nonce}\r\n`)],
		[
			"undici 6 over HTTP/2, once its body was sent",
			(nonce, publish) => publish(["x-nonce", nonce], "undici:request:bodySent"),
		],
		[
			"beside a header that has the name as its value",
			(nonce, publish) => publish(["trailer", "X-Nonce", "x-nonce", nonce]),
		],
		["beside headers without a form", (nonce, publish) => publish([null, "x-nonce", null, "x-nonce", nonce])],
	])("by %s: it was written, then refused", async (_title, report) => {
		const fetch = (_url: string, { headers }: { headers: Record<string, string> }) => {
			report(headers["X-Nonce"] ?? "", (headers, name = "undici:client:sendHeaders") =>
				channel(name).publish({ request: { headers } }),
			);
			return Promise.reject(REFUSED);
		};
		const { gateway } = scriptGateway([], { fetch, maxRetries: 0 });
		const error = await catchRejection(BY_RETRY_CLASS.never.call(gateway));
		expect(error).toMatchObject({ outcome: "unknown" });
	});

	test("for two requests with one nonce, whichever ends first", async () => {
		const publish = (nonce = "") =>
			channel("undici:client:sendHeaders").publish({ request: { headers: ["x-nonce", nonce] } });
		const failing: (() => void)[] = [];
		const fetch = (_url: string, { headers }: { headers: Record<string, string> }) => {
			publish(headers["X-Nonce"]);
			return new Promise<Response>((_resolve, reject) => failing.push(() => reject(REFUSED)));
		};
		const signer = () => ({ signature: "0".repeat(64), nonce: "00000000-0000-4000-8000-00000000000A" });
		const { gateway } = scriptGateway([], { fetch, signer, appSecret: undefined, maxRetries: 0 });
		const calls = [1, 2].map(() => catchRejection(BY_RETRY_CLASS.never.call(gateway)));
		await vi.waitFor(() => expect(failing).toHaveLength(2));
		for (const [at, call] of calls.entries()) {
			failing[at]?.();
			expect(await call).toMatchObject({ outcome: "unknown" });
		}
	});

	test("and nobody listens once no request is under way", async () => {
		// A copy of its own: requests of other tests may be under way in this process.
		const path = "../../../../src/library/client/written-requests.ts?own-copy";
		const { countWrites }: typeof import("../../../../src/library/client/written-requests.ts") = await import(
			path
		);
		const listeners = new Map<unknown, string>();
		using subscribing = vi.spyOn(diagnostics, "subscribe");
		using unsubscribing = vi.spyOn(diagnostics, "unsubscribe");
		subscribing.mockImplementation((name, listener) => void listeners.set(listener, String(name)));
		unsubscribing.mockImplementation((_name, listener) => listeners.delete(listener));
		const [first, second] = [countWrites("a"), countWrites("b")];
		expect([...listeners.values()]).toEqual([
			"undici:client:sendHeaders",
			"undici:request:bodySent",
			"messaging-gateway:written",
		]);
		first.end();
		expect(listeners.size).toBe(3);
		second.end();
		expect(listeners.size).toBe(0);
	});
});

test("a body that breaks off with the code of a refused connection still has its status", async () => {
	const cause = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
	const body = new ReadableStream({ start: (controller) => controller.error(cause) });
	const { gateway } = scriptGateway([() => new Response(body)]);
	const error = (await catchRejection(BY_RETRY_CLASS.safe.call(gateway))) as Error;
	expect(error).toMatchObject({ outcome: "unknown", attempts: 1 });
	expect(error.message).toContain("got 200, but the connection broke");
});
