import { describe, expect, test } from "vitest";
import { readSchema } from "../../../../../src/tools/console/api/document/read-document.ts";
import { checkValue } from "../../../../../src/tools/console/api/form/check-value.ts";
import { exampleValue } from "../../../../../src/tools/console/api/form/example-value.ts";
import { apiOperation, operationIds, sampleContent } from "../../../../support/api-console.ts";
import { checkInput, operationSamples } from "../../../../support/operation-samples.ts";

const withBody = operationIds.filter((id) => apiOperation(id).body !== undefined);

function check(schema: unknown, value: unknown): readonly string[] {
	return checkValue(readSchema({}, schema), value).map(({ path, message }) => `${path}: ${message}`);
}

describe("a value", () => {
	test.each([
		[{ type: "string" }, 1, ": must be a string"],
		[{ type: ["integer", "null"] }, 1.5, ": must be an integer or null"],
		[{ type: "string", minLength: 1 }, "", ": must be at least 1 character"],
		[{ type: "string", maxLength: 2 }, "abc", ": must be at most 2 characters"],
		[{ type: "array", minItems: 2, items: {} }, [1], ": must be at least 2 items"],
		[{ type: "number", minimum: 1 }, 0, ": must be at least 1"],
		[{ enum: ["a", "b"] }, "c", ': must be "a" or "b"'],
		[{ const: true }, false, ": must be true"],
		[{ type: "string", pattern: "^\\+", examples: ["+1"] }, "1", ": must match ^\\+, such as +1"],
		[{ type: "array", items: { type: "string" } }, ["a", 1], "1: must be a string"],
		[{ type: "object", required: ["a"] }, {}, "a: is required"],
		[{ type: "object", properties: { a: { type: "string" } } }, { a: { b: 1 } }, "a: must be a string"],
		[{ type: "object", additionalProperties: false }, { a: 1 }, "a: isn't a field of the document"],
		[{ type: "object", dependentRequired: { a: ["b"] } }, { a: 1 }, "a: requires b"],
		[
			{ oneOf: [{ required: ["a"] }, { required: ["b"] }] },
			{ a: 1, b: 1 },
			": must have exactly one of a, b",
		],
		[{ oneOf: [{ type: "string" }, { type: "number" }] }, true, ": must be one of 2 forms"],
		[{ anyOf: [{ type: "null" }, { type: "string", minLength: 1 }] }, "", ": must be null"],
	])("against %j is invalid: %j", (schema, value, message) => {
		expect(check(schema, value)).toEqual([message]);
	});

	test.each([
		[{}, 1],
		[{ type: "string", pattern: "(" }, "anything, since the pattern is invalid"],
		[{ type: "object", properties: {} }, JSON.parse('{"__proto__": 1, "toString": 2}')],
		[{ type: ["string", "null"] }, null],
		[{ type: "array", items: { type: "integer" } }, [1, 2]],
	])("against %j is valid: %j", (schema, value) => {
		expect(check(schema, value)).toEqual([]);
	});
});

describe("the catalogue and its document agree", () => {
	const changes: readonly (readonly [string, (value: Record<string, unknown>) => void])[] = [
		["as it is", () => undefined],
		["with a field that nobody knows", (value) => Object.assign(value, { nobody: 1 })],
		["with a field of another type", (value) => change(value, () => [{}])],
		["with empty texts", (value) => change(value, (old) => (typeof old === "string" ? "" : old))],
		["with a name for the group", (value) => Object.assign(value, { groupName: "x" })],
		["with another target", (value) => Object.assign(value, { groupId: "g", to: "+15551234567" })],
	];

	describe.each(withBody)("%s", (id) => {
		const { body } = apiOperation(id);

		test.each(changes)("%s", async (_, makeChange) => {
			const input = structuredClone(operationSamples[id].input);
			makeChange(input);
			await expectSameVerdict(input);
		});

		test("without one of its fields", async () => {
			for (const name of Object.keys(operationSamples[id].input)) {
				const { [name]: _, ...input } = operationSamples[id].input;
				// Path parameters are not in the body.
				if (apiOperation(id).path.includes(`{${name}}`)) continue;
				await expectSameVerdict(input);
			}
		});

		async function expectSameVerdict(input: Record<string, unknown>): Promise<void> {
			const content = sampleContent(id, input);
			const areParametersGood = apiOperation(id).parameters.every(
				({ name, schema }) => checkValue(schema, content.params[name]).length === 0,
			);
			const violations = body === undefined ? [] : checkValue(body, content.body ?? {});
			const isGood = areParametersGood && violations.length === 0;
			expect({ input, isGood }).toEqual({ input, isGood: (await checkInput(id, input)).ok });
		}
	});
});

describe("examples", () => {
	test.each([
		[{ type: "string" }, "field"],
		[{ type: "string", maxLength: 5000 }, "Hello"],
		[{ type: "string", pattern: "^https?://" }, "https://example.com/"],
		[{ type: ["null", "integer"], minimum: 3 }, 3],
		[{ type: "boolean" }, true],
		[{ enum: ["a"] }, "a"],
		[{ examples: ["b"] }, "b"],
		[{ type: "array", minItems: 2, items: { type: "number" } }, [1, 1]],
		[{ type: "array" }, []],
		[{ anyOf: [{ type: "null" }, { type: "string" }] }, null],
		[{ type: "object", properties: { a: {}, b: {} }, required: ["b"] }, { b: {} }],
		[{}, {}],
	])("for %j", (schema, value) => {
		expect(exampleValue(readSchema({}, schema), "field")).toEqual(value);
	});
});

function change(object: Record<string, unknown>, newOf: (old: unknown) => unknown): void {
	for (const [name, old] of Object.entries(object)) object[name] = newOf(old);
}
