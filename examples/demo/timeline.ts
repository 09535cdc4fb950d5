import { styleText } from "node:util";

/** The mark before a line: a call, a webhook, a passed check, a failure. */
const MARKS = {
	note: ["·", "dim"],
	call: ["→", "cyan"],
	webhook: ["←", "magenta"],
	good: ["✓", "green"],
	bad: ["✗", "red"],
} as const;

export type Mark = keyof typeof MARKS;

/** Prints a line for each step: seconds since the start, a mark, a subject and a detail. */
export class Timeline {
	readonly #start = performance.now();
	#failures = 0;

	/** How many lines reported a failure. */
	get failures(): number {
		return this.#failures;
	}

	title(text: string): void {
		console.log(`\n${paint("bold", text)}`);
	}

	line(mark: Mark, subject: string, detail = ""): void {
		if (mark === "bad") this.#failures += 1;
		const [sign, colour] = MARKS[mark];
		const seconds = ((performance.now() - this.#start) / 1000).toFixed(2).padStart(6);
		console.log(
			`${paint("dim", `${seconds} s`)}  ${paint(colour, sign)} ${subject.padEnd(24)} ${detail}`.trimEnd(),
		);
	}

	/** Prints whether a check passed; one that did not makes the demo fail. */
	check(hasPassed: boolean, subject: string, detail = ""): void {
		this.line(hasPassed ? "good" : "bad", subject, detail);
	}
}

/** Colours only in a terminal; NO_COLOR is respected. */
function paint(style: "bold" | "dim" | "cyan" | "magenta" | "green" | "red", text: string): string {
	return styleText(style, text, { stream: process.stdout });
}
