/** Parses JSON; `undefined` if it is invalid. */
export function parseJson(json: string): unknown {
	try {
		return JSON.parse(json);
	} catch {
		return undefined;
	}
}
