import { serialize } from "./canonical-json.ts";

/** The canonical forms that a profile can name: each is one string for each body, which is hashed and sent. */
export const BODY_FORMS = [
	"rfc8785",
	"json",
	"ascii",
	"ascii_spaced",
	"ascii_slashes",
	"slashes",
	"html_escaped",
	"no_nulls",
] as const;

export type BodyFormName = (typeof BODY_FORMS)[number];

/** The UTF-16 code units that a form escapes in the string of RFC 8785, where only strings have them. */
const ESCAPED: { readonly [Form in BodyFormName]?: RegExp } = {
	ascii: /[\x7f-\uffff]/g,
	ascii_spaced: /[\x7f-\uffff]/g,
	ascii_slashes: /[/\x80-\uffff]/g,
	slashes: /\//g,
	html_escaped: /[&<>\u2028\u2029]/g,
};

/**
 * Writes a body in a named form, each but `json` with its keys sorted.
 * @throws CanonicalJsonError as `canonicalize`.
 */
export function writeInBodyForm(body: unknown, form: BodyFormName): string {
	const order = form === "json" ? "insertion" : "sorted";
	const json = serialize(body, order, form === "ascii_spaced" ? " " : "");
	// What a reviver makes `undefined` is left out of an object, and is null again in an array.
	if (form === "no_nulls")
		return serialize(
			JSON.parse(json, (_key, value) => value ?? undefined),
			order,
		);
	const escaped = ESCAPED[form];
	return escaped === undefined ? json : json.replace(escaped, escapeUnit);
}

function escapeUnit(unit: string): string {
	return unit === "/" ? "\\/" : `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
