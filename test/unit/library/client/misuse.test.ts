import { ConfigurationError, defineOperation, MessagingGateway, type RetryClass } from "messaging-gateway";
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

describe("what is no option, or no options at all, is rejected", () => {
	test.each(["createNonce", "checkPhoneNumbers"])("%s by signedKy, with the client's sentence", (name) => {
		const options = { ...credentials, [name]: () => crypto.randomUUID() };
		const [client, ky] = [() => new MessagingGateway(options), () => signedKy(options)].map(catchError);
		expect(client).toBeInstanceOf(ConfigurationError);
		expect(ky).toMatchObject({ message: (client as Error).message });
	});

	test.each<[title: string, create: (gateway: MessagingGateway) => unknown]>([
		["a string in place of the options", () => new MessagingGateway("https://gateway.example" as never)],
		[
			"a mode in the place of the modes",
			() => new MessagingGateway({ ...credentials, responseValidation: "throw" as never }),
		],
		["credentials that are missing", (gateway) => gateway.withCredentials(undefined as never)],
		["credentials that are null", (gateway) => gateway.withCredentials(null as never)],
		[
			"credentials with a misspelt name",
			(gateway) => gateway.withCredentials({ appID: "app-2", appSecret: "secret-2" } as never),
		],
	])("%s", (_title, create) => {
		expect(catchError(() => create(new MessagingGateway(credentials)))).toBeInstanceOf(ConfigurationError);
	});

	test.each<[title: string, call: (gateway: MessagingGateway) => Promise<unknown>]>([
		["a path that is none", (gateway) => gateway.request("GET", undefined as never)],
		["a method in small letters", (gateway) => gateway.request("patch" as never, "/x")],
	])("%s of gateway.request", async (_title, call) => {
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
			"The webhook secret": [
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
