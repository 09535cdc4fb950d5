import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import ts from "typescript";

/** One import, export-from, dynamic import or import type of a file. */
interface Reference {
	/** The specifier as written. */
	specifier: string;
	/** The file under src that it names, or `undefined` for a package. */
	target: string | undefined;
	/** Whether it disappears from the emitted code. */
	isTypeOnly: boolean;
	/** What it names of the file, if it names anything. */
	names: readonly string[];
}

interface Manifest {
	exports: Record<string, string | { "@messaging-gateway/source": string; types: string }>;
	imports: Record<string, { "@messaging-gateway/source": string }>;
}

/** What the package exports and imports by name. */
export const MANIFEST: Manifest = JSON.parse(readFileSync("package.json", "utf8"));

/** A file of src, parsed. */
export interface SourceFile {
	/** The path from the root, with slashes. */
	path: string;
	/** Its folder in its wing, or its own name if it is directly in the wing. */
	room: string;
	references: Reference[];
	syntax: ts.SourceFile;
}

/** What users import. Inside, everyone imports the file that declares a thing. */
export const ENTRIES = globSync("src/*/entries/**/*.ts").map((found) => found.replaceAll("\\", "/"));

/** All of src. */
export const SOURCE_FILES: readonly SourceFile[] = globSync("src/**/*.{ts,tsx}").map((found) => {
	const path = found.replaceAll("\\", "/");
	const syntax = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
	return { path, room: roomOf(path), references: findReferences(syntax), syntax };
});

function findReferences(syntax: ts.SourceFile): Reference[] {
	const references: Reference[] = [];
	const add = (node: ts.Node | undefined, isTypeOnly: boolean, names: readonly string[] = []): void => {
		if (node === undefined || !ts.isStringLiteralLike(node)) return;
		const own = MANIFEST.imports[node.text];
		const target = node.text.startsWith(".")
			? normalize(join(dirname(syntax.fileName), node.text))
			: own && normalize(own["@messaging-gateway/source"]);
		references.push({ specifier: node.text, target: target?.replaceAll("\\", "/"), isTypeOnly, names });
	};
	const visit = (node: ts.Node): void => {
		if (ts.isImportDeclaration(node))
			add(
				node.moduleSpecifier,
				isTypeOnlyImport(node.importClause),
				namesOf(node.importClause?.namedBindings),
			);
		else if (ts.isExportDeclaration(node))
			add(node.moduleSpecifier, isTypeOnlyExport(node), namesOf(node.exportClause));
		else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
			add(node.argument.literal, true);
		else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
			add(node.arguments[0], false);
		ts.forEachChild(node, visit);
	};
	visit(syntax);
	return references;
}

/** What an import or an export lists, by the names that the other file gives it. */
function namesOf(bindings: ts.NamedImportBindings | ts.NamedExportBindings | undefined): string[] {
	if (bindings === undefined || !(ts.isNamedImports(bindings) || ts.isNamedExports(bindings))) return [];
	return bindings.elements.map(({ name, propertyName }) => (propertyName ?? name).text);
}

/** `import type { … }`, or an import all of whose names are types. */
function isTypeOnlyImport(clause: ts.ImportClause | undefined): boolean {
	if (clause === undefined) return false;
	if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
	const { name, namedBindings } = clause;
	if (name !== undefined || namedBindings === undefined || !ts.isNamedImports(namedBindings)) return false;
	return namedBindings.elements.length > 0 && namedBindings.elements.every((element) => element.isTypeOnly);
}

function isTypeOnlyExport({ isTypeOnly, exportClause }: ts.ExportDeclaration): boolean {
	if (isTypeOnly) return true;
	if (exportClause === undefined || !ts.isNamedExports(exportClause)) return false;
	return exportClause.elements.length > 0 && exportClause.elements.every((element) => element.isTypeOnly);
}

export function wingOf(path: string): string {
	return path.split("/")[1] ?? "";
}

export function roomOf(path: string): string {
	return (path.split("/")[2] ?? "").replace(/\.ts$/, "");
}

/** Whether a reference goes from the tools into the library. */
export function isInward(path: string, target: string): boolean {
	return wingOf(path) === "tools" && wingOf(target) === "library";
}

/** What a file of exports exports: each as `file#name`, by where it is declared. */
function originsAt(path: string): string[] {
	const { references = [] } = SOURCE_FILES.find((file) => file.path === path) ?? {};
	return references.flatMap(({ target, names }) => names.map((name) => `${target}#${name}`));
}

/** The names of the library that the tools use and no entry exports, each as `file#name`, sorted. */
export function findInsideNames(): string[] {
	const isPublic = new Set(ENTRIES.filter((path) => wingOf(path) === "library").flatMap(originsAt));
	const used = SOURCE_FILES.flatMap(({ path, references }) =>
		references.flatMap(({ target, names }) =>
			target !== undefined && isInward(path, target) ? names.map((name) => `${target}#${name}`) : [],
		),
	);
	return [...new Set(used)].filter((name) => !isPublic.has(name)).sort();
}
