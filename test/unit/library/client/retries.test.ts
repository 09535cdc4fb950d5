import { defineOperation, type HttpMethod, MessagingGateway, type RetryClass } from "messaging-gateway";
import { describe, expect, test } from "vitest";
import { OPERATIONS } from "../../../../src/library/catalogue/index.ts";
import { catchRejection } from "../../../support/catch-error.ts";
import { settle } from "../../../support/counting-clock.ts";
import { BY_RETRY_CLASS } from "../../../support/operations.ts";
import { type Step, scriptGateway, silence } from "../../../support/scripted-gateway.ts";
import {
	AGENT,
	brokenBody,
	errorResponse,
	html,
	json,
	MAPPING,
	networkError,
	ok,
	text,
	USER,
} from "../../../support/wire.ts";

/** What an attempt meets, and how many requests each class makes of it in all, with the default two retries. */
const matrix: [title: string, step: Step, requests: Record<RetryClass, number>][] = [
	...[400, 401, 403, 404, 409, 418, 422].map(
		row((status) => errorResponse(status), { safe: 1, idempotent: 1, never: 1 }),
	),
	...[301, 302, 303, 307, 308].map(row((status) => text(status, ""), { safe: 1, idempotent: 1, never: 1 })),
	...[408, 500, 502, 503, 504].map(
		row((status) => errorResponse(status), { safe: 3, idempotent: 3, never: 1 }),
	),
	...[408, 500, 502, 503, 504].map(
		row((status) => html(status), { safe: 3, idempotent: 3, never: 1 }, " from a proxy"),
	),
	...[501, 505, 599].map(row((status) => html(status), { safe: 1, idempotent: 1, never: 1 })),
	...[429].map(row((status) => errorResponse(status), { safe: 3, idempotent: 3, never: 3 })),
	...[
		"ECONNREFUSED",
		"ENOTFOUND",
		"EAI_AGAIN",
		"UND_ERR_CONNECT_TIMEOUT",
		"ConnectionRefused",
		"CERT_HAS_EXPIRED",
	].map(row((code) => networkError(code), { safe: 3, idempotent: 3, never: 3 })),
	...["ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "ETIMEDOUT"].map(
		row((code) => networkError(code), { safe: 3, idempotent: 3, never: 1 }),
	),
	["EHOSTUNREACH on connecting", networkError("EHOSTUNREACH"), { safe: 3, idempotent: 3, never: 3 }],
	["ENETUNREACH on connecting", networkError("ENETUNREACH"), { safe: 3, idempotent: 3, never: 3 }],
	[
		"EHOSTUNREACH while waiting for the response",
		networkError("EHOSTUNREACH", "read EHOSTUNREACH"),
		{ safe: 3, idempotent: 3, never: 1 },
	],
	[
		"ENETUNREACH while sending",
		networkError("ENETUNREACH", "write ENETUNREACH"),
		{ safe: 3, idempotent: 3, never: 1 },
	],
	[
		"a proxy that rejects the tunnel",
		networkError("UND_ERR_ABORTED", "Proxy response (407) !== 200 when HTTP Tunneling"),
		{ safe: 3, idempotent: 3, never: 3 },
	],
	[
		"a request that ended early",
		networkError("UND_ERR_ABORTED", "Request aborted"),
		{ safe: 3, idempotent: 3, never: 1 },
	],
	[
		"Deno's refused connection",
		new TypeError("error sending request: client error (Connect): tcp connect error: refused"),
		{ safe: 3, idempotent: 3, never: 3 },
	],
	["a network error without a code", new TypeError("Failed to fetch"), { safe: 3, idempotent: 3, never: 1 }],
	["a silence until the attempt's time is over", silence, { safe: 3, idempotent: 3, never: 1 }],
	["a 500 whose body breaks off", brokenBody(500), { safe: 3, idempotent: 3, never: 1 }],
	["a 429 whose body breaks off", brokenBody(429), { safe: 3, idempotent: 3, never: 3 }],
	["a 200 whose body breaks off", brokenBody(200), { safe: 1, idempotent: 1, never: 1 }],
	["a 200 that is HTML", html(200), { safe: 1, idempotent: 1, never: 1 }],
	["a 200 that is empty", text(200, ""), { safe: 1, idempotent: 1, never: 1 }],
	["a 200 without data", json(200, { ok: true }), { safe: 1, idempotent: 1, never: 1 }],
	["a 200 that says no", errorResponse(200), { safe: 1, idempotent: 1, never: 1 }],
	["a 204", new Response(null, { status: 204 }), { safe: 1, idempotent: 1, never: 1 }],
];

function row<Key extends string | number>(
	step: (key: Key) => Step,
	requests: Record<RetryClass, number>,
	suffix = "",
): (key: Key) => [string, Step, Record<RetryClass, number>] {
	return (key) => [`${key}${suffix}`, step(key), requests];
}

describe.each(["safe", "idempotent", "never"] as const)("an operation of class %s", (retryClass) => {
	const { call, success } = BY_RETRY_CLASS[retryClass];

	test.each(matrix.map(([title, step, requests]) => [requests[retryClass], title, step] as const))(
		"makes %i requests of %s",
		async (count, _title, step) => {
			const { gateway, clock, requests } = scriptGateway([step], { timeoutMs: 200_000 });
			const error = await catchRejection(settle(clock, call(gateway)));
			expect(requests).toHaveLength(count);
			expect(error).toMatchObject({ attempts: count });
		},
	);

	test("resolves with the attempt that succeeds", async () => {
		const { gateway, clock, requests } = scriptGateway([errorResponse(429), errorResponse(429), success]);
		const { attempts } = await settle(clock, call(gateway).withResponse());
		expect(attempts).toBe(3);
		expect(requests).toHaveLength(3);
	});

	test("sends the same bytes each time, under another nonce", async () => {
		const { gateway, clock, requests } = scriptGateway([errorResponse(429), success]);
		await settle(clock, call(gateway));
		expect(requests[0]?.body).toBe(requests[1]?.body);
		expect(requests[0]?.url).toBe(requests[1]?.url);
		expect(requests[0]?.headers.get("X-Nonce")).not.toBe(requests[1]?.headers.get("X-Nonce"));
		expect(requests[0]?.headers.get("Authorization")).not.toBe(requests[1]?.headers.get("Authorization"));
	});
});

describe("maxRetries", () => {
	test.each([0, 1, 4])("%i allows that many further requests", async (maxRetries) => {
		const perClient = scriptGateway([html(502)], { maxRetries });
		await catchRejection(settle(perClient.clock, perClient.gateway.mappings.get(USER)));
		expect(perClient.requests).toHaveLength(maxRetries + 1);
		const perCall = scriptGateway([html(502)], { maxRetries: 2 });
		await catchRejection(settle(perCall.clock, perCall.gateway.mappings.get(USER, { maxRetries })));
		expect(perCall.requests).toHaveLength(maxRetries + 1);
	});
});

describe("reassigning an agent", () => {
	const input = { userNumber: USER, toAgentNumber: "+15550000002" };
	test.each([
		["may be repeated without fromAgentNumber", input, 3],
		["may be repeated with fromAgentNumber undefined", { ...input, fromAgentNumber: undefined } as never, 3],
		["is never repeated with fromAgentNumber", { ...input, fromAgentNumber: AGENT }, 1],
	])("%s", async (_title, given, count) => {
		const { gateway, clock, requests } = scriptGateway([html(502)]);
		await catchRejection(settle(clock, gateway.agents.reassign(given)));
		expect(requests).toHaveLength(count);
	});
});

describe("deleting a mapping", () => {
	const gone = errorResponse(404, { code: "MAPPING_NOT_FOUND" });

	test.each<[title: string, first: Step]>([
		["a broken connection", networkError("ECONNRESET")],
		["a time-out", silence],
		["a failure half way", html(502)],
		["a 503 in the gateway's own words", errorResponse(503)],
	])("succeeds when the repeat after %s finds it gone", async (_title, first) => {
		const { gateway, clock } = scriptGateway([first, gone]);
		const { data, meta, response, attempts } = await settle(
			clock,
			gateway.mappings.delete(USER).withResponse(),
		);
		expect(data).toEqual({ deleted: true });
		expect({ meta, attempts, status: response.status }).toEqual({
			meta: undefined,
			attempts: 2,
			status: 404,
		});
	});

	test.each<[title: string, steps: Step[]]>([
		["on the first attempt", [gone]],
		["after a 429, which removed nothing", [errorResponse(429), gone]],
		["after a connection that was refused", [networkError("ECONNREFUSED"), gone]],
		["without an envelope: the path may be wrong", [html(502), html(404)]],
	])("fails when it is not there %s", async (_title, steps) => {
		const { gateway, clock } = scriptGateway(steps);
		const error = await catchRejection(settle(clock, gateway.mappings.delete(USER)));
		expect(error).toMatchObject({ code: "not_found", status: 404, attempts: steps.length });
	});

	test("another operation's 404 after a lost response stays an error", async () => {
		const { gateway, clock } = scriptGateway([html(502), gone]);
		expect(await catchRejection(settle(clock, gateway.mappings.get(USER)))).toMatchObject({
			code: "not_found",
		});
	});
});

describe("calls without an operation of the catalogue", () => {
	const anything = {
		"~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) },
	} as const;
	test.each<[method: HttpMethod, retry: RetryClass | undefined, requests: number]>([
		["GET", undefined, 3],
		["POST", undefined, 1],
		["DELETE", undefined, 1],
		["POST", "idempotent", 3],
		["GET", "never", 1],
	])("an own %s operation with retry %s makes %i requests of a 502", async (method, retry, count) => {
		const operation = defineOperation({
			id: "own",
			method,
			path: "/own",
			input: anything,
			data: anything,
			...(retry && { retry }),
		});
		const { gateway, clock, requests } = scriptGateway([html(502)]);
		await catchRejection(settle(clock, gateway.call(operation, {})));
		expect(requests).toHaveLength(count);
	});

	test.each<[retry: RetryClass | undefined, requests: number]>([
		[undefined, 1],
		["never", 1],
		["idempotent", 3],
		["safe", 3],
	])("gateway.request with retry %s makes %i requests of a 502", async (retry, count) => {
		const { gateway, clock, requests } = scriptGateway([html(502)]);
		await catchRejection(settle(clock, gateway.request("GET", "/own", retry && { retry })));
		expect(requests).toHaveLength(count);
	});
});

test("every operation that may send twice is of class never", () => {
	const never = OPERATIONS.filter(({ retry }) => retry === "never").map(({ id }) => id);
	expect(never).toEqual([
		"messages.sendText",
		"messages.sendAttachments",
		"messages.sendVoiceNote",
		"agents.register",
		"mappings.create",
	]);
});

test("a client has its defaults: two retries", async () => {
	expect(new MessagingGateway()).toBeInstanceOf(MessagingGateway);
	const { gateway, clock, requests } = scriptGateway([html(502), html(502), ok({ mapping: MAPPING })]);
	await settle(clock, gateway.mappings.get(USER));
	expect(requests).toHaveLength(3);
});
