import { defineOperation, type MessagingGateway, type Schema, type SchemaResult } from "messaging-gateway";
import { describe, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { scriptGateway } from "../../../support/scripted-gateway.ts";
import { failWith, refusedBy } from "../../../support/sent-requests.ts";
import { throwing } from "../../../support/throwing.ts";
import { errorResponse, json, ok } from "../../../support/wire.ts";

/** A schema of nobody's library. */
function schema<Output>(
	validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>,
): Schema<Output> {
	return { "~standard": { version: 1, vendor: "nobody", validate } };
}

const anything = schema((value) => ({ value: value as object }));
const pin = { id: "chats.pin", method: "POST", path: "/chat/{chatGuid}/pin" } as const;

describe("gateway.call with a custom operation", () => {
	test("sends its input and resolves to its data", async () => {
		const pinChat = defineOperation({ ...pin, input: anything, data: anything });
		const { gateway, requests } = scriptGateway([ok({ pinned: true })]);
		const { data, meta } = await gateway.call(pinChat, { chatGuid: "c/1", order: 2 }).withResponse();
		expect(data).toEqual({ pinned: true });
		expect(meta?.requestId).toBeDefined();
		expect(requests[0]).toMatchObject({
			method: "POST",
			url: "https://gateway.example/chat/c%2F1/pin",
			body: '{"order":2}',
		});
		expect(requests[0]?.headers.get("Authorization")).toMatch(/^HMAC [0-9a-f]{64}$/);
	});

	test("uses the output of its schemas for input and data, sync or not", async () => {
		const operation = defineOperation({
			...pin,
			input: schema(async (value) => ({ value: { ...(value as { chatGuid: string }), at: new Date(0) } })),
			data: schema(async (value) => ({ value: new Set(value as string[]) })),
		});
		const { gateway, requests } = scriptGateway([ok(["a", "b"])]);
		expect(await gateway.call(operation, { chatGuid: "c" } as never)).toEqual(new Set(["a", "b"]));
		expect(requests[0]?.body).toBe('{"at":"1970-01-01T00:00:00.000Z"}');
	});

	test("may go unsigned and without an envelope", async () => {
		const operation = defineOperation({
			...pin,
			method: "GET",
			path: "/x",
			input: anything,
			data: anything,
			isSigned: false,
			hasEnvelope: false,
		});
		const { gateway, requests } = scriptGateway([json(200, [1])]);
		expect(await gateway.call(operation, {})).toEqual([1]);
		expect(requests[0]?.headers.has("Authorization")).toBe(false);
	});

	test("is checked strictly: a misfit of its data throws", async () => {
		const data = schema<object>(() => ({
			issues: [{ message: "must be pinned", path: ["pinned", { key: 0 }] }],
		}));
		const operation = defineOperation({ ...pin, input: anything, data });
		const { error, requests } = await failWith([ok({})], (gateway) =>
			gateway.call(operation, { chatGuid: "c" }),
		);
		expect(error).toMatchObject({
			code: "unexpected_response",
			outcome: "accepted",
			operationId: "chats.pin",
			issues: [{ path: "*.*", message: "is invalid" }],
			schemaIssues: [{ path: "pinned.0", message: "must be pinned" }],
		});
		expect(requests).toHaveLength(1);
	});

	test("fails like the built-in ones", async () => {
		const operation = defineOperation({ ...pin, input: anything, data: anything });
		const { error } = await failWith([errorResponse(404)], (gateway) =>
			gateway.call(operation, { chatGuid: "c" }),
		);
		expect(error).toMatchObject({ code: "not_found", operationId: "chats.pin" });
		expect(error.message).toMatch(/^POST \/chat\/\{chatGuid\}\/pin got 404/);
	});

	const broken: [
		title: string,
		validate: (value: unknown) => SchemaResult<object> | Promise<SchemaResult<object>>,
	][] = [
		["throws", throwing(new Error("private"))],
		["rejects", () => Promise.reject(new Error("private"))],
		["gives nothing", () => undefined as never],
		["gives an issue that is none", () => ({ issues: [null] }) as never],
	];

	test.each(broken)("an input schema that %s fails the call with nothing sent", async (_title, validate) => {
		const operation = defineOperation({ ...pin, input: schema(validate), data: anything });
		const error = await refusedBy((gateway) => gateway.call(operation, { chatGuid: "c" }));
		expect(error).toMatchObject({ code: "invalid_input", outcome: "not_sent" });
		expect(error.message).toBe("chats.pin: the input made the operation's input schema throw");
	});

	test.each(broken)("a data schema that %s is a misfit", async (_title, validate) => {
		const operation = defineOperation({ ...pin, input: anything, data: schema(validate) });
		const { error, requests } = await failWith([ok({})], (gateway) =>
			gateway.call(operation, { chatGuid: "c" }),
		);
		expect(error).toMatchObject({ code: "unexpected_response", outcome: "accepted" });
		expect(requests).toHaveLength(1);
	});

	test("an input schema that finds fault without a reason still fails the call", async () => {
		const input = schema<object>(() => ({ issues: [] }));
		const operation = defineOperation({ ...pin, input, data: anything });
		const error = await refusedBy((gateway) => gateway.call(operation, { chatGuid: "c" }));
		expect(error).toMatchObject({ code: "invalid_input" });
	});

	test.each<[title: string, value: unknown]>([
		["a text", "x"],
		["a list", [1]],
		["null", null],
		["nothing", undefined],
	])("an input that is %s, or that its schema turns into that, is rejected", async (_title, value) => {
		const given = defineOperation({ ...pin, input: anything, data: anything });
		const input = schema(() => ({ value: value as object }));
		const made = defineOperation({ ...pin, input, data: anything });
		for (const call of [
			(gateway: MessagingGateway) => gateway.call(given, value as never),
			(gateway: MessagingGateway) => gateway.call(made, {}),
		])
			expect(await refusedBy(call)).toMatchObject({ code: "invalid_input" });
	});
});

describe("gateway.request", () => {
	test("resolves to data, unchecked", async () => {
		const { gateway, requests } = scriptGateway([ok(["anything"])]);
		const call = gateway.request("POST", "/x/{id}", { params: { id: 7 }, query: { a: 1 }, body: { b: 2 } });
		expect(await call).toEqual(["anything"]);
		expect((await call.withResponse()).meta).toBeDefined();
		expect(requests[0]).toMatchObject({
			method: "POST",
			url: "https://gateway.example/x/7?a=1",
			body: '{"b":2}',
		});
	});

	test("sends null as a body", async () => {
		const { gateway, requests } = scriptGateway([ok(1)]);
		await gateway.request("POST", "/x", { body: null });
		expect(requests[0]?.body).toBe("null");
	});
});

describe("responseValidation", () => {
	const misfit = () => ok({ mapping: { odd: true }, agents: "none", nextCursor: 7 });

	test("by default a documented misfit throws and a provisional one warns once", async () => {
		const warn = vi.fn();
		const logger = { ...console, warn };
		const { gateway } = scriptGateway([misfit()], { logger, logLevel: "warn" });
		expect(await catchRejection(gateway.mappings.get("+15551234567"))).toMatchObject({
			code: "unexpected_response",
		});
		expect(warn).not.toHaveBeenCalled();
		expect(await gateway.agents.list()).toMatchObject({ agents: "none" });
		expect(await gateway.agents.list()).toMatchObject({ agents: "none" });
		expect(warn).toHaveBeenCalledTimes(1);
		expect(warn.mock.calls[0]?.[0]).toBe(
			"messaging-gateway: GET /agent succeeded. Its response differs from the assumed shape: agents must be an array; " +
				"nextCursor must be a string. You get it unchanged; " +
				'profile.operations["agents.list"].response can convert it',
		);
		await gateway.queue.getStatus();
		expect(warn).toHaveBeenCalledTimes(2);
	});

	test.each(["throw", "warn", "off"] as const)("both can be set to %s", async (mode) => {
		const warn = vi.fn();
		const logger = { ...console, warn };
		const responseValidation = { documented: mode, provisional: mode };
		const { gateway } = scriptGateway([misfit()], { logger, logLevel: "warn", responseValidation });
		for (const call of [() => gateway.mappings.get("+15551234567"), () => gateway.agents.list()]) {
			if (mode === "throw")
				expect(await catchRejection(call())).toMatchObject({ code: "unexpected_response" });
			else expect(await call()).toMatchObject({ mapping: { odd: true } });
		}
		expect(warn).toHaveBeenCalledTimes(mode === "warn" ? 2 : 0);
	});

	test("a response without an envelope throws in every mode", async () => {
		const responseValidation = { documented: "off", provisional: "off" } as const;
		const { gateway } = scriptGateway([json(200, { agents: [] })], { responseValidation });
		expect(await catchRejection(gateway.agents.list())).toMatchObject({ code: "unexpected_response" });
	});

	test("the shape of setWebhooks' response is not shown, so a mismatch only warns", async () => {
		const { gateway } = scriptGateway([ok({ updated: true })]);
		expect(await gateway.settings.setWebhooks({ statusWebhookUrl: "https://x.example" })).toEqual({
			updated: true,
		});
	});
});
