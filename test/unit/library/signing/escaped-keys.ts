/**
 * Whether a key is written with an escape. V8 13 and 14 may read it as another one with a backslash, which they read
 * before (nodejs/node#63785), so that JSON.parse is no measure for it.
 */
export function hasEscapedKey(json: string): boolean {
	return /"(?:[^"\\]|\\.)*\\.(?:[^"\\]|\\.)*":/s.test(json);
}
