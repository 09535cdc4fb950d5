import diagnostics, { channel } from "node:diagnostics_channel";
import { describe, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { settle } from "../../../support/counting-clock.ts";
import { BY_RETRY_CLASS } from "../../../support/operations.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
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

/** What an attempt leaves as the outcome of a call, and which calls are made again after it, with the default two retries. */
async function outcomeOf(step: Step): Promise<string> {
	const outcomes = new Set<unknown>();
	const repeated: string[] = [];
	for (const [retryClass, { call }] of Object.entries(BY_RETRY_CLASS)) {
		const { gateway, clock, requests } = scriptGateway([step], { timeoutMs: 200_000 });
		const error = Object(await catchRejection(settle(clock, call(gateway))));
		expect([1, 3]).toContain(requests.length);
		expect(error.attempts).toBe(requests.length);
		outcomes.add(error.outcome);
		if (requests.length > 1) repeated.push(retryClass);
	}
	return `${[...outcomes]}, repeated: ${repeated.join(", ") || "none"}`;
}

const NOT_SENT = "not_sent, repeated: safe, idempotent, never";
const REJECTED = "rejected, repeated: none";
const BROKEN = "unknown, repeated: safe, idempotent";
const UNKNOWN = "unknown, repeated: none";
const ACCEPTED = "accepted, repeated: none";

/** A body of which only the begin comes, under this status. */
const silentBody =
	(status: number, begin = "") =>
	() => {
		const start = (controller: ReadableStreamDefaultController<Uint8Array>) =>
			controller.enqueue(new TextEncoder().encode(begin));
		return new Response(new ReadableStream<Uint8Array>({ start }), { status });
	};

// Every status is in the table of test/unit/library/sends/outcome-table.test.ts.
const RESPONSES: Outcomes<Step> = {
	[BROKEN]: {
		"a silence": silence,
		"a silence within the body of a 500": silentBody(500),
		"a 503 that breaks off": () => brokenBody(503),
		"a 408, of a proxy that waited": html(408),
		"a 504, the last that is repeated": html(504),
	},
	[UNKNOWN]: {
		"a 505": html(505),
		"a silence before the body of a 200": silentBody(200),
		"a silence within an error of a 200": silentBody(200, '{"ok":false,"error"'),
		"a 200 that breaks off before it says ok": () => brokenBody(200, '{"ok":tru'),
		"a 200 that breaks off before its body": () => brokenBody(200, ""),
		"a 200 that breaks off within an error": () => brokenBody(200, '{"ok":false,'),
		"a 200 of another service that breaks off": () => brokenBody(200, '{"login":"'),
		"a 200 that breaks off within a text": () => brokenBody(200, '{"a":"{\\"ok\\":true'),
		"a 200 that breaks off after an ok further in": () => brokenBody(200, '{"data":{"ok":true'),
		"an HTML page that breaks off": brokenPage(),
		"a 200 that is HTML": html(200),
		"a 200 without a body": text(200, ""),
		"a 204": new Response(null, { status: 204 }),
		"a 200 of another service": json(200, { status: "up" }),
		"a 200 that says no": errorResponse(200),
	},
	[ACCEPTED]: {
		"a silence within the envelope of a 200": silentBody(200, '{ "ok": true, "data"'),
		"a 200 that breaks off within its envelope": () => brokenBody(200),
		"a 200 in the gateway's envelope, without data": json(200, { ok: true }),
	},
	[REJECTED]: {
		"a silence within the body of a 400": silentBody(400),
		"a 400 that breaks off": () => brokenBody(400),
		"a 409, beside those that are repeated": errorResponse(409),
	},
	"rejected, repeated: safe, idempotent, never": {
		"a 429": errorResponse(429),
		"a 429 that breaks off": () => brokenBody(429),
	},
};

describe("a response", () => testOutcomes(RESPONSES, outcomeOf));

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

const coded = (...codes: string[]): Record<string, unknown> =>
	Object.fromEntries(codes.map((code) => [code, networkError(code)]));
const said = (...words: string[]): Record<string, unknown> =>
	Object.fromEntries(words.map((message) => [`the words ${message}`, new TypeError(message)]));

/** What fetch throws, under what it proves: nothing was sent, or the gateway may have the request. */
const ERRORS: Outcomes<unknown> = {
	[NOT_SENT]: {
		...coded("ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT", "ConnectionRefused"),
		...coded("EHOSTUNREACH", "ENETUNREACH", "CERT_HAS_EXPIRED", "DEPTH_ZERO_SELF_SIGNED_CERT"),
		...coded("UNABLE_TO_VERIFY_LEAF_SIGNATURE", "SELF_SIGNED_CERT_IN_CHAIN", "ERR_TLS_CERT_ALTNAME_INVALID"),
		...coded("HOSTNAME_MISMATCH"),
		...Object.fromEntries(
			["EADDRNOTAVAIL", "EMFILE", "ETIMEDOUT", "ERR_ACCESS_DENIED"].map((code) => [
				`connect ${code}`,
				new TypeError("fetch failed", { cause: callError("connect", code) }),
			]),
		),
		"getaddrinfo ERR_ACCESS_DENIED": callError("getaddrinfo", "ERR_ACCESS_DENIED"),
		"the message of a system call, without its name": new TypeError("connect ETIMEDOUT 192.0.2.1:443"),
		"the only address": eachAddress(callError("connect", "ETIMEDOUT")),
		"every address": eachAddress(callError("connect", "ETIMEDOUT"), callError("connect", "ENETUNREACH")),
		"a proxy that hangs up at CONNECT": networkError("UND_ERR_PRX_CONN", "Proxy Connection failed"),
		"a header that undici rejects": networkError("UND_ERR_NOT_SUPPORTED", "expect header not supported"),
		"an Agent of another undici": networkError("UND_ERR_INVALID_ARG", "invalid onRequestStart method"),
		"no dispatcher at all": new TypeError("fetch failed", {
			cause: new TypeError("agent.dispatch is not a function"),
		}),
		"a stream that the gateway refused": networkError(
			"ERR_HTTP2_STREAM_ERROR",
			"Stream closed with error code NGHTTP2_REFUSED_STREAM",
		),
		"a permission that Deno lacks": new Error('Requires net access to "gateway.example:443", run again with'),
		"a port that Deno blocks": new TypeError("Fetch failed: Requests to port 9 are blocked"),
		"a port that Node blocks": new TypeError("fetch failed", { cause: new Error("bad port") }),
		"a foreign signal, in Node": new TypeError(
			'RequestInit: Expected signal ("AbortSignal {}") to be an instance of AbortSignal.',
		),
		"a foreign signal, in Bun": bunError("ERR_INVALID_ARG_TYPE", "signal is not of type AbortSignal."),
		"an argument, in Chromium": new TypeError(
			"Failed to execute 'fetch' on 'Window': String contains non ISO-8859-1 code point.",
		),
		"a proxy that rejects the tunnel": networkError(
			"UND_ERR_ABORTED",
			"Proxy response (407) !== 200 when HTTP Tunneling",
		),
		"a refused connection, in Deno": denoError("client error (Connect): tcp connect error: refused"),
		"a certificate for another name, in Bun": bunError(
			"ERR_TLS_CERT_ALTNAME_INVALID",
			"ERR_TLS_CERT_ALTNAME_INVALID fetching",
		),
		"no TLS at the other side": openSslError(WRONG_VERSION, NO_TLS),
		"no TLS at the other side, found while writing": openSslError("EPROTO", NO_TLS),
		"no TLS at the other side, in Deno": denoError(
			"client error (Connect): received corrupt message of type InvalidContentType",
		),
		"a certificate that was not accepted, in Deno": denoError(
			"client error (Connect): invalid peer certificate: UnknownIssuer",
		),
		"a connection that closed within the handshake": networkError(
			"ECONNRESET",
			"Client network socket disconnected before secure TLS connection was established",
		),
	},
	[BROKEN]: {
		...coded("ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "ETIMEDOUT"),
		"one address that was read from": eachAddress(
			callError("connect", "ETIMEDOUT"),
			callError("read", "ECONNRESET"),
		),
		"an error without end": withItself(),
		...Object.fromEntries(
			["WAS_ECONNREFUSED", "ECONNREFUSED_LATER", "ERR_TLS_CERT_ALTNAME_INVALID_LATER"].map((code) => [
				`the code ${code}`,
				networkError(code, "lost"),
			]),
		),
		...Object.fromEntries(
			["reconnect", "connecting"].map((name) => [`the system call ${name}`, callError(name, "ETIMEDOUT")]),
		),
		...said("lost after connect ETIMEDOUT", "a bad port", "requests to port 9 are blocked at times"),
		...said("a RequestInit: "),
		"an error that cannot be looked at": new Proxy(new Error(""), {
			get: throwing(new Error("")),
			getPrototypeOf: throwing(new Error("")),
		}),
		"a stream that broke": networkError(
			"ERR_HTTP2_STREAM_ERROR",
			"Stream closed with error code NGHTTP2_INTERNAL_ERROR",
		),
		"EHOSTUNREACH while waiting for the response": networkError("EHOSTUNREACH", "read EHOSTUNREACH"),
		"ENETUNREACH while sending": networkError("ENETUNREACH", "write ENETUNREACH"),
		"a request that ended early": networkError("UND_ERR_ABORTED", "Request aborted"),
		"a network error without a code": new TypeError("Failed to fetch"),
		"no error at all": undefined,
		"plain bytes after the request, over TLS 1.2": openSslError(
			WRONG_VERSION,
			`tls_default_${NO_TLS.slice(4)}`,
		),
		"plain bytes after the request, over TLS 1.3": openSslError(WRONG_VERSION, `tls13_${NO_TLS.slice(4)}`),
		"OpenSSL 3.0, which does not tell the one from the other": openSslError(
			WRONG_VERSION,
			"ssl3_get_record:wrong version number",
		),
		"an alert, as for a client's certificate, which comes after a request": openSslError(
			"ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED",
			"ssl3_read_bytes:tlsv13 alert certificate required",
		),
		"Bun, which does not tell the one from the other": bunError(
			"EPROTO",
			"EPROTO: The TLS handshake failed. Does the server speak TLS?",
		),
		"plain bytes after the request, in Deno": denoError(
			"client error (SendRequest): received corrupt message of type InvalidContentType",
		),
	},
};

describe("what fetch throws", () => testOutcomes(ERRORS, (error) => outcomeOf(() => Promise.reject(error))));

/** The outcome of a read over these attempts. */
async function outcomeAfter(steps: readonly Step[]): Promise<string> {
	const { gateway, clock } = scriptGateway(steps, { maxRetries: steps.length - 1 });
	const error = Object(await catchRejection(settle(clock, BY_RETRY_CLASS.safe.call(gateway))));
	return `${error.outcome} after ${error.attempts}`;
}

const refused = networkError("ECONNREFUSED");
const reset = networkError("ECONNRESET");

/** Over several attempts the outcome is the one with the greatest risk. */
const ATTEMPTS: Outcomes<readonly Step[]> = {
	"not_sent after 2": { "never sent": [refused, refused] },
	"rejected after 2": {
		"never sent, then rejected": [refused, errorResponse(404)],
		"rejected, then never sent": [errorResponse(429), refused],
	},
	"unknown after 2": {
		"lost, then never sent": [reset, refused],
		"lost, then rejected": [reset, errorResponse(400)],
		"timed out, then rejected": [silence, errorResponse(404)],
		"failed half way, then lost": [errorResponse(503), reset],
		"lost, then a page of somebody else": [reset, html(200)],
		"never sent, then a page of somebody else": [refused, html(200)],
	},
	"unknown after 3": {
		"rejected, failed half way, rejected": [errorResponse(429), html(502), errorResponse(403)],
	},
	"accepted after 2": {
		"lost, then accepted and unusable": [reset, ok({})],
		"never sent, then accepted and unusable": [refused, ok({})],
	},
};

describe("several attempts", () => {
	testOutcomes(ATTEMPTS, outcomeAfter);

	test("between which the call runs out of time", async () => {
		const { gateway, clock } = scriptGateway([refused, silence], { timeoutMs: 5_000 });
		const error = await catchRejection(settle(clock, BY_RETRY_CLASS.safe.call(gateway)));
		expect(error).toMatchObject({ code: "timeout", scope: "call", outcome: "unknown", attempts: 2 });
	});
});

/** What undici reports of a request before its fetch rejects with an error. */
interface Written {
	readonly error: Error;
	readonly report: (nonce: string, publish: (headers: unknown, name?: string) => void) => void;
}

async function outcomeWritten({ error, report }: Written): Promise<string> {
	const fetch = (_url: string, { headers }: { headers: Record<string, string> }) => {
		const publish = (headers: unknown, name = "undici:client:sendHeaders") =>
			channel(name).publish({ request: { headers } });
		report(headers["X-Nonce"] ?? "", publish);
		// Requests of others.
		publish(["x-nonce", "of another call"]);
		publish(undefined);
		return Promise.reject(error);
	};
	const { gateway } = scriptGateway([], { fetch, maxRetries: 0 });
	return Object(await catchRejection(BY_RETRY_CLASS.never.call(gateway))).outcome;
}

const refusedStream = networkError("ERR_HTTP2_STREAM_ERROR", "closed with NGHTTP2_REFUSED_STREAM");
const times = (count: number, error: Error): Written => ({
	error,
	report: (nonce, publish) => {
		for (let time = 0; time < count; time++) publish(["host", "gateway.example", "x-nonce", nonce]);
	},
});
const by = (report: Written["report"]): Written => ({ error: refused, report });

const WRITES: Outcomes<Written> = {
	not_sent: {
		"never, then refused": times(0, refused),
		"once, and its stream is refused": times(1, refusedStream),
		"under a name that only ends like a nonce's": by((nonce, publish) => publish(["an-x-nonce", nonce])),
		"under a name that only begins like a nonce's": by((nonce, publish) => publish(["x-nonces", nonce])),
	},
	unknown: {
		"once, then refused": times(1, refused),
		"twice, and the last stream is refused": times(2, refusedStream),
		"by undici 5, as the lines of a request": by((nonce, publish) =>
			publish(`host: x\r\nX-Nonce: ${nonce}\r\n`),
		),
		"by undici 6 over HTTP/2, once its body was sent": by((nonce, publish) =>
			publish(["x-nonce", nonce], "undici:request:bodySent"),
		),
		"beside a header that has the name as its value": by((nonce, publish) =>
			publish(["trailer", "X-Nonce", "x-nonce", nonce]),
		),
		"beside headers without a form": by((nonce, publish) =>
			publish([null, "x-nonce", null, "x-nonce", nonce]),
		),
	},
};

describe("undici reports each time that it writes a request", () => {
	testOutcomes(WRITES, outcomeWritten);

	test("for two requests with one nonce, whichever ends first", async () => {
		const publish = (nonce = "") =>
			channel("undici:client:sendHeaders").publish({ request: { headers: ["x-nonce", nonce] } });
		const failing: (() => void)[] = [];
		const fetch = (_url: string, { headers }: { headers: Record<string, string> }) => {
			publish(headers["X-Nonce"]);
			return new Promise<Response>((_resolve, reject) => failing.push(() => reject(refused)));
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
