import { AsyncLocalStorage } from "node:async_hooks";
import type { AttemptEnding, AttemptInfo, CallEnding, CallInfo, Hooks } from "messaging-gateway";
import { diagnose } from "messaging-gateway/doctor";
import { describe, expect, test } from "vitest";
import { catchError, catchRejection } from "../../../support/catch-error.ts";
import { settle } from "../../../support/counting-clock.ts";
import { scriptGateway } from "../../../support/scripted-gateway.ts";
import { errorResponse, html, MAPPING, ok, REQUEST_ID, USER } from "../../../support/wire.ts";

const success = ok({ mapping: MAPPING });
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

	test("that fail change nothing but one warning for each", async () => {
		const logged: string[] = [];
		const logger = { ...console, warn: (line: string) => logged.push(line) };
		const broken = () => Promise.reject(new Error("private"));
		const hooks: Hooks = { aroundCall: broken, aroundAttempt: broken };
		const { gateway, clock } = scriptGateway([errorResponse(429), success, errorResponse(404)], {
			hooks,
			logger,
			logLevel: "warn",
		});
		expect(await settle(clock, gateway.mappings.get(USER))).toEqual({ mapping: MAPPING });
		expect(await catchRejection(gateway.mappings.get(USER))).toMatchObject({ code: "not_found" });
		expect(logged.sort()).toEqual([
			"messaging-gateway: hooks.aroundAttempt failed; the call goes on without it",
			"messaging-gateway: hooks.aroundCall failed; the call goes on without it",
		]);
	});

	test("do not run in a diagnosis, whose requests are meant to be rejected", async () => {
		const { calls, attempts, hooks } = recorder();
		const { gateway } = scriptGateway([errorResponse(401)], { hooks });
		await diagnose(gateway);
		expect([...calls, ...attempts]).toEqual([]);
	});
});

test("a misspelt hook is rejected", () => {
	const error = catchError(() => scriptGateway([], { hooks: { onReqest: () => undefined } as never }));
	expect(error).toMatchObject({ code: "configuration", message: expect.stringContaining("hooks.onReqest") });
});
