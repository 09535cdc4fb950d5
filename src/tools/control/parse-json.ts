/** Parses JSON; `undefined` if it is none. */
export function parseJson(json: string): unknown {
	try {
		return JSON.parse(json);
	} catch {
		return undefined;
	}
}
