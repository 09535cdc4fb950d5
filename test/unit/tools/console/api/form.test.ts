import { describe, expect, test } from "vitest";
import type { ApiOperation } from "../../../../../src/tools/console/api/document/api-document.ts";
import { readDocument } from "../../../../../src/tools/console/api/document/read-document.ts";
import {
	createDraft,
	type Draft,
	draftOfRequest,
	EMPTY_DRAFT,
	fillForm,
	readDraft,
} from "../../../../../src/tools/console/api/form/draft.ts";
import { createFormModel, type FormField } from "../../../../../src/tools/console/api/form/form-model.ts";
import { apiOperation, operationIds, sampleContent } from "../../../../support/api-console.ts";

const sendText = apiOperation("messages.sendText");

function field(operation: ApiOperation, name: string): FormField | undefined {
	return createFormModel(operation).fields.find((candidate) => candidate.name === name);
}

function read(operation: ApiOperation, draft: Partial<Draft>) {
	return readDraft(operation, createFormModel(operation), { ...EMPTY_DRAFT, ...draft });
}

/** An operation with these fields in its body. */
function operationWith(
	properties: Record<string, unknown>,
	more: Record<string, unknown> = {},
): ApiOperation {
	const schema = { type: "object", properties, ...more };
	const post = { requestBody: { content: { "application/json": { schema } } } };
	const operation = readDocument({ paths: { "/a": { post } } }).groups[0]?.operations[0];
	if (operation === undefined) throw new Error("no operation");
	return operation;
}

describe("the form of an operation", () => {
	test("has required fields first, and recipients together", () => {
		const { fields, exclusiveKeys } = createFormModel(sendText);
		expect(exclusiveKeys).toEqual(["body.to", "body.groupId", "body.participants"]);
		expect(fields.map(({ name }) => name).slice(0, 4)).toEqual(["to", "groupId", "participants", "text"]);
	});

	test.each([
		["messages.sendText", "text", "text"],
		["messages.sendText", "to", "line"],
		["messages.sendText", "participants", "json"],
		["messages.tapback", "action", "choice"],
		["settings.setWebhooks", "inboundWebhookUrl", "line"],
		["analytics.listMessages", "limit", "number"],
	])("%s: %s is filled in as a %s", (id, name, kind) => {
		expect(field(apiOperation(id), name)?.kind).toBe(kind);
	});

	test("shows known values as suggestions, or as choices if no others are accepted", () => {
		expect(field(apiOperation("messages.tapback"), "reaction")).toMatchObject({ choices: [] });
		expect(field(apiOperation("messages.tapback"), "reaction")?.schema.examples).toContain("love");
		expect(field(apiOperation("messages.tapback"), "action")).toMatchObject({ choices: ["add", "remove"] });
	});

	test("offers empty values only for fields that accept them", () => {
		expect(field(apiOperation("settings.setWebhooks"), "statusWebhookUrl")?.emptyValues).toEqual(["", null]);
		expect(field(sendText, "text")?.emptyValues).toEqual([]);
		expect(field(sendText, "effect")?.emptyValues).toEqual([]);
	});

	test("may have fields of the same name in the path and the body", () => {
		const operation = {
			...apiOperation("mappings.get"),
			body: operationWith({ toNumber: { type: "string" } }).body,
		};
		const keys = createFormModel(operation).fields.map(({ key }) => key);
		expect(keys).toEqual(["path.toNumber", "body.toNumber"]);
	});
});

describe("the initial form", () => {
	test("is a valid example", () => {
		const draft = createDraft(sendText, createFormModel(sendText));
		expect(read(sendText, draft)).toEqual({
			content: { params: {}, query: {}, body: { to: "+15551234567", text: "Hello" } },
			problems: {},
		});
	});

	test("leaves ids of the gateway empty", () => {
		const getMessage = apiOperation("messages.get");
		const draft = createDraft(getMessage, createFormModel(getMessage));
		expect(read(getMessage, draft)).toEqual({
			content: undefined,
			problems: { "path.messageId": "is required" },
		});
	});

	test.each(operationIds)("of %s can be read", (id) => {
		const operation = apiOperation(id);
		const draft = createDraft(operation, createFormModel(operation));
		const { problems } = read(operation, draft);
		expect(Object.values(problems).filter((problem) => problem !== "is required")).toEqual([]);
		expect(read(operation, { ...draft, mode: "json" }).problems).not.toHaveProperty("body");
	});
});

describe("reading", () => {
	const mixed = operationWith({
		number: { type: "number" },
		flag: { type: "boolean" },
		choice: { enum: [1, "two"] },
		list: { type: "array" },
		text: { type: "string" },
	});

	test("converts each field to its type", () => {
		const texts = {
			"body.number": " -1.5 ",
			"body.flag": "false",
			"body.choice": "1",
			"body.list": "[1, {}]",
			"body.text": " 2 ",
		};
		expect(read(mixed, { texts }).content?.body).toEqual({
			number: -1.5,
			flag: false,
			choice: 1,
			list: [1, {}],
			text: " 2 ",
		});
	});

	test("reports fields that cannot be parsed, which are not sent", () => {
		const { content, problems } = read(mixed, { texts: { "body.number": "x", "body.list": "[" } });
		expect(content).toBeUndefined();
		expect(problems["body.number"]).toBe("must be a number");
		expect(problems["body.list"]).toMatch(/^must be JSON: /);
	});

	test("reports violations, which can still be sent", () => {
		const { content, problems } = read(sendText, { texts: { "body.to": "1", "body.text": "x" } });
		expect(content?.body).toEqual({ to: "1", text: "x" });
		expect(Object.keys(problems)).toEqual(["body.to"]);
	});

	test("reports a violation in a JSON field at the field", () => {
		const { problems } = read(sendText, {
			texts: { "body.participants": '["+15551234567", 2]', "body.text": "x" },
		});
		expect(problems).toEqual({ "body.participants": "1 must be a string" });
	});

	test("reports a violation of the whole body at the body", () => {
		expect(read(sendText, { texts: { "body.text": "x" } }).problems).toEqual({
			body: "must have exactly one of to, groupId, participants",
		});
	});

	test("gives no body without fields, like the client", () => {
		expect(read(apiOperation("settings.setWebhooks"), {})).toEqual({
			content: { params: {}, query: {}, body: undefined },
			problems: {},
		});
	});

	test("can send an empty field as an empty string or null", () => {
		const texts = { "body.inboundWebhookUrl": null, "body.statusWebhookUrl": "", "body.other": "" };
		expect(read(apiOperation("settings.setWebhooks"), { texts }).content?.body).toEqual({
			inboundWebhookUrl: null,
			statusWebhookUrl: "",
		});
	});

	test("sends a JSON body unchanged, with unknown fields", () => {
		const { content, problems } = read(sendText, {
			mode: "json",
			json: '{"text":"x","to":"+15551234567","new":[1]}',
		});
		expect(content?.body).toEqual({ text: "x", to: "+15551234567", new: [1] });
		expect(problems).toEqual({ body: "new isn't a field of the document" });
	});

	test("reports nothing else for invalid JSON", () => {
		const { content, problems } = read(sendText, { mode: "json", json: '{"text"' });
		expect(content).toBeUndefined();
		expect(Object.keys(problems)).toEqual(["body"]);
		expect(problems["body"]).toMatch(/^must be JSON: /);
	});
});

describe("from JSON into the form", () => {
	test.each(operationIds.filter((id) => sampleContent(id).body !== undefined))("%s keeps its body", (id) => {
		const operation = apiOperation(id);
		const { body } = sampleContent(id);
		const filled = fillForm(EMPTY_DRAFT, createFormModel(operation), body);
		if ("reason" in filled) throw new Error(filled.reason);
		const { params } = sampleContent(id);
		const texts = Object.entries(params).map(([name, value]) => [`path.${name}`, String(value)]);
		expect(read(operation, { ...filled, texts: { ...filled.texts, ...Object.fromEntries(texts) } })).toEqual({
			content: sampleContent(id),
			problems: {},
		});
	});

	test("path parameters stay", () => {
		const operation = apiOperation("mappings.update");
		const draft = { ...EMPTY_DRAFT, texts: { "path.toNumber": "+1", "body.maxConsecutiveMessages": "1" } };
		expect(fillForm(draft, createFormModel(operation), {})).toMatchObject({
			texts: { "path.toNumber": "+1" },
		});
	});

	test.each([
		[[1], /only objects/],
		[{ nobody: 1 }, /no field nobody/],
		[{ text: "a\rb" }, /value of text/],
		[{ to: "a\nb" }, /value of to/],
		[{ text: 1 }, /value of text/],
		[{ text: null }, /value of text/],
		[{ to: "a", groupId: "b" }, /one of to, groupId, participants/],
	])("%j is rejected with a reason", (body, reason) => {
		const filled = fillForm(EMPTY_DRAFT, createFormModel(sendText), body);
		expect("reason" in filled && filled.reason).toMatch(reason);
	});
});

describe("a form filled from a request", () => {
	const received = (operation: ApiOperation, request: { path?: string; query?: string; body?: string }) => {
		const draft = draftOfRequest(operation, { path: "", query: "", body: "", ...request });
		return { mode: draft.mode, ...readDraft(operation, createFormModel(operation), draft) };
	};

	test("has its path, query and body", () => {
		const body = JSON.stringify({ to: "+15551234567", text: "two\nlines" });
		expect(received(sendText, { body })).toMatchObject({
			mode: "form",
			content: { body: { to: "+15551234567", text: "two\nlines" } },
			problems: {},
		});
		const agent = received(apiOperation("agents.get"), { path: "/agent/%2B15550000001" });
		expect(agent.content?.params).toEqual({ agentNumber: "+15550000001" });
		const agents = received(apiOperation("agents.list"), { query: "?status=online&limit=1" });
		expect(agents.content?.query).toEqual({ status: "online", limit: 1 });
	});

	test("keeps a body that no form shows as JSON", () => {
		expect(received(sendText, { body: '{"unknown": 1}' })).toMatchObject({
			mode: "json",
			content: { body: { unknown: 1 } },
		});
		const { mode, content, problems } = received(sendText, { body: "{" });
		expect({ mode, content }).toEqual({ mode: "json", content: undefined });
		expect(problems["body"]).toContain("must be JSON");
	});
});
