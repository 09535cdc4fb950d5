/** A number with as many digits as mean something. */
export function formatCount(value: number, digits = 3): string {
	return value.toLocaleString("en", { maximumSignificantDigits: digits });
}

const UNITS = [
	["TB", 1e12],
	["GB", 1e9],
	["MB", 1e6],
] as const;

/** Bytes in the largest unit of which there is one, to two digits. */
export function formatBytes(bytes: number): string {
	const [unit, size] = UNITS.find(([, size]) => bytes >= size) ?? ["kB", 1e3];
	return `${formatCount(bytes / size, 2)} ${unit}`;
}
