import process from "node:process";
import { text } from "node:stream/consumers";
import { styleText } from "node:util";
import { tellError } from "./failure.ts";
import { printable, printableLines } from "./printable.ts";

type Style = Parameters<typeof styleText>[0];

/** Where a verb writes: for people in words and colours, or for machines as JSON. */
export class Terminal {
	/** Whether machines read it: then every verb writes JSON, one value per line. */
	readonly isJson: boolean;

	constructor({ isJson }: { isJson: boolean }) {
		this.isJson = isJson;
	}

	/** Writes a line for people. */
	say(line = ""): void {
		if (!this.isJson) process.stdout.write(`${line}\n`);
	}

	/** Writes a document that is the same for people and machines. */
	write(document: string): void {
		process.stdout.write(document);
	}

	/** Writes a result: as JSON for machines, and in the given words for people, in which what is foreign is printable. */
	show(value: unknown, words: () => string): void {
		process.stdout.write(`${this.isJson ? toJson(value) : words()}\n`);
	}

	/** Writes what went wrong; machines find it where they look for results. */
	complain(error: unknown): number {
		const { message, hint, exitCode, details } = tellError(error);
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

	/** Colours a text where it is read on a terminal; `NO_COLOR` and `FORCE_COLOR` are honoured. */
	paint(style: Style, value: string): string {
		return paint(style, value, process.stdout);
	}
}

function paint(style: Style, value: string, stream: NodeJS.WriteStream): string {
	return styleText(style, value, { stream });
}

/** Reads all of standard input. */
export function readStandardInput(): Promise<string> {
	return text(process.stdin);
}

/** A value as JSON that people can read; nothing at all is `null`. */
export function pretty(value: unknown): string {
	return printableLines(JSON.stringify(value ?? null, null, 2));
}

/** A value as JSON in one line; nothing at all is `null`. */
function toJson(value: unknown): string {
	return printable(JSON.stringify(value ?? null));
}
