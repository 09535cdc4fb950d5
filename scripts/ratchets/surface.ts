import { join } from "node:path";
import ts from "typescript";
import { MANIFEST } from "../../test/support/source-files.ts";

const ROOT = join(import.meta.dirname, "../..");
const DECLARATIONS = join(ROOT, "dist/types/");

/** The names of types that users fill in to choose how something works. */
const OPTIONS = /(Options|Settings)$/;

/** What the declarations in dist offer to users. */
export interface Surface {
	/** The names of what the entries export, each thing once, sorted. */
	readonly names: readonly string[];
	/**
	 * The members of option objects, each as `Type.member` where it is declared, sorted: of every exported interface or
	 * type whose name ends in `Options` or `Settings`, of the parameters of functions and of the objects in either, if all
	 * of their members are optional.
	 */
	readonly optionMembers: readonly string[];
}

/** Reads the surface from the declarations in dist. */
export function readSurface(): Surface {
	const program = createProgram();
	const checker = program.getTypeChecker();
	const members = new Set<string>();
	const seen = new Set<ts.Type>();

	function addMembers(type: ts.Type, owner: string): void {
		// A union shows only what all its parts have.
		if (type.isUnion()) {
			for (const part of type.types) addMembers(part, owner);
			return;
		}
		if (seen.has(type)) return;
		seen.add(type);
		for (const member of checker.getPropertiesOfType(type)) {
			const declaration = member.declarations?.find(isOwn);
			if (declaration === undefined) continue;
			const { parent } = declaration;
			const holder = ts.isInterfaceDeclaration(parent) ? parent.name.text : owner;
			members.add(`${holder}.${member.name}`);
			addOptionObjects(checker.getTypeOfSymbol(member), `${holder}.${member.name}`);
		}
	}

	function addOptionObjects(type: ts.Type, owner: string): void {
		for (const part of type.isUnion() ? type.types : [type])
			if (isOptionObject(checker, part)) addMembers(part, owner);
	}

	/** Two things of one name count twice. */
	const origins = new Map<ts.Symbol, string>();
	for (const exported of listExports(program)) {
		const origin = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
		if (origins.has(origin)) continue;
		origins.set(origin, exported.name);
		for (const { parameters } of checker.getTypeOfSymbol(origin).getCallSignatures())
			for (const parameter of parameters)
				addOptionObjects(checker.getTypeOfSymbol(parameter), `${exported.name}.${parameter.name}`);
		if (!OPTIONS.test(exported.name) || origin.flags & ts.SymbolFlags.Class) continue;
		addMembers(checker.getDeclaredTypeOfSymbol(origin), exported.name);
	}
	return { names: [...origins.values()].sort(), optionMembers: [...members].sort() };
}

function createProgram(): ts.Program {
	return ts.createProgram(listDeclarations(), {
		target: ts.ScriptTarget.ES2022,
		lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.esnext.disposable.d.ts"],
		module: ts.ModuleKind.ESNext,
		moduleResolution: ts.ModuleResolutionKind.Bundler,
		types: [],
		strict: true,
	});
}

/** The declarations of the entries. */
function listDeclarations(): string[] {
	return Object.values(MANIFEST.exports).flatMap((target) =>
		typeof target === "string" ? [] : [join(ROOT, target.types)],
	);
}

function listExports(program: ts.Program): ts.Symbol[] {
	const checker = program.getTypeChecker();
	return listDeclarations().flatMap((path) => {
		const file = program.getSourceFile(path);
		const symbol = file && checker.getSymbolAtLocation(file);
		if (symbol === undefined) throw new Error(`${path} is missing: run \`npm run build\` first`);
		return checker.getExportsOfModule(symbol);
	});
}

function isOwn(declaration: ts.Declaration): boolean {
	return declaration.getSourceFile().fileName.startsWith(DECLARATIONS);
}

/** Whether a type of ours is an object all of whose members are optional. */
function isOptionObject(checker: ts.TypeChecker, type: ts.Type): boolean {
	const declaration = (type.aliasSymbol ?? type.getSymbol())?.declarations?.[0];
	if (declaration === undefined || !isOwn(declaration) || type.getCallSignatures().length > 0) return false;
	const members = checker.getPropertiesOfType(type);
	return members.length > 0 && members.every(({ flags }) => (flags & ts.SymbolFlags.Optional) !== 0);
}
