/** Reads the comments of options, fields, codes and classes. */
import { readFileSync } from "node:fs";
import ts from "typescript";

/** A member of a declaration, and what its comment says. */
export interface Member {
	readonly name: string;
	/** The comment in one line, without its tags. */
	readonly text: string;
	/** The text of its `@default` tag. */
	readonly byDefault: string;
	/** Its type in the code, without `undefined`. */
	readonly type: string;
	/** Whether it may be left out. */
	readonly isOptional: boolean;
	/** The value in the code, if it is a property of an object. */
	readonly value: string;
}

/** An error class whose code is one literal. */
export interface ErrorClass {
	readonly name: string;
	readonly code: string;
	readonly text: string;
}

/** The members of an interface, of a constant object, or of a union of literals. */
export function readMembers(path: string, name: string): Member[] {
	const file = parse(path);
	for (const statement of file.statements) {
		if (ts.isInterfaceDeclaration(statement) && statement.name.text === name) {
			return statement.members.filter(ts.isPropertySignature).map((member) => ({
				...describe(member.name.getText(file), commentOf(member, file)),
				type: typeOf(member.type, file),
				isOptional: member.questionToken !== undefined,
			}));
		}
		if (ts.isTypeAliasDeclaration(statement) && statement.name.text === name) {
			return readLiterals(statement.type, file);
		}
		const object = findConstant(statement, name);
		if (object !== undefined) {
			return object.properties
				.filter(ts.isPropertyAssignment)
				.map((property) =>
					describe(
						property.name.getText(file),
						commentOf(property, file),
						property.initializer.getText(file),
					),
				);
		}
	}
	throw new Error(`${path} does not declare ${name}`);
}

/** The fields of an interface without those of its bases, each as `name: type`. */
export function readFields(path: string, name: string): string[] {
	const file = parse(path);
	const declarations = file.statements.filter(ts.isInterfaceDeclaration);
	const found = declarations.find((declaration) => declaration.name.text === name);
	if (found === undefined) throw new Error(`${path} does not declare ${name}`);
	return found.members
		.filter(ts.isPropertySignature)
		.map(
			(member) =>
				`${member.name.getText(file)}${member.questionToken ? "?" : ""}: ${typeOf(member.type, file)}`,
		);
}

/** The comment of an interface. */
export function readComment(path: string, name: string): string {
	const file = parse(path);
	const declarations = file.statements.filter(ts.isInterfaceDeclaration);
	const found = declarations.find((declaration) => declaration.name.text === name);
	if (found === undefined) throw new Error(`${path} does not declare ${name}`);
	return describe(name, commentOf(found, file)).text;
}

/** The classes of a file that have one code each. */
export function readErrorClasses(path: string): ErrorClass[] {
	const file = parse(path);
	return file.statements.filter(ts.isClassDeclaration).flatMap((declaration) => {
		const code = declaration.members
			.filter(ts.isPropertyDeclaration)
			.find((member) => member.name.getText(file) === "code")
			?.initializer?.getText(file);
		const literal = /^"(\w+)" as const$/.exec(code ?? "")?.[1];
		if (declaration.name === undefined || literal === undefined) return [];
		const { name, text } = describe(declaration.name.text, commentOf(declaration, file));
		return [{ name, text, code: literal }];
	});
}

/** The first comment of a file, without its tags. */
export function readFileComment(path: string): string {
	return describe(path, /^(?:\/\/.*\n)*\/\*\*([\s\S]*?)\*\//.exec(readFileSync(path, "utf8"))?.[1] ?? "")
		.text;
}

function parse(path: string): ts.SourceFile {
	return ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
}

function findConstant(statement: ts.Statement, name: string): ts.ObjectLiteralExpression | undefined {
	if (!ts.isVariableStatement(statement)) return undefined;
	const [declaration] = statement.declarationList.declarations;
	const value = declaration?.name.getText() === name ? declaration.initializer : undefined;
	const object = value !== undefined && ts.isAsExpression(value) ? value.expression : value;
	return object !== undefined && ts.isObjectLiteralExpression(object) ? object : undefined;
}

/** A type in one line, without comments and without `undefined`. */
function typeOf(type: ts.TypeNode | undefined, file: ts.SourceFile): string {
	const parts = type === undefined ? [] : ts.isUnionTypeNode(type) ? type.types : [type];
	return parts
		.map((part) => (ts.isParenthesizedTypeNode(part) && parts.length <= 2 ? part.type : part))
		.map((part) =>
			part
				.getText(file)
				.replace(/\/\*[\s\S]*?\*\//g, "")
				.replace(/\s+/g, " "),
		)
		.filter((text) => text !== "undefined")
		.join(" | ");
}

/** The comment of a literal stands before the bar that precedes it. */
function readLiterals(type: ts.TypeNode, file: ts.SourceFile): Member[] {
	if (!ts.isUnionTypeNode(type)) throw new Error(`${type.getText(file)} is no union`);
	return type.types.map((literal, at) => {
		const before = file.text.slice(type.types[at - 1]?.end ?? type.pos, literal.getStart(file));
		const comment = /\/\*\*([\s\S]*?)\*\//.exec(before)?.[1] ?? "";
		return describe(literal.getText(file).replaceAll('"', ""), comment);
	});
}

function commentOf(node: ts.Node, file: ts.SourceFile): string {
	const last = ts.getLeadingCommentRanges(file.text, node.pos)?.at(-1);
	return last === undefined ? "" : file.text.slice(last.pos + "/**".length, last.end - "*/".length);
}

function describe(name: string | undefined, comment: string, value = ""): Member {
	const line = comment
		.replace(/^\s*\*/gm, " ")
		.replace(/\{@link (\w+)\}/g, "`$1`")
		.replace(/\s+/g, " ")
		.trim();
	const [text = "", ...tags] = line.split(/(?:^| )@(?=[a-z])/);
	const byDefault = tags.find((tag) => tag.startsWith("default "))?.slice("default ".length) ?? "";
	if (name === undefined || text === "") throw new Error(`${name ?? "a member"} has no sentence`);
	return { name, text, byDefault, value, type: "", isOptional: true };
}
