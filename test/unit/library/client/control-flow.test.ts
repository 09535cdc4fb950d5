import type { ClientOptions, Hooks } from "messaging-gateway";
import { signedKy } from "messaging-gateway/ky";
import { memorySendStore, type SendStore } from "messaging-gateway/sends";
import { describe, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { settle } from "../../../support/counting-clock.ts";
import { NEXT_ERRORS } from "../../../support/next-errors.ts";
import { SECRET, scriptGateway } from "../../../support/scripted-gateway.ts";
import { isNodeHttp } from "../../../support/transport.ts";
import { USER } from "../../../support/wire.ts";
import { createWorld, KEY, TEXT } from "../sends/sender-world.ts";

/** An error with the marks that it is given. */
const marked = (marks: object) => Object.assign(new Error("as Next.js throws it"), marks);

/** Errors of Next.js, and the same with what it writes after the name. */
const CONTROL_FLOW = NEXT_ERRORS.flatMap((mark) => [
	marked({ digest: mark }),
	marked({ digest: `${mark};replace;/login;307;` }),
	marked({ code: mark }),
]);
const DYNAMIC = marked({ digest: "DYNAMIC_SERVER_USAGE" });

const throwing = (error: unknown) => async (): Promise<never> => {
	throw error;
};

describe("what Next.js throws out of fetch to control what it renders", () => {
	test.each(CONTROL_FLOW)("passes as it is, and nothing is retried: %o", async (error) => {
		const { gateway, clock, requests } = scriptGateway([error]);
		expect(await catchRejection(settle(clock, gateway.mappings.get(USER)))).toBe(error);
		expect(requests).toHaveLength(1);
	});

	test.each([
		[
			"wrapped by a fetch of the application's",
			new Error("wrapped", { cause: new Error("again", { cause: DYNAMIC }) }),
		],
		["with an empty digest beside its code", marked({ digest: "", code: "NEXT_STATIC_GEN_BAILOUT" })],
	])("passes as Next.js knows it: %s", async (_title, error) => {
		const { gateway, clock, requests } = scriptGateway([error]);
		const thrown = await catchRejection(settle(clock, gateway.mappings.get(USER)));
		expect(thrown).toBe(error.cause === undefined ? error : DYNAMIC);
		expect(requests).toHaveLength(1);
	});

	test("is not looked for without an end", async () => {
		const error = new Error("a circle");
		error.cause = error;
		const { gateway } = scriptGateway([error], { maxRetries: 0 });
		expect(await catchRejection(gateway.mappings.get(USER))).toMatchObject({ code: "connection_failed" });
	});

	test.skipIf(isNodeHttp)("passes while the body is read", async () => {
		const body = new ReadableStream({ pull: (controller) => controller.error(DYNAMIC) });
		const { gateway, clock } = scriptGateway([() => new Response(body)]);
		expect(await catchRejection(settle(clock, gateway.mappings.get(USER)))).toBe(DYNAMIC);
	});

	test.each([
		["the digest of a server's error", marked({ digest: "2183511773" })],
		["a digest that only begins like one", marked({ digest: "NEXT_REDIRECTED" })],
		["a digest that is no string", marked({ digest: ["NEXT_REDIRECT"] })],
		["no digest", marked({ code: "ECONNRESET" })],
	])("is nothing else: %s", async (_title, error) => {
		const { gateway, requests } = scriptGateway([error], { maxRetries: 0 });
		expect(await catchRejection(gateway.mappings.get(USER))).toMatchObject({ code: "connection_failed" });
		expect(requests).toHaveLength(1);
	});

	test("is unknown to hooks and senders, once a request was signed", async () => {
		const endings: unknown[] = [];
		const hooks: Hooks = {
			aroundCall: async (_, run) => endings.push(await run()),
			aroundAttempt: async (_, run) => endings.push(await run()),
		};
		const { gateway, clock } = scriptGateway([DYNAMIC], { hooks });
		expect(await catchRejection(settle(clock, gateway.mappings.get(USER)))).toBe(DYNAMIC);
		expect(endings).toEqual([
			{ status: undefined, requestId: undefined, errorCode: "aborted" },
			{ attempts: 1, errorCode: "aborted", outcome: "unknown" },
		]);
		let calls = 0;
		const { sender, createProcess } = createWorld();
		const fetch = () => {
			calls += 1;
			return Promise.reject(DYNAMIC);
		};
		expect(await catchRejection(createProcess({ fetch }).send(KEY, TEXT))).toBe(DYNAMIC);
		expect(calls).toBe(1);
		expect(await sender.send(KEY, TEXT)).toMatchObject({ status: "unresolved" });
	});
});

test("passes through signedKy, and nothing is retried", async () => {
	let calls = 0;
	const fetch = () => {
		calls += 1;
		return Promise.reject(DYNAMIC);
	};
	const api = signedKy({ baseUrl: "https://gateway.example", appId: "a", appSecret: SECRET, fetch });
	expect(await catchRejection(api.get("chat").json())).toBe(DYNAMIC);
	expect(calls).toBe(1);
});

test.each<[title: string, options: ClientOptions]>([
	["an appSecret", { appSecret: throwing(DYNAMIC) }],
	["a signer", { appSecret: undefined, signer: throwing(DYNAMIC) }],
])("passes out of %s, which may read cookies: nothing is sent", async (_title, options) => {
	const { gateway, requests } = scriptGateway([], options);
	expect(await catchRejection(gateway.mappings.get(USER))).toBe(DYNAMIC);
	expect(requests).toEqual([]);
});

describe("passes out of a second attempt, which reads cookies again", () => {
	const once = <Value>(value: Value) => {
		const values = [value];
		return async (): Promise<Value> => {
			const next = values.shift();
			if (next === undefined) throw DYNAMIC;
			return next;
		};
	};
	const unauthorized = () => new Response("{}", { status: 401 });
	const options = { baseUrl: "https://gateway.example", appId: "a" };

	test("of an appSecret", async () => {
		const { gateway, clock, requests } = scriptGateway([unauthorized], { appSecret: once(SECRET) });
		expect(await catchRejection(settle(clock, gateway.mappings.get(USER)))).toBe(DYNAMIC);
		expect(requests).toHaveLength(1);
	});

	test("of a signer", async () => {
		const signer = once({ signature: "a".repeat(64) });
		const busy = () => new Response("{}", { status: 503 });
		const { gateway, clock, requests } = scriptGateway([busy], { appSecret: undefined, signer });
		expect(await catchRejection(settle(clock, gateway.mappings.get(USER)))).toBe(DYNAMIC);
		expect(requests).toHaveLength(1);
	});

	test("of signedKy", async () => {
		const fetch = vi.fn(async () => unauthorized());
		const api = signedKy({ ...options, appSecret: once(SECRET), fetch });
		expect(await catchRejection(api.get("chat").json())).toBe(DYNAMIC);
		expect(fetch).toHaveBeenCalledTimes(1);
	});
});

test("passes out of a store that is reached by fetch", async () => {
	const store: SendStore = { ...memorySendStore(), read: throwing(DYNAMIC) };
	const { createProcess, posts } = createWorld();
	expect(await catchRejection(createProcess({ store }).send(KEY, TEXT))).toBe(DYNAMIC);
	expect(posts()).toEqual([]);
});
