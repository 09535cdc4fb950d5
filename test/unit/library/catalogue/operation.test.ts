import { defineOperation } from "messaging-gateway";
import { describe, expect, test } from "vitest";
import {
	assertPathTemplate,
	operation,
	pathParameters,
	usesQuery,
} from "../../../../src/library/catalogue/operation.ts";
import type { Schema } from "../../../../src/library/catalogue/schema.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";

const anything: Schema<unknown> = {
	"~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) },
};

/** What differs from a POST of /x that the caller declares. */
type Given = Readonly<Record<string, unknown>>;

function define(given: Given) {
	const definition = { id: "x", method: "POST", path: "/x", input: anything, data: anything, ...given };
	return defineOperation(definition as Parameters<typeof defineOperation>[0]);
}

/** What is wrong with a declaration. */
function problemOf(given: Given): string {
	try {
		define(given);
		return "none";
	} catch (error) {
		return String(error);
	}
}

const paths = (...list: string[]): Record<string, Given> =>
	Object.fromEntries(list.map((path) => [`the path ${JSON.stringify(path)}`, { path }]));

const PROBLEMS: Outcomes<Given> = {
	none: {
		...paths("/a", "/a/{b}", "/a-b_c.d~e/{f}/g", "/a/{b}.json", "/%2Fa", "/a:b", "/a@b", "/...", "/a/"),
		...Object.fromEntries(
			["GET", "POST", "PUT", "PATCH", "DELETE"].map((method) => [`the method ${method}`, { method }]),
		),
		...Object.fromEntries(
			["safe", "idempotent", "never"].map((retry) => [`the retry class ${retry}`, { retry }]),
		),
	},
	'ConfigurationError: operation x: the path must start with "/" and be a template such as /mapping/{toNumber}':
		{
			...paths(
				"",
				"/",
				"a",
				"a/b",
				"//a",
				"/a//",
				"/a//b",
				"/a?b=1",
				"/a#b",
				"/a b",
				"/./a",
				"/a/..",
				"/../a",
			),
			...paths("/{a", "/a}", "/{}", "/{a b}", "/é", "/a\n", "https://evil.example/a", "/a\\b", "/a/%2e%2e/b"),
		},
	"ConfigurationError: operation x: the path must be a string": {
		"a path that is none": { path: undefined },
	},
	"ConfigurationError: operation x: method must be one of GET, POST, PUT, PATCH, DELETE": {
		"another method": { method: "HEAD" },
		"no method": { method: undefined },
	},
	"ConfigurationError: operation x: retry must be one of safe, idempotent, never": {
		"another retry class": { retry: "always" },
	},
};

testOutcomes(PROBLEMS, problemOf);

const shared = {
	id: "x",
	method: "POST",
	path: "/x",
	provenance: "custom",
	retry: "never",
	isSigned: true,
	hasEnvelope: true,
	isDataDocumented: true,
	successStatus: 200,
	wireNames: {},
	input: anything,
	data: anything,
};

describe("defineOperation", () => {
	test("fills in what most operations share, and marks it as the caller's own", () => {
		expect(define({})).toEqual(shared);
	});

	test("makes a GET safe to retry", () => {
		expect(define({ method: "GET" })).toEqual({ ...shared, method: "GET", retry: "safe" });
	});

	test.each([
		{ retry: "idempotent" },
		{ isSigned: false },
		{ hasEnvelope: false },
		{ method: "GET", retry: "never" },
	])("keeps what is set: %j", (given) => {
		expect(define(given)).toEqual({ ...shared, ...given });
	});
});

test.each([
	[{}, { provenance: "provisional", isDataDocumented: false }],
	[{ provenance: "documented" }, { provenance: "documented", isDataDocumented: true }],
	[
		{ provenance: "documented", isDataDocumented: false },
		{ provenance: "documented", isDataDocumented: false },
	],
	[{ isSigned: false }, { provenance: "provisional", isDataDocumented: false, isSigned: false }],
] as const)("an operation of the catalogue with %j has %j", (given, expected) => {
	const declaration = {
		id: "x",
		method: "POST",
		path: "/x",
		retry: "never",
		input: anything,
		data: anything,
	} as const;
	expect(operation({ ...declaration, ...given })).toEqual({ ...shared, ...expected });
});

test("a template of the catalogue's is checked by the same rule, with its owner's name", () => {
	expect(() => assertPathTemplate("a", "profile")).toThrow(/^profile: the path must start with/);
});

test.each<[path: string, names: readonly string[]]>([
	["/a/{b}/{c}-{d}", ["b", "c", "d"]],
	["/a", []],
])("%s has the parameters %j", (path, names) => {
	expect(pathParameters(path)).toEqual(names);
});

test.each([
	["GET", true],
	["DELETE", true],
	["POST", false],
	["PUT", false],
	["PATCH", false],
] as const)("fields of a %s go into the query: %s", (method, expected) => {
	expect(usesQuery(method)).toBe(expected);
});
