/** Formats a count, such as `1,204 messages`. */
export function count(number: number, noun: string): string {
	return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
