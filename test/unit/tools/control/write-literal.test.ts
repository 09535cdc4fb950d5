import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { writeLiteral } from "../../../../src/tools/control/write-literal.ts";

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

	test("are on one line if it is long enough", () => {
		expect(writeLiteral({ a: [1, { b: null }] })).toBe("{ a: [1, { b: null }] }");
		expect(writeLiteral({ a: "x".repeat(80) })).toBe(`{\n  a: "${"x".repeat(80)}",\n}`);
		expect(writeLiteral([])).toBe("[]");
	});
});
