import { runInNewContext } from "node:vm";
import { CanonicalJsonError, canonicalize, hashBody, signRequest } from "messaging-gateway/signing";
import { describe, expect, test } from "vitest";
import { serialize } from "../../../../src/library/signing/canonical-json.ts";
import { catchError } from "../../../support/catch-error.ts";

/** Not in the types of the lowest version of TypeScript that users may have. */
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => object };

/** A value that was made in another realm, with other prototypes. */
function foreign(expression: string): unknown {
	return runInNewContext(expression);
}

function codeOf(value: unknown): string {
	const error = catchError(() => canonicalize(value));
	expect(error).toBeInstanceOf(CanonicalJsonError);
	return (error as CanonicalJsonError).code;
}

describe("boxed primitives of another realm", () => {
	test.each<[title: string, expression: string, expected: string]>([
		["a number", "new Number(5)", "5"],
		["a string", "new String('é')", '"é"'],
		["true", "new Boolean(true)", "true"],
		["false", "new Boolean(false)", "false"],
		["of a class of that realm", "new (class extends Number {})(7)", "7"],
		["with its own tag", "Object.assign(new Number(5), { [Symbol.toStringTag]: 'Money' })", "5"],
		["whose valueOf was replaced", "Object.assign(new Number(5), { valueOf: () => 6 })", "6"],
		["whose toString was replaced", "Object.assign(new String('a'), { toString: () => 'b' })", '"b"'],
		["of a boolean that claims to be a number", "Object.assign(Object(true), { valueOf: () => 6 })", "true"],
		["what its toJSON returns", "({ toJSON: () => new Number(5) })", "5"],
	])("%s", (_title, expression, expected) => {
		const value = foreign(expression);
		expect(JSON.stringify(value)).toBe(expected);
		expect(canonicalize(value)).toBe(expected);
		expect(canonicalize({ b: [value], a: value })).toBe(`{"a":${expected},"b":[${expected}]}`);
	});

	test.each([
		["not_finite", "new Number(NaN)"],
		["bigint", "Object(1n)"],
		["lone_surrogate", "new String('\\ud83d')"],
	])("%s: %s", (code, expression) => {
		expect(codeOf([foreign(expression)])).toBe(code);
	});

	test.each([
		["an object", "({ b: 1, a: [{}] })"],
		["a boxed symbol", "Object(Symbol('s'))"],
		["an object that only has the tag of a number", "({ [Symbol.toStringTag]: 'Number', a: 1 })"],
		["an object that only has the tag of a BigInt", "({ [Symbol.toStringTag]: 'BigInt', a: 1 })"],
		["a Map", "new Map([[1, 2]])"],
	])("%s is none", (_title, expression) => {
		const value = foreign(expression);
		expect(JSON.parse(canonicalize(value))).toEqual(JSON.parse(JSON.stringify(value)));
	});
});

describe("boxed primitives of this realm whose prototype is another", () => {
	class Money extends Number {
		get [Symbol.toStringTag](): string {
			return "Money";
		}
	}

	test.each<[title: string, value: unknown, expected: string]>([
		["of a class with a tag", new Money(5), "5"],
		["without a prototype", Object.setPrototypeOf(Object(true), null), "true"],
	])("%s", (_title, value, expected) => {
		expect(JSON.stringify(value)).toBe(expected);
		expect(canonicalize([value])).toBe(`[${expected}]`);
	});
});

describe("raw JSON", () => {
	test.each([
		["1", "1"],
		["1.0", "1"],
		["-0", "0"],
		["0e99999999999", "0"],
		["1e2", "100"],
		["1E+2", "100"],
		["100e-2", "1"],
		["0.00001e5", "1"],
		["1e21", "1e+21"],
		["1000000000000000000000", "1e+21"],
		["0.1", "0.1"],
		["0.10", "0.1"],
		["5e-324", "5e-324"],
		["9007199254740991", "9007199254740991"],
		["9007199254740992", "9007199254740992"],
		["-9007199254740994", "-9007199254740994"],
		["18014398509481984", "18014398509481984"],
		["true", "true"],
		["null", "null"],
		['"\\u00e9\\/"', '"é/"'],
		['"\\ud83d\\ude02"', '"😂"'],
	])("%s is written as %s", (text, expected) => {
		const raw = rawJSON(text);
		expect(canonicalize(raw)).toBe(expected);
		expect(canonicalize([raw])).toBe(`[${expected}]`);
		expect(canonicalize({ b: 1, a: { raw } })).toBe(`{"a":{"raw":${expected}},"b":1}`);
		expect(canonicalize({ toJSON: () => raw })).toBe(expected);
		expect(canonicalize(JSON.parse(JSON.stringify({ raw })))).toBe(`{"raw":${expected}}`);
	});

	test.each([
		["not_exact", "9007199254740993"],
		["not_exact", "-9007199254740993"],
		["not_exact", "12345678901234567890"],
		["not_exact", "0.1000000000000000055511151231257827"],
		["not_exact", "1.00000000000000001"],
		["not_exact", "1e-400"],
		["not_exact", "1e-99999999999999999999999"],
		["not_finite", "1e400"],
		["not_finite", "-1e99999999999999999999999"],
		["lone_surrogate", '"\\ud83d"'],
	])("%s: %s", (code, text) => {
		expect(codeOf({ amount: rawJSON(text) })).toBe(code);
	});

	test("a number with 100,000 zeros inside is compared at once", () => {
		expect(codeOf(rawJSON(`1${"0".repeat(100_000)}1e-100000`))).toBe("not_exact");
		expect(canonicalize(rawJSON(`1${"0".repeat(100_000)}e-100000`))).toBe("1");
	});

	test("it is written so in insertion order, too, and hashed and sent so", () => {
		const body = { b: rawJSON("1.50"), a: 1 };
		expect(serialize(body, "insertion")).toBe('{"b":1.5,"a":1}');
		expect(hashBody(body)).toBe(hashBody({ b: 1.5, a: 1 }));
		const signed = signRequest({ method: "POST", url: "/x", body, appId: "a", appSecret: "secret" });
		expect(new TextDecoder().decode(signed.body)).toBe('{"a":1,"b":1.5}');
	});

	test("of another realm it is raw, too", () => {
		expect(canonicalize([foreign("JSON.rawJSON('1.0')")])).toBe("[1]");
	});

	test("an object that only looks like it is an object", () => {
		const lookalike: object = Object.freeze(Object.assign(Object.create(null), { rawJSON: "1" }));
		expect(canonicalize({ rawJSON: "1", a: lookalike })).toBe('{"a":{"rawJSON":"1"},"rawJSON":"1"}');
	});

	test("the number is not in the error", () => {
		const error = catchError(() => canonicalize(rawJSON("15551234567155512345671")));
		expect(String(error)).toMatch(/^CanonicalJsonError: .*raw/);
		expect(`${error} ${JSON.stringify(error)}`).not.toContain("1555");
	});
});
