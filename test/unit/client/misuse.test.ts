import { ConfigurationError, defineOperation, MessagingGateway, type RetryClass } from "messaging-gateway";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { catchRejection } from "../../support/catch-error.ts";
import { scriptGateway } from "../../support/scripted-gateway.ts";
import { html, ok } from "../../support/wire.ts";

const credentials = { baseUrl: "https://gateway.example", appId: "app-1", appSecret: "secret-1" };

describe("a misspelt option of the client is told when it is made", () => {
	test.each<[title: string, options: object]>([
		["an option that there is not", { timeout: 5 }],
		["a log level that there is not", { logLevel: "verbose" }],
		["a validation mode that there is not", { responseValidation: { documented: "trow" } }],
		["a kind of answer that there is not", { responseValidation: { documentd: "throw" } }],
	])("%s", (_title, options) => {
		expect(() => new MessagingGateway({ ...credentials, ...options } as never)).toThrow(ConfigurationError);
	});

	test("a text in the place of the options", () => {
		expect(() => new MessagingGateway("https://gateway.example" as never)).toThrow(ConfigurationError);
	});
});

describe("a misspelt option of a call sends nothing", () => {
	test.each<[title: string, call: (gateway: MessagingGateway) => Promise<unknown>]>([
		["an option that there is not", (gateway) => gateway.queue.getStatus({}, { retries: 5 } as never)],
		["a signal that is none", (gateway) => gateway.queue.getStatus({}, { signal: "x" as never })],
		["a path that is none", (gateway) => gateway.request("GET", undefined as never)],
		["a method in small letters", (gateway) => gateway.request("patch" as never, "/x")],
	])("%s", async (_title, call) => {
		const { gateway, requests } = scriptGateway([ok({ agents: [], nextCursor: null })]);
		expect(await catchRejection(call(gateway))).toMatchObject({ code: "configuration" });
		expect(requests).toHaveLength(0);
	});
});

describe("a retry class that there is not never repeats anything", () => {
	test.each(["none", "nevr", false, null])("%j", async (retry) => {
		const { gateway, requests } = scriptGateway([html(500), html(500), html(500)]);
		const error = await catchRejection(
			gateway.request("POST", "/message/text", { retry: retry as RetryClass }),
		);
		expect(error).toMatchObject({ code: "configuration" });
		expect(requests).toHaveLength(0);
		const define = () =>
			defineOperation({
				id: "own",
				method: "POST",
				path: "/own",
				input: z.object({}),
				data: z.unknown(),
				retry: retry as RetryClass,
			});
		expect(define).toThrow(ConfigurationError);
	});
});

test("toArray without a limit is told", async () => {
	const { gateway } = scriptGateway([ok({ agents: [], nextCursor: null })]);
	const error = await catchRejection(gateway.agents.list().toArray(undefined as never));
	expect(error).toMatchObject({ code: "configuration" });
});

test("a canonical form that is a promise is refused before anything is sent", async () => {
	const canonicalBody = (async (body: unknown) => JSON.stringify(body)) as never;
	const { gateway, requests } = scriptGateway([ok({})], { profile: { signing: { canonicalBody } } });
	const error = await catchRejection(gateway.messages.sendText({ to: "+15551234567", text: "Hello" }));
	expect(error).toMatchObject({ code: "configuration", outcome: "not_sent" });
	expect(requests).toHaveLength(0);
});

test("a response without a stream is read whole", async () => {
	const body = JSON.stringify({ ok: true, data: { agents: [], nextCursor: null } });
	const response = { status: 200, headers: new Headers(), body: undefined, text: async () => body };
	const read = (maxResponseBytes: number) =>
		new MessagingGateway({
			...credentials,
			maxResponseBytes,
			fetch: async () => response as never,
		}).agents.list();
	expect(await read(body.length)).toEqual({ agents: [], nextCursor: null });
	expect(await catchRejection(read(body.length - 1))).toMatchObject({ code: "unexpected_response" });
});
