import { AsyncLocalStorage } from "node:async_hooks";
import type {
	AttemptEnding,
	AttemptInfo,
	CallEnding,
	CallInfo,
	Hooks,
	Logger,
	LogLevel,
} from "messaging-gateway";
import { diagnose } from "messaging-gateway/doctor";
import { afterEach, describe, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { settle } from "../../../support/counting-clock.ts";
import { scriptGateway, silence } from "../../../support/scripted-gateway.ts";
import { throwing } from "../../../support/throwing.ts";
import { isNodeHttp } from "../../../support/transport.ts";
import { watchRejections } from "../../../support/unhandled-rejections.ts";
import { errorResponse, html, MAPPING, ok, REQUEST_ID, USER } from "../../../support/wire.ts";

const success = ok({ mapping: MAPPING });

function recordCalls() {
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

const rejections = watchRejections();
afterEach(() => {
	vi.restoreAllMocks();
});

const call = { operationId: "mappings.get", method: "GET", pathTemplate: "/mapping/{toNumber}" };
const which = { ...call, call, baseUrl: "https://gateway.example" };

describe("hooks", () => {
	test.skipIf(isNodeHttp)("are called for every attempt, response and retry", async () => {
		vi.spyOn(Math, "random").mockReturnValue(0.5);
		const { told, hooks } = recordCalls();
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
		const { told, hooks } = recordCalls();
		const { gateway, clock } = scriptGateway([errorResponse(503)], { hooks });
		const error = await catchRejection(settle(clock, gateway.mappings.get(USER)));
		const failures = told.filter(([name]) => name === "onError");
		expect(failures).toEqual([["onError", { ...which, attempt: 3, error }]]);
		expect(failures[0]?.[1]["error"]).toBe(error);
	});

	test("are not called for a response if none arrived", async () => {
		const { told, hooks } = recordCalls();
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
		const names = ["aroundCall", "aroundAttempt", "onRequest", "onResponse", "onRetry", "onError"];
		const hooks: Hooks = Object.fromEntries(names.map((name) => [name, hook]));
		const { gateway, clock } = scriptGateway([errorResponse(429), success, errorResponse(404)], {
			hooks,
			logger,
			logLevel: "warn",
		});
		expect(await settle(clock, gateway.mappings.get(USER))).toEqual({ mapping: MAPPING });
		expect(await catchRejection(gateway.mappings.get(USER))).toMatchObject({ code: "not_found" });
		await clock.advance(0);
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

const mapping = { operationId: "mappings.get", method: "GET", pathTemplate: "/mapping/{toNumber}" };

function recorder() {
	const calls: [CallInfo, CallEnding][] = [];
	const attempts: [AttemptInfo, AttemptEnding][] = [];
	const hooks: Hooks = {
		aroundCall: async (info, run) => calls.push([info, await run()]),
		aroundAttempt: async (info, run) => attempts.push([info, await run()]),
	};
	return { calls, attempts, hooks };
}

describe("hooks around calls and attempts", () => {
	test("learn how each of them ended", async () => {
		const { calls, attempts, hooks } = recorder();
		const { gateway, clock } = scriptGateway([html(502), success], { hooks });
		await settle(clock, gateway.mappings.get(USER));
		expect(calls).toEqual([[mapping, { attempts: 2, errorCode: undefined, outcome: undefined }]]);
		const baseUrl = "https://gateway.example";
		const which = { ...mapping, baseUrl, call: mapping };
		expect(attempts).toEqual([
			[
				{ ...which, attempt: 1 },
				{ status: 502, requestId: undefined, errorCode: "server_error" },
			],
			[
				{ ...which, attempt: 2 },
				{ status: 200, requestId: REQUEST_ID, errorCode: undefined },
			],
		]);
	});

	test.each<[stopped: string, errorCode: string, stop: (controller: AbortController) => void]>([
		["timeoutMs", "timeout", () => undefined],
		["the caller's signal", "aborted", (controller) => controller.abort()],
	])("learn that an attempt was stopped by %s", async (_stopped, errorCode, stop) => {
		const { calls, attempts, hooks } = recorder();
		const { gateway, clock } = scriptGateway([silence], { hooks, timeoutMs: 5_000 });
		const controller = new AbortController();
		const call = catchRejection(gateway.mappings.get(USER, { signal: controller.signal }));
		await clock.advance(1_000);
		stop(controller);
		await settle(clock, call);
		expect(attempts.map(([, ending]) => ending)).toEqual([
			{ status: undefined, requestId: undefined, errorCode },
		]);
		expect(calls.map(([, ending]) => ending)).toEqual([{ attempts: 1, errorCode, outcome: "unknown" }]);
	});

	test("and all others get the same object for a call, which no other call has", async () => {
		const keys = new Map<CallInfo, string[]>();
		const note = (name: string, call: CallInfo): void => {
			keys.set(call, [...(keys.get(call) ?? []), name]);
		};
		const hooks: Hooks = {
			aroundCall: (info, run) => {
				note("aroundCall", info);
				return run();
			},
			aroundAttempt: ({ call }, run) => {
				note("aroundAttempt", call);
				return run();
			},
			onRequest: ({ call }) => note("onRequest", call),
			onResponse: ({ call }) => note("onResponse", call),
			onRetry: ({ call }) => note("onRetry", call),
			onError: ({ call }) => note("onError", call),
		};
		const { gateway, clock } = scriptGateway([errorResponse(429), errorResponse(404)], { hooks });
		await catchRejection(settle(clock, gateway.mappings.get(USER)));
		await catchRejection(settle(clock, gateway.mappings.get(USER)));
		const attempt = ["aroundAttempt", "onRequest", "onResponse"];
		expect([...keys.values()]).toEqual([
			["aroundCall", ...attempt, "onRetry", ...attempt, "onError"],
			["aroundCall", ...attempt, "onError"],
		]);
	});

	test("also learn of what onError does not: an invalid input, and an abort", async () => {
		const { calls, attempts, hooks } = recorder();
		const { gateway } = scriptGateway([success], { hooks });
		await catchRejection(gateway.mappings.get("no number"));
		await catchRejection(gateway.mappings.get(USER, { signal: AbortSignal.abort() }));
		expect(calls.map(([, ending]) => ending)).toEqual([
			{ attempts: 0, errorCode: "invalid_input", outcome: "not_sent" },
			{ attempts: 0, errorCode: "aborted", outcome: "not_sent" },
		]);
		expect(attempts).toEqual([]);
	});

	test("run them inside themselves, the caller's fetch included", async () => {
		const storage = new AsyncLocalStorage<string>();
		const hooks: Hooks = {
			aroundCall: (_info, run) => storage.run("call", run),
			aroundAttempt: (_info, run) => storage.run(`${storage.getStore()} > attempt`, run),
		};
		let seen: string | undefined;
		const fetch = async () => {
			seen = storage.getStore();
			return success.clone();
		};
		await scriptGateway([], { hooks, fetch }).gateway.mappings.get(USER);
		expect(seen).toBe("call > attempt");
	});

	test("do not run in a diagnosis, whose requests are meant to be rejected", async () => {
		const { calls, attempts, hooks } = recorder();
		const { gateway } = scriptGateway([errorResponse(401)], { hooks });
		await diagnose(gateway);
		expect([...calls, ...attempts]).toEqual([]);
	});
});
