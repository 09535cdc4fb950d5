import { canonicalize } from "../../../library/signing/canonical-json.ts";

/**
 * How a gateway writes a body before it hashes it, in what JSON leaves open. The fields are always sorted: a gateway that
 * keeps the order in which they were sent accepts that too.
 */
export interface BodyForm {
	/** Characters that are escaped with lower-case digits, as in the brackets of a regular expression. */
	readonly lowerCase: string;
	/** Characters that are escaped with upper-case digits. */
	readonly upperCase: string;
	/** Whether a slash has a backslash. */
	readonly isSlashEscaped: boolean;
	/** Whether a quotation mark is escaped with digits. */
	readonly isQuoteEscaped: boolean;
	readonly whitespace: "none" | "after_separators" | "line_break_at_end";
	readonly isWithoutNulls: boolean;
	/** What differs from RFC 8785, in words. */
	readonly differences: readonly string[];
}

/** The form of RFC 8785. */
export const RFC_8785: BodyForm = {
	lowerCase: "",
	upperCase: "",
	isSlashEscaped: false,
	isQuoteEscaped: false,
	whitespace: "none",
	isWithoutNulls: false,
	differences: [],
};

/** A change of a form. */
export type BodyDifference = Partial<Omit<BodyForm, "differences">> & {
	/** What differs, in words. */
	readonly words: string;
};

/** A form with one more difference; characters add up. */
export function withDifference(form: BodyForm, { words, ...difference }: BodyDifference): BodyForm {
	return {
		...form,
		...difference,
		lowerCase: form.lowerCase + (difference.lowerCase ?? ""),
		upperCase: form.upperCase + (difference.upperCase ?? ""),
		differences: [...form.differences, words],
	};
}

const DOT_NET: Partial<BodyForm> = { upperCase: "\\u0080-\\uffff\\u007f<>&'+`", isQuoteEscaped: true };

/** A form in words, to continue "bodies with …". */
export function describeBodyForm(form: BodyForm): string {
	const library = isSame(form, DOT_NET) ? " (like .NET's System.Text.Json)" : "";
	return `${form.differences.join(", ")}${library}`;
}

function isSame(form: BodyForm, parts: Partial<BodyForm>): boolean {
	const other = { ...RFC_8785, ...parts, differences: form.differences };
	const names = Object.keys(form) as (keyof BodyForm)[];
	return names.every((name) => form[name] === other[name]);
}

/** Writes a body in a form. */
export function writeInForm(body: unknown, form: BodyForm): string {
	const value = form.isWithoutNulls ? JSON.parse(JSON.stringify(body, withoutNull)) : body;
	return stepsOf(form).reduce(
		(text, { pattern, replacer: { replace } }) => text.replace(pattern, replace),
		canonicalize(value),
	);
}

/** A form as the property of a profile, in JavaScript that is TypeScript too. */
export interface BodyFormSource {
	readonly import: string;
	readonly lines: readonly string[];
}

/** Writes the source of a property that writes bodies in a form. */
export function writeBodyFormSource(form: BodyForm): BodyFormSource {
	const comment = `// Bodies with ${describeBodyForm(form)}.`;
	const value = form.isWithoutNulls
		? "JSON.parse(JSON.stringify(body, (_key, value) => (value === null ? undefined : value)))"
		: "body";
	const calls = [
		`canonicalize(${value})`,
		...stepsOf(form).map(({ pattern, replacer }) => `  .replace(${pattern}, ${replacer.source})`),
	];
	return {
		import: 'import { canonicalize } from "messaging-gateway/signing";',
		lines: [
			comment,
			"canonicalBody: (body) =>",
			...calls.map((call, at) => `  ${call}${at === calls.length - 1 ? "," : ""}`),
		],
	};
}

interface Replacer {
	/** The same as JavaScript. */
	readonly source: string;
	readonly replace: (found: string) => string;
}

interface Replacement {
	readonly pattern: RegExp;
	readonly replacer: Replacer;
}

/** What is done to the form of RFC 8785, in order. Escapes apply to strings only: nothing else in JSON has these characters. */
function stepsOf({
	lowerCase,
	upperCase,
	isSlashEscaped,
	isQuoteEscaped,
	whitespace,
}: BodyForm): Replacement[] {
	const anyOf = (characters: string): RegExp => new RegExp(`[${characters}]`, "g");
	return [
		...stepIf(lowerCase !== "", anyOf(lowerCase), TO_LOWER_CASE),
		...stepIf(upperCase !== "", anyOf(upperCase), TO_UPPER_CASE),
		...stepIf(isSlashEscaped, /\//g, constant("\\/")),
		// A backslash before a quotation mark, unless it is the second of a pair.
		...stepIf(isQuoteEscaped, /(?<=(?:^|[^\\])(?:\\\\)*)\\"/g, constant("\\u0022")),
		...stepIf(whitespace === "after_separators", /"(?:[^"\\]|\\.)*"|[,:]/g, WITH_SPACE),
		...stepIf(whitespace === "line_break_at_end", /$/, constant("\n")),
	];
}

function stepIf(isNeeded: boolean, pattern: RegExp, replacer: Replacer): Replacement[] {
	return isNeeded ? [{ pattern, replacer }] : [];
}

const withoutNull = (_key: string, value: unknown): unknown => (value === null ? undefined : value);

const digitsOf = (unit: string): string => unit.charCodeAt(0).toString(16).padStart(4, "0");

const TO_LOWER_CASE: Replacer = {
	source: '(unit) => "\\\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0")',
	replace: (unit) => `\\u${digitsOf(unit)}`,
};

const TO_UPPER_CASE: Replacer = {
	source: '(unit) => "\\\\u" + unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")',
	replace: (unit) => `\\u${digitsOf(unit).toUpperCase()}`,
};

const WITH_SPACE: Replacer = {
	source: '(token) => (token.length === 1 ? token + " " : token)',
	replace: (token) => (token.length === 1 ? `${token} ` : token),
};

function constant(text: string): Replacer {
	return { source: `() => ${JSON.stringify(text)}`, replace: () => text };
}
