import { ApiError, MessagingGateway } from "messaging-gateway";
import { createLocalGateway, createWebhookRequest } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { OPERATIONS, type OperationId } from "../../src/library/catalogue/index.ts";
import type { Operation } from "../../src/library/catalogue/operation.ts";
import { createOpenApiDocument } from "../../src/tools/openapi/create-openapi-document.ts";
import { catchRejection } from "../support/catch-error.ts";
import {
	createSchemaChecker,
	jsonSchemaOf,
	operationsById,
	parametersOf,
	responseOf,
} from "../support/openapi-schemas.ts";
import { createCalledGateway, METHODS } from "../support/operation-calls.ts";
import { changedInput, operationSamples } from "../support/operation-samples.ts";
import { ACCEPTED_CHANGES, EXCESSIVE_CHANGES, REJECTED_CHANGES } from "./operation-inputs.ts";

const document = createOpenApiDocument();
const placed = operationsById(document);
const check = createSchemaChecker(document);
const operations: readonly Operation<unknown, unknown>[] = OPERATIONS;

function find(id: string) {
	const entry = placed.get(id);
	if (entry === undefined) throw new Error(`the document has no ${id}`);
	return entry;
}

/** Where an input, under its names on the wire, differs from the document. */
function checkFields(id: string, fields: Record<string, unknown>): string[] {
	const entry = find(id);
	const parameters = parametersOf(document, entry);
	const issues = parameters.flatMap(({ name, required, schema }) => {
		if (fields[name] === undefined) return required ? [`${name} is missing`] : [];
		return check(schema, fields[name]);
	});
	const elsewhere = new Set(parameters.map(({ name }) => name));
	const rest = Object.fromEntries(Object.entries(fields).filter(([name]) => !elsewhere.has(name)));
	const { requestBody } = entry.operation;
	if (Object.keys(rest).length === 0)
		return requestBody?.required ? [...issues, "the body is missing"] : issues;
	const schema = jsonSchemaOf(requestBody?.content);
	return [...issues, ...(schema === undefined ? ["there is no place for a body"] : check(schema, rest))];
}

function checkInput(id: OperationId, input: Record<string, unknown>): string[] {
	const { wireNames } = operations.find((operation) => operation.id === id) ?? { wireNames: {} };
	const names: Record<string, string> = { ...wireNames };
	return checkFields(
		id,
		Object.fromEntries(Object.entries(input).map(([name, value]) => [names[name] ?? name, value])),
	);
}

/** Where a response differs from the document. */
function checkResponse(id: string, status: number, body: unknown): string[] {
	const response = responseOf(document, find(id), status);
	const schema = jsonSchemaOf(response?.content);
	return schema === undefined ? [`${status} is not shown`] : check(schema, body);
}

/** What JSON Schema cannot tell or tells in annotations only, and what is right on the wire and wrong elsewhere. */
const UNTOLD = new Set([
	"messages.sendText: the name on the wire",
	// JSON Schema counts code points.
	"messages.sendText: 18,998 code units of emoji",
	"messages.sendAttachments: a text of 18,998 code units of emoji",
	"messages.sendVoiceNote: data that is not base64",
	"messages.sendVoiceNote: data without its padding",
	"settings.setWebhooks: a URL without a host",
]);

describe("requests", () => {
	test.each(operations.map(({ id }) => id as OperationId))("%s: its sample fits", (id) => {
		expect(checkInput(id, operationSamples[id].input)).toEqual([]);
	});

	test.each(ACCEPTED_CHANGES)("%s: %s fits, as it does for the client", (id, _title, changes) => {
		expect(checkInput(id, changedInput(id, changes))).toEqual([]);
	});

	// `NaN` and infinity are no JSON, so that no document speaks of them.
	const excessive = EXCESSIVE_CHANGES.map(([id, title, changes]) => [id, title, changes] as const);
	const expressible = [...REJECTED_CHANGES, ...excessive].filter(([, , changes]) => {
		const values = Object.values(changes).filter((value) => value !== undefined);
		return values.every((value) => JSON.stringify(value) !== "null" || value === null);
	});

	test.each(expressible)("%s: %s is rejected, unless JSON Schema cannot express it", (id, title, changes) => {
		const issues = checkInput(id, changedInput(id, changes));
		expect(issues.length === 0).toBe(UNTOLD.has(`${id}: ${title}`));
	});

	test("a name of ours that is unknown on the wire is rejected", () => {
		const { input } = operationSamples["messages.sendText"];
		const fields = { ...input, statusCallback: "https://hooks.example" };
		expect(checkFields("messages.sendText", fields)).toEqual([" must NOT have additional properties"]);
	});
});

describe("responses", () => {
	test.each(METHODS)(
		"$name: the request and the local gateway's response match the document",
		async (given) => {
			const { operation, method } = given;
			const { local, responses, callMethod } = await createCalledGateway();
			await using _ = local;
			const before = { requests: local.requests.length, responses: responses.length };
			await callMethod(operation.id, method);

			const [response] = responses.slice(before.responses);
			expect(checkResponse(operation.id, response?.status ?? 0, await response?.json())).toEqual([]);
			const [request] = local.requests.slice(before.requests);
			if (request === undefined || request.body === "") return;
			const schema = jsonSchemaOf(find(operation.id).operation.requestBody?.content) ?? { not: {} };
			expect(check(schema, JSON.parse(request.body))).toEqual([]);
		},
	);

	const enveloped = operations.filter(({ hasEnvelope }) => hasEnvelope);

	test.each(enveloped)("$id: fields and values that are new tomorrow fit", ({ id, successStatus }) => {
		const meta = { requestId: "0f6c9d1e-3c55-4b8e-9a55-2f4f3d1c7a10", timestamp: "2026-01-01T00:00:00.000Z" };
		const { data } = operationSamples[id as OperationId];
		const renewed = { ...data, brandNew: 1, ...("reaction" in data ? { reaction: "new" } : {}) };
		expect(checkResponse(id, successStatus, { ok: true, data: renewed, meta, brandNew: [] })).toEqual([]);
		for (const name of Object.keys(data)) {
			const { [name]: _, ...rest } = data;
			expect(checkResponse(id, successStatus, { ok: true, data: rest, meta })).not.toEqual([]);
		}
	});

	test.each(enveloped)(
		"$id: an error of the local gateway matches, with a documented code",
		async ({ id }) => {
			await using local = createLocalGateway();
			const gateway = new MessagingGateway({ ...local.clientOptions, appSecret: "another", maxRetries: 0 });
			const entry = find(id);
			const path = entry.path.replace(/\{\w+\}/g, "%2B15551234567");
			const error = await catchApiError(gateway.request(entry.method as "GET", path));
			expect(error).toMatchObject({ status: 401, gatewayCode: "UNAUTHORIZED" });
			expect(checkResponse(id, 401, JSON.parse(error.readBody() ?? ""))).toEqual([]);
			expect(responseOf(document, entry, 401)?.["x-error-codes"]).toContain(error.gatewayCode);
		},
	);

	test("errors with a list of fields and with a duplicate window fit", async () => {
		await using local = createLocalGateway();
		const gateway = new MessagingGateway({ ...local.clientOptions, maxRetries: 0 });
		const text = { to: "+15551234567", text: "Hello" };
		const send = (body: object) => gateway.request("POST", "/message/text", { body });
		await send(text);
		for (const [body, status] of [[{}, 400] as const, [text, 409] as const]) {
			const error = await catchApiError(send(body));
			expect(error).toMatchObject({ status, details: expect.anything() });
			expect(checkResponse("messages.sendText", status, JSON.parse(error.readBody() ?? ""))).toEqual([]);
		}
	});
});

async function catchApiError(call: Promise<unknown>): Promise<ApiError> {
	const error = await catchRejection(call);
	if (error instanceof ApiError) return error;
	throw error;
}

describe("webhooks", () => {
	test.each(["inbound_message", "inbound_reaction", "status"] as const)(
		"%s: a delivery fits",
		async (kind) => {
			const request = createWebhookRequest(kind, {}, { secret: "secret" });
			const { post } = document.webhooks[kind] ?? {};
			expect(check(jsonSchemaOf(post?.requestBody?.content) ?? { not: {} }, await request.json())).toEqual(
				[],
			);
			for (const { name, schema } of Object.values(document.components.parameters)) {
				const text = request.headers.get(name);
				expect(check(schema, schema.type === "integer" ? Number(text) : text)).toEqual([]);
			}
		},
	);
});
