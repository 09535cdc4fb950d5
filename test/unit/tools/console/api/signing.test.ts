import { canonicalize, signRequest } from "messaging-gateway/signing";
import { describe, expect, test } from "vitest";
import type { SentRequest } from "../../../../../src/tools/console/api/call/make-call.ts";
import { findObstacle, prepare } from "../../../../../src/tools/console/api/call/prepare.ts";
import {
	describeSigningSteps,
	isSignatureOf,
	stringToSignOf,
} from "../../../../../src/tools/console/api/call/signing-steps.ts";
import { apiOperation } from "../../../../support/api-console.ts";

const sendText = apiOperation("messages.sendText");
const body = { to: "+15551234567", text: "Grüße 🎉" };
const url = "http://localhost:8080/message/text";
const signed = signRequest({
	method: "post",
	url,
	body,
	appId: "app-1",
	appSecret: "secret-1",
	timestamp: 1767225600123,
	nonce: "0f6c9d1e-3c55-4b8e-9a55-2f4f3d1c7a10",
});
const sent: SentRequest = {
	method: "POST",
	url,
	headers: { ...signed.headers },
	body: signed.body,
};

describe("before the request is sent", () => {
	test("the body is canonical, and unknown lines are undefined", () => {
		const prepared = prepare(sendText, { params: {}, query: {}, body }, "http://localhost:8080/");
		if ("problem" in prepared) throw new Error(prepared.problem);
		const steps = describeSigningSteps(prepared);
		expect(steps.canonicalBody).toBe(canonicalize(body));
		expect(steps.bodyBytes).toBe(signed.body?.length);
		expect(steps.bodyHash).toBe(signed.bodyHash);
		expect(steps.lines.map(({ value }) => value)).toEqual([
			"POST",
			"/message/text",
			signed.bodyHash,
			undefined,
			undefined,
		]);
		expect(stringToSignOf(steps)).toBeUndefined();
	});

	test("the path is as on the request line, with the base URL's path and without the query", () => {
		const operation = apiOperation("analytics.listMessages");
		const content = { params: { toNumber: "+1 ä" }, query: { limit: 5 }, body: undefined };
		const prepared = prepare(operation, content, "https://gateway.example/v1/");
		if ("problem" in prepared) throw new Error(prepared.problem);
		expect(prepared.url).toBe("https://gateway.example/v1/analytics/conversation/%2B1%20%C3%A4?limit=5");
		const steps = describeSigningSteps(prepared);
		expect(steps.lines[1]?.value).toBe("/v1/analytics/conversation/%2B1%20%C3%A4");
		expect(steps).toMatchObject({ canonicalBody: undefined, bodyBytes: 0 });
	});

	test.each([
		["an invalid base URL", { params: { toNumber: "1" }, query: {}, body }, "gateway", /base URL/],
		["a missing path parameter", { params: {}, query: {}, body: undefined }, "http://a", /toNumber/],
		[
			"half a surrogate pair",
			{ params: { toNumber: "1" }, query: {}, body: { text: "\ud800" } },
			"http://a",
			/half of a surrogate pair/,
		],
	])("%s is reported", (_, content, baseUrl, problem) => {
		const prepared = prepare({ ...apiOperation("mappings.get"), method: "POST" }, content, baseUrl);
		expect("problem" in prepared && prepared.problem).toMatch(problem);
	});
});

describe("a sent request", () => {
	test("has the steps of the SDK's signature", () => {
		const steps = describeSigningSteps(sent);
		expect(stringToSignOf(steps)).toBe(signed.stringToSign);
		expect(steps.bodyHash).toBe(signed.bodyHash);
		expect(steps.lines.map(({ name }) => name)).toEqual([
			"Method",
			"Path",
			"Body hash",
			"X-Timestamp",
			"X-Nonce",
		]);
	});

	test("allows computing its signature again", () => {
		expect(isSignatureOf(sent, "secret-1")).toBe(true);
		expect(isSignatureOf(sent, "secret-2")).toBe(false);
		expect(isSignatureOf({ ...sent, body: undefined }, "secret-1")).toBe(false);
		expect(isSignatureOf({ ...sent, url: `${url}2` }, "secret-1")).toBe(false);
	});
});

describe("obstacles to sending", () => {
	const connection = { baseUrl: "http://localhost:8080", appId: "app-1", appSecret: "secret-1" };
	const reading = { content: { params: {}, query: {}, body }, problems: {} };
	const obstacle = (changes: Partial<typeof connection> = {}, operation = sendText) => {
		const used = { ...connection, ...changes };
		const prepared = prepare(operation, reading.content, used.baseUrl);
		return findObstacle(operation, used, reading, prepared);
	};

	test("none if everything is complete", () => {
		expect(obstacle()).toBeUndefined();
		expect(obstacle({ baseUrl: "http://localhost:8080/gateway/" })).toBeUndefined();
	});

	test.each([
		[{ baseUrl: "x" }, /base URL must be/],
		[{ appId: "" }, /App ID/],
		[{ appSecret: "" }, /App Secret/],
	])("%j", (changes, message) => {
		expect(obstacle(changes)).toMatch(message);
	});

	test("an unsigned operation needs no secret", () => {
		expect(obstacle({ appSecret: "" }, { ...sendText, isSigned: false })).toBeUndefined();
	});

	test("a form that cannot be read is reported with its first field", () => {
		const unread = { content: undefined, problems: { "path.toNumber": "is required" } };
		expect(findObstacle(sendText, connection, unread, undefined)).toBe("toNumber is required.");
		const gap = { content: undefined, problems: {} };
		expect(findObstacle(sendText, connection, gap, undefined)).toBe("The form is incomplete.");
	});
});
