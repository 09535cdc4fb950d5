/**
 * Writes a value as JavaScript, on one line. Members that are `undefined` are left out.
 * @param names - expressions for strings that differ in each run, such as ids.
 */
export function literal(value: unknown, names: ReadonlyMap<string, string> = new Map()): string {
	if (typeof value === "string") return names.get(value) ?? JSON.stringify(value);
	if (value instanceof Uint8Array) return `new Uint8Array(${value.length}).fill(${value[0]})`;
	if (Array.isArray(value)) return `[${value.map((item) => literal(item, names)).join(", ")}]`;
	if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
	const members = Object.entries(value).flatMap(([name, member]) =>
		member === undefined ? [] : [`${memberName(name)}: ${literal(member, names)}`],
	);
	return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** An integer, in groups of three digits. */
export function numberLiteral(value: number): string {
	return String(value).replace(/\B(?=(\d{3})+$)/g, "_");
}

function memberName(name: string): string {
	// As a plain key it would set the prototype.
	if (name === "__proto__") return '["__proto__"]';
	return /^[a-zA-Z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}
