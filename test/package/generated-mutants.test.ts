import { describe, expect, test } from "vitest";
import { plant } from "../mutants/generated/plant.ts";
import { compareWithRecord, improveRecord, type MutantRecord } from "../mutants/generated/record.ts";

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
	const source =
		'const f = (a, b) => { if (a < b) return [a?.c, "x" + b]; for (const d of [1, 2]) { b -= d; if (!b) break; } return b ?? a; };';
	const planted = plant("source.ts", source);
	const run = (code: string, active: number): unknown => {
		const make = new Function("globalThis", `${code}; return f;`);
		const f: (a: unknown, b: number) => unknown = make({ __mutant: (number: number) => number === active });
		try {
			return [f({ c: 2, valueOf: () => 1 }, 2), f(5, 1), f(5, 3)];
		} catch (error) {
			return String(error);
		}
	};

	test("does the same as before while none is on", () => {
		expect(run(planted.withSwitches(1), 0)).toEqual([[2, "x2"], 0, 0]);
	});

	test("does with one on what the source with that change alone does", () => {
		for (const index of planted.changes.keys())
			expect(run(planted.withSwitches(7), 7 + index)).toEqual(run(planted.withChange(index), 0));
		const results = planted.changes.map((_change, index) =>
			JSON.stringify(run(planted.withChange(index), 0)),
		);
		expect(new Set(results).size).toBeGreaterThan(8);
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
});
