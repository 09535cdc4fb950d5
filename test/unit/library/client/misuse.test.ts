import { ConfigurationError, defineOperation, MessagingGateway, type RetryClass } from "messaging-gateway";
import { diagnose } from "messaging-gateway/doctor";
import { signedKy } from "messaging-gateway/ky";
import { memoryNonceStore, signRequest, verifyRequest } from "messaging-gateway/signing";
import { verifyWebhook } from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { describeSecretProblem } from "../../../../src/library/signing/hash.ts";
import { catchError, catchRejection } from "../../../support/catch-error.ts";
import { refusedBy } from "../../../support/sent-requests.ts";
import { USER } from "../../../support/wire.ts";

const credentials = { baseUrl: "https://gateway.example", appId: "app-1", appSecret: "secret-1" };

test("a method that was taken from its object says how to call it", () => {
	const gateway = new MessagingGateway(credentials);
	const { withCredentials } = gateway;
	const { send, sendText } = gateway.messages;
	const { getStatus } = gateway.queue;
	const text = { to: USER, text: "Hello" };
	for (const call of [
		() => send(text),
		() => sendText(text),
		getStatus,
		() => withCredentials({ appId: "b", appSecret: "s" }),
	])
		expect(catchError(call)).toMatchObject({
			code: "configuration",
			message:
				"You called a method without its object. Call it on the client, as in gateway.messages.sendText(…)",
		});
});

describe("a misspelt option of the client throws in the constructor", () => {
	test.each<[title: string, options: object]>([
		["an option that there is not", { timeout: 5 }],
		["a log level that there is not", { logLevel: "verbose" }],
		["a validation mode that there is not", { responseValidation: { documented: "trow" } }],
		["an unknown kind of response", { responseValidation: { documentd: "throw" } }],
	])("%s", (_title, options) => {
		expect(() => new MessagingGateway({ ...credentials, ...options } as never)).toThrow(ConfigurationError);
	});

	test("createNonce, with what to write instead", () => {
		const options = { ...credentials, createNonce: () => crypto.randomUUID() };
		for (const create of [() => new MessagingGateway(options), () => signedKy(options as never)]) {
			const error = catchError(create);
			expect(error).toBeInstanceOf(ConfigurationError);
			expect(error).toMatchObject({
				message:
					'Unknown option "createNonce": leave it out for random UUIDs, or return a nonce of your own from `signer`',
			});
		}
	});

	test("checkPhoneNumbers, with what to write instead", () => {
		const options = { ...credentials, checkPhoneNumbers: false };
		for (const create of [() => new MessagingGateway(options), () => signedKy(options as never)]) {
			expect(catchError(create)).toMatchObject({
				code: "configuration",
				message: expect.stringMatching(/^Unknown option "checkPhoneNumbers": .*profile\.handlePattern/),
			});
		}
	});

	test("a name that every object has, like any other", () => {
		const options = { ...credentials, toString: () => "" };
		expect(catchError(() => new MessagingGateway(options))).toMatchObject({
			message: expect.stringMatching(/^Unknown option "toString": remove it, or use baseUrl, appId, .*, …$/),
		});
	});

	const noop = () => undefined;
	const logger = { debug: noop, info: noop, warn: noop, error: noop };
	const decode = (data: unknown) => data;

	test.each<[name: string, options: object]>([
		["clock", { clock: { now: () => 0 } }],
		["clock", { clock: { setTimer: () => noop } }],
		["clock", { clock: 5 }],
		["clock", { clock: null }],
		["logger", { logger: 5 }],
		["logger", { logger: null }],
		["logger", { logger: { ...logger, debug: undefined } }],
		["logger", { logger: { warn: noop } }],
		["logger", { logger: noop }],
		["fetch", { fetch: "https://proxy.example" }],
		["fetch", { fetch: null }],
		["signer", { signer: "secret-1", appSecret: undefined }],
		["signer", { signer: { sign: noop }, appSecret: undefined }],
		["hooks", { hooks: noop }],
		["hooks.onRequest", { hooks: { onRequest: true } }],
		["hooks.aroundCall", { hooks: { aroundCall: null } }],
		["headers", { headers: "X-Trace: 1" }],
		["headers", { headers: [["X-Trace", "1"]] }],
		["headers", { headers: new Headers({ "X-Trace": "1" }) }],
		["headers", { headers: new Map([["X-Trace", "1"]]) }],
		["headers", { headers: null }],
		["correctClockSkew", { correctClockSkew: "false" }],
		["dangerouslyAllowBrowser", { dangerouslyAllowBrowser: "true" }],
		["responseValidation", { responseValidation: "throw" }],
		["logLevel", { logLevel: null }],
		["maxResponseBytes", { maxResponseBytes: "10" }],
		["maxResponseBytes", { maxResponseBytes: null }],
		["timeoutMs", { timeoutMs: "10" }],
		["attemptTimeoutMs", { attemptTimeoutMs: 0 }],
		["maxRetries", { maxRetries: 1.5 }],
		["baseUrl", { baseUrl: 5 }],
		["baseUrl", { baseUrl: null }],
		["appId", { appId: 5 }],
		["appSecret", { appSecret: { key: "secret-1" } }],
		["appSecret", { appSecret: null }],
		["profile", { profile: null }],
		["profile", { profile: "acme" }],
		["profile.vendor", { profile: { vendor: null } }],
		["profile.vendor.headerPrefix", { profile: { vendor: { headerPrefix: 5 } } }],
		["profile.vendor.messageNumberField", { profile: { vendor: { messageNumberField: 5 } } }],
		["profile.signing", { profile: { signing: null } }],
		["profile.operations", { profile: { operations: null } }],
		['profile.operations["queue.getStatus"]', { profile: { operations: { "queue.getStatus": null } } }],
		...[
			["method", { method: "get" }],
			["method", { method: 5 }],
			["request", { request: decode }],
			["request.encode", { request: {} }],
			["request.encode", { request: { encode: "x" } }],
			["request.decode", { request: { encode: decode, decode: 5 } }],
			["response", { response: null }],
			["response.decode", { response: {} }],
			["response.decode", { response: { encode: decode } }],
			["response.encode", { response: { decode, encode: {} } }],
		].map(([name, operation]): [string, object] => [
			`profile.operations["queue.getStatus"].${String(name)}`,
			{ profile: { operations: { "queue.getStatus": operation } } },
		]),
	])("%s that is none: %o", (name, options) => {
		const error = catchError(() => new MessagingGateway({ ...credentials, ...options } as never)) as Error;
		expect(error).toBeInstanceOf(ConfigurationError);
		expect(error.message.startsWith(`${name} `)).toBe(true);
	});

	test("valid options are accepted, also with methods on a prototype", () => {
		class OwnLogger {
			debug = noop;
			info(): void {}
			warn(): void {}
			error(): void {}
		}
		class OwnClock {
			now = () => 0;
			setTimer() {
				return noop;
			}
		}
		const options = {
			clock: new OwnClock(),
			logger: new OwnLogger(),
			hooks: { onRequest: undefined, onError: noop },
			headers: Object.assign(Object.create(null) as object, { "X-Trace": "1" }) as Record<string, string>,
			correctClockSkew: false,
			profile: { operations: { "queue.getStatus": { method: "POST", response: { decode } } } } as const,
		};
		expect(() => new MessagingGateway({ ...credentials, ...options })).not.toThrow();
		expect(() => new MessagingGateway({ ...credentials, logger: console })).not.toThrow();
	});

	test.each<[title: string, given: unknown]>([
		["nothing", undefined],
		["null", null],
		["a misspelt name", { appID: "app-2", appSecret: "secret-2" }],
	])("credentials of another app that are %s", (_title, given) => {
		const gateway = new MessagingGateway(credentials);
		expect(() => gateway.withCredentials(given as never)).toThrow(ConfigurationError);
	});

	test("a string in place of the options", () => {
		expect(() => new MessagingGateway("https://gateway.example" as never)).toThrow(ConfigurationError);
	});
});

describe("a misspelt option of a call sends nothing", () => {
	test.each<[title: string, call: (gateway: MessagingGateway) => Promise<unknown>]>([
		["an option that there is not", (gateway) => gateway.queue.getStatus({}, { retries: 5 } as never)],
		["headers that are none", (gateway) => gateway.queue.getStatus({}, { headers: "X-Trace: 1" as never })],
		[
			"headers of the platform",
			(gateway) => gateway.queue.getStatus({}, { headers: new Headers() as never }),
		],
		["nothing in the place of a list's options", (gateway) => gateway.agents.list({}, null as never)],
		["a number in the place of a list's options", (gateway) => gateway.agents.list({}, 5 as never)],
		...[new Headers({ "X-Trace": "1" }), new Map([["X-Trace", "1"]]), "X-Trace: 1", null].map(
			(headers): [string, (gateway: MessagingGateway) => Promise<unknown>] => [
				`headers of a list that are none: ${Object.prototype.toString.call(headers)}`,
				(gateway) => gateway.agents.list({}, { headers: headers as never }),
			],
		),
		["a signal that is none", (gateway) => gateway.queue.getStatus({}, { signal: "x" as never })],
		["a path that is none", (gateway) => gateway.request("GET", undefined as never)],
		["a method in small letters", (gateway) => gateway.request("patch" as never, "/x")],
	])("%s", async (_title, call) => {
		expect(await refusedBy(call)).toMatchObject({ code: "configuration" });
	});
});

describe("options in the place of the input are named, with the place that they have", () => {
	const text = { to: USER, text: "Hello" };

	test.each<[name: string, call: (gateway: MessagingGateway) => Promise<unknown>]>([
		["timeoutMs", (gateway) => gateway.queue.getStatus({ timeoutMs: 5_000 } as never)],
		["signal", (gateway) => gateway.agents.list({ signal: new AbortController().signal } as never)],
		["maxRetries", (gateway) => gateway.messages.send({ ...text, maxRetries: 0 } as never)],
		["headers", (gateway) => gateway.messages.sendText({ ...text, headers: {} } as never)],
		["attemptTimeoutMs", (gateway) => gateway.messages.markRead({ to: USER, attemptTimeoutMs: 5 } as never)],
	])("%s", async (name, call) => {
		const { message } = await refusedBy(call);
		expect(message).toContain("the input has an unknown field");
		expect(message).toContain(`. ${name} is an option: pass it in the last argument`);
	});

	test("but not a field of an operation of yours", async () => {
		const input = z.object({ headers: z.string() });
		const own = defineOperation({ id: "own", method: "POST", path: "/own", input, data: z.unknown() });
		const { message } = await refusedBy((gateway) => gateway.call(own, { headers: 5 as never }));
		expect(message).not.toContain("option");
	});
});

describe("an App Secret with something invisible around it is rejected before it signs", () => {
	const app = { baseUrl: "https://gateway.example", appId: "app-1" };
	const url = "https://gateway.example/agent";
	const { headers } = signRequest({ method: "GET", url, appId: "app-1", appSecret: "s3cret" });

	test.each([
		"s3cret\n",
		"\ufeffs3cret",
		"s3cret\u200b",
		'"s3cret"',
		"APP_SECRET=s3cret",
		"\u0024{s3cret}",
		"s3cret # staging",
		"long-s3cret;",
		'{"secret":"s3cret"}',
	])("%j", async (appSecret) => {
		const verify = () =>
			verifyRequest(
				{ method: "GET", url, headers: new Headers({ ...headers }) },
				{ secretFor: () => appSecret, nonceStore: memoryNonceStore() },
			);
		const errors = {
			appSecret: [
				catchError(() => new MessagingGateway({ ...app, appSecret })),
				catchError(() => signRequest({ method: "GET", url, appId: "app-1", appSecret })),
				await refusedBy((gateway) => gateway.agents.list(), { ...app, appSecret: () => appSecret }),
			],
			"The secret that secretFor returned": [await catchRejection(verify())],
			"the webhook secret": [
				catchError(() => verifyWebhook({ body: "", headers: {} }, { secret: appSecret })),
			],
		};
		for (const [name, thrown] of Object.entries(errors)) {
			for (const error of thrown) {
				const { code, message } = error as ConfigurationError;
				expect(code).toBe("configuration");
				expect(message).toBe(`${name} ${describeSecretProblem(appSecret)}`);
				expect(message).not.toContain("s3cret");
			}
		}
	});
});

describe("an invalid clock sends nothing", () => {
	test.each<[name: string, clock: object]>([
		["clock.setTimer", { now: Date.now, setTimer: () => undefined }],
		["clock.setTimer", { now: Date.now, setTimer: () => 5 }],
		["clock.now", { now: () => Number.NaN, setTimer: () => () => undefined }],
		["clock.now", { now: () => new Date(0), setTimer: () => () => undefined }],
	])("%s of %o", async (name, clock) => {
		const options = { clock: clock as never };
		for (const call of [(gateway: MessagingGateway) => gateway.agents.list(), diagnose]) {
			const error = await refusedBy(call, options);
			expect(error).toMatchObject({ code: "configuration", outcome: "not_sent" });
			expect(error.message.startsWith(`${name} `)).toBe(true);
		}
	});
});

describe("an unknown retry class never retries", () => {
	test.each(["none", "nevr", false, null])("%j", async (retry) => {
		const options = { retry: retry as RetryClass };
		const error = await refusedBy((gateway) => gateway.request("POST", "/message/text", options));
		expect(error).toMatchObject({ code: "configuration" });
		const shapes = { input: z.object({}), data: z.unknown() };
		const own = { id: "own", method: "POST", path: "/own", ...shapes, ...options } as const;
		expect(() => defineOperation(own)).toThrow(ConfigurationError);
	});
});

test("a canonical form that is a promise is rejected before anything is sent", async () => {
	const canonicalBody = (async (body: unknown) => JSON.stringify(body)) as never;
	const error = await refusedBy((gateway) => gateway.messages.sendText({ to: USER, text: "Hello" }), {
		profile: { signing: { canonicalBody } },
	});
	expect(error).toMatchObject({ code: "configuration", outcome: "not_sent" });
});
