import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { defineProfile } from "../../../src/catalogue/profile.ts";
import { createOpenApiDocument } from "../../../src/openapi/create-openapi-document.ts";

const profile = defineProfile({
	vendor: { headerPrefix: "Acme", messageNumberField: "acmeNumber" },
	signing: { query: "included" },
	operations: {
		"agents.assign": { method: "PUT", path: "/agent/{agentNumber}/user/{userNumber}" },
		"messages.sendText": { request: { encode: (fields) => fields }, response: { decode: (data) => data } },
	},
});

test.each([
	["the catalogue", {}],
	["a profile", { profile, baseUrl: "https://gateway.example" }],
])("the document of %s is OpenAPI 3.1 to a standard validator", async (_title, options) => {
	const validator = new Validator();
	const { valid, errors } = await validator.validate({ ...createOpenApiDocument(options) });
	expect(errors).toBeUndefined();
	expect(valid).toBe(true);
	expect(validator.version).toBe("3.1");
});

test("the validator rejects an invalid document", async () => {
	const { paths, ...rest } = createOpenApiDocument();
	const misplaced = { ...rest, paths: { "no-slash": paths["/health"] } };
	expect((await new Validator().validate(misplaced)).valid).toBe(false);
});
