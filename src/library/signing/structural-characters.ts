/**
 * The most structural characters (RFC 8259, section 2) in the JSON of a stranger: brackets, braces, colons and commas
 * outside its strings. What values cost to make and to write grows with these, and only a little with the other bytes. The
 * largest requests that are documented have some hundred.
 */
export const MAX_STRUCTURAL_CHARACTERS = 100_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** 1 for each structural character. All are ASCII, so that no byte of another character is one. */
const IS_STRUCTURAL = /* @__PURE__ */ Uint8Array.from({ length: 256 }, (_, byte) =>
	Number("[]{}:,".includes(String.fromCharCode(byte))),
);

/**
 * Whether JSON has more structural characters than allowed. Of other bytes it counts right as far as `JSON.parse` reads:
 * to the first that is not JSON, such as a backslash outside a string.
 */
export function isOverStructured(json: Uint8Array): boolean {
	let count = 0;
	let isInString = false;
	for (let at = 0; at < json.length; at++) {
		const byte = json[at] ?? 0;
		if (byte === QUOTE) isInString = !isInString;
		else if (byte === BACKSLASH) at++;
		else if (!isInString) count += IS_STRUCTURAL[byte] ?? 0;
		if (count > MAX_STRUCTURAL_CHARACTERS) return true;
	}
	return false;
}
