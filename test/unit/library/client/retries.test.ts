import { defineOperation, type HttpMethod, type RetryClass } from "messaging-gateway";
import { describe, expect, test } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { settle } from "../../../support/counting-clock.ts";
import { BY_RETRY_CLASS } from "../../../support/operations.ts";
import { type Step, scriptGateway, silence } from "../../../support/scripted-gateway.ts";
import { AGENT, errorResponse, html, networkError, USER } from "../../../support/wire.ts";

describe.each(["safe", "idempotent", "never"] as const)("an operation of class %s", (retryClass) => {
	const { call, success } = BY_RETRY_CLASS[retryClass];

	test("sends the same bytes each time, under another nonce, and resolves with the attempt that succeeds", async () => {
		const { gateway, clock, requests } = scriptGateway([errorResponse(429), errorResponse(429), success]);
		const { attempts } = await settle(clock, call(gateway).withResponse());
		expect([attempts, requests.length]).toEqual([3, 3]);
		expect(new Set(requests.map(({ url, body }) => `${url} ${body}`)).size).toBe(1);
		for (const name of ["X-Nonce", "Authorization"])
			expect(new Set(requests.map(({ headers }) => headers.get(name))).size).toBe(3);
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
