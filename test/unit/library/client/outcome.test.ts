import type { Outcome } from "messaging-gateway";
import { describe, expect, test } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { settle } from "../../../support/counting-clock.ts";
import { BY_RETRY_CLASS } from "../../../support/operations.ts";
import { type Step, scriptGateway, silence } from "../../../support/scripted-gateway.ts";
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

const refused = networkError("ECONNREFUSED");
const reset = networkError("ECONNRESET");

async function outcomeOf(steps: readonly Step[]): Promise<unknown> {
	const { gateway, clock, requests } = scriptGateway(steps, { maxRetries: steps.length - 1 });
	const error = await catchRejection(settle(clock, BY_RETRY_CLASS.safe.call(gateway)));
	expect(requests).toHaveLength(steps.length);
	expect(error).toMatchObject({ attempts: steps.length });
	return (error as { outcome: Outcome }).outcome;
}

describe("the outcome of a single attempt", () => {
	test.each<[title: string, step: Step, outcome: Outcome]>([
		["a refused connection", refused, "not_sent"],
		["a name that does not resolve", networkError("ENOTFOUND"), "not_sent"],
		["a connection that was reset", reset, "unknown"],
		["a fetch that rejects with no error at all", () => Promise.reject(undefined), "unknown"],
		["a silence", silence, "unknown"],
		["a silence within the body of a 200", () => new Response(new ReadableStream()), "accepted"],
		[
			"a silence within the body of a 400",
			() => new Response(new ReadableStream(), { status: 400 }),
			"rejected",
		],
		[
			"a silence within the body of a 500",
			() => new Response(new ReadableStream(), { status: 500 }),
			"unknown",
		],
		["a 200 that breaks off", brokenBody(200), "accepted"],
		["a 400 that breaks off", brokenBody(400), "rejected"],
		["a 503 that breaks off", brokenBody(503), "unknown"],
		["a 200 that is HTML", html(200), "unknown"],
		["a 200 without a body", text(200, ""), "unknown"],
		["a 200 of another service", json(200, { status: "up" }), "unknown"],
		["a 200 in the gateway's envelope, with data of another shape", ok({}), "accepted"],
		["a 200 in the gateway's envelope, without data", json(200, { ok: true }), "accepted"],
		["an HTML page that breaks off", brokenPage(), "unknown"],
		["a 200 that says no", errorResponse(200), "unknown"],
		["a permanent redirect", text(308, ""), "rejected"],
		["a redirect to what was done", text(303, ""), "unknown"],
		["a redirect that may change the method", text(302, ""), "unknown"],
		["a 400", errorResponse(400), "rejected"],
		["a 429", errorResponse(429), "rejected"],
		["a 500 in the gateway's own words", errorResponse(500), "unknown"],
		["a 503 in the gateway's own words", errorResponse(503), "unknown"],
		["a 503 of a proxy", html(503), "unknown"],
		["a 504", html(504), "unknown"],
	])("of %s", async (_title, step, outcome) => {
		expect(await outcomeOf([step])).toBe(outcome);
	});
});

/** An error of OpenSSL, as Node hands it on. */
function openSslError(code: string, said: string): TypeError {
	return networkError(code, `40DD4830307F0000:error:0A00010B:SSL routines:${said}:../deps/openssl/a.c:77:\n`);
}

/** An error of Deno, which has words and no code. */
function denoError(said: string): TypeError {
	const cause = new Error(`error sending request for url (https://gateway.example/mapping/x): ${said}`);
	return new TypeError("fetch failed", { cause });
}

describe("the outcome of a connection that fails around its TLS handshake", () => {
	const WRONG_VERSION = "ERR_SSL_WRONG_VERSION_NUMBER";
	test.each<[title: string, error: Error, outcome: Outcome]>([
		[
			"a certificate that signs itself",
			networkError("DEPTH_ZERO_SELF_SIGNED_CERT", "self-signed certificate"),
			"not_sent",
		],
		["an issuer that is not known", networkError("UNABLE_TO_VERIFY_LEAF_SIGNATURE"), "not_sent"],
		["an issuer that signs itself", networkError("SELF_SIGNED_CERT_IN_CHAIN"), "not_sent"],
		["a certificate for another name", networkError("ERR_TLS_CERT_ALTNAME_INVALID"), "not_sent"],
		[
			"a certificate for another name, in Bun",
			Object.assign(new TypeError("ERR_TLS_CERT_ALTNAME_INVALID fetching"), {
				code: "ERR_TLS_CERT_ALTNAME_INVALID",
			}),
			"not_sent",
		],
		[
			"no TLS at the other side",
			openSslError(WRONG_VERSION, "tls_validate_record_header:wrong version number"),
			"not_sent",
		],
		[
			"no TLS at the other side, found while writing",
			openSslError("EPROTO", "tls_validate_record_header:wrong version number"),
			"not_sent",
		],
		[
			"plain bytes after the request, over TLS 1.2",
			openSslError(WRONG_VERSION, "tls_default_validate_record_header:wrong version number"),
			"unknown",
		],
		[
			"plain bytes after the request, over TLS 1.3",
			openSslError(WRONG_VERSION, "tls13_validate_record_header:wrong version number"),
			"unknown",
		],
		[
			"OpenSSL 3.0, which does not tell the one from the other",
			openSslError(WRONG_VERSION, "ssl3_get_record:wrong version number"),
			"unknown",
		],
		[
			"an alert, as for a client's certificate, which comes after a request",
			openSslError(
				"ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED",
				"ssl3_read_bytes:tlsv13 alert certificate required",
			),
			"unknown",
		],
		[
			"Bun, which does not tell the one from the other",
			Object.assign(new TypeError("EPROTO: The TLS handshake failed. Does the server speak TLS?"), {
				code: "EPROTO",
			}),
			"unknown",
		],
		[
			"no TLS at the other side, in Deno",
			denoError("client error (Connect): received corrupt message of type InvalidContentType"),
			"not_sent",
		],
		[
			"a certificate that was not accepted, in Deno",
			denoError("client error (Connect): invalid peer certificate: UnknownIssuer"),
			"not_sent",
		],
		[
			"plain bytes after the request, in Deno",
			denoError("client error (SendRequest): received corrupt message of type InvalidContentType"),
			"unknown",
		],
		[
			"a connection that closed within the handshake",
			networkError(
				"ECONNRESET",
				"Client network socket disconnected before secure TLS connection was established",
			),
			"not_sent",
		],
	])("by %s", async (_title, error, outcome) => {
		expect(await outcomeOf([error])).toBe(outcome);
	});
});

describe("the outcome over several attempts is the one with the greatest risk", () => {
	test.each<[title: string, steps: Step[], outcome: Outcome]>([
		["never sent", [refused, refused], "not_sent"],
		["refused connection, then rejection", [refused, errorResponse(404)], "rejected"],
		["errorResponse, then refused connection", [errorResponse(429), refused], "rejected"],
		["lost, then refused connection", [reset, refused], "unknown"],
		["lost, then a clear rejection", [reset, errorResponse(400)], "unknown"],
		["time-out, then a clear rejection", [silence, errorResponse(404)], "unknown"],
		["errorResponse, then lost", [errorResponse(503), reset], "unknown"],
		["lost, then accepted and unusable", [reset, ok({})], "accepted"],
		["lost, then a page of somebody else", [reset, html(200)], "unknown"],
		["refused connection, then accepted and unusable", [refused, ok({})], "accepted"],
		["refused connection, then a page of somebody else", [refused, html(200)], "unknown"],
		[
			"errorResponse, failure half way, refusal",
			[errorResponse(429), html(502), errorResponse(403)],
			"unknown",
		],
	])("%s", async (_title, steps, outcome) => {
		expect(await outcomeOf(steps)).toBe(outcome);
	});
});

test("a body that breaks off with the code of a refused connection still has its status", async () => {
	const cause = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
	const body = new ReadableStream({ start: (controller) => controller.error(cause) });
	const { gateway } = scriptGateway([() => new Response(body)]);
	const error = (await catchRejection(BY_RETRY_CLASS.safe.call(gateway))) as Error;
	expect(error).toMatchObject({ outcome: "accepted", attempts: 1 });
	expect(error.message).toContain("got 200, but the connection broke");
});

test("a call that runs out of time between attempts keeps what is known", async () => {
	const { gateway, clock } = scriptGateway([refused, silence], { timeoutMs: 5_000 });
	const error = await catchRejection(settle(clock, BY_RETRY_CLASS.safe.call(gateway)));
	expect(error).toMatchObject({ code: "timeout", scope: "call", outcome: "unknown", attempts: 2 });
});
