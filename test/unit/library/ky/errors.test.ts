import { setImmediate } from "node:timers/promises";
import ky from "ky";
import {
	ConnectionError,
	isMessagingGatewayError,
	ResponseShapeError,
	SignerError,
	TimeoutError,
} from "messaging-gateway/ky";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { holdClosedPort } from "../../../support/closed-port.ts";
import { breakOff, hangUp, type Respond, reply } from "../../../support/http-server.ts";
import { DUPLICATE, REQUEST_ID, USER } from "../../../support/wire.ts";
import { APP_SECRET, printed, startSignedWorld } from "./signed-world.ts";

const DONE = { ok: true, data: {} };
const problem = (code: string, details?: unknown) => ({
	ok: false,
	error: { code, message: `no such number ${USER}`, requestId: REQUEST_ID, details },
});
const never: Respond = () => undefined;

/** What a call that holds a number and a text fails with. */
async function fail(
	steps: readonly Respond[],
	call: "get" | "post" = "get",
): Promise<Record<string, unknown>> {
	await using world = await startSignedWorld(steps);
	const path = `mapping/${encodeURIComponent(USER)}`;
	const options = call === "post" ? { json: { text: "a private text" } } : {};
	const error = await catchRejection(world.api[call](path, options).json());
	const shown = printed(error);
	for (const secret of [APP_SECRET, "HMAC ", USER, "%2B", "15551234567", "a private text", "HTTPError"]) {
		expect(shown).not.toContain(secret);
	}
	return Object.assign(error as Record<string, unknown>, { received: world.server.received.length });
}

describe("failures of the gateway", () => {
	test.each([
		[400, "bad_request"],
		[401, "authentication_failed"],
		[403, "permission_denied"],
		[404, "not_found"],
		[409, "conflict"],
		[422, "unprocessable"],
		[500, "server_error"],
	] as const)("%i becomes %s", async (status, code) => {
		const error = await fail(
			[reply(status, problem("NO_LUCK", [{ field: "to", issue: "x", message: USER }]))],
			"post",
		);
		expect(error).toMatchObject({ code, status, gatewayCode: "NO_LUCK", requestId: REQUEST_ID, attempts: 1 });
		expect(error["message"]).toContain(`POST /mapping/{…} got ${status} NO_LUCK`);
		expect(error["details"]).toEqual([{ field: "to", issue: "x", message: USER }]);
		expect(error["outcome"]).toBe(status === 500 ? "unknown" : "rejected");
	});

	test("a duplicate has its own class, and the raw body is there to read", async () => {
		const error = await fail([reply(409, problem("DUPLICATE_MESSAGE", DUPLICATE))], "post");
		expect(error).toMatchObject({ code: "duplicate_message", duplicate: DUPLICATE });
		expect((error as { readBody?: () => string }).readBody?.()).toBe(
			JSON.stringify(problem("DUPLICATE_MESSAGE", DUPLICATE)),
		);
	});

	test.each(["<html>Bad gateway</html>", "", "{"])("an error body that is no envelope: %j", async (body) => {
		expect(await fail([reply(502, body)], "post")).toMatchObject({
			code: "server_error",
			outcome: "unknown",
		});
	});

	test("throwHttpErrors: false gives the response, whose body is as it came", async () => {
		await using world = await startSignedWorld([reply(404, problem("GONE")), reply(404, "{")]);
		const api = world.api.extend({ throwHttpErrors: false });
		expect(await api.get("chat").json()).toEqual(problem("GONE"));
		expect(await api.get("chat").json()).toBe(undefined);
	});
});

test("a redirect that a browser hides is an error that says so", async () => {
	const fetch = async () => Response.error();
	await using world = await startSignedWorld([], { fetch });
	const error = await catchRejection(world.api.post("chat"));
	expect(error).toMatchObject({ code: "unexpected_status", status: 0, outcome: "unknown", attempts: 1 });
	expect((error as Error).message).toContain("redirects aren't followed");
});

test.each([
	["nothing", undefined],
	[
		"a response of a library's whose stream is none",
		{ status: 200, headers: new Headers(), body: { getReader: () => ({}) } },
	],
])("a fetch that resolves to %s", async (_what, response) => {
	await using world = await startSignedWorld([], { fetch: async () => response as never });
	const error = await catchRejection(world.api.post("chat"));
	expect(error).toBeInstanceOf(ConnectionError);
});

test("a library's response without a stream is read whole", async () => {
	const response = {
		status: 200,
		statusText: "",
		headers: new Headers(),
		body: {},
		text: async () => JSON.stringify(DONE),
	};
	await using world = await startSignedWorld([], { fetch: async () => response });
	expect(await world.api.get("chat").json()).toEqual(DONE);
});

describe("a 2xx", () => {
	test.each([
		["a page", "<!doctype html><title>Sign in</title>", "unknown"],
		["nothing", "", "unknown"],
		["JSON without an envelope", "{}", "unknown"],
		["an envelope without data", '{"ok":true}', "accepted"],
	])("with %s is no success", async (_what, body, outcome) => {
		const error = await fail([reply(200, body)], "post");
		expect(error).toBeInstanceOf(ResponseShapeError);
		expect(error).toMatchObject({ status: 200, outcome, received: 1 });
	});

	test("that says no is the error that it holds", async () => {
		const error = await fail([reply(200, problem("NO_LUCK"))]);
		expect(error).toMatchObject({ code: "unexpected_status", gatewayCode: "NO_LUCK", outcome: "unknown" });
	});

	test.each(["get", "post"] as const)("of a %s that breaks off isn't retried", async (method) => {
		const error = await fail([breakOff(200)], method);
		expect(error).toBeInstanceOf(ConnectionError);
		expect(error).toMatchObject({ outcome: "accepted", received: 1 });
	});

	test("larger than maxResponseBytes isn't read", async () => {
		await using world = await startSignedWorld([reply(200, `{"ok":true,"data":"${"x".repeat(2_000)}"}`)], {
			maxResponseBytes: 1_000,
		});
		const error = await catchRejection(world.api.get("chat"));
		expect(error).toBeInstanceOf(ResponseShapeError);
		expect(error).toMatchObject({
			outcome: "accepted",
			issues: [{ message: "the body is larger than maxResponseBytes" }],
		});
	});

	test("of bytes comes as it is", async () => {
		const bytes = Uint8Array.of(0, 255, 254, 10);
		await using world = await startSignedWorld([(response) => response.end(bytes)]);
		expect(new Uint8Array(await world.api.get("file").arrayBuffer())).toEqual(bytes);
	});
});

describe("retries and outcome", () => {
	test.each(["get", "head"] as const)("a %s is retried", async (method) => {
		await using world = await startSignedWorld([hangUp, reply(503, {}), reply(200, DONE)]);
		expect((await world.api[method]("chat")).status).toBe(200);
		expect(world.server.received).toHaveLength(3);
	});

	test.each([undefined, 2, { limit: 2 }])(
		"post, put, patch and delete aren't, with retry %j",
		async (retry) => {
			await using world = await startSignedWorld([reply(503, {})]);
			for (const method of ["post", "put", "patch", "delete"] as const) {
				const options = retry === undefined ? {} : { retry };
				expect(await catchRejection(world.api[method]("chat", options))).toMatchObject({ attempts: 1 });
			}
			expect(world.server.received).toHaveLength(4);
		},
	);

	test("unless the caller names the method", async () => {
		await using world = await startSignedWorld([reply(503, {}), reply(200, DONE)]);
		await world.api.put("chat", { retry: { methods: ["put"] } });
		expect(world.server.received).toHaveLength(2);
	});

	test("the outcome is the most uncertain one of all attempts", async () => {
		const refused = reply(429, problem("BUSY"));
		expect(await fail([refused])).toMatchObject({ outcome: "rejected", attempts: 3 });
		expect(await fail([hangUp, refused])).toMatchObject({ outcome: "unknown", attempts: 3, status: 429 });
		expect(await fail([hangUp, reply(200, problem("NO"))])).toMatchObject({
			outcome: "unknown",
			attempts: 2,
		});
	});

	test("a connection that is refused sent nothing", async () => {
		await using closed = await holdClosedPort();
		await using world = await startSignedWorld([], { baseUrl: closed.url });
		const error = await catchRejection(world.api.get("chat"));
		expect(error).toBeInstanceOf(ConnectionError);
		expect(error).toMatchObject({ outcome: "not_sent", attempts: 3, cause: { code: "ECONNREFUSED" } });
	});

	test("a connection that breaks leaves it open", async () => {
		expect(await fail([hangUp], "post")).toMatchObject({
			code: "connection_failed",
			outcome: "unknown",
			attempts: 1,
		});
	});

	test("a signer that fails later doesn't hide what was sent", async () => {
		let calls = 0;
		const signer = () => {
			calls += 1;
			if (calls > 1) throw new Error("the key service is down");
			return { signature: "ab".repeat(32) };
		};
		await using world = await startSignedWorld([hangUp], { signer });
		expect(await catchRejection(world.api.get("chat"))).toMatchObject({
			code: "connection_failed",
			outcome: "unknown",
			attempts: 1,
		});
	});
});

test("a signer that fails is named", async () => {
	const signer = () => Promise.reject(new Error("the key service is down"));
	await using world = await startSignedWorld([never], { signer });
	const error = await catchRejection(world.api.get("chat"));
	expect(error).toBeInstanceOf(SignerError);
	expect(error).toMatchObject({ code: "signer_failed", outcome: "not_sent" });
	expect(world.server.received).toEqual([]);
});

describe("time", () => {
	test("the reason of a signal stays as it is, although it has the name of ky's own", async () => {
		await using world = await startSignedWorld([never]);
		const error = await catchRejection(world.api.post("chat", { signal: AbortSignal.timeout(50) }));
		expect(error).toBeInstanceOf(DOMException);
		expect(error).toMatchObject({ name: "TimeoutError" });
	});

	test("an attempt that takes too long", async () => {
		await using world = await startSignedWorld([never]);
		const error = await catchRejection(world.api.post("chat", { timeout: 50 }));
		expect(error).toBeInstanceOf(TimeoutError);
		expect(error).toMatchObject({ scope: "attempt", limitMs: 50, outcome: "unknown", attempts: 1 });
	});

	test("a call that takes too long over its attempts", async () => {
		await using world = await startSignedWorld([reply(503, {}), never]);
		vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
		onTestFinished(() => void vi.useRealTimers());
		const call = catchRejection(world.api.get("chat", { timeout: 90_000, totalTimeout: 60_000 }));
		while (world.server.received.length < 2) {
			await setImmediate();
			vi.advanceTimersByTime(1);
		}
		vi.advanceTimersByTime(60_000);
		expect(await call).toMatchObject({
			code: "timeout",
			scope: "call",
			limitMs: 60_000,
			outcome: "unknown",
			attempts: 2,
		});
	});

	test("a signer that never answers ends with its attempt, and nothing was sent", async () => {
		await using world = await startSignedWorld([never], { signer: () => new Promise(() => undefined) });
		const error = await catchRejection(world.api.get("chat", { timeout: 50 }));
		expect(error).toMatchObject({ code: "timeout", outcome: "not_sent", attempts: 0 });
	});

	test("the caller's own signal ends a call with its reason", async () => {
		await using world = await startSignedWorld([never]);
		const controller = new AbortController();
		const call = world.api.get("chat", { signal: controller.signal });
		const reason = new Error("the page was left");
		setTimeout(() => controller.abort(reason), 50);
		expect(await catchRejection(call)).toBe(reason);
	});
});

test("what hooks of the caller's see of an attempt holds no signature, and they see our errors", async () => {
	await using world = await startSignedWorld([hangUp, reply(404, problem("GONE"))]);
	const seen: unknown[] = [];
	const api = world.api.extend({
		hooks: {
			beforeRetry: [({ error }) => void seen.push(printed(error))],
			beforeError: [
				({ error }) => {
					seen.push(isMessagingGatewayError(error));
					return error;
				},
			],
		},
	});
	await catchRejection(api.get("chat"));
	expect(seen).toEqual([expect.not.stringContaining("HMAC"), true]);
	expect(ky.stop).toBeDefined();
});
