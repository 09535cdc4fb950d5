/** What moves the cursor, changes the terminal, ends a line, or turns the direction of what follows. */
const CONTROLS = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** A string from elsewhere as one line: its control characters stand there as escapes, such as `\u001b`. */
export function printable(text: string): string {
	return text.replace(CONTROLS, toEscape);
}

/** The same over several lines: line feeds and tabs are kept. JSON stays JSON of the same value. */
export function printableLines(text: string): string {
	return text.replace(CONTROLS, (control) => (/[\n\t]/.test(control) ? control : toEscape(control)));
}

/** Lines from elsewhere below a line of ours, indented so that none of them looks like ours. */
export function indented(text: string): string {
	return printableLines(text).replace(/^/gm, "  ");
}

function toEscape(control: string): string {
	return `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
