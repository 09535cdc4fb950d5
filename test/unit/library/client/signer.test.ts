import {
	MessagingGateway,
	type RequestToSign,
	type Signer,
	SignerError,
	type SignerResult,
} from "messaging-gateway";
import { signRequest } from "messaging-gateway/signing";
import { createLocalGateway } from "messaging-gateway/testing";
import { afterEach, describe, expect, test, vi } from "vitest";
import { catchError, catchRejection } from "../../../support/catch-error.ts";
import { START_MS, settle } from "../../../support/counting-clock.ts";
import { PAGE, PRIVATE_HOSTS, PUBLIC_HOSTS, stubHost } from "../../../support/hosts.ts";
import { EMPTY_HASH, sha256 } from "../../../support/node-crypto.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { scriptGateway } from "../../../support/scripted-gateway.ts";
import { refusedBy } from "../../../support/sent-requests.ts";
import { throwing } from "../../../support/throwing.ts";
import { errorResponse, html, MAPPING, MESSAGE, ok, text, USER } from "../../../support/wire.ts";

afterEach(() => vi.unstubAllGlobals());

const signature = "ab".repeat(32);
const success = ok({ mapping: MAPPING });
const getMapping = (gateway: MessagingGateway) => gateway.mappings.get(USER);
const withSigner = (signer: Signer) => ({ appSecret: undefined, signer }) as never;

describe("a signer", () => {
	test("is given what section 5.1 joins, and its signature is sent", async () => {
		const signer = vi.fn((_: RequestToSign) => ({ signature }));
		const { gateway, requests } = scriptGateway([ok({ message: MESSAGE })], withSigner(signer));
		await gateway.messages.sendText({ to: USER, text: "Hello" });
		const given = signer.mock.calls[0]?.[0];
		const body = `{"text":"Hello","to":"${USER}"}`;
		const nonce = requests[0]?.headers.get("X-Nonce");
		expect(given).toEqual({
			method: "POST",
			url: "https://gateway.example/message/text",
			body: new TextEncoder().encode(body),
			bodyHash: sha256(body),
			timestamp: START_MS,
			nonce,
			stringToSign: ["POST", "/message/text", sha256(body), START_MS, nonce].join("\n"),
		});
		expect(requests[0]?.body).toBe(body);
		expect(requests[0]?.headers.get("Authorization")).toBe(`HMAC ${signature}`);
		expect(requests[0]?.headers.get("X-App-Id")).toBe("app-1");
	});

	test("may be signRequest on a server, with a time and a nonce of its own", async () => {
		const local = createLocalGateway();
		const { appSecret, ...options } = local.clientOptions;
		const { appId } = options;
		const signer: Signer = ({ method, url, body }) => {
			const parsed = body && JSON.parse(new TextDecoder().decode(body));
			return signRequest({
				method,
				url,
				body: parsed,
				appId,
				appSecret,
				timestamp: local.clock.now() - 1_000,
			});
		};
		const gateway = new MessagingGateway({ ...options, signer });
		const { message } = await gateway.messages.sendText({ to: USER, text: "Hello" });
		expect(await gateway.messages.get(message.messageId)).toMatchObject({ message: { text: "Hello" } });
		await local.close();
	});

	test("signs every attempt, and has no body to see where none is sent", async () => {
		const signer = vi.fn(async (_: RequestToSign) => ({ signature }));
		const { gateway, clock } = scriptGateway([html(502), success], withSigner(signer));
		await settle(clock, gateway.mappings.get(USER));
		const [first, second] = signer.mock.calls.map(([request]) => request);
		expect(first).toMatchObject({ body: undefined, bodyHash: EMPTY_HASH });
		expect(first?.nonce).not.toBe(second?.nonce);
	});

	test("may know app id, timestamp and nonce better", async () => {
		const signed = { signature, appId: "app-of-signer", timestamp: START_MS + 5, nonce: "nonce-of-signer" };
		const { gateway, requests } = scriptGateway(
			[success],
			withSigner(() => signed),
		);
		await gateway.mappings.get(USER);
		expect(Object.fromEntries(requests[0]?.headers ?? [])).toMatchObject({
			"x-app-id": "app-of-signer",
			"x-timestamp": String(START_MS + 5),
			"x-nonce": "nonce-of-signer",
		});
	});

	test("is not called again after a 401", async () => {
		const signer = vi.fn(() => ({ signature }));
		const { gateway } = scriptGateway([errorResponse(401)], withSigner(signer));
		await catchRejection(gateway.mappings.get(USER));
		expect(signer).toHaveBeenCalledTimes(1);
	});

	test("is not called for unsigned requests", async () => {
		const signer = vi.fn(() => ({ signature }));
		const { gateway } = scriptGateway([text(200, "OK")], withSigner(signer));
		await gateway.health.check();
		expect(signer).not.toHaveBeenCalled();
	});
});

/** What a signer gives. */
const MISTAKES: Outcomes<unknown> = {
	"signer must return a signature of 64 lower-case hex digits": {
		nothing: undefined,
		null: null,
		"a text": signature,
		"no signature": {},
		"a signature in upper case": { signature: signature.toUpperCase() },
		"a signature that is too short": { signature: signature.slice(1) },
		"a signature that is too long": { signature: `${signature}0` },
		"a whole header": { signature: `HMAC ${signature}` },
	},
	"appId must be 1 to 256 visible ASCII characters": {
		"an app id with a line break": { signature, appId: "a\r\nX-Evil: 1" },
		"an app id that is null": { signature, appId: null },
	},
	"the nonce must be 1 to 256 visible ASCII characters": {
		"a nonce with a line break": { signature, nonce: "a\nb" },
		"a nonce that is a number": { signature, nonce: 1 },
	},
	"signer must return a timestamp that is an integer, in milliseconds, or none": {
		"a timestamp that is a text": { signature, timestamp: "soon" },
		"a timestamp that is NaN": { signature, timestamp: Number.NaN },
		"a timestamp with a fraction": { signature, timestamp: START_MS + 0.5 },
		"a timestamp that is null": { signature, timestamp: null },
	},
};

describe("a signer's mistake is reported with nothing sent", () => {
	testOutcomes(MISTAKES, async (result) => {
		const error = await refusedBy(
			getMapping,
			withSigner(() => result as SignerResult),
		);
		expect(error).toMatchObject({ code: "configuration", outcome: "not_sent" });
		return error.message;
	});

	test("a signer that throws is a SignerError whose cause has its name alone", async () => {
		for (const signer of [
			throwing(new Error(`cannot sign for ${USER}`)),
			() => Promise.reject(new Error(`cannot sign for ${USER}`)),
		]) {
			const error = await refusedBy(getMapping, withSigner(signer));
			expect(error).toBeInstanceOf(SignerError);
			expect(error).toMatchObject({ name: "SignerError", code: "signer_failed", outcome: "not_sent" });
			expect(error.message).toContain("Your signer threw, and nothing was sent");
			expect(error.cause).toMatchObject({ name: "Error", message: "its message is left out" });
		}
	});

	const hang = () => new Promise<SignerResult>(() => undefined);

	test.each([
		["attemptTimeoutMs", { attemptTimeoutMs: 2_000, timeoutMs: 9_000 }, 2_000],
		["timeoutMs", { attemptTimeoutMs: 9_000, timeoutMs: 2_000 }, 2_000],
		["attemptTimeoutMs", {}, 15_000],
	])("a signer that hangs is named after %s", async (name, limits, limitMs) => {
		const { gateway, clock, requests } = scriptGateway([success], {
			appSecret: undefined,
			signer: hang,
			...limits,
		});
		const startedAt = clock.now();
		const error = (await catchRejection(settle(clock, gateway.mappings.get(USER), 1_000))) as Error;
		expect(error).toBeInstanceOf(SignerError);
		expect(error).toMatchObject({ code: "signer_failed", outcome: "not_sent" });
		expect(error.message).toContain(`Your signer took longer than ${name}, ${limitMs} ms`);
		expect(clock.now() - startedAt).toBe(limitMs);
		expect(clock.openTimers).toBe(0);
		expect(requests).toHaveLength(0);
	});

	test.each<[title: string, fail: Signer]>([
		["hangs", hang],
		["fails", () => Promise.reject(new Error("key service is down"))],
	])(
		"one that %s after a lost attempt leaves that attempt's error, since the message may be out",
		async (_title, fail) => {
			const signer = vi.fn<Signer>(fail).mockResolvedValueOnce({ signature });
			const { gateway, clock } = scriptGateway([html(502)], withSigner(signer));
			const error = await catchRejection(settle(clock, gateway.mappings.get(USER), 1_000));
			expect(error).toMatchObject({ code: "server_error", outcome: "unknown", attempts: 1 });
		},
	);
});

describe("where strangers have the code", () => {
	const options = { baseUrl: "https://gateway.example", appId: "app-1" };
	const rejection = /^appSecret in a browser or an app can be read by everybody/;

	test.each(PUBLIC_HOSTS)(
		"%s: appSecret is rejected unless that is asked for, and a signer is accepted",
		(_title, globals) => {
			stubHost(globals);
			const sibling = new MessagingGateway({ ...options, signer: () => ({ signature }) });
			for (const appSecret of ["s3cret", () => "s3cret"]) {
				expect(() => new MessagingGateway({ ...options, appSecret })).toThrow(rejection);
				expect(() => sibling.withCredentials({ appId: "a", appSecret })).toThrow(rejection);
			}
			const gateway = new MessagingGateway({ ...options, appSecret: "s", dangerouslyAllowBrowser: true });
			expect(gateway.withCredentials({ appId: "a", appSecret: "s" })).toBeInstanceOf(MessagingGateway);
		},
	);

	test.each([
		["jsdom/29.1.1", "in a test give `local.clientOptions`"],
		["HappyDOM/20.0.0", "in a test give `local.clientOptions`"],
		["Chrome/140.0.0.0", "sign on your server with `signer`"],
	])("%s: the way out is the one of this page", (agent, wayOut) => {
		stubHost({ ...PAGE, navigator: { userAgent: `Mozilla/5.0 (X11; Linux x64) ${agent}` } });
		const { message } = catchError(() => new MessagingGateway({ ...options, appSecret: "s" })) as Error;
		expect(message).toContain(`: ${wayOut}, or set dangerouslyAllowBrowser`);
		expect(() => new MessagingGateway(createLocalGateway().clientOptions)).not.toThrow();
	});

	test.each([true, undefined])(
		"a secret that a bundler put into a page is rejected as well: allowed %s",
		async (dangerouslyAllowBrowser) => {
			const fetch = vi.fn(async () => Response.json({ ok: true, data: [] }));
			stubHost({ ...PAGE, process: { ...process, env: { MESSAGING_GATEWAY_APP_SECRET: "s3cret" } } });
			const gateway = new MessagingGateway({ ...options, fetch, dangerouslyAllowBrowser, maxRetries: 0 });
			const error = await catchRejection(gateway.mappings.get(USER));
			if (dangerouslyAllowBrowser) return expect(fetch).toHaveBeenCalledOnce();
			expect(error).toMatchObject({ code: "configuration", message: expect.stringMatching(rejection) });
			expect(fetch).not.toHaveBeenCalled();
		},
	);

	test.each(PRIVATE_HOSTS)("%s is none", (_title, globals) => {
		stubHost(globals);
		expect(new MessagingGateway({ ...options, appSecret: "s" })).toBeDefined();
	});
});
