/** No header of a delivery is longer; the rest is ignored. */
const MAX_VALUE_LENGTH = 4096;

/** A header as it was given. A repeated header has several fields. */
export interface HeaderField {
	readonly name: string;
	readonly value: string;
}

/** Reads headers from any shape, even those that the verification rejects. */
export function readHeaderFields(headers: unknown): HeaderField[] {
	return listEntries(headers).flatMap(([name, value]) => {
		const values: unknown[] = Array.isArray(value) ? value : [value];
		return values.flatMap((one) =>
			typeof name === "string" && (typeof one === "string" || typeof one === "number")
				? [{ name, value: String(one).slice(0, MAX_VALUE_LENGTH + 1) }]
				: [],
		);
	});
}

function listEntries(headers: unknown): [name: unknown, value: unknown][] {
	if (typeof headers !== "object" || headers === null) return [];
	if (Array.isArray(headers)) {
		if (headers.every((entry) => Array.isArray(entry))) return headers.map(([name, value]) => [name, value]);
		// Names and values in turn, as Node's `rawHeaders` has them.
		return headers.flatMap((name, at): [unknown, unknown][] =>
			at % 2 === 0 ? [[name, headers[at + 1]]] : [],
		);
	}
	if ("forEach" in headers && typeof headers.forEach === "function") {
		const entries: [unknown, unknown][] = [];
		headers.forEach((value: unknown, name: unknown) => {
			entries.push([name, value]);
		});
		return entries;
	}
	return Object.entries(headers);
}

/** The different values of a header: one for each spelling of its name, joined as proxies join them. */
export function valuesOf(fields: readonly HeaderField[], name: string): string[] {
	const bySpelling = new Map<string, string>();
	for (const field of fields) {
		if (field.name.toLowerCase() !== name.toLowerCase()) continue;
		const earlier = bySpelling.get(field.name);
		bySpelling.set(field.name, earlier === undefined ? field.value : `${earlier}, ${field.value}`);
	}
	return [...new Set(bySpelling.values())];
}

/** The names that may belong to a signed delivery of any sender. */
export function signingHeaderNames(fields: readonly HeaderField[]): string[] {
	const names = fields
		.map(({ name }) => name)
		.filter((name) => /^[\w-]{1,64}$/.test(name) && /signature|timestamp|event-?id|webhook/i.test(name));
	return [...new Set(names)].slice(0, 16);
}
