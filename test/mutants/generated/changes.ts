import ts from "typescript";

/** A single change of a source: one expression or statement in another form. */
export interface Change {
	/** What kind of mistake it is. */
	readonly kind:
		| "operator"
		| "constant"
		| "branch"
		| "early return"
		| "statement"
		| "missing await"
		| "swapped arguments";
	/** The text that takes the node's place; `undefined` if the statement is left out. */
	readonly text: string | undefined;
}

/** Operators, and those that stand in their place. */
const OPERATORS = new Map<string, readonly string[]>([
	["<", ["<=", ">="]],
	["<=", ["<", ">"]],
	[">", [">=", "<="]],
	[">=", [">", "<"]],
	["===", ["!=="]],
	["!==", ["==="]],
	["&&", ["||"]],
	["||", ["&&"]],
	["??", ["&&"]],
	["+", ["-"]],
	["-", ["+"]],
	["*", ["/"]],
	["/", ["*"]],
	["%", ["*"]],
	["**", ["*"]],
	["&", ["|"]],
	["|", ["&"]],
	["^", ["&"]],
	["<<", [">>"]],
	[">>", ["<<"]],
	[">>>", ["<<"]],
	["+=", ["-="]],
	["-=", ["+="]],
	["*=", ["/="]],
	["||=", ["&&="]],
	["&&=", ["||="]],
	["??=", ["="]],
	["++", ["--"]],
	["--", ["++"]],
]);

/** Every single change of a node; those of its children are their own. */
export function changesOf(node: ts.Node): readonly Change[] {
	if (ts.isStatement(node)) return statementChanges(node);
	if (!isExpression(node) || isAssigned(node)) return [];
	return [...conditionChanges(node), ...expressionChanges(node)];
}

function statementChanges(node: ts.Statement): Change[] {
	if (ts.isExpressionStatement(node)) {
		// A directive, and `super(…)`, without which no class can be made.
		const { expression } = node;
		if (ts.isStringLiteral(expression) || isSuperCall(expression)) return [];
		return [{ kind: "statement", text: undefined }];
	}
	if (ts.isThrowStatement(node))
		return isOnlyStatementOfIf(node) ? [] : [{ kind: "statement", text: undefined }];
	if (ts.isBreakOrContinueStatement(node)) {
		return isOnlyStatementOfIf(node) || isInCase(node) ? [] : [{ kind: "early return", text: undefined }];
	}
	if (!ts.isReturnStatement(node)) return [];
	const { expression } = node;
	const isValue = expression !== undefined && expression.getText() !== "undefined";
	return [
		...(isOnlyStatementOfIf(node) || isLast(node)
			? []
			: [{ kind: "early return", text: undefined } as const]),
		...(isValue ? [{ kind: "early return", text: "return undefined;" } as const] : []),
	];
}

/** A condition that is always true, or always false. */
function conditionChanges(node: ts.Expression): Change[] {
	const { parent } = node;
	const always = (value: string): Change => ({ kind: "branch", text: value });
	const isLoop =
		(ts.isWhileStatement(parent) && parent.expression === node) ||
		(ts.isDoStatement(parent) && parent.expression === node) ||
		(ts.isForStatement(parent) && parent.condition === node);
	if (isLoop) return node.kind === ts.SyntaxKind.TrueKeyword ? [] : [always("false")];
	const isCondition =
		(ts.isIfStatement(parent) && parent.expression === node) ||
		(ts.isConditionalExpression(parent) && parent.condition === node);
	return isCondition ? [always("true"), always("false")] : [];
}

function expressionChanges(node: ts.Expression): Change[] {
	if (ts.isBinaryExpression(node)) return replaceOperator(node);
	if (ts.isPrefixUnaryExpression(node)) return prefixChanges(node);
	if (ts.isPostfixUnaryExpression(node)) {
		const { operator, operand } = node;
		return [
			{
				kind: "operator",
				text: `${operand.getText()}${operator === ts.SyntaxKind.PlusPlusToken ? "--" : "++"}`,
			},
		];
	}
	if (ts.isAwaitExpression(node)) return [{ kind: "missing await", text: `(${node.expression.getText()})` }];
	if (ts.isCallExpression(node) || ts.isNewExpression(node))
		return [...swapArguments(node), ...dropQuestionMarks(node)];
	if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node))
		return dropQuestionMarks(node);
	return constantChanges(node);
}

function replaceOperator(node: ts.BinaryExpression): Change[] {
	const { left, operatorToken, right } = node;
	const others = OPERATORS.get(operatorToken.getText()) ?? [];
	// `??` beside `&&` or `||` is an error without parentheses.
	return others.map((other) => ({
		kind: "operator",
		text: `(${left.getText()}) ${other} (${right.getText()})`,
	}));
}

function prefixChanges(node: ts.PrefixUnaryExpression): Change[] {
	const operand = node.operand.getText();
	if (node.operator === ts.SyntaxKind.PlusPlusToken) return [{ kind: "operator", text: `--${operand}` }];
	if (node.operator === ts.SyntaxKind.MinusMinusToken) return [{ kind: "operator", text: `++${operand}` }];
	return [{ kind: "operator", text: operand }];
}

function swapArguments(node: ts.CallExpression | ts.NewExpression): Change[] {
	// Their order means nothing.
	const list = /^Math\.(min|max)$/.test(node.expression.getText()) ? [] : (node.arguments ?? []);
	return list.slice(1).flatMap((second, index) => {
		const first = list[index];
		if (first === undefined || first.getText() === second.getText()) return [];
		const text = node.getText();
		const at = (position: number): number => position - node.getStart();
		const start = text.slice(0, at(first.getStart()));
		const middle = text.slice(at(first.end), at(second.getStart()));
		const swapped = `${second.getText()}${middle}${first.getText()}${text.slice(at(second.end))}`;
		return { kind: "swapped arguments", text: `${start}${swapped}` };
	});
}

/** `a?.b` as `a.b`, once for each question mark: at the end of a chain, which a part in parentheses would break. */
function dropQuestionMarks(node: ts.Expression): Change[] {
	if (!ts.isOptionalChain(node) || isPartOfChain(node)) return [];
	const changes: Change[] = [];
	let part: ts.Node = node;
	while (ts.isOptionalChain(part) && !ts.isNonNullExpression(part)) {
		const { questionDotToken } = part;
		if (questionDotToken !== undefined) {
			const isName = ts.isPropertyAccessExpression(part);
			changes.push({ kind: "operator", text: replaceIn(node, questionDotToken, isName ? "." : "") });
		}
		part = part.expression;
	}
	return changes;
}

function constantChanges(node: ts.Expression): Change[] {
	const change = (text: string): Change[] => [{ kind: "constant", text }];
	if (node.kind === ts.SyntaxKind.TrueKeyword) return change("false");
	if (node.kind === ts.SyntaxKind.FalseKeyword) return change("true");
	if (ts.isNumericLiteral(node)) return change(`${Number(node.text.replaceAll("_", "")) + 1}`);
	if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node))
		return change(node.text === "" ? '"x"' : '""');
	if (ts.isTemplateExpression(node)) return change('""');
	if (ts.isArrayLiteralExpression(node) && node.elements.length > 0) return change("[]");
	if (ts.isRegularExpressionLiteral(node)) {
		const anchors = [
			/^\/\^/.test(node.text) && node.text.replace("^", ""),
			/\$\/\w*$/.test(node.text) && node.text.replace(/\$(\/\w*)$/, "$1"),
		];
		return anchors.flatMap((text) => (text === false || text.startsWith("//") ? [] : change(text)));
	}
	return [];
}

/** The text of a node with another one for a part of it. */
function replaceIn(node: ts.Node, part: ts.Node, replacement: string): string {
	const text = node.getText();
	const start = part.getStart() - node.getStart();
	return `${text.slice(0, start)}${replacement}${text.slice(start + part.getText().length)}`;
}

/** Whether a node is an expression whose value is used as one, and not a name, a type or the name of a module. */
function isExpression(node: ts.Node): node is ts.Expression {
	if (!ts.isExpression(node)) return false;
	const { parent } = node;
	const isCalled =
		(ts.isCallExpression(parent) || ts.isTaggedTemplateExpression(parent)) && !isArgument(node, parent);
	const isName =
		("name" in parent && parent.name === node) ||
		(ts.isBindingElement(parent) && parent.propertyName === node);
	const isModule = ts.isCallExpression(parent) && parent.expression.kind === ts.SyntaxKind.ImportKeyword;
	return !isCalled && !isName && !isModule && !isPartOfChain(node);
}

function isArgument(node: ts.Node, parent: ts.Node): boolean {
	return ts.isCallExpression(parent) && parent.arguments.some((argument) => argument === node);
}

/** Whether a node is followed by more of its optional chain. */
function isPartOfChain(node: ts.Node): boolean {
	return ts.isOptionalChain(node.parent) && node.parent.expression === node;
}

/** Whether a value is given to a node: `[a, b] = …`, `a++`, `delete a.b`. */
function isAssigned(node: ts.Node): boolean {
	const { parent } = node;
	if (ts.isBinaryExpression(parent)) {
		const { kind } = parent.operatorToken;
		return (
			parent.left === node && kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment
		);
	}
	return (
		ts.isDeleteExpression(parent) ||
		ts.isPostfixUnaryExpression(parent) ||
		(ts.isForOfStatement(parent) && parent.initializer === node)
	);
}

function isSuperCall(node: ts.Node): boolean {
	return ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.SuperKeyword;
}

/** Leaving it out is what the condition's own change to `false` does. */
function isOnlyStatementOfIf(node: ts.Node): boolean {
	const holder =
		ts.isBlock(node.parent) && node.parent.statements.length === 1 ? node.parent.parent : node.parent;
	return ts.isIfStatement(holder) && holder.elseStatement === undefined;
}

function isInCase(node: ts.Node): boolean {
	return ts.isCaseOrDefaultClause(node.parent);
}

/** Whether a statement is the last one of a function: nothing comes after it. */
function isLast(node: ts.Statement): boolean {
	const { parent } = node;
	return ts.isBlock(parent) && ts.isFunctionLike(parent.parent) && parent.statements.at(-1) === node;
}
