import { styleText } from "node:util";

/** The mark before a line: a request to the gateway, a webhook from it, a passed check, a failure. */
const MARKS = {
	request: ["←", "cyan"],
	webhook: ["→", "magenta"],
	good: ["✓", "green"],
	bad: ["✗", "red"],
} as const;

export type Mark = keyof typeof MARKS;

/** Prints a line for each step: a mark, a subject and a detail. */
export class Timeline {
	#failures = 0;

	/** How many lines reported a failure. */
	get failures(): number {
		return this.#failures;
	}

	title(text: string): void {
		console.log(`${paint("bold", text)}\n`);
	}

	line(mark: Mark, subject: string, detail: string): void {
		if (mark === "bad") this.#failures += 1;
		const [sign, colour] = MARKS[mark];
		console.log(`  ${paint(colour, sign)} ${subject.padEnd(24)} ${detail}`);
	}

	/** Prints whether a check passed; one that did not makes the demo fail. */
	check(hasPassed: boolean, subject: string, detail: string): void {
		this.line(hasPassed ? "good" : "bad", subject, detail);
	}
}

/** Colours only in a terminal; NO_COLOR is respected. */
function paint(style: "bold" | "cyan" | "magenta" | "green" | "red", text: string): string {
	return styleText(style, text, { stream: process.stdout });
}
