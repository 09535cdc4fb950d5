import { readdirSync, readFileSync } from "node:fs";
import { CanonicalJsonError, canonicalize } from "messaging-gateway/signing";
import { describe, expect, test } from "vitest";
import { serialize } from "../../../../src/library/signing/canonical-json.ts";
import { catchError } from "../../../support/catch-error.ts";
import numbers from "../../../vectors/rfc8785_appendix_b.json" with { type: "json" };

const vectors = new URL("../../../vectors/", import.meta.url);

/** The code of the CanonicalJsonError that a value gets. */
function codeOf(value: unknown): string {
	const error = catchError(() => canonicalize(value));
	expect(error).toBeInstanceOf(CanonicalJsonError);
	return (error as CanonicalJsonError).code;
}

/** `levels` arrays, or objects, one in the other, around nothing. */
function nest(levels: number, wrap: (inner: unknown) => object): unknown {
	let value: unknown = 0;
	for (let level = 0; level < levels; level++) value = wrap(value);
	return value;
}

describe("published vectors", () => {
	const files = readdirSync(new URL("input/", vectors));

	test("all six pairs of the reference test data are there", () => {
		expect(files.sort()).toEqual([
			"arrays.json",
			"french.json",
			"structures.json",
			"unicode.json",
			"values.json",
			"weird.json",
		]);
	});

	test.each(files)("%s comes out byte for byte as the reference output", (file) => {
		const input: unknown = JSON.parse(readFileSync(new URL(`input/${file}`, vectors), "utf8"));
		const output = readFileSync(new URL(`output/${file}`, vectors));
		expect(Buffer.from(canonicalize(input)).equals(output)).toBe(true);
	});

	test.each(numbers.tests)("the number with bits $ieee754 becomes $expect (RFC 8785, appendix B)", (row) => {
		const number = Buffer.from(row.ieee754, "hex").readDoubleBE();
		if (row.error) expect(codeOf(number)).toBe("not_finite");
		else expect(canonicalize(number)).toBe(row.expect);
	});
});

describe("values that are not plain JSON", () => {
	const ownProto: unknown = JSON.parse('{"b":1,"__proto__":{"polluted":true},"a":2}');
	const sparse: unknown[] = [];
	sparse[2] = "last";
	const date = new Date(Date.UTC(2026, 0, 2, 3, 4, 5, 6));
	const callable = Object.assign(() => 1, { toJSON: () => ({ b: 1, a: 2 }) });

	const cases: [title: string, value: unknown, expected: string][] = [
		["members that are undefined are left out", { a: undefined, b: 1 }, '{"b":1}'],
		["members that are functions are left out", { a: () => 1, b: 1 }, '{"b":1}'],
		["members that are symbols are left out", { a: Symbol("s"), b: 1 }, '{"b":1}'],
		["a member that is left out may have any key", { "\ud83d": () => 1, a: 1 }, '{"a":1}'],
		["keys that are symbols are left out", { [Symbol("s")]: 1, b: 1 }, '{"b":1}'],
		["inherited members are left out", Object.create({ inherited: 1 }), "{}"],
		[
			"undefined, functions and symbols in an array become null",
			[undefined, () => 1, Symbol("s")],
			"[null,null,null]",
		],
		["holes in an array become null", sparse, '[null,null,"last"]'],
		["a boxed number is a number", Object(5), "5"],
		["a boxed string is a string", Object("x"), '"x"'],
		["a boxed boolean is a boolean", [Object(false), Object(true)], "[false,true]"],
		["a Date is its ISO string", date, '"2026-01-02T03:04:05.006Z"'],
		["an invalid Date is null", new Date(Number.NaN), "null"],
		["a Map has no own members", new Map([["a", 1]]), "{}"],
		["a Set has no own members", new Set([1]), "{}"],
		["a typed array is an object with indices", new Uint8Array([7, 8]), '{"0":7,"1":8}'],
		["an own __proto__ key is data", ownProto, '{"__proto__":{"polluted":true},"a":2,"b":1}'],
		["an object without a prototype is an object", Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
		["a function with toJSON is what it returns", { f: callable }, '{"f":{"a":2,"b":1}}'],
		["toJSON that returns undefined leaves the member out", { a: { toJSON: () => undefined } }, "{}"],
		[
			"the toJSON of what toJSON returns is not called",
			{ toJSON: () => ({ toJSON: () => 1, b: 2 }) },
			'{"b":2}',
		],
		["a boxed value that toJSON returns is unwrapped", { toJSON: () => Object(3) }, "3"],
		["a key toJSON that is no function is data", { toJSON: 1, b: 2, a: 3 }, '{"a":3,"b":2,"toJSON":1}'],
		["toJSON of an array's own is called", Object.assign([1], { toJSON: () => "array" }), '"array"'],
		[
			"toJSON is called where no list of keys shows it",
			Object.defineProperty({ a: 1 }, "toJSON", { value: () => ({ c: 1, b: 2 }) }),
			'{"b":2,"c":1}',
		],
		[
			"toJSON of an array's class is called",
			new (class extends Array {
				toJSON = () => ({ b: 1, a: 2 });
			})(),
			'{"a":2,"b":1}',
		],
		["an array is read by index", Object.assign([1, 2], { [Symbol.iterator]: () => [9].values() }), "[1,2]"],
		["keys that are numbers are sorted as strings", { b: 1, 10: 2, 9: 3 }, '{"10":2,"9":3,"b":1}'],
		["a string that looks like half a pair is a string", { a: "\\ud83d" }, '{"a":"\\\\ud83d"}'],
		["negative zero is 0", [-0, Object(-0)], "[0,0]"],
		["null stays null", [null, { a: null }], '[null,{"a":null}]'],
		["empty containers stay empty", [{}, [], ""], '[{},[],""]'],
		[
			"one object in two places is no cycle",
			(() => [date, date])(),
			`["${date.toJSON()}","${date.toJSON()}"]`,
		],
	];

	test.each(cases)("%s, and JSON.stringify writes the same members", (_title, value, expected) => {
		expect(canonicalize(value)).toBe(expected);
		// Key order aside, which is what canonical means.
		expect(JSON.parse(JSON.stringify(value))).toEqual(JSON.parse(expected));
	});

	test("toJSON gets its key: empty at the top, the name in an object, the index as a string in an array", () => {
		const spy = { toJSON: (key: unknown) => [typeof key, key] };
		expect(canonicalize(spy)).toBe('["string",""]');
		expect(canonicalize({ name: spy })).toBe('{"name":["string","name"]}');
		expect(canonicalize([0, spy])).toBe('[0,["string","1"]]');
	});

	test("toJSON is called on the value itself", () => {
		class Money {
			readonly #cents = 150;
			toJSON(): number {
				return this.#cents / 100;
			}
		}
		expect(canonicalize({ price: new Money() })).toBe('{"price":1.5}');
	});
});

describe("prototypes that were changed", () => {
	const holder = () => ({ b: [1], a: {} });
	const returned = () => ({ z: 2, y: 1 });

	test.each<[title: string, prototype: object, key: string, value: unknown, expected: string]>([
		["a key that every object inherits is not its own", Object.prototype, "c", 1, '{"a":{},"b":[1]}'],
		["what toJSON of every object returns is sorted", Object.prototype, "toJSON", returned, '{"y":1,"z":2}'],
		[
			"what toJSON of every array returns is sorted",
			Array.prototype,
			"toJSON",
			returned,
			'{"a":{},"b":{"y":1,"z":2}}',
		],
	])("%s", (_title, prototype, key, value, expected) => {
		// So that the shape with the key is a known one.
		expect(canonicalize({ ...holder(), c: 1 })).toBe('{"a":{},"b":[1],"c":1}');
		Object.defineProperty(prototype, key, { value, enumerable: key === "c", configurable: true });
		let text: string;
		try {
			text = canonicalize(holder());
		} finally {
			Reflect.deleteProperty(prototype, key);
		}
		expect(text).toBe(expected);
	});

	test("toJSON of every object is not called on one that does not inherit it", () => {
		const bare: unknown = Object.assign(Object.create(null), { b: 1, a: 2 });
		let text: string;
		Object.defineProperty(Object.prototype, "toJSON", { value: returned, configurable: true });
		try {
			text = canonicalize(bare);
		} finally {
			Reflect.deleteProperty(Object.prototype, "toJSON");
		}
		expect(text).toBe('{"a":2,"b":1}');
	});

	test("an object that has less than it inherits does not get the shape of one that has all", () => {
		expect(canonicalize({ b: 1, a: 2 })).toBe('{"a":2,"b":1}');
		expect(canonicalize(Object.assign(Object.create({ a: 2 }), { b: 1 }))).toBe('{"b":1}');
	});
});

describe("members that change as they are read", () => {
	test("each has one value, whose keys are in order as well", () => {
		let reads = 0;
		const value = {
			get a(): unknown {
				reads += 1;
				return reads === 1 ? { y: 1, x: 2 } : { z: 1, y: 2 };
			},
		};
		expect(canonicalize(value)).toBe('{"a":{"x":2,"y":1}}');
	});
});

describe("values without a canonical form", () => {
	const cyclicObject: Record<string, unknown> = {};
	cyclicObject["self"] = { deeper: [cyclicObject] };
	const cyclicArray: unknown[] = [];
	cyclicArray.push(cyclicArray);
	const wideCycle: Record<string, unknown> = { list: [1, 2, 3] };
	for (const key of ["a", "b", "c"]) wideCycle[key] = wideCycle;

	const endless = { toJSON: (): unknown => [endless] };

	test.each<[code: string, title: string, value: unknown]>([
		["not_finite", "NaN", Number.NaN],
		["not_finite", "Infinity in an array", [Number.POSITIVE_INFINITY]],
		["not_finite", "-Infinity in an object", { a: Number.NEGATIVE_INFINITY }],
		["not_finite", "a boxed NaN", Object(Number.NaN)],
		["bigint", "a BigInt", 1n],
		["bigint", "a BigInt in an object", { a: { b: 10n } }],
		["bigint", "a boxed BigInt", Object(1n)],
		["lone_surrogate", "a high surrogate alone", "\ud83d"],
		["lone_surrogate", "a low surrogate alone", ["x\ude02"]],
		["lone_surrogate", "a pair the wrong way round", { a: "\ude02\ud83d" }],
		["lone_surrogate", "a lone surrogate in a key", { "\ud83d": 1 }],
		["lone_surrogate", "a lone surrogate in a boxed string", Object("\ud83d")],
		["cycle", "an object that contains itself", cyclicObject],
		["cycle", "an array that contains itself", cyclicArray],
		["cycle", "an object that contains itself in many places", wideCycle],
		["too_deep", "toJSON that makes a new level for ever", endless],
		["not_json", "undefined at the top", undefined],
		["not_json", "a function at the top", () => 1],
		["not_json", "a symbol at the top", Symbol("s")],
		["not_json", "toJSON that returns undefined at the top", { toJSON: () => undefined }],
	])("%s: %s", (code, _title, value) => {
		expect(codeOf(value)).toBe(code);
	});

	test("a cut emoji is reported as half of a pair, without quoting the string", () => {
		const error = catchError(() => canonicalize({ text: `private ${"😂".slice(0, 1)}` }));
		expect(String(error)).toMatch(/^CanonicalJsonError: .*surrogate/);
		expect(String(error)).not.toContain("private");
	});

	test.each([
		["arrays", (inner: unknown) => [inner]],
		["objects", (inner: unknown) => ({ a: inner })],
	])("1,000 levels of %s pass, 1,001 are too deep, 100,000 do not overflow the stack", (_title, wrap) => {
		expect(canonicalize(nest(1_000, wrap))).toBe(JSON.stringify(nest(1_000, wrap)));
		expect(codeOf(nest(1_001, wrap))).toBe("too_deep");
		expect(codeOf(nest(100_000, wrap))).toBe("too_deep");
	});

	test("width is no depth: thousands of containers side by side pass, one and the same among them", () => {
		const shared = { a: [] };
		const wide = Array.from({ length: 5_000 }, (_, at) => (at % 2 === 0 ? shared : { b: [{}] }));
		expect(canonicalize(wide)).toBe(JSON.stringify(wide));
	});

	test("an error thrown by a getter or toJSON comes through as it is", () => {
		const own = new Error("mine");
		const thrower = {
			toJSON(): never {
				throw own;
			},
		};
		expect(catchError(() => canonicalize([thrower]))).toBe(own);
	});
});

describe("insertion order", () => {
	test("keys keep their order, with the same checks", () => {
		expect(serialize({ b: 1, a: { d: 1, c: [] } }, "insertion")).toBe('{"b":1,"a":{"d":1,"c":[]}}');
		expect(() => serialize({ b: Number.NaN }, "insertion")).toThrow(CanonicalJsonError);
	});
});
