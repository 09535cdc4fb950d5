import { MessagingGateway } from "messaging-gateway";
import { signRequest } from "messaging-gateway/signing";
import { createLocalGateway } from "messaging-gateway/testing";
import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
	assertHostHas,
	createAbortController,
	createDecoder,
	createEncoder,
	findBuiltin,
	howToSet,
	isBrowser,
	isPublic,
	nativeBase64,
	parseUrl,
	randomBytes,
	readEnvironment,
	supportsCacheMode,
	webCrypto,
} from "../../../src/library/host.ts";
import { randomHex, randomUuid, serverUuid } from "../../../src/library/runtime.ts";
import { chooseNative } from "../../../src/library/signing/hash.ts";
import { catchError, catchRejection } from "../../support/catch-error.ts";
import { PAGE, PRIVATE_HOSTS, PUBLIC_HOSTS, stubHost } from "../../support/hosts.ts";
import { scriptGateway } from "../../support/scripted-gateway.ts";
import { toRequest } from "../../support/to-request.ts";
import { createReceiver } from "../../support/webhook-receiver.ts";
import { json } from "../../support/wire.ts";

afterEach(() => {
	vi.unstubAllGlobals();
	vi.unstubAllEnvs();
});

const fail = (): never => {
	throw new Error("this host has none");
};
const throwsForAll = new Proxy({}, { get: fail, has: fail });

/** As the edge runtime of Next.js has it, and Deno without permissions. */
const THROWING_HOST = {
	process: { ...process, getBuiltinModule: fail, env: throwsForAll },
	navigator: throwsForAll,
	document: throwsForAll,
	crypto: throwsForAll,
	Request: Object.defineProperty(() => undefined, "prototype", { get: fail }),
	WorkerGlobalScope: Object.defineProperty(() => undefined, Symbol.hasInstance, { value: fail }),
	Buffer: throwsForAll,
};

describe("a host that throws for each question", () => {
	test("is one that has nothing", () => {
		const answers = () => ({
			builtin: findBuiltin("node:crypto"),
			variable: readEnvironment("MESSAGING_GATEWAY_TEST"),
			isBrowser: isBrowser(),
			isPublic: isPublic(),
			cacheMode: supportsCacheMode(fetch),
			hashing: chooseNative(findBuiltin("node:crypto")),
		});
		stubHost(THROWING_HOST);
		const found = answers();
		vi.unstubAllGlobals();
		expect(found).toEqual({ isBrowser: false, isPublic: false, cacheMode: false });
	});

	test("lacks crypto, in our words", () => {
		stubHost(THROWING_HOST);
		const errors = [randomUuid, () => randomHex(8), webCrypto].map((ask) => catchError(ask));
		vi.unstubAllGlobals();
		for (const error of errors) {
			expect(error).toMatchObject({
				code: "configuration",
				outcome: "not_sent",
				message: expect.stringContaining("This environment has no crypto."),
			});
		}
	});

	test("writes no base64 of its own", () => {
		stubHost(THROWING_HOST);
		const base64 = nativeBase64(Uint8Array.of(1));
		vi.unstubAllGlobals();
		expect(base64).toBe("toBase64" in Uint8Array.prototype ? "AQ==" : undefined);
	});
});

describe("URLs", () => {
	/** As in React Native. */
	class URLWithoutCanParse extends URL {
		static override readonly canParse = undefined as never;
	}

	test.each([
		["a host that has canParse", {}],
		["one that has not", { URL: URLWithoutCanParse }],
	])("%s", (_title, globals) => {
		stubHost(globals);
		const found = ["https://gateway.example/a", "gateway.example", ""].map((text) => parseUrl(text)?.host);
		const client = () => new MessagingGateway({ baseUrl: "gateway", appId: "a", appSecret: "s" });
		const local = () => createLocalGateway({ baseUrl: "gateway" });
		const errors = [client, local].map((make) => catchError(make));
		vi.unstubAllGlobals();
		expect(found).toEqual(["gateway.example", undefined, undefined]);
		for (const error of errors)
			expect(error).toMatchObject({ message: expect.stringMatching(/^baseUrl must be an absolute/) });
	});
});

describe("the environment", () => {
	test("an empty variable counts as absent, and a host without an environment has none", () => {
		vi.stubEnv("MESSAGING_GATEWAY_TEST", "value");
		expect(readEnvironment("MESSAGING_GATEWAY_TEST")).toBe("value");
		vi.stubEnv("MESSAGING_GATEWAY_TEST", "");
		expect(readEnvironment("MESSAGING_GATEWAY_TEST")).toBeUndefined();
		expect(readEnvironment("MESSAGING_GATEWAY_NOT_SET")).toBeUndefined();
		const found = [undefined, {}, { env: undefined }].map((process) => {
			vi.stubGlobal("process", process);
			return readEnvironment("PATH");
		});
		vi.unstubAllGlobals();
		expect(found).toEqual([undefined, undefined, undefined]);
	});

	test("in Deno a variable that is set may not be read", () => {
		expect(howToSet("NAME")).toBe("set NAME");
		vi.stubGlobal("Deno", {});
		expect(howToSet("NAME")).toBe("set NAME, with --allow-env");
	});
});

describe("randomness", () => {
	/** Fills all bytes but the last one. */
	const fill = (value: number) => (bytes: Uint8Array) => bytes.fill(value, 0, -1);
	const CONSTANT = "11111111-1111-4111-8111-111111111111";

	test("the version and variant bits are set over any random bytes", () => {
		vi.stubGlobal("crypto", { getRandomValues: fill(0xff) });
		expect(randomUuid()).toBe("ffffffff-ffff-4fff-bfff-ffffffffff00");
		vi.stubGlobal("crypto", { getRandomValues: fill(0x10) });
		expect(randomUuid()).toBe("10101010-1010-4010-9010-101010101000");
	});

	test.each([
		["no UUID", () => "test-uuid"],
		["nothing", () => ""],
		["no string", () => 1],
		["an error", fail],
	])("a randomUUID that returns %s is left alone", (_title, randomUUID) => {
		vi.stubGlobal("crypto", { randomUUID, getRandomValues: fill(5) });
		expect(randomUuid()).toBe("05050505-0505-4505-8505-050505050500");
	});

	test("a randomUUID that returns the same again is left alone", () => {
		vi.stubGlobal("crypto", { randomUUID: () => CONSTANT, getRandomValues: fill(5) });
		expect(randomUuid()).toBe("05050505-0505-4505-8505-050505050500");
	});

	test.each<[title: string, crypto: unknown]>([
		["is missing", undefined],
		["has no random bytes", {}],
		["throws", { getRandomValues: fail }],
		[
			"throws after the first byte",
			{
				getRandomValues: (bytes: Uint8Array) => {
					bytes[0] = 1;
					return fail();
				},
			},
		],
		["leaves the bytes as they are", { getRandomValues: () => undefined }],
		["fills them with the same again", { getRandomValues: (bytes: Uint8Array) => bytes.fill(7) }],
	])("a crypto that %s is one error of ours", (_title, crypto) => {
		vi.stubGlobal("crypto", crypto);
		expect(() => randomBytes(16)).toThrow(/^This environment has no crypto\.getRandomValues that works: /);
	});

	test("a constant randomUUID, as tests set it, makes no two calls of a store one", () => {
		vi.spyOn(crypto, "randomUUID").mockReturnValue(CONSTANT);
		expect(serverUuid()).toBe(CONSTANT);
		const ids = [serverUuid(), serverUuid()];
		expect(new Set([CONSTANT, ...ids]).size).toBe(3);
	});

	test("a page over plain HTTP has no crypto.subtle", () => {
		expect(webCrypto()).toBe(crypto.subtle);
		vi.stubGlobal("crypto", {});
		expect(webCrypto).toThrow(/^This environment has no crypto\.subtle: /);
	});
});

describe("UTF-8", () => {
	test("is Node's own where the page of a test has none", () => {
		vi.stubGlobal("TextEncoder", undefined);
		vi.stubGlobal("TextDecoder", undefined);
		expect(createDecoder().decode(createEncoder().encode("é"))).toBe("é");
		const strict = createDecoder({ fatal: true, ignoreBOM: true });
		expect(() => strict.decode(Uint8Array.of(0xff))).toThrow(TypeError);
	});

	test("is not read by what ignores that bytes are wrong", () => {
		class Lenient {
			decode(bytes?: Uint8Array): string {
				return Buffer.from(bytes ?? []).toString();
			}
		}
		vi.stubGlobal("TextDecoder", Lenient);
		expect(createDecoder().decode(Uint8Array.of(0x61))).toBe("a");
		expect(() => createDecoder({ fatal: true, ignoreBOM: true })).toThrow(/no TextDecoder that works: /);
	});

	test("is one error of ours where nobody has it", () => {
		const withoutBuiltins = { ...process, getBuiltinModule: undefined };
		stubHost({ TextEncoder: undefined, TextDecoder: undefined, process: withoutBuiltins });
		const errors = [catchError(createEncoder), catchError(() => createDecoder())];
		vi.unstubAllGlobals();
		expect(errors).toMatchObject([
			{ code: "configuration", message: expect.stringMatching(/^This environment has no TextEncoder: /) },
			{ code: "configuration", message: expect.stringMatching(/^This environment has no TextDecoder: /) },
		]);
	});
});

test.each<[title: string, decoder: object, name: string]>([
	[
		"ignores",
		class extends TextDecoder {
			constructor(label?: string) {
				super(label);
			}
		},
		"TextDecoder that works: ",
	],
	[
		"rejects",
		() => {
			throw new TypeError("fatal is unsupported");
		},
		"TextDecoder: ",
	],
])("a local gateway is not made with a decoder that %s `fatal`", async (_title, decoder, name) => {
	// The decoder is made once.
	vi.resetModules();
	const { createLocalGateway: createAnew } = await import("messaging-gateway/testing");
	vi.stubGlobal("TextDecoder", decoder);
	const error = catchError(createAnew);
	vi.unstubAllGlobals();
	expect(error).toMatchObject({
		code: "configuration",
		message: expect.stringContaining(`This environment has no ${name}`),
	});
});

test("a decoder that cannot be strict is one error of ours", () => {
	class Lenient {
		constructor(_label: string, options: object = {}) {
			if ("fatal" in options) throw new TypeError("fatal is unsupported");
		}
	}
	vi.stubGlobal("TextDecoder", Lenient);
	const error = catchError(() => createDecoder({ fatal: true, ignoreBOM: true }));
	vi.unstubAllGlobals();
	expect(error).toMatchObject({
		code: "configuration",
		message: expect.stringMatching(/^This environment has no TextDecoder: /),
	});
});

describe("what users make is not made where something is missing, which is named", () => {
	const ALL = ["AbortController", "setTimeout"];
	const CLIENT = [...ALL, "Headers", "Response", "URL", "URLSearchParams"];
	const options = { baseUrl: "https://gateway.example", appId: "app-1", appSecret: "s" };
	const on = { unknown: () => undefined };

	test.each<[what: string, make: () => unknown, names: readonly string[]]>([
		["a client", () => new MessagingGateway(options), CLIENT],
		["a handler", () => createWebhookHandler({ secret: "s".repeat(20), store: memoryStore(), on }), ALL],
		["a local gateway", createLocalGateway, [...ALL, "Headers", "Request", "Response", "URL"]],
		["a signature", () => signRequest({ method: "GET", url: "/a", ...options }), ["URL"]],
	])("%s", (_what, make, names) => {
		expect(make).not.toThrow();
		for (const name of names) {
			vi.stubGlobal(name, undefined);
			const error = catchError(make);
			vi.unstubAllGlobals();
			expect(error, name).toMatchObject({
				code: "configuration",
				message: expect.stringContaining(`This environment has no ${name}: `),
			});
		}
	});
});

test.each(["AbortController", "Headers", "Response", "URL", "URLSearchParams", "setTimeout"])(
	"a call is not made without %s, which was there when the client was made",
	async (name) => {
		const { gateway, requests } = scriptGateway([json(200, { ok: true, data: 7 })]);
		const call = () => gateway.request("GET", "/x", { query: { a: 1 } });
		expect(await call()).toBe(7);
		vi.stubGlobal(name, undefined);
		const error = await catchRejection(call());
		vi.unstubAllGlobals();
		expect(error).toMatchObject({
			code: "configuration",
			message: expect.stringContaining(`This environment has no ${name}: `),
		});
		expect(requests).toHaveLength(1);
	},
);

test("an event is not processed where no Response could be made", async () => {
	const { handler, calls, sign } = createReceiver();
	const request = toRequest(sign({}));
	vi.stubGlobal("Response", undefined);
	const error = await catchRejection(handler.fetch(request));
	vi.unstubAllGlobals();
	expect(error).toMatchObject({ message: expect.stringContaining("This environment has no Response: ") });
	expect(calls).toEqual([]);
});

test("what is missing is named", () => {
	vi.stubGlobal("Headers", undefined);
	expect(() => assertHostHas("Request", "Response")).not.toThrow();
	expect(() => assertHostHas("Request", "Headers")).toThrow(/^This environment has no Headers: /);
});

describe("who has the code", () => {
	test.each(PUBLIC_HOSTS)("%s: strangers", (title, globals) => {
		stubHost(globals);
		expect({ isPublic: isPublic(), isBrowser: isBrowser() }).toEqual({
			isPublic: true,
			isBrowser: title !== "React Native",
		});
	});

	test.each(PRIVATE_HOSTS)("%s: nobody", (_title, globals) => {
		stubHost(globals);
		expect(isPublic()).toBe(false);
	});
});

describe("an AbortController", () => {
	test("is the global one", () => {
		expect(createAbortController()).toBeInstanceOf(AbortController);
		stubHost(PAGE);
		expect(createAbortController()).toBeInstanceOf(AbortController);
	});

	test("is Node's own where that of a simulated page is rejected by fetch", () => {
		const native = AbortController;
		class Foreign {
			readonly signal = new EventTarget();
		}
		stubHost({ ...PAGE, AbortController: Foreign });
		expect(createAbortController()).toBeInstanceOf(native);
		vi.stubGlobal("process", { ...process, getBuiltinModule: undefined });
		expect(createAbortController()).toBeInstanceOf(Foreign);
	});
});
