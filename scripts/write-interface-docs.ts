/**
 * Writes docs/interface-docs.json: the comments of the interfaces, which are gone at run time, for the
 * OpenAPI document.
 */
import { globSync, writeFileSync } from "node:fs";
import ts from "typescript";
import { OPERATIONS } from "../src/library/catalogue/index.ts";

/** The interfaces of all schemas stand in the catalogue, the headers with signing, and the areas with the client. */
const SOURCES = [
	"src/library/catalogue/*.ts",
	"src/library/client/response.ts",
	"src/tools/openapi/envelopes.ts",
	"src/library/signing/sign-request.ts",
	"src/library/client/resources/*.ts",
];

/** Interfaces that no schema names. */
const OTHERS = ["SignatureHeaders", ...new Set(OPERATIONS.map(({ id }) => areaClass(id)))];

export const INTERFACE_DOCS_PATH = "docs/interface-docs.json";

/** The file as the comments are now. */
export function writeInterfaceDocs(): string {
	return `${JSON.stringify(byInterface(readDocs()), null, "\t")}\n`;
}

/** Names each interface once: the command carries the file. */
function byInterface(docs: Readonly<Record<string, string>>): Record<string, Record<string, string>> {
	const nested: Record<string, Record<string, string>> = {};
	for (const [path, text] of Object.entries(docs)) {
		const [name = "", field = ""] = path.split(".");
		nested[name] = { ...nested[name], [field]: text };
	}
	return nested;
}

function readDocs(): Record<string, string> {
	const program = ts.createProgram(globSync(SOURCES).sort(), {
		module: ts.ModuleKind.NodeNext,
		customConditions: ["@messaging-gateway/source"],
		allowImportingTsExtensions: true,
		noEmit: true,
		strict: true,
	});
	const checker = program.getTypeChecker();
	const docs: Record<string, string> = {};
	const visit = (node: ts.Node): void => {
		const named = namedBySchema(node) ?? namedByDeclaration(node);
		if (named !== undefined) Object.assign(docs, describeType(checker.getTypeAtLocation(named), checker));
		ts.forEachChild(node, visit);
	};
	for (const file of program.getSourceFiles().filter(({ isDeclarationFile }) => !isDeclarationFile)) {
		visit(file);
	}
	return Object.fromEntries(Object.entries(docs).sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** The interface of `schemaOf<Interface>("Interface")`; both names must be the same. */
function namedBySchema(node: ts.Node): ts.Node | undefined {
	if (!ts.isCallExpression(node) || node.expression.getText() !== "schemaOf") return undefined;
	const [type] = node.typeArguments ?? [];
	const [name] = node.arguments;
	if (type === undefined || name === undefined || name.getText() !== JSON.stringify(type.getText())) {
		throw new Error(`${node.getText()} names another interface than its type`);
	}
	return type;
}

function namedByDeclaration(node: ts.Node): ts.Node | undefined {
	const isNamed = ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node);
	return isNamed && node.name !== undefined && OTHERS.includes(node.name.text) ? node : undefined;
}

function describeType(type: ts.Type, checker: ts.TypeChecker): Record<string, string> {
	const symbol = type.aliasSymbol ?? type.symbol;
	const name = symbol.getName();
	// A method of the client is no field of anything, nor is one of a choice between strings.
	const fields = type.isClass() || type.isUnion() ? [] : type.getProperties();
	const entries = [
		[name, describeSymbol(symbol, checker)],
		...fields.map((field) => [`${name}.${field.getName()}`, describeSymbol(field, checker)]),
	];
	return Object.fromEntries(entries.filter(([, text]) => text !== ""));
}

/** A comment as one line, with its default if it has one. */
function describeSymbol(symbol: ts.Symbol, checker: ts.TypeChecker): string {
	const text = ts.displayPartsToString(symbol.getDocumentationComment(checker));
	const tag = symbol.getJsDocTags(checker).find(({ name }) => name === "default");
	const sentences = tag === undefined ? text : `${text} Default: ${ts.displayPartsToString(tag.text)}.`;
	return sentences
		.replace(/\{@link (\w+)\}/g, "$1")
		.replace(/\s+/g, " ")
		.trim();
}

/** The client's class of an area: `Messages` of `messages.sendText`. */
function areaClass(id: string): string {
	return id.charAt(0).toUpperCase() + id.slice(1, id.indexOf("."));
}

if (import.meta.main) writeFileSync(INTERFACE_DOCS_PATH, writeInterfaceDocs());
