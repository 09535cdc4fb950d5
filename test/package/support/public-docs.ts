import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";
import manifest from "../../../package.json" with { type: "json" };

/** The comment of something that users import, or of a part of it. */
export interface PublicDoc {
	/** The file and the name, such as `src/library/errors.ts: ApiError.code`. */
	readonly place: string;
	/** The comment before its tags, with its line breaks. */
	readonly text: string;
	/** The tags with their texts, in order. */
	readonly tags: readonly string[];
}

const ROOT = join(import.meta.dirname, "../../..");

/** The comments of all entries, of what they export, and of the types that these name. */
export function readPublicDocs(): PublicDoc[] {
	const { config } = ts.readConfigFile(join(ROOT, "tsconfig.json"), ts.sys.readFile);
	const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT);
	const entries = Object.values(manifest.exports).flatMap((target) =>
		typeof target === "string" ? [] : [join(ROOT, target["@messaging-gateway/source"])],
	);
	const program = ts.createProgram(entries, options);
	const checker = program.getTypeChecker();
	const docs = entries.map((path) => {
		const [comment = ""] = /^\/\*\*[\s\S]*?\*\//.exec(readFileSync(path, "utf8")) ?? [];
		return readDoc(relative(ROOT, path), comment);
	});
	const seen = new Set<ts.Symbol>();
	const addSymbol = (given: ts.Symbol | undefined): void => {
		if (given === undefined) return;
		const symbol = given.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(given) : given;
		if (seen.has(symbol)) return;
		seen.add(symbol);
		for (const declaration of symbol.declarations ?? [])
			if (declaration.getSourceFile().fileName.startsWith(`${ROOT}/src/`)) addNode(declaration, symbol.name);
	};
	const addNode = (node: ts.Node, name: string): void => {
		for (const comment of commentsOf(node)) {
			if (comment.includes("@internal")) return;
			docs.push(readDoc(`${relative(ROOT, node.getSourceFile().fileName)}: ${name}`, comment));
		}
		ts.forEachChild(node, (child) => {
			if (isHidden(child)) return;
			const reference = referenceOf(child);
			if (reference !== undefined) addSymbol(checker.getSymbolAtLocation(reference));
			addNode(child, ts.isTypeElement(child) || ts.isClassElement(child) ? `${name}.${nameOf(child)}` : name);
		});
	};
	for (const path of entries) {
		const file = program.getSourceFile(path);
		const module = file && checker.getSymbolAtLocation(file);
		if (module === undefined) throw new Error(`${path} is no module`);
		for (const symbol of checker.getExportsOfModule(module)) addSymbol(symbol);
	}
	return docs;
}

/** The comments of a declaration, and those of the strings of a union, each before its bar. */
function commentsOf(node: ts.Node): string[] {
	const text = node.getSourceFile().text;
	if (ts.isLiteralTypeNode(node) && ts.isUnionTypeNode(node.parent)) {
		const before = node.parent.types[node.parent.types.indexOf(node) - 1]?.end ?? node.parent.pos;
		return Array.from(text.slice(before, node.getStart()).matchAll(/\/\*\*[\s\S]*?\*\//g), ([all]) => all);
	}
	const isDeclared =
		ts.isTypeElement(node) ||
		ts.isClassElement(node) ||
		ts.isInterfaceDeclaration(node) ||
		ts.isTypeAliasDeclaration(node) ||
		ts.isFunctionDeclaration(node) ||
		ts.isClassDeclaration(node) ||
		ts.isVariableDeclaration(node);
	if (!isDeclared) return [];
	const host = ts.isVariableDeclaration(node) ? node.parent.parent : node;
	const last = ts.getLeadingCommentRanges(text, host.pos)?.at(-1);
	const comment = last === undefined ? "" : text.slice(last.pos, last.end);
	return comment.startsWith("/**") ? [comment] : [];
}

/** Code, and what only the class itself reaches. */
function isHidden(node: ts.Node): boolean {
	const isPrivate =
		ts.canHaveModifiers(node) &&
		ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword) === true;
	const isNameless = ts.isClassElement(node) && node.name !== undefined && ts.isPrivateIdentifier(node.name);
	return isPrivate || isNameless || ts.isBlock(node) || ts.isCallExpression(node) || ts.isArrowFunction(node);
}

function referenceOf(node: ts.Node): ts.Node | undefined {
	if (ts.isTypeReferenceNode(node)) return node.typeName;
	if (ts.isExpressionWithTypeArguments(node)) return node.expression;
	return ts.isTypeQueryNode(node) ? node.exprName : undefined;
}

function nameOf(node: ts.TypeElement | ts.ClassElement): string {
	return node.name?.getText() ?? "()";
}

function readDoc(place: string, comment: string): PublicDoc {
	const lines = comment.replace(/^\/\*\*|\*\/$/g, "").replace(/^[ \t]*\* ?/gm, "");
	const [text = "", ...tags] = lines
		.trim()
		.split(
			/(?:^|\n| )(?=@(?:default|example|experimental|module|param|remarks|returns|see|throws|typeParam)\b)/,
		);
	return { place, text: text.trim(), tags: tags.map((tag) => tag.trim()) };
}
