/** The latest time that a `Date` holds, in milliseconds. */
const LATEST = 8.64e15;

/** A time in Unix seconds, Unix milliseconds or as a date, in Unix milliseconds; `undefined` where it is none. */
export function readTime(text: string): number | undefined {
	const plain = text.trim();
	if (/^\d{1,11}$/.test(plain)) return Number(plain) * 1000;
	const ms = /^\d{12,}$/.test(plain) ? Number(plain) : Date.parse(plain);
	return Number.isNaN(ms) || ms > LATEST ? undefined : ms;
}
