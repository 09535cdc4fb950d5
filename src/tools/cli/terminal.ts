import process from "node:process";
import { stripVTControlCharacters, styleText } from "node:util";
import { describeDuration } from "../local-gateway/duration.ts";
import { createErrorReport } from "./failure.ts";
import { printable, printableLines } from "./printable.ts";
import { inOurWords } from "./words.ts";

/** What people see of an error's details, and under which name. */
const LABELS: Readonly<Record<string, string>> = {
	outcome: "outcome",
	gatewayCode: "code",
	gatewayMessage: "the gateway says",
	fieldErrors: "fields",
	requestId: "request",
	retryAfterMs: "try again in",
};

type Style = Parameters<typeof styleText>[0];

/** The output of a verb: coloured lines for people, or JSON for machines. */
export class Terminal {
	/** Whether to write JSON, one value per line. */
	readonly isJson: boolean;
	readonly #columns: () => number | undefined;
	/** The lines below all others. */
	#below: readonly string[] = [];

	/** @param options.columns - of the terminal; a file or a pipe has none. */
	constructor({
		isJson,
		columns = () => process.stdout.columns,
	}: {
		isJson: boolean;
		columns?: () => number | undefined;
	}) {
		this.isJson = isJson;
		this.#columns = columns;
	}

	/** How wide it is now; `undefined` for a file or a pipe. */
	get columns(): number | undefined {
		return this.#columns();
	}

	/** Writes a line for people. */
	say(line = ""): void {
		if (!this.isJson) this.write(`${line}\n`);
	}

	/** Writes a document, the same for people and machines. */
	write(document: string): void {
		process.stdout.write(this.#eraseBelow() + document + this.#drawBelow());
	}

	/** Writes a result: `value` as JSON, or `format()` for people, which must make untrusted strings printable. */
	show(value: unknown, format: () => string): void {
		this.write(`${this.isJson ? toJson(value) : format()}\n`);
	}

	/** Keeps lines below all others, in place of those before. Only a terminal has them, where each is one row. */
	keepBelow(lines: readonly string[]): void {
		const { columns } = this;
		if (columns === undefined) return;
		const erased = this.#eraseBelow();
		this.#below = lines.flatMap((line) => line.split("\n")).map((row) => cut(row, columns));
		process.stdout.write(erased + this.#drawBelow());
	}

	/**
	 * Draws these lines and returns to the first of them, a place that the terminal remembers: Enter then moves the cursor
	 * within them, and does not scroll what is to be erased.
	 */
	#drawBelow(): string {
		const { length } = this.#below;
		if (length === 0) return "";
		const room = `${"\n".repeat(length)}\u001b[${length}A\u001b7`;
		return `${room}${this.#below.join("\r\n")}\u001b8`;
	}

	/** What moves the cursor to the first of these lines, and clears the screen from there. */
	#eraseBelow(): string {
		return this.#below.length === 0 ? "" : "\u001b8\u001b[J";
	}

	/** Writes an error and returns its exit code. JSON goes to standard output, like results. */
	reportError(error: unknown): number {
		const { message, hint, exitCode, details } = createErrorReport(error);
		if (this.isJson) {
			process.stdout.write(`${toJson({ ok: false, error: { message, ...details, hint } })}\n`);
			return exitCode;
		}
		const sentence = inOurWords(message);
		process.stderr.write(`${paint("red", "error:", process.stderr)} ${printableLines(sentence)}\n`);
		for (const [name, label] of Object.entries(LABELS)) {
			const value = details[name];
			// The message has the gateway's code and the request's id, unless they are unusual.
			if (value === undefined || message.includes(String(value))) continue;
			const shown =
				name === "retryAfterMs"
					? describeDuration(Math.ceil(Number(value) / 1_000) * 1_000)
					: toText(value).replace(/\n\s*/g, ", ");
			process.stderr.write(`  ${label}: ${inOurWords(shown)}\n`);
		}
		if (hint !== undefined) process.stderr.write(`${printableLines(inOurWords(hint))}\n`);
		return exitCode;
	}

	/** Colours a string if standard output is a terminal; respects `NO_COLOR` and `FORCE_COLOR`. */
	paint(style: Style, value: string): string {
		return paint(style, value, process.stdout);
	}
}

/** Cuts a line that would need more than one row. */
function cut(line: string, columns: number): string {
	const plain = stripVTControlCharacters(line);
	return plain.length <= columns ? line : `${plain.slice(0, columns - 1)}…`;
}

function paint(style: Style, value: string, stream: NodeJS.WriteStream): string {
	return styleText(style, value, { stream });
}

/** Formats a value as lines of text: a name and a value in each, or values that are indented below it. */
export function toText(value: unknown, indent = ""): string {
	if (isEmpty(value)) return `${indent}none`;
	if (typeof value !== "object" || value === null) return indent + printable(String(value));
	if (Array.isArray(value))
		return value.map((item) => `${indent}- ${toText(item, `${indent}  `).trimStart()}`).join("\n");
	return Object.entries(value)
		.map(([name, item]) => {
			const isShort = isEmpty(item) || typeof item !== "object";
			return `${indent}${printable(name)}:${isShort ? " " : "\n"}${toText(item, isShort ? "" : `${indent}  `)}`;
		})
		.join("\n");
}

function isEmpty(value: unknown): boolean {
	return value == null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);
}

/** Formats a value as one line of JSON; `undefined` becomes `null`. */
function toJson(value: unknown): string {
	return printable(JSON.stringify(value ?? null));
}
