import type { SigningProfile } from "../library/signing/dialect.ts";

/** A canonical form that a profile can name. */
export type NamedBodyForm = Extract<SigningProfile["canonicalBody"], string>;

/** What the documents, the doctor and the local gateway say of a canonical form. */
interface BodyFormWords {
	/** What it writes, as a sentence. */
	readonly writes: string;
	/** A library that writes it by itself, to continue "like …". */
	readonly library: string;
	/** How to make it write that, in its language. */
	readonly example: string;
	/** What a client did that signs it, to continue "it signs the body …". */
	readonly signed: string;
}

/** Every canonical form that a profile can name, in the order of the documents. */
export const BODY_FORM_WORDS: Readonly<Record<NamedBodyForm, BodyFormWords>> = {
	rfc8785: {
		writes:
			"The canonical JSON of RFC 8785: fields sorted, no whitespace, and escapes only where JSON needs them.",
		library: "Python's json.dumps with ensure_ascii=False",
		example: 'Python: `json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)`',
		signed: "with its fields sorted",
	},
	json: {
		writes: "JSON without whitespace, with the fields in their own order.",
		library: "JavaScript's JSON.stringify",
		example: "JavaScript: `JSON.stringify(body)`",
		signed: "with its fields unsorted",
	},
	ascii: {
		writes: "As `rfc8785`, with everything beyond ASCII, and U+007F, as `\\u00e9`.",
		library: "Python's json.dumps without spaces",
		example: 'Python: `json.dumps(body, sort_keys=True, separators=(",", ":"))`',
		signed: "with \\u escapes beyond ASCII",
	},
	ascii_spaced: {
		writes: "As `ascii`, with a space after each comma and colon.",
		library: "Python's json.dumps",
		example: "Python: `json.dumps(body, sort_keys=True)`",
		signed: "with \\u escapes beyond ASCII and a space after each comma and colon",
	},
	ascii_slashes: {
		writes: "As `rfc8785`, with `/` as `\\/` and everything beyond ASCII as `\\u00e9`.",
		library: "PHP's json_encode",
		example: "PHP: `json_encode($body)`, after `ksort` at each level",
		signed: "with escaped slashes and \\u escapes beyond ASCII",
	},
	slashes: {
		writes: "As `rfc8785`, with `/` as `\\/`.",
		library: "Swift's JSONEncoder",
		example: "Swift: `JSONEncoder` with `.sortedKeys`",
		signed: "with escaped slashes",
	},
	html_escaped: {
		writes: "As `rfc8785`, with `<`, `>`, `&`, U+2028 and U+2029 as `\\u003c`.",
		library: "Go's encoding/json",
		example: "Go: `json.Marshal` of a map",
		signed: "with \\u escapes for HTML",
	},
	no_nulls: {
		writes:
			"As `rfc8785`, without the fields that are `null`, which aren't sent either. A `null` in a list stays.",
		library: "Jackson with NON_NULL",
		example: "Java: Jackson with `NON_NULL` and `ORDER_MAP_ENTRIES_BY_KEYS`",
		signed: "without its nulls",
	},
};

export const NAMED_BODY_FORMS = Object.keys(BODY_FORM_WORDS) as readonly NamedBodyForm[];
