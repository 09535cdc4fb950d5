import type { ClientOptions } from "messaging-gateway";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { settle } from "../../../support/counting-clock.ts";
import { type Step, scriptGateway, silence } from "../../../support/scripted-gateway.ts";
import { html, MAPPING, ok, USER } from "../../../support/wire.ts";
import { ReplacedPromise } from "./replaced-promise.ts";

const success = ok({ mapping: MAPPING });

beforeEach(() => {
	vi.stubGlobal("Promise", ReplacedPromise);
});
afterEach(() => {
	vi.unstubAllGlobals();
});

describe("with another Promise on the global", () => {
	test("async functions return no instance of it", () => {
		expect((async () => undefined)()).not.toBeInstanceOf(Promise);
	});

	test("a call succeeds over retries, and nothing of it stays", async () => {
		const { gateway, clock, requests } = scriptGateway([html(502), success]);
		expect(await settle(clock, gateway.mappings.get(USER))).toEqual({ mapping: MAPPING });
		expect(requests).toHaveLength(2);
		expect(clock.openTimers).toBe(0);
	});

	test.each<[limit: string, scope: string, options: ClientOptions]>([
		["attemptTimeoutMs", "attempt", { attemptTimeoutMs: 700, maxRetries: 0 }],
		["timeoutMs", "call", { timeoutMs: 700 }],
	])("%s ends a fetch that hangs, and aborts it", async (_limit, scope, options) => {
		const { gateway, clock, requests } = scriptGateway([silence], options);
		const error = await catchRejection(settle(clock, gateway.mappings.get(USER)));
		expect(error).toMatchObject({ code: "timeout", scope, limitMs: 700 });
		expect(requests[0]?.init.signal?.aborted).toBe(true);
		expect(clock.openTimers).toBe(0);
	});

	test("timeoutMs ends a secret that hangs", async () => {
		const { gateway, clock } = scriptGateway([success], { appSecret: () => new Promise(() => undefined) });
		const error = await catchRejection(settle(clock, gateway.mappings.get(USER)));
		expect(error).toMatchObject({ code: "timeout", outcome: "not_sent" });
	});

	test.each<[title: string, step: Step]>([
		["while fetch is under way", silence],
		["while the body is read", () => new Response(new ReadableStream())],
	])("the caller's signal ends the call %s", async (_title, step) => {
		const controller = new AbortController();
		const { gateway, clock, requests } = scriptGateway([step]);
		const call = gateway.mappings.get(USER, { signal: controller.signal });
		await clock.advance(1_000);
		controller.abort("the user left");
		expect(await catchRejection(settle(clock, call))).toBe("the user left");
		expect(requests[0]?.init.signal?.aborted).toBe(true);
	});

	test("hooks around a call and an attempt learn how they ended", async () => {
		const endings: unknown[] = [];
		const hear = async (_: unknown, run: () => Promise<unknown>) => endings.push(await run());
		const { gateway, clock } = scriptGateway([success], {
			hooks: { aroundCall: hear, aroundAttempt: hear },
		});
		await settle(clock, gateway.mappings.get(USER));
		expect(endings).toMatchObject([
			{ status: 200, errorCode: undefined },
			{ attempts: 1, errorCode: undefined },
		]);
	});
});
