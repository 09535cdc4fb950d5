/**
 * Writes dist/types, a declaration for every source that an entry's types reach: an editor goes from a name to its
 * declaration, with its comments.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import ts from "typescript";

interface Manifest {
	exports: Record<string, string | { "@messaging-gateway/source": string }>;
}

const ROOT = join(import.meta.dirname, "..");
const SOURCES = join(ROOT, "src");
const TYPES = join(ROOT, "dist/types");
const { exports }: Manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const ENTRIES = Object.values(exports).flatMap((entry) =>
	typeof entry === "string" ? [] : [join(ROOT, entry["@messaging-gateway/source"])],
);

/** The package that the build bundles, so users do not have it. */
const BUNDLED = "zod/mini";

const written = emitDeclarations();
for (const path of reachFrom(ENTRIES.map(declarationOf))) {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, withLinks(withTabs(textOf(path))));
}

/** The declarations of everything that the entries import, by path. */
function emitDeclarations(): Map<string, string> {
	const { config } = ts.readConfigFile(join(ROOT, "tsconfig.json"), ts.sys.readFile);
	const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT);
	const program = ts.createProgram(ENTRIES, {
		...options,
		noEmit: false,
		emitDeclarationOnly: true,
		declaration: true,
		stripInternal: true,
		rootDir: SOURCES,
		outDir: TYPES,
	});
	const files = new Map<string, string>();
	// The compiler writes paths with slashes, on Windows as well.
	const keep = (name: string, text: string): void => void files.set(normalize(name), text);
	const { diagnostics } = program.emit(undefined, keep, undefined, true, {
		afterDeclarations: [dropBundledTypes, dropPrivateNames],
	});
	if (diagnostics.length > 0)
		throw new Error(ts.formatDiagnostics(diagnostics, ts.createCompilerHost(options)));
	return files;
}

/** Leaves out the schemas: their types are a bundled package's, and no public type names them. */
function dropBundledTypes(): ts.CustomTransformer {
	const transformSourceFile = (file: ts.SourceFile): ts.SourceFile => {
		const names = file.statements.flatMap((statement) => importedNamespace(statement) ?? []);
		const mentions = (node: ts.Node): boolean =>
			(ts.isIdentifier(node) && names.includes(node.text)) || ts.forEachChild(node, mentions) === true;
		const kept = file.statements.filter((statement) => !mentions(statement));
		return ts.factory.updateSourceFile(file, kept);
	};
	return { transformSourceFile, transformBundle: (bundle) => bundle };
}

/**
 * Leaves out `#private`, which makes a class nominal: a client of another copy of the package would not be assignable, nor
 * would a fake that a test writes. At run time the names stay private.
 */
function dropPrivateNames(context: ts.TransformationContext): ts.CustomTransformer {
	const visit = (node: ts.Node): ts.Node | undefined =>
		ts.isPropertyDeclaration(node) && ts.isPrivateIdentifier(node.name)
			? undefined
			: ts.visitEachChild(node, visit, context);
	return {
		transformSourceFile: (file) => ts.visitEachChild(file, visit, context),
		transformBundle: (bundle) => bundle,
	};
}

function importedNamespace(statement: ts.Statement): string | undefined {
	if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) return undefined;
	const bindings = statement.importClause?.namedBindings;
	if (statement.moduleSpecifier.text !== BUNDLED || bindings === undefined) return undefined;
	return ts.isNamespaceImport(bindings) ? bindings.name.text : undefined;
}

/** The declarations that the given ones import, directly or not, and themselves. */
function reachFrom(paths: readonly string[]): Set<string> {
	const reached = new Set(paths);
	for (const path of reached) {
		for (const { fileName } of ts.preProcessFile(textOf(path)).importedFiles) {
			if (fileName.startsWith(".")) reached.add(join(dirname(path), fileName.replace(/\.ts$/, ".d.ts")));
		}
	}
	return reached;
}

function declarationOf(source: string): string {
	return join(TYPES, relative(SOURCES, source).replace(/\.ts$/, ".d.ts"));
}

function textOf(path: string): string {
	const text = written.get(path);
	if (text === undefined) throw new Error(`${path} was not emitted`);
	return text;
}

/** Leads the links of comments to the same files: a declaration stands one folder deeper than its source. */
function withLinks(text: string): string {
	return text.replaceAll("](../", "](../../");
}

/** Indents as the sources do: the compiler's spaces would be 12 kB of the package. */
function withTabs(text: string): string {
	return text.replace(/^(?: {4})+/gm, (spaces) => "\t".repeat(spaces.length / 4));
}
