import { MessagingGateway } from "messaging-gateway";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { createCountingClock, settle } from "../../../support/counting-clock.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";

const GIVEN = { baseUrl: "https://gateway.example", appId: "app-1", appSecret: "app-secret" };

const fail = () => Promise.reject(new Error("private"));
const hang = () => new Promise<never>(() => undefined);

beforeEach(() => {
	for (const name of ["BASE_URL", "APP_ID", "APP_SECRET"]) vi.stubEnv(`MESSAGING_GATEWAY_${name}`, undefined);
});
afterEach(() => void vi.unstubAllEnvs());

/** What `ready()` rejects with, as does the first call, and nothing is sent. */
async function rejectionOf(options: object): Promise<string> {
	const fetch = vi.fn();
	const clock = createCountingClock();
	const gateway = new MessagingGateway({ timeoutMs: 1_000, ...options, fetch, clock });
	const error = await catchRejection(settle(clock, gateway.ready()));
	expect(await catchRejection(settle(clock, gateway.queue.getStatus()))).toEqual(error);
	expect(fetch).not.toHaveBeenCalled();
	expect(error).toMatchObject({ outcome: "not_sent" });
	return `${Reflect.get(Object(error), "code")}: ${Reflect.get(Object(error), "message")}`;
}

const REJECTIONS: Outcomes<object> = {
	"configuration: baseUrl, appId and appSecret are missing. Pass them to the client, or set MESSAGING_GATEWAY_BASE_URL, MESSAGING_GATEWAY_APP_ID and MESSAGING_GATEWAY_APP_SECRET. No account yet? `npx messaging-gateway dev --write-env .env` starts a gateway and writes them":
		{ "nothing in the environment": {} },
	"configuration: appId is missing. Pass it to the client, or set MESSAGING_GATEWAY_APP_ID": {
		"no app id": { ...GIVEN, appId: undefined },
	},
	"configuration: appSecret is missing. Pass it to the client, or set MESSAGING_GATEWAY_APP_SECRET": {
		"no secret": { ...GIVEN, appSecret: undefined },
	},
	"configuration: Your appSecret function threw, and nothing was sent. Its error is left out, since it may hold the secret: log it in the function":
		{ "a secret function that fails": { ...GIVEN, appSecret: fail } },
	"signer_failed: Your signer threw, and nothing was sent. Its error is left out, since it may hold a secret: log it in the signer":
		{ "a signer that fails": { ...GIVEN, appSecret: undefined, signer: fail } },
	"timeout: GET /queue/status took longer than timeoutMs, 1000 ms. Raise timeoutMs, or check the network. `npx messaging-gateway doctor` shows why":
		{
			"a secret function that never ends": { ...GIVEN, appSecret: hang },
		},
	"signer_failed: Your signer took longer than timeoutMs, 1000 ms, and nothing was sent: check what it waits for":
		{
			"a signer that never ends": { ...GIVEN, appSecret: undefined, signer: hang },
		},
};

describe("ready", () => {
	testOutcomes(REJECTIONS, rejectionOf);

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
});
