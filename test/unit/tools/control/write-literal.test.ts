import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { writeLiteral } from "../../../../src/tools/control/write-literal.ts";
import { testOutcomes } from "../../../support/outcomes.ts";

function evaluate(source: string): unknown {
	return new Function(`return (${source});`)();
}

describe("literals", () => {
	test("evaluate to the same value", () => {
		fc.assert(
			fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
				const json = JSON.stringify(value);
				expect(JSON.stringify(evaluate(writeLiteral(JSON.parse(json))))).toBe(json);
			}),
		);
	});

	test.each([
		["__proto__ as a field", JSON.parse('{"__proto__":{"a":1},"b-c":2,"constructor":3}')],
		["line separators, quotes and dollars", `\u2028\u2029'"\`$${"{x}"}\\\n\r\u0000🎉`],
	])("%s", (_, value) => {
		expect(JSON.stringify(evaluate(writeLiteral(value)))).toBe(JSON.stringify(value));
	});

	/** A text that makes `{ a: "…" }` as long as this. */
	const fill = (length: number) => "x".repeat(length - '{ a: "" }'.length);

	testOutcomes<unknown>(
		{
			"[]": { "an empty list": [] },
			"{}": { "an object without fields": {} },
			"{ a: [1, { b: null }] }": { "a nested one that fits in a line": { a: [1, { b: null }] } },
			[`{ a: "${fill(72)}" }`]: { "one that fills a line": { a: fill(72) } },
			[`{\n  a: "${fill(73)}",\n}`]: { "one that is longer than a line": { a: fill(73) } },
			[`[\n  { a: "${fill(70)}" },\n  1,\n]`]: {
				"one that fills what its indentation leaves": [{ a: fill(70) }, 1],
			},
			[`[\n  {\n    a: "${fill(71)}",\n  },\n  1,\n]`]: {
				"one that is longer than what its indentation leaves": [{ a: fill(71) }, 1],
			},
		},
		(value) => writeLiteral(value),
	);
});
