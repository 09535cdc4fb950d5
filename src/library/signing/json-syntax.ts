import { CanonicalJsonError } from "../errors.ts";

/** The bytes of JSON's grammar (RFC 8259). */
export const TAB = 0x09;
export const LINE_FEED = 0x0a;
export const CARRIAGE_RETURN = 0x0d;
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const PLUS = 0x2b;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
export const DOT = 0x2e;
export const SLASH = 0x2f;
export const ZERO = 0x30;
export const NINE = 0x39;
export const COLON = 0x3a;
export const UPPER_E = 0x45;
export const ARRAY_START = 0x5b;
export const BACKSLASH = 0x5c;
export const ARRAY_END = 0x5d;
export const LOWER_B = 0x62;
export const LOWER_E = 0x65;
export const LOWER_F = 0x66;
export const LOWER_N = 0x6e;
export const LOWER_R = 0x72;
export const LOWER_T = 0x74;
export const LOWER_U = 0x75;
export const OBJECT_START = 0x7b;
export const OBJECT_END = 0x7d;

/** Below this are the control characters, which a string escapes. */
export const FIRST_UNESCAPED = 0x20;

export function notJson(): CanonicalJsonError {
	return new CanonicalJsonError("not_json", "the body is not JSON in UTF-8");
}
