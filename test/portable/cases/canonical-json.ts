import { assertEqual, assertFails } from "../check.ts";
import type { PortableCase } from "../portable-case.ts";

/** RFC 8785. Engines write numbers, sort keys and run out of stack each in their own way. */
export const canonicalJsonCases: readonly PortableCase[] = [
	{
		name: "the published documents",
		run({ signing }, { vectors }) {
			for (const { name, input, output } of vectors.documents) {
				assertEqual(signing.canonicalize(JSON.parse(input)), output, name);
			}
		},
	},
	{
		name: "the published numbers",
		async run({ signing }, { vectors }) {
			for (const { ieee754, expect } of vectors.numbers) {
				const number = toNumber(ieee754);
				if (expect !== null) assertEqual(signing.canonicalize(number), expect, ieee754);
				else await assertFails(() => signing.canonicalize(number), { code: "not_finite" }, ieee754);
			}
		},
	},
	{
		name: "dates, boxes, holes and toJSON",
		run({ signing }) {
			const sparse: unknown[] = [];
			sparse[2] = "last";
			const value = {
				b: new Date(Date.UTC(2026, 0, 2, 3, 4, 5, 6)),
				a: [Object(5), Object("x"), Object(false), -0, undefined, () => 1],
				d: { toJSON: (key: string) => `key ${key}` },
				c: sparse,
				e: new Map([["a", 1]]),
				f: undefined,
			};
			const expected =
				'{"a":[5,"x",false,0,null,null],"b":"2026-01-02T03:04:05.006Z","c":[null,null,"last"],"d":"key d","e":{}}';
			assertEqual(signing.canonicalize(value), expected, "the JSON");
		},
	},
	{
		name: "boxes with the prototypes of another realm",
		run({ signing }) {
			const value = [5, "x", true, false].map((primitive) => withOtherPrototype(Object(primitive)));
			assertEqual(JSON.stringify(value), '[5,"x",true,false]', "what JSON makes of them");
			assertEqual(signing.canonicalize(value), '[5,"x",true,false]', "the JSON");
		},
	},
	{
		name: "raw JSON, where the runtime has it",
		async run({ signing }) {
			const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown };
			if (rawJSON === undefined) return;
			const value = { b: rawJSON("1.0"), a: [rawJSON('"\\u00e9"'), rawJSON("1e21"), rawJSON("null")] };
			assertEqual(signing.canonicalize(value), '{"a":["é",1e+21,null],"b":1}', "the JSON");
			for (const [code, json] of [
				["not_exact", "9007199254740993"],
				["not_finite", "1e400"],
				["lone_surrogate", '"\\ud83d"'],
			] as const) {
				await assertFails(() => signing.canonicalize([rawJSON(json)]), { code }, json);
			}
		},
	},
	{
		name: "what has no JSON is rejected",
		async run({ signing }) {
			const cycle: unknown[] = [];
			cycle.push(cycle);
			const rejections: [code: string, value: unknown][] = [
				["not_finite", [Number.NaN]],
				["bigint", { a: 1n }],
				["lone_surrogate", "\ud83d"],
				["lone_surrogate", { "\ude02\ud83d": 1 }],
				["cycle", cycle],
				["not_json", undefined],
				["not_json", Symbol("s")],
			];
			for (const [code, value] of rejections) {
				await assertFails(() => signing.canonicalize(value), { name: "CanonicalJsonError", code }, code);
			}
		},
	},
	{
		name: "1,000 levels pass, 100,000 are rejected",
		async run({ signing }) {
			assertEqual(signing.canonicalize(nest(1_000)), `${"[".repeat(1_000)}${"]".repeat(1_000)}`, "1,000");
			await assertFails(() => signing.canonicalize(nest(100_000)), { code: "too_deep" }, "100,000");
		},
	},
];

/** The number with these bits, in hex. */
function toNumber(bits: string): number {
	const view = new DataView(new ArrayBuffer(8));
	view.setBigUint64(0, BigInt(`0x${bits}`));
	return view.getFloat64(0);
}

/** The object as another realm makes it: with the same methods, but from a prototype that is not this realm's. */
function withOtherPrototype(box: object): object {
	const prototype: object = Object.getPrototypeOf(box);
	return Object.setPrototypeOf(box, Object.create(null, Object.getOwnPropertyDescriptors(prototype)));
}

function nest(levels: number): unknown[] {
	let value: unknown[] = [];
	for (let level = 1; level < levels; level++) value = [value];
	return value;
}
