import { inspect } from "node:util";
import { type ClientOptions, MessagingGateway } from "messaging-gateway";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { catchError, catchRejection } from "../../../support/catch-error.ts";
import { START_MS } from "../../../support/counting-clock.ts";
import { SECRET, scriptGateway } from "../../../support/scripted-gateway.ts";
import { isSignedWith, refusedBy } from "../../../support/sent-requests.ts";
import { errorResponse, json, MAPPING, ok, USER } from "../../../support/wire.ts";

const success = json(200, { ok: true, data: { mapping: MAPPING } });

beforeEach(() => {
	for (const name of ["BASE_URL", "APP_ID", "APP_SECRET"]) vi.stubEnv(`MESSAGING_GATEWAY_${name}`, undefined);
});
afterEach(() => vi.unstubAllEnvs());

describe("the environment", () => {
	const fromEnvironment = { baseUrl: undefined, appId: undefined, appSecret: undefined } as never;
	const setEnvironment = () => {
		vi.stubEnv("MESSAGING_GATEWAY_BASE_URL", "https://from-env.example/v1/");
		vi.stubEnv("MESSAGING_GATEWAY_APP_ID", "env-app");
		vi.stubEnv("MESSAGING_GATEWAY_APP_SECRET", "env-secret");
	};

	test("is read at the first call, and not in the constructor", async () => {
		const { gateway, requests } = scriptGateway([success], fromEnvironment);
		setEnvironment();
		await gateway.mappings.get(USER);
		expect(requests[0]?.url).toBe("https://from-env.example/v1/mapping/%2B15551234567");
		expect(requests[0]?.headers.get("X-App-Id")).toBe("env-app");
		expect(isSignedWith("env-secret", requests[0])).toBe(true);
	});

	test("doesn't win over options", async () => {
		setEnvironment();
		const { gateway, requests } = scriptGateway([success]);
		await gateway.mappings.get(USER);
		expect(requests[0]?.url).toContain("https://gateway.example/");
		expect(isSignedWith(SECRET, requests[0])).toBe(true);
	});

	test.each([
		["baseUrl", "MESSAGING_GATEWAY_BASE_URL"],
		["appId", "MESSAGING_GATEWAY_APP_ID"],
		["appSecret", "MESSAGING_GATEWAY_APP_SECRET"],
	])("without %s the first call names the variable to set", async (option, name) => {
		for (const value of [undefined, ""]) {
			vi.stubEnv(name, value);
			const error = await refusedBy((gateway) => gateway.mappings.get(USER), { [option]: undefined });
			expect(error).toMatchObject({ code: "configuration", outcome: "not_sent" });
			expect(error.message).toContain(`${option} is missing. Pass it to the client, or set ${name}`);
		}
	});

	test.each([
		["MESSAGING_GATEWAY_BASE_URL", "gateway.example", /^baseUrl must be an absolute/],
		["MESSAGING_GATEWAY_APP_ID", "app 1", /^appId must be/],
		["MESSAGING_GATEWAY_APP_SECRET", "s3cret\n", /^appSecret has a line break in it/],
	])("%s is checked like the option", async (name, value, message) => {
		setEnvironment();
		vi.stubEnv(name, value);
		const error = await refusedBy((gateway) => gateway.mappings.get(USER), fromEnvironment);
		expect(error.message).toMatch(message);
	});
});

describe("withCredentials", () => {
	test("signs for another app, and shares address, clock offset and hooks", async () => {
		const onRequest = vi.fn();
		const later = ok({ mapping: MAPPING }, { timestamp: new Date(START_MS + 1_500).toISOString() });
		const { gateway, requests } = scriptGateway([later], { hooks: { onRequest } });
		const tenant = gateway.withCredentials({ appId: "app-2", appSecret: "tenant-secret" });
		await tenant.mappings.get(USER);
		await gateway.mappings.get(USER);
		expect(requests.map(({ headers }) => headers.get("X-App-Id"))).toEqual(["app-2", "app-1"]);
		expect(isSignedWith("tenant-secret", requests[0])).toBe(true);
		expect(isSignedWith(SECRET, requests[1])).toBe(true);
		expect(gateway.clockOffsetMs).toBe(1_500);
		expect(tenant.clockOffsetMs).toBe(1_500);
		expect(requests[1]?.headers.get("X-Timestamp")).toBe(String(START_MS + 1_500));
		expect(onRequest).toHaveBeenCalledTimes(2);
	});

	test("replaces a signer", async () => {
		const signer = vi.fn();
		const { gateway, requests } = scriptGateway([success], {
			appSecret: undefined,
			signer,
		} as unknown as ClientOptions);
		await gateway.withCredentials({ appId: "app-2", appSecret: "tenant-secret" }).mappings.get(USER);
		expect(signer).not.toHaveBeenCalled();
		expect(isSignedWith("tenant-secret", requests[0])).toBe(true);
	});

	test("checks what it is given", () => {
		const { gateway } = scriptGateway([success]);
		expect(() => gateway.withCredentials({ appId: "", appSecret: "s" })).toThrow(/^appId must be/);
		expect(() => gateway.withCredentials({ appId: "a", appSecret: "" })).toThrow(/^appSecret is empty/);
		// The other app's own must not step in for what is missing.
		expect(() => gateway.withCredentials({ appId: "a" } as never)).toThrow(/^appSecret is missing/);
		expect(() => gateway.withCredentials({ appSecret: "s" } as never)).toThrow(/^appId must be/);
	});
});

describe("a secret as bytes, or as the profile encodes it", () => {
	const KEY = Buffer.from("00ff7e3f112233445566778899aabbcc", "hex");
	const HEX = KEY.toString("hex");
	const hexProfile = { signing: { secret: "hex" } } as const;

	test.each<[title: string, options: ClientOptions]>([
		["bytes", { appSecret: KEY }],
		["bytes, whatever the profile says", { appSecret: KEY, profile: hexProfile }],
		["a function that finds bytes", { appSecret: async () => KEY }],
		["hex", { appSecret: HEX, profile: hexProfile }],
		["a function that finds hex", { appSecret: () => HEX, profile: hexProfile }],
	])("signs with the key: %s", async (_title, options) => {
		const { gateway, requests } = scriptGateway([success], options);
		await gateway.mappings.get(USER);
		expect(isSignedWith(KEY, requests[0])).toBe(true);
	});

	test("is read from the environment, and of another app too", async () => {
		vi.stubEnv("MESSAGING_GATEWAY_APP_SECRET", HEX);
		const { gateway, requests } = scriptGateway([success], { appSecret: undefined, profile: hexProfile });
		await gateway.mappings.get(USER);
		await gateway.withCredentials({ appId: "app-2", appSecret: "0102" }).mappings.get(USER);
		await gateway.withCredentials({ appId: "app-3", appSecret: Uint8Array.of(3) }).mappings.get(USER);
		for (const [at, key] of [KEY, Uint8Array.of(1, 2), Uint8Array.of(3)].entries()) {
			expect(isSignedWith(key, requests[at])).toBe(true);
		}
	});

	test("may be cleared once it was given or fetched", async () => {
		const given = Buffer.from(KEY);
		const { gateway, requests } = scriptGateway([success], { appSecret: given });
		given.fill(0);
		await gateway.mappings.get(USER);
		const fetched = Buffer.from(KEY);
		const fetching = scriptGateway([success], { appSecret: () => fetched });
		await fetching.gateway.mappings.get(USER);
		fetched.fill(0);
		await fetching.gateway.mappings.get(USER);
		const all = [...requests, ...fetching.requests];
		expect(all.map((request) => isSignedWith(KEY, request))).toEqual([true, true, true]);
	});

	test("that is found again as new bytes is no other secret: a 401 stays one", async () => {
		const appSecret = vi.fn(() => Uint8Array.from(KEY));
		const { gateway, requests } = scriptGateway([errorResponse(401)], { appSecret });
		expect(await catchRejection(gateway.mappings.get(USER))).toMatchObject({ status: 401 });
		expect([appSecret.mock.calls.length, requests.length]).toEqual([2, 1]);
	});

	test("that was rotated is tried after a 401", async () => {
		const appSecret = vi.fn(() => Uint8Array.of(7)).mockReturnValueOnce(Uint8Array.from(KEY));
		const { gateway, requests } = scriptGateway([errorResponse(401), success], { appSecret });
		await gateway.mappings.get(USER);
		expect(requests.map((request) => isSignedWith(Uint8Array.of(7), request))).toEqual([false, true]);
	});

	const shown = [HEX, KEY.toString("base64"), HEX.slice(0, -1), "17, 34", "11 22", "112233"];

	test("is in no inspection and no JSON of the client", async () => {
		for (const options of [{ appSecret: KEY }, { appSecret: HEX, profile: hexProfile }]) {
			const { gateway } = scriptGateway([success], options);
			await gateway.mappings.get(USER);
			const seen = inspect(gateway, { depth: 20, showHidden: true, getters: true }) + JSON.stringify(gateway);
			for (const part of shown) expect(seen).not.toContain(part);
		}
	});

	test.each<[title: string, options: ClientOptions, message: RegExp]>([
		[
			"hex that was cut off",
			{ appSecret: HEX.slice(0, -1), profile: hexProfile },
			/^appSecret isn't hex, .*its end is missing/,
		],
		["quotes", { appSecret: `"${HEX}"`, profile: hexProfile }, /^appSecret has quotes around it/],
		["no bytes", { appSecret: new Uint8Array(4) }, /^appSecret is empty/],
		[
			"a misspelt encoding",
			{ appSecret: HEX, profile: { signing: { secret: "HEX" } } } as never,
			/^appSecret isn't HEX, its encoding in the profile: there is no such encoding/,
		],
	])("is rejected at once, without a word of it: %s", async (_title, options, message) => {
		const error = catchError(() => new MessagingGateway(options)) as Error;
		expect(error).toMatchObject({ code: "configuration", message: expect.stringMatching(message) });
		const { appSecret, ...others } = options;
		const found = await refusedBy((gateway) => gateway.mappings.get(USER), {
			...others,
			profile: others.profile?.signing?.secret === "hex" ? others.profile : undefined,
			appSecret: () => appSecret as string,
		}).catch((cause: Error) => cause);
		for (const seen of [error, found]) {
			for (const part of shown) expect(inspect(seen, { depth: 20, showHidden: true })).not.toContain(part);
		}
	});
});
