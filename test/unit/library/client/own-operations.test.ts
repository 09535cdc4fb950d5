import { defineOperation, type MessagingGateway, type Schema, type SchemaResult } from "messaging-gateway";
import { describe, expect, test } from "vitest";
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

test("gateway.request resolves to data, unchecked", async () => {
	const { gateway } = scriptGateway([ok(["anything"])]);
	const call = gateway.request("GET", "/x");
	expect(await call).toEqual(["anything"]);
	expect((await call.withResponse()).meta).toBeDefined();
});
