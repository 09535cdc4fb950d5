/** The latest time of a `Date`, in milliseconds. */
const LATEST = 8.64e15;

/** Parses Unix seconds, Unix milliseconds or a date into Unix milliseconds; `undefined` if it is invalid. */
export function readTime(input: string): number | undefined {
	const plain = input.trim();
	if (/^\d{1,11}$/.test(plain)) return Number(plain) * 1000;
	const ms = /^\d{12,}$/.test(plain) ? Number(plain) : Date.parse(plain);
	return Number.isNaN(ms) || ms > LATEST ? undefined : ms;
}
