import type { Hooks, Logger, LogLevel } from "messaging-gateway";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { settle } from "../../../support/counting-clock.ts";
import { scriptGateway, silence } from "../../../support/scripted-gateway.ts";
import { throwing } from "../../../support/throwing.ts";
import { errorResponse, html, MAPPING, ok, REQUEST_ID, USER } from "../../../support/wire.ts";

const success = ok({ mapping: MAPPING });

function recorder() {
	const told: [name: string, info: Record<string, unknown>][] = [];
	const record = (name: string) => (info: object) => {
		told.push([name, { ...info }]);
	};
	const hooks: Hooks = {
		onRequest: record("onRequest"),
		onResponse: record("onResponse"),
		onRetry: record("onRetry"),
		onError: record("onError"),
	};
	return { told, hooks };
}

function lines() {
	const logged: [level: string, line: string][] = [];
	const at = (level: string) => (line: string) => {
		logged.push([level, line]);
	};
	const logger: Logger = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
	return { logged, logger };
}

let rejections: unknown[];
const onRejection = (reason: unknown) => rejections.push(reason);
beforeEach(() => {
	rejections = [];
	process.on("unhandledRejection", onRejection);
});
afterEach(() => {
	process.off("unhandledRejection", onRejection);
	vi.restoreAllMocks();
});

const call = { operationId: "mappings.get", method: "GET", pathTemplate: "/mapping/{toNumber}" };
const which = { ...call, call, baseUrl: "https://gateway.example" };

describe("hooks", () => {
	test("are called for every attempt, response and retry", async () => {
		vi.spyOn(Math, "random").mockReturnValue(0.5);
		const { told, hooks } = recorder();
		const slow = () =>
			new Promise<Response>((resolve) => scripted.clock.setTimer(() => resolve(html(502)), 40));
		const scripted = scriptGateway([slow, success], { hooks });
		await settle(scripted.clock, scripted.gateway.mappings.get(USER));
		expect(told).toEqual([
			["onRequest", { ...which, attempt: 1 }],
			["onResponse", { ...which, attempt: 1, status: 502, durationMs: 40, requestId: undefined }],
			["onRetry", { ...which, attempt: 1, delayMs: 250, reason: "server_error" }],
			["onRequest", { ...which, attempt: 2 }],
			["onResponse", { ...which, attempt: 2, status: 200, durationMs: 0, requestId: REQUEST_ID }],
		]);
	});

	test("are called for a failure once, with the error that the caller gets", async () => {
		const { told, hooks } = recorder();
		const { gateway, clock } = scriptGateway([errorResponse(503)], { hooks });
		const error = await catchRejection(settle(clock, gateway.mappings.get(USER)));
		const failures = told.filter(([name]) => name === "onError");
		expect(failures).toEqual([["onError", { ...which, attempt: 3, error }]]);
		expect(failures[0]?.[1]["error"]).toBe(error);
	});

	test("are not called for a response if none arrived", async () => {
		const { told, hooks } = recorder();
		const { gateway, clock } = scriptGateway([silence], { hooks, maxRetries: 0 });
		await catchRejection(settle(clock, gateway.mappings.get(USER)));
		expect(told.map(([name]) => name)).toEqual(["onRequest", "onError"]);
	});

	test.each<[title: string, hook: () => unknown]>([
		["throws", throwing(new Error("private"))],
		["rejects", () => Promise.reject(new Error("private"))],
		[
			"gives something that throws when awaited",
			() => ({
				// biome-ignore lint/suspicious/noThenProperty: a thenable that fails is what is tested
				get then() {
					throw new Error("private");
				},
			}),
		],
	])("one that %s changes nothing but one warning", async (_title, hook) => {
		const { logged, logger } = lines();
		const hooks = { onRequest: hook, onResponse: hook, onRetry: hook, onError: hook } as Hooks;
		const { gateway, clock } = scriptGateway([errorResponse(429), success, errorResponse(404)], {
			hooks,
			logger,
			logLevel: "warn",
		});
		expect(await settle(clock, gateway.mappings.get(USER))).toEqual({ mapping: MAPPING });
		expect(await catchRejection(gateway.mappings.get(USER))).toMatchObject({ code: "not_found" });
		await clock.advance(0);
		const names = ["onRequest", "onResponse", "onRetry", "onError"];
		expect(logged.map(([, line]) => line).sort()).toEqual(
			names.map((name) => `messaging-gateway: hooks.${name} failed; the call goes on without it`).sort(),
		);
		expect(rejections).toEqual([]);
	});
});

describe("the logger", () => {
	test.each<[level: LogLevel, levels: string[]]>([
		["off", []],
		["error", []],
		["warn", ["warn"]],
		["info", ["warn", "info"]],
		["debug", ["warn", "info", "debug"]],
	])("at %s gets the lines of %j", async (logLevel, levels) => {
		const { logged, logger } = lines();
		const hooks: Hooks = {
			onRequest: throwing(new Error("x")),
		};
		const { gateway, clock } = scriptGateway([html(502), success], { hooks, logger, logLevel });
		await settle(clock, gateway.mappings.get(USER));
		expect(new Set(logged.map(([level]) => level))).toEqual(new Set(levels));
		for (const [, line] of logged) expect(line).toMatch(/^messaging-gateway: /);
	});

	test("logs what happens in lines that name the template", async () => {
		vi.spyOn(Math, "random").mockReturnValue(0.5);
		const { logged, logger } = lines();
		const { gateway, clock } = scriptGateway([html(502), success], { logger, logLevel: "debug" });
		await settle(clock, gateway.mappings.get(USER));
		expect(logged).toEqual([
			["debug", "messaging-gateway: GET /mapping/{toNumber}: sending, attempt 1"],
			["debug", "messaging-gateway: GET /mapping/{toNumber}: 502 after 0 ms"],
			["info", "messaging-gateway: GET /mapping/{toNumber}: server_error, trying again in 250 ms"],
			["debug", "messaging-gateway: GET /mapping/{toNumber}: sending, attempt 2"],
			["debug", "messaging-gateway: GET /mapping/{toNumber}: 200 after 0 ms"],
		]);
	});

	test("is the console by default, at level warn", async () => {
		const spies = (["debug", "info", "warn", "error"] as const).map((level) =>
			vi.spyOn(console, level).mockReturnValue(),
		);
		const { gateway } = scriptGateway([ok({ odd: true })], { logLevel: undefined } as never);
		await gateway.queue.getStatus();
		expect(spies.map((spy) => spy.mock.calls.length)).toEqual([0, 0, 1, 0]);
	});

	test.each<[title: string, log: () => unknown]>([
		["throws", throwing(new Error("disk full"))],
		["rejects", () => Promise.reject(new Error("disk full"))],
	])("that %s changes nothing", async (_title, log) => {
		const logger = { debug: log, info: log, warn: log, error: log } as Logger;
		const { gateway, clock } = scriptGateway([html(502), success], { logger, logLevel: "debug" });
		expect(await settle(clock, gateway.mappings.get(USER))).toEqual({ mapping: MAPPING });
		await clock.advance(0);
		expect(rejections).toEqual([]);
	});
});

describe("headers", () => {
	test("of client and call go with every request, the call's winning whatever the case", async () => {
		const { gateway, clock, requests } = scriptGateway([html(502), success], {
			headers: { "X-Trace": "client", "X-Tenant": "t-1", "User-Agent": "ours/1" },
		});
		await settle(
			clock,
			gateway.mappings.get(USER, { headers: { "x-trace": "call", Accept: "application/problem+json" } }),
		);
		for (const { headers } of requests) {
			expect(headers.get("X-Trace")).toBe("call");
			expect(headers.get("X-Tenant")).toBe("t-1");
			expect(headers.get("User-Agent")).toBe("ours/1");
			expect(headers.get("Accept")).toBe("application/problem+json");
		}
		expect(requests).toHaveLength(2);
	});

	test.each([
		"Authorization",
		"x-app-id",
		"X-TIMESTAMP",
		"X-Nonce",
		"content-type",
		"Content-Length",
		"Transfer-Encoding",
		"host",
	])("%s cannot be given", async (name) => {
		expect(() => scriptGateway([success], { headers: { [name]: "x" } })).toThrow(
			`the header ${name} is set by the client`,
		);
		const { gateway, requests } = scriptGateway([success]);
		const error = await catchRejection(gateway.mappings.get(USER, { headers: { [name]: "x" } }));
		expect(error).toMatchObject({ code: "configuration" });
		expect(requests).toHaveLength(0);
	});

	test.each<[title: string, headers: Record<string, string>]>([
		["a name with a space", { "X Trace": "a" }],
		["an empty name", { "": "a" }],
		["a value with a line break", { "X-Trace": "secret-a\r\nX-Evil: 1" }],
		["a value beyond Latin-1", { "X-Trace": "secret-日" }],
		["a value that is a number", { "X-Trace": 1 as never }],
	])("%s is rejected, and not quoted", async (_title, headers) => {
		const { gateway, requests } = scriptGateway([success]);
		const error = (await catchRejection(gateway.mappings.get(USER, { headers }))) as Error;
		expect(error).toMatchObject({ code: "configuration" });
		expect(error.message).not.toContain("secret");
		expect(requests).toHaveLength(0);
	});
});
