/** Characters that move the cursor, change the terminal, end a line, or change the text direction. */
const CONTROLS = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** Makes an untrusted string one safe line: control characters become escapes such as `\u001b`. */
export function printable(value: string): string {
	return value.replace(CONTROLS, toEscape);
}

/** Like {@link printable}, but keeps line feeds and tabs. JSON stays JSON of the same value. */
export function printableLines(value: string): string {
	return value.replace(CONTROLS, (control) => (/[\n\t]/.test(control) ? control : toEscape(control)));
}

/** Indents untrusted lines: none of them looks like a line of the command. */
export function indented(value: string): string {
	return printableLines(value).replace(/^/gm, "  ");
}

function toEscape(control: string): string {
	return `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
