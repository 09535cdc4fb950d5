import { globSync } from "node:fs";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import {
	ENTRIES,
	SOURCE_FILES as files,
	isInward,
	MANIFEST,
	roomOf,
	type SourceFile,
	wingOf,
} from "../support/source-files.ts";

/** The wings of src: what runs in production, and what a developer runs. */
const WINGS = ["library", "tools"];

/** Lower floors first; a room may import from its own and from the rooms below, never from beside or above. */
const FLOORS = [
	["identity"],
	["errors", "is-object", "nearest-name"],
	["host"],
	["runtime"],
	["assert-argument"],
	["check-options", "around"],
	["store-calls"],
	["signing"],
	["catalogue"],
	["client", "stores", "maps"],
	["webhooks", "sends"],
	["messaging-gateway", "ky", "node", "opentelemetry", "chat"],
	[
		"routes",
		"decode-base64",
		"body-form-words",
		"secret-encodings",
		"delivered-json",
		"hide-handles",
		"probe-agent",
		"node-process",
	],
	["environment-proxy"],
	["tool-fetch"],
	["openapi", "doctor", "local-gateway", "conformance", "adopt"],
	["control"],
	["console"],
	["cli"],
	["entries"],
];

function floorOf(room: string): number {
	return FLOORS.findIndex((rooms) => rooms.includes(room));
}

/** `file → target` of every reference inside src that breaks a rule. */
function violations(breaks: (file: SourceFile, target: string) => boolean): string[] {
	return files.flatMap((file) =>
		file.references.flatMap(({ target }) =>
			target !== undefined && breaks(file, target) ? [`${file.path} → ${target}`] : [],
		),
	);
}

/** The files that import each other in a circle, types included: each group is one circle or several that touch. */
function findCycles(targetsOf: ReadonlyMap<string, readonly string[]>): string[][] {
	const reached = new Map([...targetsOf.keys()].map((path) => [path, reachableFrom(path, targetsOf)]));
	const groups = [...reached].flatMap(([path, others]) => {
		if (!others.has(path)) return [];
		return [[...others].filter((other) => reached.get(other)?.has(path)).sort()];
	});
	return [...new Map(groups.map((group) => [group.join(), group])).values()];
}

/** The files at the end of one import or of several; the start only if it is in a circle. */
function reachableFrom(start: string, targetsOf: ReadonlyMap<string, readonly string[]>): Set<string> {
	const reached = new Set<string>();
	const open = [start];
	for (let path = open.pop(); path !== undefined; path = open.pop()) {
		for (const target of targetsOf.get(path) ?? []) {
			if (reached.has(target)) continue;
			reached.add(target);
			open.push(target);
		}
	}
	return reached;
}

/** Everything that a file loads at run time: files under src, and packages by name. */
function valueImports(path: string, seen = new Set<string>()): Set<string> {
	if (seen.has(path)) return seen;
	seen.add(path);
	for (const { specifier, target, isTypeOnly } of files.find((file) => file.path === path)?.references ??
		[]) {
		if (isTypeOnly) continue;
		if (target === undefined) seen.add(specifier);
		else valueImports(target, seen);
	}
	return seen;
}

describe("what this test sees", () => {
	test("files and references are found, so that no rule passes without input", () => {
		expect(files.length).toBeGreaterThan(30);
		expect(files.filter(({ references }) => references.length > 0).length).toBeGreaterThan(25);
		expect([...valueImports("src/library/webhooks/verify-webhook.ts")]).toEqual(
			expect.arrayContaining(["src/library/webhooks/events.ts", "@noble/hashes/sha2.js"]),
		);
	});

	test("every relative import names a file of src or the generated docs, with its extension", () => {
		const found = globSync(["src/**/*.{ts,tsx,css}", "docs/interface-docs.json"]);
		const present = new Set(found.map((file) => file.replaceAll("\\", "/")));
		expect(violations((_file, target) => !present.has(target))).toEqual([]);
	});
});

describe("cycles", () => {
	test("are found, each with its files", () => {
		const imports = { a: ["b"], b: ["c", "d"], c: ["a"], d: ["e"], e: ["f"], f: ["e"], g: ["g"], h: ["a"] };
		expect(findCycles(new Map(Object.entries(imports)))).toEqual([["a", "b", "c"], ["e", "f"], ["g"]]);
	});

	test("no files import each other in a circle, types included", () => {
		const targetsOf = new Map(
			files.map(({ path, references }) => [path, references.flatMap(({ target }) => target ?? [])]),
		);
		expect(findCycles(targetsOf)).toEqual([]);
	});
});

/** What declares a type by itself: a component of the console may be called as what it shows. */
function declaresType(node: ts.Node): node is ts.DeclarationStatement & { readonly name: ts.Identifier } {
	return ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node);
}

/** The names of the types that a file declares. */
function typesOf({ statements }: ts.SourceFile): string[] {
	return statements.filter(declaresType).map(({ name }) => name.text);
}

/** The names of the functions and constants that a file exports. */
function exportedValuesOf({ statements }: ts.SourceFile): string[] {
	return statements.flatMap((node) => {
		if (!ts.canHaveModifiers(node) || !ts.getModifiers(node)?.some(isExport)) return [];
		if (ts.isFunctionDeclaration(node)) return node.name?.text ?? [];
		if (!ts.isVariableStatement(node)) return [];
		return node.declarationList.declarations.map(({ name }) => name.getText());
	});
}

function isExport({ kind }: ts.Modifier): boolean {
	return kind === ts.SyntaxKind.ExportKeyword;
}

/** `name: file, file` of every name that several files give to something. */
function findHomonyms(
	all: readonly Pick<SourceFile, "path" | "syntax">[],
	namesIn: (syntax: ts.SourceFile) => readonly string[],
): string[] {
	const given = all.flatMap(({ path, syntax }) =>
		[...new Set(namesIn(syntax))].map((name) => ({ name, path })),
	);
	return [...Map.groupBy(given, ({ name }) => name)].flatMap(([name, places]) =>
		places.length > 1
			? [
					`${name}: ${places
						.map(({ path }) => path)
						.sort()
						.join(", ")}`,
				]
			: [],
	);
}

describe("a name that several files give", () => {
	const all = [
		[
			"a.ts",
			"export interface Check {} type Step = 1; function Page() {} export function one() {} export const two = 2;",
		],
		["b.ts", "class Check {} interface Step {} interface Step {} type Page = 1; export const two = 2;"],
		["c.ts", "const Check = 1; import type { Step } from './a.ts'; export async function one() {}"],
	].map(([path = "", source = ""]) => ({
		path,
		syntax: ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true),
	}));

	test("is found, with its files", () => {
		expect(findHomonyms(all, typesOf)).toEqual(["Check: a.ts, b.ts", "Step: a.ts, b.ts"]);
		expect(findHomonyms(all, exportedValuesOf)).toEqual(["one: a.ts, c.ts", "two: a.ts, b.ts"]);
	});

	test("is none of a type: whoever reads or searches it finds one thing", () => {
		expect(findHomonyms(files, typesOf)).toEqual([]);
	});

	test("is none of an exported function or constant", () => {
		expect(findHomonyms(files, exportedValuesOf)).toEqual([
			// The command recognises the library's sentence.
			"DOCTOR_HINT: src/library/client/attempt-failure.ts, src/tools/cli/failure.ts",
		]);
	});
});

describe("wings", () => {
	test("every file is in one", () => {
		expect(files.map(({ path }) => path).filter((path) => !WINGS.includes(wingOf(path)))).toEqual([]);
	});

	test("the library never imports the tools, types included", () => {
		const isOutward = ({ path }: SourceFile, target: string): boolean =>
			wingOf(path) === "library" && wingOf(target) !== "library";
		expect(violations(isOutward)).toEqual([]);
	});

	test("the tools name what they import of the library", () => {
		const unnamed = files.flatMap(({ path, references }) =>
			references.flatMap(({ target, names }) =>
				target !== undefined && isInward(path, target) && names.length === 0 ? [`${path} → ${target}`] : [],
			),
		);
		expect(unnamed).toEqual([]);
	});
});

describe("floors", () => {
	test("every room has a floor", () => {
		expect([...new Set(files.map(({ room }) => room))].filter((room) => floorOf(room) === -1)).toEqual([]);
	});

	test("imports go down only, types included", () => {
		expect(
			violations(({ room }, target) => {
				const other = roomOf(target);
				return other !== room && floorOf(other) >= floorOf(room);
			}),
		).toEqual([]);
	});

	test("webhooks imports from catalogue, stores, store-calls, signing, around, check-options, assert-argument, errors, identity, is-object, host and runtime only", () => {
		const allowed = [
			"webhooks",
			"catalogue",
			"stores",
			"store-calls",
			"signing",
			"around",
			"check-options",
			"assert-argument",
			"errors",
			"identity",
			"is-object",
			"host",
			"runtime",
		];
		expect(
			violations(({ room }, target) => room === "webhooks" && !allowed.includes(roomOf(target))),
		).toEqual([]);
	});

	test("sends imports of the stores only the contract", () => {
		const allowed = "src/library/stores/send-store.ts";
		expect(
			violations(({ room }, target) => room === "sends" && roomOf(target) === "stores" && target !== allowed),
		).toEqual([]);
	});

	test("the local gateway and the client never import each other", () => {
		expect(violations(({ room }, target) => room === "local-gateway" && roomOf(target) === "client")).toEqual(
			[],
		);
		expect(violations(({ room }, target) => room === "client" && roomOf(target) === "local-gateway")).toEqual(
			[],
		);
	});

	test("the gateway's side of signing never uses the client's: each checks the other", () => {
		const path = "src/library/signing/verify-request.ts";
		expect(valueImports(path)).not.toContain("src/library/signing/sign-request.ts");
		const used = files.find((file) => file.path === path)?.references.flatMap(({ names }) => names) ?? [];
		expect(used).toContain("signedPath");
		for (const signs of ["writeStringToSign", "signWithSecret", "signatureHeaders"]) {
			expect(used).not.toContain(signs);
		}
	});
});

describe("entries", () => {
	test("each entry of the package has its file, by its name", () => {
		const { exports } = MANIFEST;
		const named = Object.entries(exports).flatMap(([entry, target]) =>
			typeof target === "string" ? [] : [[entry, target["@messaging-gateway/source"]]],
		);
		const expected = ENTRIES.map((path) => {
			const name = path.replace(/^src\/\w+\/entries\//, "").slice(0, -".ts".length);
			return [name === "index" ? "." : `./${name}`, `./${path}`];
		});
		expect(named.sort()).toEqual(expected.sort());
	});

	test.each(ENTRIES)("%s only re-exports", (path) => {
		const statements = files.find((file) => file.path === path)?.syntax.statements ?? [];
		const others = statements.filter(
			(statement) => !ts.isExportDeclaration(statement) || statement.moduleSpecifier === undefined,
		);
		expect(others.map((statement) => statement.getText())).toEqual([]);
	});

	test("no module imports an entry", () => {
		expect(violations((_file, target) => roomOf(target) === "entries")).toEqual([]);
	});

	test("no module imports the package by its own name", () => {
		const own = files.flatMap(({ path, references }) =>
			references.map(({ specifier }) => `${path} → ${specifier}`),
		);
		expect(own.filter((line) => / → messaging-gateway(\/|$)/.test(line))).toEqual([]);
	});
});

describe("packages", () => {
	const packagesOf = (path: string) => [...valueImports(path)].filter((name) => !name.startsWith("src/"));

	test("verify-signature loads neither zod nor ky, only the hashes", () => {
		const packages = packagesOf("src/library/webhooks/verify-signature.ts");
		expect(packages.length).toBeGreaterThan(0);
		expect(packages.filter((name) => !name.startsWith("@noble/hashes/"))).toEqual([]);
	});

	test("the adapters name no framework, not even as a type, and load no package", () => {
		const adapters = files.filter(({ path }) =>
			/^src\/library\/(webhooks\/adapters|entries\/webhooks)\//.test(path),
		);
		expect(adapters.length).toBeGreaterThan(10);
		const foreign = adapters.flatMap(({ references }) =>
			references.filter(({ target }) => target === undefined),
		);
		expect(foreign).toEqual([]);
		expect(adapters.flatMap(({ path }) => packagesOf(path))).toEqual([]);
	});

	test("opentelemetry loads only its peer and our errors, and nothing else loads the peer", () => {
		const loaded = [...valueImports("src/library/entries/opentelemetry.ts")];
		expect(loaded).toContain("@opentelemetry/api");
		expect(
			loaded.filter(
				(name) =>
					!/^(src\/library\/((entries\/)?opentelemetry[./]|(errors|identity)\.ts$)|@opentelemetry\/api$)/.test(
						name,
					),
			),
		).toEqual([]);
		const users = files.filter(({ references }) =>
			references.some(({ specifier }) => specifier.startsWith("@opentelemetry/")),
		);
		expect(users.map(({ room }) => room).filter((room) => room !== "opentelemetry")).toEqual([]);
	});

	test("only the adapter for Chat SDK loads Chat SDK, and it loads neither zod nor ky", () => {
		const loaded = packagesOf("src/library/entries/chat.ts");
		expect(loaded).toContain("chat");
		expect(
			loaded.filter((name) => !/^(chat|node:async_hooks|zod\/mini|@noble\/hashes\/.*)$/.test(name)),
		).toEqual([]);
		const users = files.filter(({ references }) => references.some(({ specifier }) => specifier === "chat"));
		expect(users.map(({ room }) => room).filter((room) => room !== "chat")).toEqual([]);
	});

	test("the signing functions load only the hashes", () => {
		for (const path of ["src/library/signing/sign-request.ts", "src/library/signing/verify-request.ts"]) {
			expect(packagesOf(path).filter((name) => !name.startsWith("@noble/hashes/"))).toEqual([]);
		}
	});

	test("only signing/hash-noble.ts imports the hashes, and zod is imported only as zod/mini", () => {
		const uses = files.flatMap(({ path, references }) =>
			references.map(({ specifier }) => [path, specifier] as const),
		);
		expect(new Set(uses.filter(([, name]) => name.startsWith("@noble/")).map(([path]) => path))).toEqual(
			new Set(["src/library/signing/hash-noble.ts"]),
		);
		const zods = files.flatMap(({ path, references }) =>
			references
				.filter(({ specifier }) => /^zod(\/|$)/.test(specifier))
				.map((reference) => ({ path, ...reference })),
		);
		// The types of schemas that users make.
		const others = zods.filter(
			({ specifier, isTypeOnly }) => specifier !== "zod/mini" && !(isTypeOnly && specifier === "zod/v4/core"),
		);
		expect(others).toEqual([]);
		expect(uses.filter(([path, name]) => name === "ky" && !["ky", "console"].includes(roomOf(path)))).toEqual(
			[],
		);
	});

	test("Node's own modules are imported only by http-server.ts, unparsable-request.ts, sqlite-store.ts, commit-together.ts, runs.ts, src/library/node and src/tools/cli, and nothing references type packages", () => {
		const allowed = (path: string) =>
			path === "src/tools/local-gateway/http-server.ts" ||
			path === "src/tools/local-gateway/unparsable-request.ts" ||
			path === "src/library/stores/sqlite-store.ts" ||
			path === "src/library/stores/commit-together.ts" ||
			path === "src/library/chat/runs.ts" ||
			["cli", "node"].includes(roomOf(path));
		const users = files.filter(({ references }) =>
			references.some(({ specifier }) => specifier.startsWith("node:")),
		);
		expect(users.map(({ path }) => path).filter((path) => !allowed(path))).toEqual([]);
		expect(
			files
				.filter(({ syntax }) => /^\/\/\/\s*<reference (?!lib=)/m.test(syntax.text))
				.map(({ path }) => path),
		).toEqual([]);
	});
});
