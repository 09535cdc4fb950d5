/** Writes a value of JSON as JavaScript, on one line. Members that are `undefined` are left out. */
export function literal(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
	if (typeof value === "object" && value !== null) {
		return objectLiteral(
			Object.entries(value).map(([name, member]) => [
				name,
				member === undefined ? undefined : literal(member),
			]),
		);
	}
	return JSON.stringify(value ?? null);
}

/** Writes an object from the sources of its members. */
export function objectLiteral(
	members: readonly (readonly [name: string, source: string | undefined])[],
): string {
	const parts = members.flatMap(([name, source]) =>
		source === undefined ? [] : [`${memberName(name)}: ${source}`],
	);
	return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
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
