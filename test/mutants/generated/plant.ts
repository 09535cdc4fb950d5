import ts from "typescript";
import { type Change, changesOf } from "./changes.ts";

/** A change in its file. */
export interface PlantedChange {
	/** The function, method or constant in which it is, as `Class.method`. */
	readonly place: string;
	/** What it changes, in a line that no other change of its place has. */
	readonly name: string;
}

/** A source with all its changes, of which one at most is in force. */
export interface PlantedSource {
	readonly changes: readonly PlantedChange[];
	/** The source in which `__mutant(number)` puts a change in force while it runs; numbers count up from `first`. */
	withSwitches(first: number): string;
}

interface Spot extends Change {
	readonly index: number;
}

/** Longer parts of a source are cut in names. */
const MAX_LENGTH = 60;

/** Plants every single change in a source. */
export function plant(path: string, source: string): PlantedSource {
	const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
	const spots = new Map<ts.Node, Spot[]>();
	const changes: PlantedChange[] = [];
	const names = new Map<string, number>();

	function visit(node: ts.Node): void {
		if (isTypeOnly(node)) return;
		for (const change of changesOf(node)) {
			const place = placeOf(node);
			const name = `${change.kind}: ${describe(node.getText(), change.text)}`;
			const count = (names.get(`${place} ${name}`) ?? 0) + 1;
			names.set(`${place} ${name}`, count);
			spots.set(node, [...(spots.get(node) ?? []), { ...change, index: changes.length }]);
			changes.push({ place, name: count === 1 ? name : `${name} (${count})` });
		}
		ts.forEachChild(node, visit);
	}
	visit(file);

	/** The text of a node, with a switch for each change in it. */
	function write(node: ts.Node, first: number): string {
		let text = "";
		let end = node.getStart(file);
		ts.forEachChild(node, (child) => {
			const start = child.getStart(file);
			if (start < end) return;
			text += source.slice(end, start) + write(child, first);
			end = child.end;
		});
		text += source.slice(end, node.end);
		const own = spots.get(node);
		return own === undefined ? text : switchTo(text, own, node, first);
	}

	return {
		changes,
		withSwitches: (first) => `const __mutant = globalThis.__mutant;${write(file, first)}`,
	};
}

function switchTo(text: string, spots: readonly Spot[], node: ts.Node, first: number): string {
	if (!ts.isStatement(node)) {
		const others = spots.map((spot) => `__mutant(${first + spot.index})?(${spot.text}):`);
		return `(${others.join("")}(${text}))`;
	}
	const others = spots.map((spot) => `if(__mutant(${first + spot.index})){${spot.text ?? ""}}else `);
	return `{${others.join("")}${text}}`;
}

/** Types, and what names another module, are gone when a source runs. */
function isTypeOnly(node: ts.Node): boolean {
	return (
		ts.isTypeNode(node) ||
		ts.isInterfaceDeclaration(node) ||
		ts.isTypeAliasDeclaration(node) ||
		ts.isImportDeclaration(node) ||
		ts.isExportDeclaration(node)
	);
}

/** The named functions, methods and constants around a node, from the outermost on. */
function placeOf(node: ts.Node): string {
	const names: string[] = [];
	for (let holder: ts.Node = node.parent; !ts.isSourceFile(holder); holder = holder.parent) {
		if (ts.isConstructorDeclaration(holder)) names.unshift("constructor");
		else if (isNamedPlace(holder)) names.unshift(holder.name.getText());
	}
	return names.join(".") || "(module)";
}

function isNamedPlace(node: ts.Node): node is ts.NamedDeclaration & { readonly name: ts.DeclarationName } {
	const isHolder =
		ts.isFunctionDeclaration(node) ||
		ts.isClassDeclaration(node) ||
		ts.isMethodDeclaration(node) ||
		ts.isAccessor(node) ||
		ts.isPropertyDeclaration(node) ||
		(ts.isPropertyAssignment(node) && ts.isFunctionLike(node.initializer)) ||
		(ts.isVariableDeclaration(node) &&
			(isOfModule(node) || (node.initializer !== undefined && ts.isFunctionLike(node.initializer))));
	return isHolder && node.name !== undefined;
}

function isOfModule(node: ts.VariableDeclaration): boolean {
	return ts.isSourceFile(node.parent.parent.parent);
}

function describe(before: string, after: string | undefined): string {
	return after === undefined ? `without ${shorten(before)}` : `${shorten(before)} → ${shorten(after)}`;
}

function shorten(text: string): string {
	const line = text.replace(/\s+/g, " ");
	return line.length <= MAX_LENGTH ? line : `${line.slice(0, MAX_LENGTH - 1)}…`;
}
