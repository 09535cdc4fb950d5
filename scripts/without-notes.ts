import { readFile } from "node:fs/promises";
import type { Options } from "tsup";
import ts from "typescript";

/** A part of the source, and what stands in its place. */
interface Edit {
	readonly from: number;
	readonly to: number;
	readonly text: string;
}

/**
 * Takes out of the catalogue what only the OpenAPI document reads, which another build makes: the notes of a schema, the
 * name of the interface that it is tied to, and the known values of a string that may be any. Each constant that is
 * computed is marked as one that a bundler may leave out: the marks of its inner calls do not count for its arguments.
 */
export function withoutNotes(source: string): string {
	const file = ts.createSourceFile("catalogue.ts", source, ts.ScriptTarget.Latest, true);
	const edits: Edit[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isCallExpression(node)) edits.push(...editsOf(node, file));
		ts.forEachChild(node, visit);
	};
	visit(file);
	for (const statement of file.statements) {
		if (!ts.isVariableStatement(statement)) continue;
		for (const { initializer } of statement.declarationList.declarations) {
			if (initializer === undefined || !isComputed(initializer)) continue;
			const from = initializer.getStart(file);
			const to = initializer.getEnd();
			edits.push({ from, to: from, text: "/* @__PURE__ */ (() => (" }, { from: to, to, text: "))()" });
		}
	}
	// From the end on, so that the places before stay; an opening mark comes before what begins at its place.
	const sorted = edits.map((edit, at) => ({ ...edit, at })).sort((a, b) => b.from - a.from || a.at - b.at);
	return sorted.reduce(
		(text, { from, to, text: instead }) => text.slice(0, from) + instead + text.slice(to),
		source,
	);
}

/** Whether a bundler may not leave it out by itself: a call, or an object with one or with the fields of another object. */
function isComputed(initializer: ts.Expression): boolean {
	if (!ts.isObjectLiteralExpression(initializer))
		return ts.isCallExpression(initializer) || ts.isNewExpression(initializer);
	return initializer.properties.some(
		(property) =>
			ts.isSpreadAssignment(property) ||
			(ts.isPropertyAssignment(property) && isComputed(property.initializer)),
	);
}

function editsOf(call: ts.CallExpression, file: ts.SourceFile): Edit[] {
	const { expression, arguments: given } = call;
	const [first] = given;
	if (
		ts.isPropertyAccessExpression(expression) &&
		expression.name.text === "register" &&
		first?.getText(file) === "schemaNotes"
	)
		return [{ from: expression.expression.getEnd(), to: call.getEnd(), text: "" }];
	if (ts.isIdentifier(expression) && expression.text === "openEnum")
		return [{ from: call.getStart(file), to: call.getEnd(), text: "z.string()" }];
	const isTied = ts.isCallExpression(expression) && expression.expression.getText(file) === "schemaOf";
	return isTied ? [{ from: call.getStart(file), to: expression.getEnd(), text: "" }] : [];
}

export function catalogueWithoutNotes(): NonNullable<Options["esbuildPlugins"]>[number] {
	return {
		name: "catalogue-without-notes",
		setup(build) {
			build.onLoad({ filter: /[\\/]library[\\/]catalogue[\\/][\w-]+\.ts$/ }, async ({ path }) => {
				return { contents: withoutNotes(await readFile(path, "utf8")), loader: "ts" };
			});
		},
	};
}
