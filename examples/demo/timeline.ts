import { styleText } from "node:util";

/** What stands before a line: a call, a webhook, a check that went as it should, a failure. */
const MARKS = {
	note: ["·", "dim"],
	call: ["→", "cyan"],
	webhook: ["←", "magenta"],
	good: ["✓", "green"],
	bad: ["✗", "red"],
} as const;

export type Mark = keyof typeof MARKS;

/** Prints what happens as it happens: seconds since the start, a mark, a subject and what is to say of it. */
export class Timeline {
	readonly #start = performance.now();
	#failures = 0;

	/** How many lines told of something that did not go as it should. */
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

	/** Says whether something is as it should be; a no makes the demo fail. */
	check(isRight: boolean, subject: string, detail = ""): void {
		this.line(isRight ? "good" : "bad", subject, detail);
	}
}

/** Colour only where a terminal shows it; NO_COLOR is respected. */
function paint(style: "bold" | "dim" | "cyan" | "magenta" | "green" | "red", text: string): string {
	return styleText(style, text, { stream: process.stdout });
}
