import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import ts from "typescript";
import { expect, test } from "vitest";
import { readSnippets } from "../support/read-snippets.ts";
import { requireVersion } from "../support/versions.ts";

/** Reads modules by name from its input, and writes the errors of those that it cannot parse. */
const PARSER = `
	import { text } from "node:stream/consumers";
	import { SourceTextModule } from "node:vm";
	const modules = JSON.parse(await text(process.stdin));
	const findFault = (code) => {
		try {
			new SourceTextModule(code);
		} catch (error) {
			return String(error);
		}
	};
	const faults = modules.map(([name, code]) => [name, findFault(code)]).filter(([, fault]) => fault);
	process.stdout.write(JSON.stringify(Object.fromEntries(faults)));`;

/** Parses modules on the oldest supported release of Node. @returns the errors, by the module's name. */
function findFaults(modules: readonly (readonly [name: string, code: string])[]): Record<string, string> {
	const flags = ["--experimental-vm-modules", "--no-warnings", "--input-type=module"];
	const printed = execFileSync(requireVersion("node-22.13"), [...flags, "--eval", PARSER], {
		input: JSON.stringify(modules.map(([name, code]) => [name, withoutTypes(code)])),
		encoding: "utf8",
	});
	return JSON.parse(printed);
}

/** Removes the types, and nothing else. */
function withoutTypes(code: string): string {
	return ts.transpileModule(code, {
		compilerOptions: {
			target: ts.ScriptTarget.ESNext,
			module: ts.ModuleKind.ESNext,
			verbatimModuleSyntax: true,
			experimentalDecorators: true,
		},
	}).outputText;
}

/** The examples in the comments of a source. */
function readExamples(path: string): [name: string, code: string][] {
	const blocks = readFileSync(path, "utf8").matchAll(/^\s*\* ```ts\n([\s\S]*?)^\s*\* ```$/gm);
	return Array.from(blocks, ([, lines = ""], at) => [
		`${path}-${at + 1}`,
		lines.replaceAll(/^\s*\* ?/gm, ""),
	]);
}

test("syntax that Node 22.13 cannot parse is found, and types are no error", () => {
	const newer = "await using local: AsyncDisposable = create();";
	expect(
		findFaults([
			["newer", newer],
			["typed", "const one: number = 1;"],
		]),
	).toEqual({
		newer: expect.stringContaining("SyntaxError"),
	});
});

test("Node 22.13 parses every block of README and docs", () => {
	const blocks = readSnippets().filter(({ language }) => ["ts", "js"].includes(language));
	expect(blocks.length).toBeGreaterThan(0);
	expect(findFaults(blocks.map(({ name, code }) => [name, code]))).toEqual({});
});

test("Node 22.13 parses the examples in comments, and those of examples/", () => {
	const inComments = globSync("src/**/*.ts").flatMap(readExamples);
	const files = globSync("examples/**/*.{ts,js,mjs}", { exclude: ["**/node_modules/**", "**/.next/**"] });
	expect(Math.min(inComments.length, files.length)).toBeGreaterThan(0);
	const modules = files.map((path) => [path, readFileSync(path, "utf8")] as const);
	expect(findFaults([...inComments, ...modules])).toEqual({});
});

test("a document or an example that prints a problem prints the error as well", () => {
	const blocks = readSnippets().map(({ name, code }) => [name, code] as const);
	const files = globSync("examples/**/*.ts", { exclude: ["**/node_modules/**", "**/.next/**"] });
	const prints = [...blocks, ...files.map((path) => [path, readFileSync(path, "utf8")] as const)].flatMap(
		([name, code]) =>
			Array.from(code.matchAll(/console\.error\(([^()]*\b(?:hint|line)\b.*)\)/g), ([, printed]) => [
				name,
				printed,
			]),
	);
	expect(prints.length).toBeGreaterThan(10);
	const whole = [
		"line, ...thrown",
		"line, error",
		"eventId, hint, error",
		"eventId, hint, error instanceof Error ? error.stack : error",
	];
	expect(prints.filter(([, printed = ""]) => !whole.includes(printed))).toEqual([]);
});
