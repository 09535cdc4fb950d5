import { signRequest } from "messaging-gateway/signing";
import { createLocalGateway, type LocalGateway } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import {
	ALICE,
	type CallOptions,
	call,
	createFrozenGateway,
	parse,
	sendText,
	signedRequest,
} from "../../../support/signed-client.ts";

const NONCE = "0b9f3e3c-5a0e-4b1d-9f39-2d3f0c1a7b11";
const TOLERANCE_MS = 300_000;

/** A signed call that changes nothing. */
const list = (local: LocalGateway, options: CallOptions = {}) =>
	call(local, "GET", "/agent", undefined, options);

async function rejectionOf(response: ReturnType<typeof call>) {
	const { status, body } = await response;
	return [status, body.error?.code, body.error?.details?.reason];
}

const REJECTED = [401, "UNAUTHORIZED", "INVALID_SIGNATURE"];

describe("headers", () => {
	test.each(["X-App-Id", "X-Timestamp", "X-Nonce", "Authorization"])("%s must be there", async (name) => {
		const local = createFrozenGateway();
		const request = signedRequest(local, "GET", "/agent");
		request.headers.delete(name);
		expect(await rejectionOf(local.fetch(request).then(parse))).toEqual(REJECTED);
	});

	test.each([
		["X-Timestamp", "soon"],
		["X-Timestamp", "-5"],
		["X-Nonce", "not-a-uuid"],
		["Authorization", `Bearer ${"0".repeat(64)}`],
		["Authorization", `HMAC ${"0".repeat(63)}`],
	])("%s must not be %s", async (name, value) => {
		const local = createFrozenGateway();
		expect(await rejectionOf(list(local, { headers: { [name]: value } }))).toEqual(REJECTED);
	});
});

describe("signature", () => {
	test("an unknown app id and a wrong secret look the same", async () => {
		const local = createFrozenGateway();
		expect(await rejectionOf(list(local, { appId: "nobody" }))).toEqual(REJECTED);
		expect(await rejectionOf(list(local, { appSecret: "wrong" }))).toEqual(REJECTED);
	});

	test("further apps sign with their own secrets", async () => {
		const local = createLocalGateway({ apps: { other: "other-secret" } });
		const signedBy = (appSecret: string) =>
			list(local, { appId: "other", appSecret }).then(({ status }) => status);
		expect(await signedBy("other-secret")).toBe(200);
		expect(await signedBy("local-app-secret")).toBe(401);
	});

	test("a changed body is rejected, and so is one that is not JSON; it changes nothing", async () => {
		const local = createFrozenGateway();
		const body = { to: ALICE, text: "Hello" };
		for (const sentBody of ['{"to":"+15551234567","text":"Bye"}', "{not json", ""]) {
			expect(await rejectionOf(call(local, "POST", "/message/text", body, { sentBody }))).toEqual(REJECTED);
		}
		expect(local.sent).toEqual([]);
		expect((await sendText(local, ALICE)).status).toBe(202);
	});

	test("the canonical form counts: whitespace and key order do not", async () => {
		const local = createFrozenGateway();
		const sentBody = `{ "to": "${ALICE}",\n "text": "Hello" }`;
		const { status } = await call(local, "POST", "/message/text", { text: "Hello", to: ALICE }, { sentBody });
		expect(status).toBe(202);
	});

	test("a path or query profile is honoured", async () => {
		const profile = { signing: { path: "without_base_path", query: "included" } } as const;
		const local = createLocalGateway({ baseUrl: "http://gateway.localhost/api/", profile });
		expect((await call(local, "GET", "/agent?limit=1", undefined, { profile })).status).toBe(200);
		expect((await call(local, "GET", "/agent?limit=1")).status).toBe(401);
	});

	test("a GET may have the body {}", async () => {
		const local = createFrozenGateway();
		const signed = signedRequest(local, "GET", "/agent");
		const { headers } = signedRequest(local, "POST", "/agent", {});
		async function* body() {
			yield new TextEncoder().encode("{}");
		}
		const handle = (over: Headers) =>
			local.handle({ method: "GET", url: signed.url, headers: over, body: body() });
		expect((await handle(signed.headers)).status).toBe(401);
		expect((await handle(headers)).status).toBe(401);
		const { appId, appSecret } = local;
		const timestamp = local.clock.now();
		const own = signRequest({ method: "GET", url: signed.url, body: {}, appId, appSecret, timestamp });
		expect((await handle(new Headers({ ...own.headers }))).status).toBe(200);
	});
});

describe("timestamp", () => {
	test.each([
		[-TOLERANCE_MS, 200],
		[TOLERANCE_MS, 200],
		[-TOLERANCE_MS - 1, 401],
		[TOLERANCE_MS + 1, 401],
	])("%d ms away gets %d", async (drift, expected) => {
		const local = createFrozenGateway();
		const response = await list(local, { timestamp: local.clock.now() + drift });
		expect(response.status).toBe(expected);
		if (expected === 401) expect(response.body.error.details.reason).toBe("TIMESTAMP_OUT_OF_RANGE");
	});

	test("it is checked before the signature", async () => {
		const local = createFrozenGateway();
		const options = { timestamp: 0, appSecret: "wrong" };
		expect((await rejectionOf(list(local, options)))[2]).toBe("TIMESTAMP_OUT_OF_RANGE");
	});
});

describe("nonce", () => {
	test("is rejected a second time, for as long as its timestamp is accepted", async () => {
		const local = createFrozenGateway();
		const request = signedRequest(local, "GET", "/agent", undefined, { nonce: NONCE });
		const replay = () => local.fetch(request.clone()).then(parse);
		expect((await replay()).status).toBe(200);
		expect(await rejectionOf(replay())).toEqual([401, "UNAUTHORIZED", "NONCE_REPLAYED"]);
		await local.clock.advance(TOLERANCE_MS);
		expect((await rejectionOf(replay()))[2]).toBe("NONCE_REPLAYED");
		await local.clock.advance(1);
		expect((await rejectionOf(replay()))[2]).toBe("TIMESTAMP_OUT_OF_RANGE");
	});

	test("is kept only after a valid signature, and for each app", async () => {
		const local = createLocalGateway({ apps: { other: "other-secret" } });
		const use = async (options: object) => (await list(local, { nonce: NONCE, ...options })).status;
		expect(await use({ appSecret: "wrong" })).toBe(401);
		expect(await use({})).toBe(200);
		expect(await use({ appId: "other", appSecret: "other-secret" })).toBe(200);
	});

	test("a full store rejects instead of accepting unchecked", async () => {
		const local = createLocalGateway({ maxEntries: 1 });
		for (let request = 0; request < 30; request++) {
			expect((await list(local)).status).toBe(200);
		}
		expect(await rejectionOf(list(local))).toEqual([503, "SERVICE_UNAVAILABLE", undefined]);
	});
});

test("health needs no signature and has no envelope", async () => {
	const local = createFrozenGateway();
	const { status, body } = await parse(await local.fetch(new Request(`${local.baseUrl}/health`)));
	expect([status, body]).toEqual([200, { status: "ok" }]);
});
