import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import manifest from "../../../../package.json" with { type: "json" };
import { OPERATIONS, type OperationId } from "../../../../src/library/catalogue/index.ts";
import type { Operation } from "../../../../src/library/catalogue/operation.ts";
import { docsOf } from "../../../../src/library/catalogue/operation-docs.ts";
import {
	createOpenApiDocument,
	writeOpenApiDocument,
} from "../../../../src/tools/openapi/create-openapi-document.ts";
import type { JsonSchema, ResponseObject } from "../../../../src/tools/openapi/document.ts";
import {
	createSchemaChecker,
	jsonSchemaOf,
	operationsById,
	parametersOf,
	resolveReference,
} from "../../../support/openapi-schemas.ts";

const document = createOpenApiDocument();
const placed = operationsById(document);
const operations: readonly Operation<unknown, unknown, OperationId>[] = OPERATIONS;

/** Every value of a document under a key, at any depth. */
function valuesOf(value: unknown, key: string): unknown[] {
	if (typeof value !== "object" || value === null) return [];
	return Object.entries(value).flatMap(([name, member]) => [
		...(name === key ? [member] : []),
		...valuesOf(member, key),
	]);
}

function find(id: string) {
	const entry = placed.get(id);
	if (entry === undefined) throw new Error(`the document has no ${id}`);
	return entry;
}

const bodyOf = (id: string) => jsonSchemaOf(find(id).operation.requestBody?.content);
const parameters = operations.flatMap(({ id }) => parametersOf(document, find(id)));
const fieldsOfSchemas = Object.values(document.components.schemas).flatMap(({ properties = {} }) =>
	Object.entries(properties),
);

describe("operations", () => {
	test("all of the catalogue are there, once, in its order and nothing else", () => {
		const shown = Object.values(document.paths).flatMap((item) => Object.values(item));
		expect(shown).toHaveLength(operations.length);
		expect([...placed.keys()].sort()).toEqual(operations.map(({ id }) => id).sort());
		expect(Object.keys(document.paths)).toEqual([...new Set(operations.map(({ path }) => path))]);
	});

	test.each(operations)("$id has its path, its descriptions and its marks", (operation) => {
		const entry = find(operation.id);
		expect(entry).toMatchObject({ method: operation.method, path: operation.path });
		expect(entry.operation).toMatchObject({
			summary: docsOf(operation.id).summary,
			tags: [operation.id.split(".")[0]],
			"x-retry": operation.retry,
			"x-sdk-methods": docsOf(operation.id).methods.map((name) => `${operation.id.split(".")[0]}.${name}`),
			security: operation.isSigned ? [{ appId: [], timestamp: [], nonce: [], signature: [] }] : [],
		});
		expect(Object.keys(entry.operation.responses)[0]).toBe(String(operation.successStatus));
	});

	test.each(operations)("$id is marked as known or as assumed, with the section, also in words", (given) => {
		const { provenance, isDataDocumented, successStatus } = given;
		const { operation } = find(given.id);
		const { description } = operation;
		expect(operation["x-provenance"]).toBe(provenance);
		expect(operation["x-specification"]).toMatch(/^Specification, section \d\.\d/);
		expect(description.startsWith("Assumed: the specification does not show this operation.")).toBe(
			provenance === "provisional",
		);
		if (provenance === "documented") {
			expect(description).toContain(`section ${docsOf(given.id).section} of the specification`);
		}
		expect(operation.responses[successStatus]).toMatchObject({
			"x-provenance": isDataDocumented ? "documented" : "provisional",
		});
	});

	test.each(operations)(
		"$id has its own error codes and those of all operations, under their statuses",
		(given) => {
			const { operation } = find(given.id);
			const codes = Object.entries(operation.responses).flatMap(([status, response]) => {
				const { "x-error-codes": own = [] } = resolveReference<{ "x-error-codes"?: string[] }>(
					document,
					response,
				);
				return own.map((code) => [status, code]);
			});
			expect(codes).toContainEqual(["400", "VALIDATION_ERROR"]);
			expect(codes.some(([, code]) => code === "UNAUTHORIZED")).toBe(given.isSigned);
			const { errors } = docsOf(given.id);
			for (const code of errors) expect(codes.map(([, shown]) => shown)).toContain(code);
			expect(codes).toHaveLength((given.isSigned ? 5 : 4) + errors.length);
		},
	);

	test("a field is in the path, the query or the body, under the name of the wire", () => {
		const page = parametersOf(document, find("analytics.listMessages"));
		expect(page.map(({ name, in: place, required }) => [name, place, required])).toEqual([
			["toNumber", "path", true],
			["agentNumber", "query", false],
			["after", "query", false],
			["before", "query", false],
			["limit", "query", false],
			["cursor", "query", false],
		]);
		const send = find("messages.sendText").operation.requestBody;
		expect(send?.required).toBe(true);
		expect(Object.keys(jsonSchemaOf(send?.content)?.properties ?? {})).toEqual([
			"to",
			"groupId",
			"participants",
			"groupName",
			"from",
			"effect",
			"replyToGuid",
			"status_callback",
			"text",
		]);
	});

	test("a body is required if every call has one, and absent if there are no fields", () => {
		const bodies = operations.map(({ id }) => [id, find(id).operation.requestBody?.required] as const);
		const idsOf = (required: boolean | undefined) =>
			bodies.filter(([, value]) => value === required).map(([id]) => id);
		expect(idsOf(false)).toEqual(["agents.block", "settings.setWebhooks"]);
		expect(idsOf(undefined)).toEqual([
			"messages.checkCapability",
			"messages.get",
			"agents.list",
			"agents.get",
			"agents.unblock",
			"mappings.get",
			"mappings.list",
			"mappings.reset",
			"mappings.delete",
			"settings.getWebhooks",
			"analytics.listMessages",
			"analytics.listContacts",
			"analytics.getNumberStats",
			"queue.getStatus",
			"health.check",
		]);
	});

	test("bodies of which one field is required have its type in each alternative", () => {
		expect(bodyOf("messages.sendText")?.["oneOf"]).toEqual([
			{ type: "object", properties: { to: { type: "string" } }, required: ["to"] },
			{ type: "object", properties: { groupId: { type: "string" } }, required: ["groupId"] },
			{
				type: "object",
				properties: { participants: { type: "array", items: { type: "string" } } },
				required: ["participants"],
			},
		]);
	});

	test("every request body has an example that fits, and so do all examples of parameters", () => {
		const checkValue = createSchemaChecker(document);
		const bodies = operations.flatMap(({ id }) =>
			Object.values(find(id).operation.requestBody?.content ?? {}),
		);
		const shown = [...bodies, ...parameters.filter((parameter) => "example" in parameter)];
		expect(shown.flatMap(({ schema, example }) => checkValue(schema, example))).toEqual([]);
		// A viewer would send the example of an optional parameter, such as a filter.
		const unlike = parameters.filter((parameter) => parameter.required !== "example" in parameter);
		expect(unlike.map(({ name }) => name)).toEqual(["messageId"]);
	});

	test("an example has what most requests have, and no id that some gateway might know", () => {
		const exampleFor = (id: string) => find(id).operation.requestBody?.content["application/json"]?.example;
		expect(exampleFor("messages.sendText")).toEqual({ to: "+15551234567", text: "Hello" });
		expect(exampleFor("settings.setWebhooks")).toEqual({ inboundWebhookUrl: "https://app.example/webhooks" });
		expect(exampleFor("messages.tapback")).toEqual({
			messageGuid: "messageGuid",
			action: "add",
			reaction: "love",
		});
	});

	test("fields that forbid a retry are named", () => {
		const { operation } = find("agents.reassign");
		expect(operation["x-never-retry-with"]).toBe("fromAgentNumber");
		expect(operation.description).toContain("With `fromAgentNumber` it must not be retried.");
	});

	test("health needs no headers, and its response may be any JSON or a text", () => {
		const { operation } = find("health.check");
		expect(operation.parameters).toEqual([]);
		expect(operation.responses[200]).toHaveProperty("content", {
			"application/json": { schema: {} },
			"text/plain": { schema: { type: "string" } },
		});
		expect(operation.description).toContain("It needs no signature.");
	});
});

describe("the whole document", () => {
	test("every reference has a target, and every component is referenced", () => {
		const references = valuesOf(document, "$ref");
		for (const reference of references) resolveReference(document, { $ref: String(reference) });
		const { schemas, responses, parameters } = document.components;
		const names = Object.entries({ schemas, responses, parameters }).flatMap(([kind, parts]) =>
			Object.keys(parts).map((name) => `#/components/${kind}/${name}`),
		);
		expect(new Set(references)).toEqual(new Set(names));
	});

	test("the named schemas carry the names of the interfaces", () => {
		expect(Object.keys(document.components.schemas)).toEqual(
			expect.arrayContaining(["Message", "Mapping", "DuplicateInfo", "ErrorEnvelope", "ResponseMeta"]),
		);
	});

	test("every component has a name of which generators make a type", () => {
		const { schemas, responses, parameters } = document.components;
		const names = Object.keys({ ...schemas, ...responses, ...parameters });
		expect(names).toContain("AgentNotFoundOrMappingNotFound");
		expect(names.filter((name) => !/^([A-Z][a-z]+)+$/.test(name))).toEqual([]);
	});

	test("every field, parameter and tag has a sentence", () => {
		const fields = [
			...Object.entries(document.components.schemas),
			...operations.map(({ id }) => [id, bodyOf(id) ?? {}] as const),
		].flatMap(([name, { properties = {} }]) =>
			Object.entries(properties).map(
				([field, { description }]) => [`${name}.${field}`, description] as const,
			),
		);
		expect(fields.length).toBeGreaterThan(150);
		// A literal explains itself.
		const literals = ["InboundMessage.type", "InboundReaction.type"];
		expect(fields.filter(([, text]) => text === undefined).map(([field]) => field)).toEqual(literals);
		expect(parameters.filter(({ description }) => description === undefined)).toEqual([]);
		expect(document.tags.filter(({ description }) => !/^[A-Z].*\.$/.test(description))).toEqual([]);
		expect(document.tags).toContainEqual({
			name: "settings",
			description: "Sets where the gateway delivers webhooks.",
		});
	});

	test("every tag that is used is declared, and the other way round", () => {
		expect(new Set(valuesOf([document.paths, document.webhooks], "tags").flat())).toEqual(
			new Set(document.tags.map(({ name }) => name)),
		);
	});

	test("every schema is one of JSON Schema 2020-12", () => {
		const check = createSchemaChecker(document);
		const schemas = [...valuesOf(document, "schema"), ...Object.values(document.components.schemas)];
		expect(schemas.length).toBeGreaterThan(100);
		for (const schema of schemas) expect(() => check(schema as JsonSchema, null)).not.toThrow();
	});

	test("nothing in it describes our code instead of the wire", () => {
		expect(valuesOf(document, "readOnly")).toEqual([]);
		expect(valuesOf(document, "propertyNames")).toEqual([]);
		expect(valuesOf(document, "maximum")).not.toContain(Number.MAX_SAFE_INTEGER);
		expect(JSON.stringify(document)).not.toContain("{@link");
	});

	test("known values of open enumerations are examples, and others are valid", () => {
		const { Message } = document.components.schemas;
		expect(Message?.properties?.["status"]).toEqual({
			description: "The delivery status.",
			type: "string",
			examples: ["queued", "sent", "SMS_FALLBACK", "delivered", "read", "failed"],
		});
	});

	test("the example of an agent's number is the local gateway's agent, not a contact", () => {
		const inBodies = operations.flatMap(({ id }) => Object.entries(bodyOf(id)?.properties ?? {}));
		const inParameters = parameters.map(({ name, schema }) => [name, schema] as const);
		const named = [...fieldsOfSchemas, ...inBodies, ...inParameters];
		const examples = named.flatMap(([name, schema]) =>
			/agentNumber$/i.test(name) ? valuesOf(schema, "examples") : [],
		);
		expect(examples.length).toBeGreaterThan(5);
		expect(new Set(examples.flat())).toEqual(new Set(["+15550000001", "+15550000002"]));
		expect(bodyOf("agents.register")?.properties?.["agentNumber"]).toMatchObject({
			examples: ["+15550000002"],
		});
	});

	test("ids have a limit of length, and URLs have none", () => {
		const { status_callback, groupId } =
			jsonSchemaOf(find("messages.sendText").operation.requestBody?.content)?.properties ?? {};
		expect(status_callback).toMatchObject({ type: "string" });
		expect(status_callback).not.toHaveProperty("maxLength");
		expect(groupId).toMatchObject({ maxLength: 1_024 });
	});

	test("milliseconds are integers of 64 bits", () => {
		const fields = fieldsOfSchemas.map(([, field]) => field);
		const schemas = [...fields, ...parameters.map(({ description, schema }) => ({ description, ...schema }))];
		const milliseconds = schemas.filter(({ description }) => description?.includes("illiseconds"));
		expect(milliseconds).toHaveLength(15);
		const integer = expect.objectContaining({ type: "integer", format: "int64" });
		const orNull = expect.objectContaining({ anyOf: [integer, { type: "null" }] });
		for (const schema of milliseconds) expect([integer, orNull]).toContainEqual(schema);
	});

	test("the times of a mapping are numbers: their unit is not shown", () => {
		const { createdAt } = document.components.schemas["Mapping"]?.properties ?? {};
		expect(createdAt).toMatchObject({ type: ["number", "null"] });
	});

	test("its JSON is the same every time, has no tabs, and ends with a newline", () => {
		const text = writeOpenApiDocument(document);
		expect(text).toBe(writeOpenApiDocument(createOpenApiDocument()));
		expect(text).not.toContain("\t");
		expect(text.endsWith("}\n")).toBe(true);
		expect(JSON.parse(text)).toEqual(document);
	});
});

describe("the webhooks", () => {
	test("are the three of section 6, with their signed headers", () => {
		const shown = Object.entries(document.webhooks).map(([name, { post }]) => [
			name,
			post?.["x-specification"],
			jsonSchemaOf(post?.requestBody?.content)?.$ref,
		]);
		expect(shown).toEqual([
			["inbound_message", "Specification, section 6.2.", "#/components/schemas/InboundMessage"],
			["inbound_reaction", "Specification, section 6.3.", "#/components/schemas/InboundReaction"],
			["status", "Specification, section 6.4.", "#/components/schemas/StatusUpdate"],
		]);
		for (const { post } of Object.values(document.webhooks)) {
			expect(post?.parameters).toEqual([
				{ $ref: "#/components/parameters/WebhookEventId" },
				{ $ref: "#/components/parameters/WebhookTimestamp" },
				{ $ref: "#/components/parameters/WebhookSignature" },
			]);
			expect(post?.security).toEqual([]);
		}
	});
});

describe("the servers", () => {
	test("are an address to fill in, which is a development server at first", () => {
		const variables = { base_url: { default: "http://localhost:8080", description: expect.any(String) } };
		expect(document.servers).toEqual([{ url: "{base_url}", description: "The service.", variables }]);
	});

	test("an address that is known is the only one", () => {
		const { servers } = createOpenApiDocument({ baseUrl: "https://gateway.example/api/" });
		expect(servers).toEqual([{ url: "https://gateway.example/api" }]);
	});
});

describe("the signature", () => {
	const { securitySchemes } = document.components;

	test("is a security scheme for each of its headers, with a sentence, and no parameter", () => {
		const headers = Object.entries(securitySchemes).map(([scheme, { name }]) => [scheme, name]);
		expect(headers).toEqual([
			["appId", "X-App-Id"],
			["timestamp", "X-Timestamp"],
			["nonce", "X-Nonce"],
			["signature", "Authorization"],
		]);
		for (const scheme of Object.values(securitySchemes)) {
			expect(scheme).toMatchObject({
				type: "apiKey",
				in: "header",
				description: expect.stringMatching(/^[A-Z`].*\.$/),
			});
		}
		expect(parameters.filter((parameter) => parameter.in === "header")).toEqual([]);
	});

	test("shows what is signed, and what signs it", () => {
		expect(securitySchemes["signature"]).toMatchObject({
			description: expect.stringContaining("`signRequest`"),
			"x-signing": { stringToSign: "{METHOD}\n{path}\n{bodyHash}\n{X-Timestamp}\n{X-Nonce}" },
		});
	});
});

describe("the shared responses", () => {
	const { responses } = document.components;
	const markOf = (name: string) => responses[name]?.["x-provenance"];

	test("are marked as known or as assumed, with what the specification shows", () => {
		for (const response of Object.values(responses)) {
			expect(response["x-provenance"]).toMatch(/^(documented|provisional)$/);
			expect(response["x-specification"]).toMatch(/^Specification, section 7: .*\.$/);
		}
	});

	test("are known only if each operation with them has their status in the specification", () => {
		expect(Object.keys(responses).filter((name) => markOf(name) === "documented")).toEqual(["Unauthorized"]);
		const once = Object.entries(responses).filter(([, response]) =>
			response["x-specification"]?.includes("GET /mapping/{toNumber} only"),
		);
		expect(once.map(([name]) => name)).toEqual(["InternalError", "MappingNotFound", "ValidationError"]);
	});

	test("the mapping endpoint has its own, since the specification shows its statuses", () => {
		const { responses: shown } = find("mappings.get").operation;
		const marks = Object.entries(shown).map(([status, response]) => [
			status,
			resolveReference<ResponseObject>(document, response)["x-provenance"],
		]);
		expect(Object.fromEntries(marks)).toEqual({
			200: "documented",
			400: "documented",
			401: "documented",
			404: "documented",
			500: "documented",
			429: "provisional",
			503: "provisional",
		});
		expect(shown[404]).toMatchObject({
			"x-specification": "Specification, section 4.1: the status is documented. Codes are not shown.",
			"x-error-codes": ["MAPPING_NOT_FOUND"],
		});
	});
});

test("constraints are said to be assumed, those of documented operations included", () => {
	const documented = operations.filter(({ provenance }) => provenance === "documented");
	const requests = documented
		.map(({ id }) => find(id).operation)
		.map(({ parameters, requestBody }) => [parameters, requestBody]);
	const keywords = ["pattern", "maxLength", "additionalProperties"];
	expect(keywords.filter((keyword) => valuesOf(requests, keyword).length > 0)).toEqual(keywords);
	expect(document.info.description).toContain(
		"So are all error codes, and all patterns, lengths, sizes and closed lists of fields, in documented requests too",
	);
});

test("the version, the licence and the contact are those of the package", () => {
	const { contact, license } = document.info;
	expect(license).toEqual({ name: manifest.license, identifier: manifest.license });
	expect(contact).toEqual({ name: /Copyright \(c\) \d+ (.*)/.exec(readFileSync("LICENSE", "utf8"))?.[1] });
	const published = { version: "1.2.3", license: "ISC", homepage: "https://gateway.example/docs" };
	expect(createOpenApiDocument({ manifest: published }).info).toMatchObject({
		version: "1.2.3",
		license: { identifier: "ISC" },
		contact: { ...contact, url: "https://gateway.example/docs" },
	});
});

test("unknown options are rejected", () => {
	expect(() => createOpenApiDocument({ baseURL: "x" } as object)).toThrow(
		'Unknown option "baseURL". Did you mean "baseUrl"?',
	);
});
