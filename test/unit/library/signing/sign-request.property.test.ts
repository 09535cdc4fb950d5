import fc from "fast-check";
import {
	memoryNonceStore,
	type ReceivedRequest,
	signRequest,
	verifyRequest,
} from "messaging-gateway/signing";
import { expect, test } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { fixedClock } from "../../../support/fixed-clock.ts";
import { hmacSha256, sha256 } from "../../../support/node-crypto.ts";
import { hasEscapedKey } from "./escaped-keys.ts";

const now = 1767225600000;
const flippedMethods = { GET: "POST", POST: "PUT", PUT: "PATCH", PATCH: "DELETE", DELETE: "GET" } as const;

const requests = fc.record({
	method: fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE"),
	// Dot segments are no segments: the URL parser removes them before anything is signed.
	segments: fc.array(
		fc.string({ unit: "binary", minLength: 1 }).filter((segment) => !/^\.\.?$/.test(segment)),
		{ minLength: 1, maxLength: 4 },
	),
	query: fc.constantFrom("", "?a=1", "?a=%2B1&b"),
	body: fc.oneof(
		fc.constant(undefined),
		fc.jsonValue({ stringUnit: "binary" }).filter((value) => !hasEscapedKey(JSON.stringify(value))),
	),
	secret: fc
		.string({ unit: "binary", minLength: 1 })
		.filter((text) => text === text.trim() && !/^(undefined|null)$/.test(text)),
	nonce: fc.uuid(),
	timestamp: fc.integer({ min: now - 300_000, max: now + 300_000 }),
});

type Drawn = typeof requests extends fc.Arbitrary<infer Value> ? Value : never;

function sign({ method, segments, query, body, secret, nonce, timestamp }: Drawn) {
	const url = `https://gateway.example/x/${segments.map(encodeURIComponent).join("/")}${query}`;
	const signed = signRequest({ method, url, body, appId: "app-1", appSecret: secret, nonce, timestamp });
	return { url, signed };
}

/** The request as a gateway would see it. */
function received(url: string, signed: ReturnType<typeof signRequest>): ReceivedRequest {
	const body = signed.body === undefined ? {} : { body: signed.body };
	return { method: signed.method, url, headers: new Headers({ ...signed.headers }), ...body };
}

function verify(request: ReceivedRequest, secret: string) {
	return verifyRequest(request, {
		secretFor: () => secret,
		nonceStore: memoryNonceStore({ clock: fixedClock(now) }),
		clock: fixedClock(now),
	});
}

test("any request gets the signature that node:crypto computes, and verifyRequest accepts it", async () => {
	await fc.assert(
		fc.asyncProperty(requests, async (drawn) => {
			const { url, signed } = sign(drawn);
			const { method, secret, timestamp, nonce } = drawn;
			const path = new URL(url).pathname;
			const toSign = `${method}\n${path}\n${sha256(signed.body ?? "")}\n${timestamp}\n${nonce}`;
			expect(signed.headers.Authorization).toBe(`HMAC ${hmacSha256(secret, toSign)}`);
			const verifying = verify(received(url, signed), secret);
			await expect(verifying).resolves.toEqual({ appId: "app-1", timestamp, nonce });
		}),
	);
});

/** The same request with another value of a header. */
function withHeader({ headers }: ReceivedRequest, name: string, change: (value: string) => string) {
	const changed = new Headers(headers);
	changed.set(name, change(headers.get(name) ?? ""));
	return { headers: changed };
}

const flipLast = (text: string): string => text.replace(/.$/, (digit) => (digit === "0" ? "1" : "0"));

/** One change each to a received request; the signature must not survive any of them. */
const changes: Record<string, (request: ReceivedRequest, drawn: Drawn) => Partial<ReceivedRequest>> = {
	method: (_request, { method }) => ({ method: flippedMethods[method] }),
	path: (request) => ({ url: String(request.url).replace("/x/", "/y/") }),
	body: ({ body }) => ({
		body: new TextEncoder().encode(body === undefined ? "[]" : `[${Buffer.from(body)}]`),
	}),
	timestamp: (request, { timestamp }) =>
		withHeader(request, "X-Timestamp", () => String(timestamp > now ? timestamp - 1 : timestamp + 1)),
	nonce: (request) => withHeader(request, "X-Nonce", flipLast),
	signature: (request) => withHeader(request, "Authorization", flipLast),
	secret: () => ({}),
};

test.each(Object.entries(changes))("changing the %s breaks the signature", async (name, change) => {
	await fc.assert(
		fc.asyncProperty(requests, async (drawn) => {
			const { url, signed } = sign(drawn);
			const request = received(url, signed);
			const secret = name === "secret" ? `${drawn.secret}x` : drawn.secret;
			const error = await catchRejection(verify({ ...request, ...change(request, drawn) }, secret));
			expect(error).toMatchObject({ code: "signature_mismatch", status: 401 });
		}),
	);
});
