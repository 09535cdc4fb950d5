import { readdirSync, readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { CanonicalJsonError, canonicalize, hashBody, signRequest } from "messaging-gateway/signing";
import { describe, expect, test } from "vitest";
import { serialize } from "../../../../src/library/signing/canonical-json.ts";
import { catchError } from "../../../support/catch-error.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import numbers from "../../../vectors/rfc8785_appendix_b.json" with { type: "json" };

/** Not in the types of the lowest version of TypeScript that users may have. */
const { rawJSON: raw } = JSON as unknown as { rawJSON: (text: string) => object };

/** A value that was made in another realm, with other prototypes. */
function foreign(expression: string): unknown {
	return runInNewContext(`(${expression})`);
}

/** The code and the sentence of the CanonicalJsonError that a value gets. */
function problemOf(value: unknown): string {
	const error = catchError(() => canonicalize(value));
	expect(error).toBeInstanceOf(CanonicalJsonError);
	const { code, message } = error as CanonicalJsonError;
	return `${code}: ${message}`;
}

/** `levels` arrays, or objects, one in the other, around nothing. */
function nest(levels: number, wrap: (inner: unknown) => object): unknown {
	let value: unknown = 0;
	for (let level = 0; level < levels; level++) value = wrap(value);
	return value;
}

const inArray = (inner: unknown) => [inner];
const inObject = (inner: unknown) => ({ a: inner });

describe("published vectors", () => {
	const vectors = new URL("../../../vectors/", import.meta.url);
	const files = readdirSync(new URL("input/", vectors));

	test("all six pairs of the reference test data are there", () => {
		const names = ["arrays", "french", "structures", "unicode", "values", "weird"];
		expect(files.sort()).toEqual(names.map((name) => `${name}.json`));
	});

	test.each(files)("%s comes out byte for byte as the reference output", (file) => {
		const input: unknown = JSON.parse(readFileSync(new URL(`input/${file}`, vectors), "utf8"));
		const output = readFileSync(new URL(`output/${file}`, vectors));
		expect(Buffer.from(canonicalize(input)).equals(output)).toBe(true);
	});

	test.each(numbers.tests)("the number with bits $ieee754 becomes $expect (RFC 8785, appendix B)", (row) => {
		const number = Buffer.from(row.ieee754, "hex").readDoubleBE();
		if (row.error)
			expect(problemOf(number)).toBe(
				"not_finite: NaN and Infinity have no JSON form: pass a finite number or null",
			);
		else expect(canonicalize(number)).toBe(row.expect);
	});
});

const date = new Date(Date.UTC(2026, 0, 2, 3, 4, 5, 6));
const sparse: unknown[] = [];
sparse[2] = "last";
const withoutPrototype = (members: object): object => Object.assign(Object.create(null), members);

class Tagged extends Number {
	get [Symbol.toStringTag](): string {
		return "Money";
	}
}

class Money {
	readonly #cents = 150;
	toJSON(): number {
		return this.#cents / 100;
	}
}

class ListWithToJson extends Array {
	toJSON = () => ({ b: 1, a: 2 });
}

/** What is written of a value, alone and wherever it is a member. JSON.stringify writes the same members. */
function writtenOf(value: unknown): string {
	const json = canonicalize(value);
	expect(canonicalize({ b: [value], a: value })).toBe(`{"a":${json},"b":[${json}]}`);
	const plain: unknown = JSON.parse(JSON.stringify(value));
	// Once more, since JSON.parse reads -0, and JSON.stringify writes 0.
	expect(JSON.parse(JSON.stringify(plain))).toEqual(JSON.parse(json));
	return json;
}

const WRITTEN: Outcomes<unknown> = {
	'{"b":1}': {
		"a member that is undefined is left out": { a: undefined, b: 1 },
		"a member that is a function is left out": { a: () => 1, b: 1 },
		"a member that is a symbol is left out": { a: Symbol("s"), b: 1 },
		"a member that is left out may have any key": { "\ud83d": () => 1, b: 1 },
		"a key that is a symbol is left out": { [Symbol("s")]: 1, b: 1 },
		"a member whose toJSON returns undefined is left out": { a: { toJSON: () => undefined }, b: 1 },
		"an inherited member is left out": Object.assign(Object.create({ a: 1 }), { b: 1 }),
		"an object without a prototype is an object": withoutPrototype({ b: 1 }),
		"an object of another realm is an object": foreign("{ b: 1 }"),
		"the toJSON of what toJSON returns is not called": { toJSON: () => ({ toJSON: () => 1, b: 1 }) },
	},
	"{}": {
		"a Map has no own members": new Map([["a", 1]]),
		"a Set has no own members": new Set([1]),
		"a Map of another realm": foreign("new Map([[1, 2]])"),
		"a boxed symbol": Object(Symbol("s")),
		"a boxed symbol of another realm": foreign("Object(Symbol('s'))"),
	},
	"[null,null,null]": {
		"undefined, a function and a symbol in an array are null": [undefined, () => 1, Symbol("s")],
	},
	'[null,null,"last"]': { "holes in an array are null": sparse },
	'[null,{"a":null}]': { "null stays null": [null, { a: null }] },
	'[{},[],""]': { "empty containers stay empty": [{}, [], ""] },
	"[0,0]": { "negative zero is 0": [-0, Object(-0)] },
	"[1,2]": {
		"an array is read by index": Object.assign([1, 2], { [Symbol.iterator]: () => [9].values() }),
	},
	null: { "an invalid Date is null": new Date(Number.NaN), "raw null": raw("null") },
	true: {
		"a boxed true": Object(true),
		"a boxed true without a prototype": Object.setPrototypeOf(Object(true), null),
		"a boxed true of another realm": foreign("new Boolean(true)"),
		"a boxed true of another realm that claims to be a number": foreign(
			"Object.assign(Object(true), { valueOf: () => 6 })",
		),
		"raw true": raw("true"),
	},
	false: { "a boxed false": Object(false), "a boxed false of another realm": foreign("new Boolean(false)") },
	0: { "raw -0": raw("-0"), "raw 0e99999999999": raw("0e99999999999") },
	0.1: { "raw 0.1": raw("0.1"), "raw 0.10": raw("0.10") },
	1: {
		"raw 1": raw("1"),
		"raw 1.0": raw("1.0"),
		"raw 100e-2": raw("100e-2"),
		"raw 0.00001e5": raw("0.00001e5"),
		"raw 1.0 of another realm": foreign("JSON.rawJSON('1.0')"),
		"raw 1 with 100,000 zeros, and as many places": raw(`1${"0".repeat(100_000)}e-100000`),
		"raw 1 that toJSON returns": { toJSON: () => raw("1.0") },
	},
	1.5: { "toJSON is called on the value itself": new Money() },
	5: {
		"a boxed number": Object(5),
		"a boxed number of a class with a tag": new Tagged(5),
		"a boxed number of another realm": foreign("new Number(5)"),
		"a boxed number of another realm's class": foreign("new (class extends Number {})(5)"),
		"a boxed number of another realm with its own tag": foreign(
			"Object.assign(new Number(5), { [Symbol.toStringTag]: 'Money' })",
		),
		"a boxed number of another realm whose valueOf was replaced": foreign(
			"Object.assign(new Number(4), { valueOf: () => 5 })",
		),
		"a boxed number that toJSON returns": { toJSON: () => Object(5) },
		"a boxed number that toJSON of another realm returns": foreign("{ toJSON: () => new Number(5) }"),
	},
	100: { "raw 1e2": raw("1e2"), "raw 1E+2": raw("1E+2") },
	"1e+21": { "raw 1e21": raw("1e21"), "raw 1000000000000000000000": raw("1000000000000000000000") },
	"5e-324": { "raw 5e-324": raw("5e-324") },
	9007199254740991: { "raw 9007199254740991": raw("9007199254740991") },
	9007199254740992: { "raw 9007199254740992": raw("9007199254740992") },
	"-9007199254740994": { "raw -9007199254740994": raw("-9007199254740994") },
	18014398509481984: { "raw 18014398509481984": raw("18014398509481984") },
	'"x"': {
		"a boxed string": Object("x"),
		"a boxed string of another realm": foreign("new String('x')"),
		"a boxed string of another realm whose toString was replaced": foreign(
			"Object.assign(new String('y'), { toString: () => 'x' })",
		),
		"toJSON of an array's own": Object.assign([1], { toJSON: () => "x" }),
	},
	'"é/"': { "a raw string with escapes": raw('"\\u00e9\\/"') },
	'"😂"': { "a raw string with an escaped pair": raw('"\\ud83d\\ude02"') },
	'{"a":"\\\\ud83d"}': { "a string that looks like half a pair": { a: "\\ud83d" } },
	'"2026-01-02T03:04:05.006Z"': { "a Date is its ISO string": date },
	'["2026-01-02T03:04:05.006Z","2026-01-02T03:04:05.006Z"]': {
		"one object in two places is no cycle": [date, date],
	},
	'{"a":2,"b":1}': {
		"toJSON of a function": Object.assign(() => 1, { toJSON: () => ({ b: 1, a: 2 }) }),
		"toJSON that no list of keys shows": Object.defineProperty({ c: 1 }, "toJSON", {
			value: () => ({ b: 1, a: 2 }),
		}),
		"toJSON of an array's class": new ListWithToJson(),
	},
	'{"a":3,"b":2,"toJSON":1}': { "a key toJSON that is no function is data": { toJSON: 1, b: 2, a: 3 } },
	'{"a":[{}],"b":1}': { "an object of another realm has its keys sorted": foreign("{ b: 1, a: [{}] }") },
	'{"a":1}': {
		"an object of another realm with the tag of a number": foreign(
			"{ [Symbol.toStringTag]: 'Number', a: 1 }",
		),
		"an object of another realm with the tag of a BigInt": foreign(
			"{ [Symbol.toStringTag]: 'BigInt', a: 1 }",
		),
	},
	'{"a":{"rawJSON":"1"},"rawJSON":"1"}': {
		"an object that only looks like raw JSON": {
			rawJSON: "1",
			a: Object.freeze(withoutPrototype({ rawJSON: "1" })),
		},
	},
	'{"0":7,"1":8}': { "a typed array is an object with indices": new Uint8Array([7, 8]) },
	'{"a":2,"undefined":1}': { "the key undefined": { undefined: 1, a: 2 } },
	'{"10":2,"9":3,"b":1}': { "keys that are numbers are sorted as strings": { b: 1, 10: 2, 9: 3 } },
	'{"__proto__":{"polluted":true},"a":2,"b":1}': {
		"an own __proto__ key is data": JSON.parse('{"b":1,"__proto__":{"polluted":true},"a":2}'),
	},
};

const cyclicObject: Record<string, unknown> = {};
cyclicObject["self"] = { deeper: [cyclicObject] };
const cyclicArray: unknown[] = [];
cyclicArray.push(cyclicArray);
const wideCycle: Record<string, unknown> = { list: [1, 2, 3] };
for (const key of ["a", "b", "c"]) wideCycle[key] = wideCycle;
const endless = { toJSON: (): unknown => [endless] };

/** The sentences show nothing of the value. */
const REJECTED: Outcomes<unknown> = {
	"not_finite: NaN and Infinity have no JSON form: pass a finite number or null": {
		NaN: Number.NaN,
		"Infinity in an array": [Number.POSITIVE_INFINITY],
		"-Infinity in an object": { a: Number.NEGATIVE_INFINITY },
		"a boxed NaN": Object(Number.NaN),
		"a boxed NaN of another realm": [foreign("new Number(NaN)")],
		"raw 1e400": raw("1e400"),
		"raw -1e99999999999999999999999": raw("-1e99999999999999999999999"),
	},
	"bigint: a BigInt has no JSON form: send it as a string or a number": {
		"a BigInt": 1n,
		"a BigInt in an object": { a: { b: 10n } },
		"a boxed BigInt": Object(1n),
		"a boxed BigInt of another realm": [foreign("Object(1n)")],
	},
	"lone_surrogate: a string holds half of a surrogate pair: it was cut inside a character": {
		"a high surrogate alone": "\ud83d",
		"a low surrogate alone": ["x\ude02"],
		"a pair the wrong way round": { a: "\ude02\ud83d" },
		"a lone surrogate in a key": { "\ud83d": 1 },
		"a lone surrogate in a boxed string": Object("\ud83d"),
		"a lone surrogate of another realm": foreign("new String('\\ud83d')"),
		"a lone surrogate in a raw string": raw('"\\ud83d"'),
		"a cut emoji": { text: `private ${"😂".slice(0, 1)}` },
	},
	"not_exact: a raw JSON number has digits that a double doesn't hold: send it as a string": {
		"raw 9007199254740993": raw("9007199254740993"),
		"raw -9007199254740993": { amount: raw("-9007199254740993") },
		"raw 12345678901234567890": [raw("12345678901234567890")],
		"raw 0.1000000000000000055511151231257827": raw("0.1000000000000000055511151231257827"),
		"raw 1.00000000000000001": raw("1.00000000000000001"),
		"raw 1e-400": raw("1e-400"),
		"raw 1e-99999999999999999999999": raw("1e-99999999999999999999999"),
		"raw 1 with 100,000 zeros, and almost as many places": raw(`1${"0".repeat(100_000)}1e-100000`),
	},
	"cycle: the value contains itself": {
		"an object that contains itself": cyclicObject,
		"an array that contains itself": cyclicArray,
		"an object that contains itself in many places": wideCycle,
		"an array 999 levels deep that contains itself": nest(999, () => cyclicArray),
	},
	"too_deep: the value nests deeper than 1000 levels": {
		"toJSON that makes a new level for ever": endless,
		"1,001 levels of arrays": nest(1_001, inArray),
		"1,001 levels of objects": nest(1_001, inObject),
		"100,000 levels of arrays, without a stack overflow": nest(100_000, inArray),
		"100,000 levels of objects, without a stack overflow": nest(100_000, inObject),
	},
	"not_json: undefined has no JSON form at the top level": { undefined: undefined },
	"not_json: function has no JSON form at the top level": { "a function": () => 1 },
	"not_json: symbol has no JSON form at the top level": { "a symbol": Symbol("s") },
	"not_json: object has no JSON form at the top level": {
		"toJSON that returns undefined": { toJSON: () => undefined },
	},
};

testOutcomes(WRITTEN, writtenOf);
testOutcomes(REJECTED, problemOf);

describe("levels", () => {
	test.each([
		["arrays", nest(1_000, inArray)],
		["objects", nest(1_000, inObject)],
	])("1,000 of %s pass", (_title, value) => {
		expect(canonicalize(value)).toBe(JSON.stringify(value));
	});

	test("width is no depth: thousands of containers side by side pass, one and the same among them", () => {
		const shared = { a: [] };
		const wide = Array.from({ length: 5_000 }, (_, at) => (at % 2 === 0 ? shared : { b: [{}] }));
		expect(canonicalize(wide)).toBe(JSON.stringify(wide));
	});
});

describe("code of the value's own", () => {
	test("toJSON gets its key: empty at the top, the name in an object, the index as a string in an array", () => {
		const spy = { toJSON: (key: unknown) => [typeof key, key] };
		expect(canonicalize(spy)).toBe('["string",""]');
		expect(canonicalize({ name: spy })).toBe('{"name":["string","name"]}');
		expect(canonicalize([0, spy])).toBe('[0,["string","1"]]');
	});

	test("an error that toJSON throws comes through as it is", () => {
		const own = new Error("mine");
		const thrower = {
			toJSON(): never {
				throw own;
			},
		};
		expect(catchError(() => canonicalize([thrower]))).toBe(own);
	});

	test("a member that changes as it is read has one value, whose keys are in order as well", () => {
		const values = [
			{ y: 1, x: 2 },
			{ z: 1, y: 2 },
		];
		const value = {
			get a(): unknown {
				return values.shift();
			},
		};
		expect(canonicalize(value)).toBe('{"a":{"x":2,"y":1}}');
	});
});

/** A value, and what every object, or array, has while it is written. */
type Inherited = readonly [prototype: object, key: string, value: unknown, written: object];

const holder = { b: [1], a: {} };
const returned = () => ({ z: 2, y: 1 });

const PROTOTYPES: Outcomes<Inherited> = {
	'{"a":{},"b":[1]}': { "a key that every object inherits": [Object.prototype, "c", 1, holder] },
	'{"y":1,"z":2}': { "toJSON of every object": [Object.prototype, "toJSON", returned, holder] },
	'{"a":{},"b":{"y":1,"z":2}}': { "toJSON of every array": [Array.prototype, "toJSON", returned, holder] },
	'{"a":2,"b":1}': {
		"toJSON of every object, which an object does not inherit": [
			Object.prototype,
			"toJSON",
			returned,
			withoutPrototype({ b: 1, a: 2 }),
		],
	},
};

describe("prototypes that were changed", () => {
	testOutcomes(PROTOTYPES, ([prototype, key, value, written]) => {
		// So that the shape with the key is a known one.
		expect(canonicalize({ ...holder, c: 1 })).toBe('{"a":{},"b":[1],"c":1}');
		Object.defineProperty(prototype, key, { value, enumerable: key === "c", configurable: true });
		try {
			return canonicalize(written);
		} finally {
			Reflect.deleteProperty(prototype, key);
		}
	});

	test("an object that has less than it inherits does not get the shape of one that has all", () => {
		expect(canonicalize({ b: 1, a: 2 })).toBe('{"a":2,"b":1}');
		expect(canonicalize(Object.assign(Object.create({ a: 2 }), { b: 1 }))).toBe('{"b":1}');
	});
});

test("keys keep their order with the order of insertion, with the same checks", () => {
	expect(serialize({ b: 1, a: { d: 1, c: [] } }, "insertion")).toBe('{"b":1,"a":{"d":1,"c":[]}}');
	expect(serialize({ b: raw("1.50"), a: 1 }, "insertion")).toBe('{"b":1.5,"a":1}');
	expect(() => serialize({ b: Number.NaN }, "insertion")).toThrow(CanonicalJsonError);
});

test("raw JSON is hashed and sent as it is written", () => {
	const body = { b: raw("1.50"), a: 1 };
	expect(hashBody(body)).toBe(hashBody({ b: 1.5, a: 1 }));
	const signed = signRequest({ method: "POST", url: "/x", body, appId: "a", appSecret: "secret" });
	expect(new TextDecoder().decode(signed.body)).toBe('{"a":1,"b":1.5}');
});
