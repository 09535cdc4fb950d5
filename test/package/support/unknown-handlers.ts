import ts from "typescript";

/** What runs for an event that is not as documented. */
export interface UnknownHandler {
	/** Its code, in one line. */
	readonly code: string;
	/** Whether it passes the event on to something that can keep it, or throws. */
	readonly keeps: boolean;
}

/** What a handler can keep of an event. Its id and its issues do not bring it back, and a new type has no `narrowed`. */
const CONTENTS = ["data", "readBody"];

/** What only says something about an event. */
const ABOUT = [
	"eventId",
	"timestamp",
	"kind",
	"reason",
	"type",
	"issues",
	"issueCount",
	"filled",
	"narrowed",
	"tenant",
	"signal",
];

/** Calls that keep nothing, whatever they are given. */
const KEEPS_NOTHING = /^(console\.\w+|JSON\.\w+|String|Object\.\w+|observeSend|Promise\.resolve)$/;

/** The handlers `unknown` and `onUnknown` of a module. A name that another module exports is trusted. */
export function findUnknownHandlers(code: string): UnknownHandler[] {
	const module = ts.createSourceFile("module.ts", code, ts.ScriptTarget.Latest, true);
	const functions = findFunctions(module);
	const found: UnknownHandler[] = [];
	const visit = (node: ts.Node): void => {
		const handler = handlerIn(node, functions);
		if (handler !== undefined) {
			found.push({
				code: node.getText().replaceAll(/\s+/g, " "),
				keeps: handler === "imported" || keeps(handler),
			});
		}
		ts.forEachChild(node, visit);
	};
	visit(module);
	return found;
}

type Callable = ts.FunctionLikeDeclaration;

function findFunctions(module: ts.SourceFile): ReadonlyMap<string, Callable> {
	const functions = new Map<string, Callable>();
	const visit = (node: ts.Node): void => {
		if (ts.isFunctionDeclaration(node) && node.name !== undefined) functions.set(node.name.text, node);
		if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && isCallable(node.initializer))
			functions.set(node.name.text, node.initializer);
		ts.forEachChild(node, visit);
	};
	visit(module);
	return functions;
}

function isCallable(node: ts.Node | undefined): node is ts.ArrowFunction | ts.FunctionExpression {
	return node !== undefined && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));
}

function handlerIn(
	node: ts.Node,
	functions: ReadonlyMap<string, Callable>,
): Callable | "imported" | undefined {
	if (!ts.isObjectLiteralElementLike(node) || node.name === undefined) return undefined;
	if (!["unknown", "onUnknown"].includes(node.name.getText())) return undefined;
	if (ts.isMethodDeclaration(node)) return node;
	if (ts.isShorthandPropertyAssignment(node)) return functions.get(node.name.text) ?? "imported";
	if (!ts.isPropertyAssignment(node)) return undefined;
	const { initializer } = node;
	if (isCallable(initializer)) return initializer;
	return ts.isIdentifier(initializer) ? (functions.get(initializer.text) ?? "imported") : undefined;
}

function keeps({ parameters, body }: Callable): boolean {
	const names = new Set(parameters.flatMap(({ name }) => namesOf(name)));
	if (body === undefined) return false;
	return ts.isBlock(body) ? statementKeeps(body, names) : expressionKeeps(body, names);
}

/** The names that hold the event, or some of its contents. */
function namesOf(name: ts.BindingName): string[] {
	if (ts.isIdentifier(name)) return [name.text];
	return name.elements.flatMap((element) => {
		if (ts.isOmittedExpression(element)) return [];
		const property = (element.propertyName ?? element.name).getText();
		return CONTENTS.includes(property) || element.dotDotDotToken !== undefined ? namesOf(element.name) : [];
	});
}

function statementKeeps(statement: ts.Statement, names: Set<string>): boolean {
	if (ts.isThrowStatement(statement)) return true;
	if (ts.isBlock(statement)) return statement.statements.some((each) => statementKeeps(each, names));
	if (ts.isTryStatement(statement)) return statementKeeps(statement.tryBlock, names);
	if (ts.isExpressionStatement(statement)) return expressionKeeps(statement.expression, names);
	if (ts.isReturnStatement(statement))
		return statement.expression !== undefined && expressionKeeps(statement.expression, names);
	if (ts.isIfStatement(statement)) {
		const { thenStatement, elseStatement } = statement;
		return (
			elseStatement !== undefined &&
			statementKeeps(thenStatement, names) &&
			statementKeeps(elseStatement, names)
		);
	}
	if (!ts.isVariableStatement(statement)) return false;
	return statement.declarationList.declarations.some(({ name, initializer }) => {
		if (initializer === undefined) return false;
		if (mentions(initializer, names)) for (const each of allNamesOf(name)) names.add(each);
		return expressionKeeps(initializer, names);
	});
}

function allNamesOf(name: ts.BindingName): string[] {
	if (ts.isIdentifier(name)) return [name.text];
	return name.elements.flatMap((element) =>
		ts.isOmittedExpression(element) ? [] : allNamesOf(element.name),
	);
}

function expressionKeeps(expression: ts.Expression, names: ReadonlySet<string>): boolean {
	if (ts.isConditionalExpression(expression))
		return expressionKeeps(expression.whenTrue, names) && expressionKeeps(expression.whenFalse, names);
	// What is right of it may not run.
	if (
		ts.isBinaryExpression(expression) &&
		expression.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken
	)
		return expressionKeeps(expression.left, names);
	if (ts.isCallExpression(expression)) {
		const isKeeping = !KEEPS_NOTHING.test(expression.expression.getText());
		if (isKeeping && expression.arguments.some((argument) => mentions(argument, names))) return true;
		return expressionKeeps(expression.expression, names);
	}
	return (
		ts.forEachChild(expression, (child) => ts.isExpression(child) && expressionKeeps(child, names)) ?? false
	);
}

/** Whether an expression has the event, or its contents: `event.eventId` is neither. */
function mentions(node: ts.Node, names: ReadonlySet<string>): boolean {
	if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression))
		return names.has(node.expression.text) && !ABOUT.includes(node.name.text);
	if (ts.isShorthandPropertyAssignment(node)) return names.has(node.name.text);
	if (ts.isIdentifier(node)) return names.has(node.text);
	return ts.forEachChild(node, (child) => mentions(child, names)) ?? false;
}
