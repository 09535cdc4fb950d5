import { serialize } from "./canonical-json.ts";

const BEYOND_ASCII = /[\x7f-\uffff]/g;

/** The canonical forms that a profile can name, and the UTF-16 code units that each escapes in the string of RFC 8785. */
const ESCAPED = {
	rfc8785: undefined,
	json: undefined,
	ascii: BEYOND_ASCII,
	ascii_spaced: BEYOND_ASCII,
	ascii_slashes: /[/\x80-\uffff]/g,
	slashes: /\//g,
	html_escaped: /[&<>\u2028\u2029]/g,
	no_nulls: undefined,
} satisfies Record<string, RegExp | undefined>;

export type BodyFormName = keyof typeof ESCAPED;

/** Every name, in the order of the documents. */
export const BODY_FORMS = Object.keys(ESCAPED) as readonly BodyFormName[];

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
