import { readdirSync, readFileSync } from "node:fs";
import { CanonicalJsonError } from "messaging-gateway/signing";
import { describe, expect, test } from "vitest";
import { canonicalizeJson } from "../../../../src/library/signing/canonicalize-json.ts";
import { catchError } from "../../../support/catch-error.ts";

const vectors = new URL("../../../vectors/", import.meta.url);

/** The canonical form of JSON in UTF-8, as a string. */
function canonicalize(json: string): string {
	return Buffer.from(canonicalizeJson(Buffer.from(json))).toString();
}

/** The code of the CanonicalJsonError that bytes get. */
function codeOf(json: string | Uint8Array): string {
	const error = catchError(() => canonicalizeJson(Buffer.from(json)));
	expect(error).toBeInstanceOf(CanonicalJsonError);
	return (error as CanonicalJsonError).code;
}

test.each(readdirSync(new URL("input/", vectors)))("%s comes out as the published reference", (file) => {
	const input = readFileSync(new URL(`input/${file}`, vectors));
	const output = readFileSync(new URL(`output/${file}`, vectors));
	expect(Buffer.from(canonicalizeJson(input)).equals(output)).toBe(true);
});

test("the bytes that were passed stay as they are", () => {
	const json = Buffer.from('{"b":"\\u0062","a":1}');
	const before = Buffer.from(json);
	canonicalizeJson(json);
	expect(json.equals(before)).toBe(true);
});

test("a view on other memory is read from its own offset", () => {
	const view = new Uint8Array(Buffer.from("[{ }]")).subarray(1, 4);
	expect(Buffer.from(canonicalizeJson(view)).toString()).toBe("{}");
});

describe("what is written in another way", () => {
	test.each<[title: string, json: string, expected: string]>([
		["no whitespace", ' { "b" :\t[ 1 ,\r\n2 ] , "a" : { } , "c" : [ ] } \n', '{"a":{},"b":[1,2],"c":[]}'],
		["literals as they are", "[true,false,null]", "[true,false,null]"],
		["the last of equal keys", '{"a":1,"b":2,"a":{"d":3}}', '{"a":{"d":3},"b":2}'],
		["equal keys that are spelled differently", '{"\\u0061":1,"a":2}', '{"a":2}'],
		[
			"integers in exact digits",
			"[0,-1,999999999999999,-999999999999999]",
			"[0,-1,999999999999999,-999999999999999]",
		],
		[
			"integers beyond doubles, rounded",
			"[9007199254740993,10000000000000000000000]",
			"[9007199254740992,1e+22]",
		],
		["zero without a sign", "[-0,-0.0,-0e5,-1e-400]", "[0,0,0,0]"],
		[
			"numbers as ECMAScript has them",
			"[1.0,1E2,1e+21,1e-7,1e20,0.000001]",
			"[1,100,1e+21,1e-7,100000000000000000000,0.000001]",
		],
		["the longest number", "-12345678901234567e-22", "-0.0000012345678901234567"],
		[
			"characters that need no escape",
			'"\\u0061\\/\\u007f\\u2028\\u00e9\\uD83D\\ude02"',
			'"a/\u007f\u2028é😂"',
		],
		[
			"characters that do",
			'"\\u0022\\u005c\\u0008\\u000c\\u000a\\u000d\\u0009\\u0000\\u001F"',
			'"\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001f"',
		],
		[
			"escapes in keys, in their order",
			'{"b":1,"\\u0062\\n":2,"\\n":3,"\\"":4}',
			'{"\\n":3,"\\"":4,"b":1,"b\\n":2}',
		],
		[
			"__proto__ and indices as other keys",
			'{"b":1,"__proto__":2,"10":3,"9":4}',
			'{"10":3,"9":4,"__proto__":2,"b":1}',
		],
	])("%s", (_title, json, expected) => {
		expect(canonicalize(json)).toBe(expected);
	});

	test.each(["0", '""', "[]", "[0,0]", "[[0]]", "[[[[]]]]", '{"":0}'])(
		"the shortest JSON, as it is: %s",
		(json) => {
			expect(canonicalize(json)).toBe(json);
		},
	);

	test("a long string, with escapes and without", () => {
		const long = "é".repeat(1_000);
		expect(canonicalize(`["${long}" , "${long}\\u00e9",  1]`)).toBe(`["${long}","${long}é",1]`);
	});

	test("a number with 100,000 digits", () => {
		expect(canonicalize(`[0.${"1".repeat(100_000)}]`)).toBe("[0.1111111111111111]");
	});

	test("numbers that are all longer than before", () => {
		expect(canonicalize(`[${"1e20,".repeat(999)}1e20]`)).toBe(
			`[${"100000000000000000000,".repeat(999)}100000000000000000000]`,
		);
	});
});

describe("keys are in the order of their UTF-16 code units", () => {
	/** One in each class of UTF-8, about the surrogates of UTF-16. */
	const ordered = [
		"",
		"\u0000",
		"a",
		"a\u0000",
		"aa",
		"é",
		"\u07ff",
		"\u0800",
		"\ud7ff",
		"😂",
		"😂a",
		"\u{10ffff}",
		"\ue000",
		"\ufb33",
		"\uffff",
	];

	test.each([1, 5])("%i times as many keys", (times) => {
		const names = Array.from({ length: times }, (_, at) => ordered.map((key) => `${"x".repeat(at)}${key}`));
		const keys = [...new Set(names.flat())];
		const expected = [...keys].sort().map((key) => `${JSON.stringify(key)}:0`);
		const json = keys.reverse().map((key) => `${JSON.stringify(key)}:0`);
		expect(canonicalize(`{${json.join(",")}}`)).toBe(`{${expected.join(",")}}`);
	});

	test("of many equal keys the last one counts", () => {
		const json = Array.from({ length: 200 }, (_, at) => `"${at % 3 === 0 ? "b" : "a"}":${at}`);
		expect(canonicalize(`{${json.join(",")}}`)).toBe('{"a":199,"b":198}');
	});
});

describe("what has no canonical form", () => {
	test.each([
		"",
		" ",
		"[",
		"]",
		"{",
		"}",
		"[1",
		"[1,",
		"[1,]",
		"[,1]",
		"[1 2]",
		"[1}",
		"{]",
		"1 2",
		"[]]",
		"{}{}",
		"{a:1}",
		"{1:2}",
		'{"a"}',
		'{"a":}',
		'{"a":1,}',
		'{,"a":1}',
		'{"a" 1}',
		'{"a",1}',
		'["a":1]',
		"'a'",
		'"a',
		'"\\',
		'"\\u',
		'"\\u12"',
		'"\\u123g"',
		'"\\x"',
		'"\\U0061"',
		'"\n"',
		'"\\n\t"',
		'"\u0000"',
		"\u0000",
		"1\u0000",
		"-",
		"+1",
		"01",
		"-01",
		"1.",
		".1",
		"1e",
		"1e+",
		"1.e1",
		"0x1",
		"1a",
		"NaN",
		"Infinity",
		"-Infinity",
		"nul",
		"nulll",
		"True",
		"t",
		"tru\u0000",
		"//",
		"/**/1",
		"\ufeff1",
		"\u00a01",
		"\f1",
	])("%j is not JSON", (json) => {
		expect(() => JSON.parse(json)).toThrow(SyntaxError);
		expect(codeOf(json)).toBe("not_json");
	});

	test.each([
		["a byte that is none of UTF-8", [0x22, 0xff, 0x22]],
		["a character that is cut off", [0x22, 0xc3, 0x22]],
		["a surrogate in UTF-8", [0x22, 0xed, 0xa0, 0xbd, 0x22]],
		["an ASCII character of two bytes", [0x22, 0xc1, 0xa1, 0x22]],
	])("%s is not JSON", (_title, bytes) => {
		expect(codeOf(Uint8Array.from(bytes))).toBe("not_json");
	});

	test.each([
		"\\ud83d",
		"\\ude02",
		"\\ude02\\ud83d",
		"\\ude02\\ude02",
		"\\ud83d\\ud83d",
		"\\ud83d\\u0061",
		"\\ud83dx",
		"\\ud83d\\n",
		"\\udfff",
		"\\udbff",
		"x\\uD800y",
	])("half of a pair: %s", (content) => {
		expect(codeOf(`"${content}"`)).toBe("lone_surrogate");
		expect(codeOf(`{"${content}":1}`)).toBe("lone_surrogate");
	});

	test.each(["1e400", "-1e400", `1${"0".repeat(400)}`])("a number beyond all doubles: %.10s", (json) => {
		expect(codeOf(`[${json}]`)).toBe("not_finite");
	});

	test.each([
		["[", "", "]"],
		['{"a":', "0", "}"],
	])("1,001 levels of %s", (start, inside, end) => {
		const nest = (levels: number) => start.repeat(levels) + inside + end.repeat(levels);
		expect(canonicalize(nest(1_000))).toBe(nest(1_000));
		expect(codeOf(nest(1_001))).toBe("too_deep");
		expect(codeOf(start.repeat(500_000))).toBe("too_deep");
	});

	test("the error does not quote the JSON", () => {
		const error = catchError(() => canonicalizeJson(Buffer.from('["private')));
		expect(String(error)).not.toContain("private");
	});
});
