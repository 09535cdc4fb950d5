import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { plant } from "../mutants/generated/plant.ts";
import {
	compareWithRecord,
	improveRecord,
	type MutantRecord,
	readRecord,
} from "../mutants/generated/record.ts";

/** The names of the changes of a source, after their places. */
function namesOf(source: string): string[] {
	return plant("source.ts", source).changes.map(({ place, name }) => `${place}: ${name}`);
}

test.each<[what: string, source: string, names: readonly string[]]>([
	["a boundary", "a < b;", ["operator: a < b → (a) <= (b)", "operator: a < b → (a) >= (b)"]],
	["equality", "a === b;", ["operator: a === b → (a) !== (b)"]],
	["a default", "a ?? b;", ["operator: a ?? b → (a) && (b)"]],
	["a negation", "!a;", ["operator: !a → a"]],
	["a sum that is assigned", "a += b;", ["operator: a += b → (a) -= (b)"]],
	["a count", "a++;", ["operator: a++ → a--"]],
	[
		"each question mark of a chain",
		"a?.b?.(c);",
		["operator: a?.b?.(c) → a?.b(c)", "operator: a?.b?.(c) → a.b?.(c)"],
	],
	["a condition", "if (a) b;", ["branch: a → true", "branch: a → false"]],
	["a loop's condition, which never becomes true", "while (a) b;", ["branch: a → false"]],
	["a number", "a = 1_000;", ["constant: 1_000 → 1001"]],
	[
		"a string, and one without characters",
		'a = "b" + "";',
		['operator: "b" + "" → ("b") - ("")', 'constant: "b" → ""', 'constant: "" → "x"'],
	],
	["a list", "a = [b];", ["constant: [b] → []"]],
	["the ends of a pattern", "a = /^b$/i;", ["constant: /^b$/i → /b$/i", "constant: /^b$/i → /^b/i"]],
	["an await", "await a;", ["missing await: await a → (a)"]],
	[
		"neighbouring arguments",
		"a(b, c, d);",
		["swapped arguments: a(b, c, d) → a(c, b, d)", "swapped arguments: a(b, c, d) → a(b, d, c)"],
	],
	["no arguments whose order means nothing", "Math.min(a, b); a(b, b);", []],
	["no names and types", 'const { 0: a } = b satisfies { "c": "d" };', []],
])("plants changes of %s", (_what, source, names) => {
	const changes = namesOf(source).filter((name) => !name.startsWith("(module): statement: "));
	expect(changes.map((name) => name.replace(/^[^:]+: /, ""))).toEqual(names);
});

test("names the place of a change, and tells equal changes apart", () => {
	const source = "class A { b() { const c = (d) => { if (d) return; e(); e(); return d; }; } }";
	expect(namesOf(source)).toEqual([
		"A.b.c: branch: d → true",
		"A.b.c: branch: d → false",
		"A.b.c: statement: without e();",
		"A.b.c: statement: without e(); (2)",
		"A.b.c: early return: return d; → return undefined;",
	]);
});

describe("a source with switches", () => {
	const source = `const f = (a, b) => { if (a < b) return "x"; a -= b; return a?.toFixed(1) ?? b; };`;
	const planted = plant("source.ts", source);
	const run = (active: number): unknown => {
		const make = new Function("globalThis", `${planted.withSwitches(7)}; return f;`);
		const f: (a: number, b: number) => unknown = make({ __mutant: (number: number) => number === active });
		return [f(1, 2), f(3, 1), f(2, 2)];
	};

	test("does the same as before while none is on", () => {
		expect(run(0)).toEqual(["x", "2.0", "0.0"]);
	});

	test.each([
		["branch: a < b → true", ["x", "x", "x"]],
		["branch: a < b → false", ["-1.0", "2.0", "0.0"]],
		["operator: a < b → (a) <= (b)", ["x", "2.0", "x"]],
		["operator: a < b → (a) >= (b)", ["-1.0", "x", "x"]],
		['early return: return "x"; → return undefined;', [undefined, "2.0", "0.0"]],
		['constant: "x" → ""', ["", "2.0", "0.0"]],
		["statement: without a -= b;", ["x", "3.0", "2.0"]],
		["operator: a -= b → (a) += (b)", ["x", "4.0", "4.0"]],
		["early return: return a?.toFixed(1) ?? b; → return undefined;", ["x", undefined, undefined]],
		["operator: a?.toFixed(1) ?? b → (a?.toFixed(1)) && (b)", ["x", 1, 2]],
		["operator: a?.toFixed(1) → a.toFixed(1)", ["x", "2.0", "0.0"]],
		["constant: 1 → 2", ["x", "2.00", "0.00"]],
	])("does with %s what it says", (name, results) => {
		const index = planted.changes.findIndex((change) => change.name === name);
		expect(run(7 + index)).toEqual(results);
	});

	test("has no other changes", () => {
		expect(planted.changes).toHaveLength(12);
	});
});

describe("the record of what lives", () => {
	const change = (name: string, isKilled: boolean) => ({
		file: "a.ts",
		place: "f",
		name,
		number: 1,
		isKilled,
	});
	const record: MutantRecord = { "a.ts": { f: { killed: 1, living: ["one"] } } };

	test.each([
		["stays as it is", [change("one", false), change("two", true)], [], ["one"]],
		["gets better", [change("one", true), change("two", true)], [], []],
		["never gets worse", [change("one", false), change("two", false)], ["f: two"], ["one"]],
		[
			"has no room for what came to life in exchange",
			[change("one", true), change("two", false)],
			["f: two"],
			["one"],
		],
	])("%s", (_what, changes, lost, living) => {
		const comparisons = compareWithRecord(changes, record);
		expect(comparisons[0]?.lost).toEqual(lost);
		expect(improveRecord(record, comparisons)["a.ts"]?.["f"]?.living).toEqual(living);
	});

	test("begins with whatever lives in a file that it has not", () => {
		const comparisons = compareWithRecord([change("one", false)], {});
		expect(comparisons).toMatchObject([{ lost: [], killed: 0, all: 1, killedBefore: undefined }]);
		expect(improveRecord({}, comparisons)).toEqual({ "a.ts": { f: { killed: 0, living: ["one"] } } });
	});

	test("has no place that the source has not: take it out of test/mutants/generated.json", () => {
		const gone = Object.entries(readRecord()).flatMap(([file, places]) => {
			const source = existsSync(file) ? readFileSync(file, "utf8") : "";
			const known = new Set(plant(file, source).changes.map(({ place }) => place));
			return Object.keys(places).flatMap((place) => (known.has(place) ? [] : [`${file}: ${place}`]));
		});
		expect(gone).toEqual([]);
	});
});
