import { MessagingGateway } from "messaging-gateway";
import { afterEach, describe, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";

const GIVEN = { baseUrl: "https://gateway.example", appId: "app-1", appSecret: "app-secret" };

/** Every time limit is over at once. */
const IMPATIENT = {
	now: () => 1_700_000_000_000,
	setTimer(run: () => void) {
		queueMicrotask(run);
		return () => undefined;
	},
};

afterEach(() => void vi.unstubAllEnvs());

describe("ready", () => {
	test("resolves if a call could be signed, and sends nothing", async () => {
		const fetch = vi.fn();
		const hooks = { aroundCall: vi.fn(), aroundAttempt: vi.fn(), onRequest: vi.fn(), onError: vi.fn() };
		await new MessagingGateway({ ...GIVEN, fetch, hooks }).ready();
		expect(fetch).not.toHaveBeenCalled();
		for (const hook of Object.values(hooks)) expect(hook).not.toHaveBeenCalled();
	});

	test("asks a function for the secret once, which the first call then has", async () => {
		const appSecret = vi.fn(async () => "app-secret");
		const fetch = async () => Response.json({ success: true, data: {} });
		const gateway = new MessagingGateway({
			...GIVEN,
			appSecret,
			fetch,
			responseValidation: { documented: "off" },
		});
		await gateway.ready();
		await gateway.queue.getStatus().catch(() => undefined);
		expect(appSecret).toHaveBeenCalledOnce();
	});

	test.each<[title: string, options: object, expected: object]>([
		[
			"nothing in the environment",
			{},
			{ code: "configuration", message: expect.stringContaining("baseUrl") },
		],
		["no app id", { ...GIVEN, appId: undefined }, { code: "configuration" }],
		["no secret", { ...GIVEN, appSecret: undefined }, { code: "configuration" }],
		[
			"a secret function that fails",
			{ ...GIVEN, appSecret: () => Promise.reject(new Error("no")) },
			{ code: "configuration" },
		],
		[
			"a signer that fails",
			{ ...GIVEN, appSecret: undefined, signer: () => Promise.reject(new Error("no")) },
			{ code: "signer_failed" },
		],
		[
			"a secret function that never ends",
			{ ...GIVEN, clock: IMPATIENT, appSecret: () => new Promise(() => undefined) },
			{ code: "timeout" },
		],
	])("rejects with the error of the first call: %s", async (_title, options, expected) => {
		for (const name of ["BASE_URL", "APP_ID", "APP_SECRET"])
			vi.stubEnv(`MESSAGING_GATEWAY_${name}`, undefined);
		const fetch = vi.fn();
		const gateway = new MessagingGateway({ ...options, fetch });
		const error = await catchRejection(gateway.ready());
		expect(error).toMatchObject({ ...expected, outcome: "not_sent" });
		expect(await catchRejection(gateway.queue.getStatus())).toEqual(error);
		expect(fetch).not.toHaveBeenCalled();
	});
});
