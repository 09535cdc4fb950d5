/** Describes a thread's messages that are too old for the page; `undefined` if there are none. */
export function describeOlderMessages(shown: number, older: number): string | undefined {
	if (older === 0) return undefined;
	if (shown === 0) return `${count(older, "message")} ${beOf(older)} too old for this page, and not shown.`;
	const newest = shown === 1 ? "The newest message is" : `The newest ${count(shown, "message")} are`;
	return `${newest} shown; ${count(older, "older one")} ${beOf(older)} not.`;
}

/** Describes the webhooks that are too old for the page. */
export function describeOlderWebhooks(older: number): string {
	return `${count(older, "older webhook")}, of all kinds, ${beOf(older)} not shown.`;
}

function beOf(number: number): "is" | "are" {
	return number === 1 ? "is" : "are";
}

/** Formats a count, such as `1,204 messages`. */
export function count(number: number, noun: string): string {
	return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
