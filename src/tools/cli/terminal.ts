import process from "node:process";
import { styleText } from "node:util";
import { createErrorReport } from "./failure.ts";
import { printable, printableLines } from "./printable.ts";

type Style = Parameters<typeof styleText>[0];

/** The output of a verb: coloured lines for people, or JSON for machines. */
export class Terminal {
	/** Whether to write JSON, one value per line. */
	readonly isJson: boolean;

	constructor({ isJson }: { isJson: boolean }) {
		this.isJson = isJson;
	}

	/** Writes a line for people. */
	say(line = ""): void {
		if (!this.isJson) process.stdout.write(`${line}\n`);
	}

	/** Writes a document, the same for people and machines. */
	write(document: string): void {
		process.stdout.write(document);
	}

	/** Writes a result: `value` as JSON, or `format()` for people, which must make untrusted strings printable. */
	show(value: unknown, format: () => string): void {
		process.stdout.write(`${this.isJson ? toJson(value) : format()}\n`);
	}

	/** Writes an error and returns its exit code. JSON goes to standard output, like results. */
	reportError(error: unknown): number {
		const { message, hint, exitCode, details } = createErrorReport(error);
		if (this.isJson) {
			process.stdout.write(`${toJson({ ok: false, error: { message, ...details, hint } })}\n`);
			return exitCode;
		}
		const { name: _, ...shown } = details;
		process.stderr.write(`${paint("red", "error:", process.stderr)} ${printableLines(message)}\n`);
		for (const [key, value] of Object.entries(shown)) {
			process.stderr.write(`  ${key}: ${typeof value === "string" ? printable(value) : toJson(value)}\n`);
		}
		if (hint !== undefined) process.stderr.write(`${hint}\n`);
		return exitCode;
	}

	/** Colours a string if standard output is a terminal; respects `NO_COLOR` and `FORCE_COLOR`. */
	paint(style: Style, value: string): string {
		return paint(style, value, process.stdout);
	}
}

function paint(style: Style, value: string, stream: NodeJS.WriteStream): string {
	return styleText(style, value, { stream });
}

/** Formats a value as indented JSON; `undefined` becomes `null`. */
export function pretty(value: unknown): string {
	return printableLines(JSON.stringify(value ?? null, null, 2));
}

/** Formats a value as one line of JSON; `undefined` becomes `null`. */
function toJson(value: unknown): string {
	return printable(JSON.stringify(value ?? null));
}
