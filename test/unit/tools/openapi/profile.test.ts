import { describe, expect, test } from "vitest";
import type { Profile } from "../../../../src/library/catalogue/profile.ts";
import { BODY_FORMS } from "../../../../src/library/signing/body-forms.ts";
import { BODY_FORM_WORDS } from "../../../../src/tools/body-form-words.ts";
import { createOpenApiDocument } from "../../../../src/tools/openapi/create-openapi-document.ts";
import {
	createSchemaChecker,
	jsonSchemaOf,
	operationsById,
	parametersOf,
	responseOf,
} from "../../../support/openapi-schemas.ts";

/** One operation of the document for a profile. */
function describeWith(profile: Profile, id: string) {
	const document = createOpenApiDocument({ profile });
	const placed = operationsById(document).get(id);
	if (placed === undefined) throw new Error(`the document has no ${id}`);
	const fields = parametersOf(document, placed).map((parameter) => [parameter.name, parameter.in]);
	const body = jsonSchemaOf(placed.operation.requestBody?.content);
	return { document, placed, fields, body };
}

describe("operations of a profile", () => {
	test("have the profile's method and path, and leave the others where they are", () => {
		const profile: Profile = { operations: { "messages.sendText": { method: "PUT", path: "/v2/send" } } };
		const { document, placed } = describeWith(profile, "messages.sendText");
		expect(placed).toMatchObject({ method: "PUT", path: "/v2/send" });
		expect(document.paths["/message/text"]).toBeUndefined();
		expect(document.paths["/mapping/{toNumber}"]).toEqual(
			createOpenApiDocument().paths["/mapping/{toNumber}"],
		);
	});

	test("the profile's pattern of handles is accepted wherever a contact is named, and nowhere else", () => {
		const body = (given: Profile) => describeWith(given, "messages.sendText").body?.properties ?? {};
		const profile: Profile = { handlePattern: "user-[0-9]+|guest" };
		const { to, participants, from } = body(profile);
		const items = participants?.["items"] as Record<string, unknown>;
		for (const { pattern } of [to, items] as { pattern: string }[]) {
			const matching = [
				"user-1",
				"guest",
				"ana@icloud.example",
				"88022",
				"+15551234567",
				"user-",
				"xguest",
				"1",
			];
			expect(matching.filter((value) => new RegExp(pattern, "u").test(value))).toEqual(matching.slice(0, 5));
		}
		expect(from).toEqual(body({})["from"]);
		const [toNumber] = describeWith(profile, "mappings.get").placed.operation.parameters ?? [];
		expect(toNumber).toMatchObject({ schema: { pattern: to?.["pattern"], maxLength: 254 } });
	});

	test("a field moves from the body into the path", () => {
		const path = "/agent/{agentNumber}/user/{userNumber}";
		const { fields, placed, body } = describeWith(
			{ operations: { "agents.assign": { path } } },
			"agents.assign",
		);
		expect(fields).toEqual([
			["agentNumber", "path"],
			["userNumber", "path"],
		]);
		expect(body).toBeUndefined();
		expect(placed.operation.requestBody).toBeUndefined();
	});

	test("a field moves from the path into the body, and from the query into the body", () => {
		const operations: Profile["operations"] = {
			"mappings.get": { method: "POST", path: "/lookup" },
			"mappings.list": { method: "POST", path: "/search" },
		};
		const { body, fields } = describeWith({ operations }, "mappings.get");
		expect(fields).toEqual([]);
		expect(body).toMatchObject({ required: ["toNumber"], additionalProperties: false });
		const list = describeWith({ operations }, "mappings.list");
		expect(Object.keys(list.body?.properties ?? {})).toEqual(["agentNumber", "limit", "cursor"]);
		expect(list.placed.operation.requestBody?.required).toBe(false);
	});

	test("shapes that only the profile's functions know are left open", () => {
		const profile: Profile = {
			operations: {
				"mappings.update": {
					path: "/mapping/{phone}",
					request: { encode: ({ toNumber, ...rest }) => ({ phone: toNumber, ...rest }) },
					response: { decode: (data) => data },
				},
			},
		};
		const { document, placed, fields, body } = describeWith(profile, "mappings.update");
		// The path is that of the other operations, whose parameter has another name.
		expect(placed.path).toBe("/mapping/{toNumber}");
		expect(fields).toEqual([["toNumber", "path"]]);
		expect(body).toEqual({
			description: "In the service's own form; the profile encodes it.",
			type: "object",
			properties: {},
		});
		const success = jsonSchemaOf(responseOf(document, placed, 200)?.content);
		expect(success?.properties?.["data"]).toEqual({
			description: "In the service's own form; the profile decodes it.",
		});
	});

	test("two operations with the same method and path are one, for either's input", () => {
		const operations: Profile["operations"] = {
			"agents.get": { path: "/mapping/{agentNumber}" },
			"messages.sendText": { path: "/message" },
			"messages.sendVoiceNote": { path: "/message" },
		};
		const { document, fields, placed } = describeWith({ operations }, "agents.get_or_mappings_get");
		expect(placed.path).toBe("/mapping/{agentNumber}");
		expect(fields).toEqual([["agentNumber", "path"]]);
		expect(placed.operation.tags).toEqual(["agents", "mappings"]);
		expect(placed.operation["x-provenance"]).toBe("provisional");
		expect(responseOf(document, placed, 404)?.["x-error-codes"]).toEqual([
			"AGENT_NOT_FOUND",
			"MAPPING_NOT_FOUND",
		]);
		const data = jsonSchemaOf(responseOf(document, placed, 200)?.content)?.properties?.["data"];
		expect(data).toEqual({
			anyOf: [{ $ref: "#/components/schemas/AgentData" }, { $ref: "#/components/schemas/MappingData" }],
		});
		const either = describeWith(
			{ operations: { "mappings.list": { method: "POST" } } },
			"mappings.list_or_create",
		);
		expect(either.placed.operation.requestBody?.required).toBe(false);
		const sends = describeWith({ operations }, "messages.sendText_or_sendVoiceNote");
		expect(sends.placed.operation).toMatchObject({ "x-retry": "never", requestBody: { required: true } });
		const check = createSchemaChecker(document);
		const fitting = (body: object) => check(sends.body ?? {}, { to: "+15551234567", ...body }).length === 0;
		const attachment = { url: "https://a.example/1" };
		expect([{ text: "Hi" }, { attachment }, {}, { text: "Hi", attachment }].map(fitting)).toEqual([
			true,
			true,
			false,
			false,
		]);
	});

	test("an invalid profile is rejected", () => {
		expect(() => createOpenApiDocument({ profile: { vendor: { headerPrefix: "-" } } })).toThrow(
			"profile.vendor.headerPrefix",
		);
	});
});

describe("the vendor's names", () => {
	const document = createOpenApiDocument({
		profile: { vendor: { headerPrefix: "Acme", messageNumberField: "acmeNumber" } },
	});

	test("are in the names of the webhooks' headers", () => {
		const { parameters } = document.components;
		expect(Object.entries(parameters).map(([key, { name }]) => [key, name])).toEqual([
			["WebhookEventId", "X-Acme-Event-Id"],
			["WebhookTimestamp", "X-Acme-Timestamp"],
			["WebhookSignature", "X-Acme-Signature"],
		]);
	});

	test("are in the payloads, and only there", () => {
		for (const name of ["InboundMessage", "InboundReaction", "StatusUpdate"]) {
			const { properties = {}, required = [] } = document.components.schemas[name] ?? {};
			expect(Object.keys(properties)).toContain("acmeNumber");
			expect(Object.keys(properties)).not.toContain("nativeMessageNumber");
			expect(required).toContain("acmeNumber");
		}
		expect(document.components.schemas["Message"]?.properties).toHaveProperty("nativeMessageNumber");
	});
});

describe("the choices of signing", () => {
	const signingOf = (profile: Profile) =>
		createOpenApiDocument({ profile }).components.securitySchemes["signature"]?.["x-signing"];

	test("the default ones are named", () => {
		const all = {
			canonicalBody: "rfc8785",
			path: "request_line",
			query: "excluded",
			emptyBody: "empty_string",
		} as const;
		expect(signingOf({ signing: all })).toEqual(signingOf({}));
		expect(signingOf({})).toMatchObject({
			body: expect.stringContaining("RFC 8785"),
			query: "It is not signed.",
		});
	});

	test("the header's description has the unit of its timestamp", () => {
		const timestampOf = (profile: Profile) =>
			createOpenApiDocument({ profile }).components.securitySchemes["timestamp"]?.description;
		expect(timestampOf({})).toMatch(/^Unix time in milliseconds at signing\./);
		expect(timestampOf({ signing: { timestamp: "milliseconds" } })).toBe(timestampOf({}));
		expect(timestampOf({ signing: { timestamp: "seconds" } })).toMatch(/^Unix time in seconds at signing\./);
	});

	test("other choices change the description", () => {
		const others = {
			canonicalBody: "json",
			path: "without_base_path",
			query: "included",
			emptyBody: "empty_object",
		} as const;
		expect(signingOf({ signing: others })).toMatchObject({
			body: expect.stringContaining("in their own order"),
			path: expect.stringContaining("without the path of the base address"),
			query: expect.stringContaining("part of the path"),
			bodyHash: expect.stringContaining("{}"),
		});
		expect(signingOf({ signing: { query: "sorted" } })?.["query"]).toContain("sorted by name");
		expect(signingOf({ signing: { canonicalBody: String } })?.["body"]).toContain("the profile's function");
	});

	test("the encoding of each secret is that of its key", () => {
		const profile: Profile = { signing: { secret: "hex" }, events: { secret: "prefixed_base64" } };
		expect(signingOf({})?.["signature"]).toContain("with the App Secret as key");
		expect(signingOf(profile)?.["signature"]).toContain(
			"with the bytes that the App Secret has in hex as key",
		);
		const header = createOpenApiDocument({ profile }).components.parameters["WebhookSignature"];
		expect(header?.description).toContain(
			"the bytes that the webhook secret has in base64 after a prefix as key",
		);
	});

	test.each(BODY_FORMS)("a body in the form %s is described", (canonicalBody) => {
		expect(signingOf({ signing: { canonicalBody } })?.["body"]).toBe(
			`${BODY_FORM_WORDS[canonicalBody].writes} Send exactly the bytes that were hashed.`,
		);
	});
});
