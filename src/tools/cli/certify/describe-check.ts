import { printable } from "../printable.ts";
import type { Terminal } from "../terminal.ts";
import type { CheckResult } from "./certify.ts";
import type { Verdict } from "./judge.ts";

const STYLES = { right: "green", wrong: "red", advice: "yellow", unseen: "dim" } as const;

const COLUMNS = 80;
const INDENT = "        ";

/**
 * A check in a line, and below it what is wrong and what to do.
 * @param shownFix - what the line above says to do, which is not repeated.
 */
export function describeCheck(
	terminal: Terminal,
	{ verdict, certainty, sent, responses, reason, fix }: CheckResult,
	shownFix?: string,
): string {
	const [first = "", ...rest] = wrap(`${sent}: ${responses.join(", ")}`);
	const label = terminal.paint(STYLES[verdict], verdict.padEnd(INDENT.length));
	const sentences = [
		...(reason === undefined ? [] : wrap(certainty === undefined ? reason : `${certainty}: ${reason}`)),
		...(fix === undefined || fix === shownFix ? [] : wrap(fix)),
	];
	return [label + first, ...[...rest, ...sentences].map((line) => INDENT + line)].join("\n");
}

/** How many checks have each verdict. */
export function describeCounts(terminal: Terminal, checks: readonly CheckResult[], untried: number): string {
	const counts = Object.keys(STYLES).map((verdict) => {
		const count = checks.filter((check) => check.verdict === verdict).length;
		return `${count} ${verdict}`;
	});
	const worst = (["wrong", "advice", "right"] as const satisfies Verdict[]).find((verdict) =>
		checks.some((check) => check.verdict === verdict),
	);
	const left = untried === 0 ? "" : `, ${untried} not tried`;
	return `${terminal.paint(STYLES[worst ?? "unseen"], counts.join(", "))}${left}.`;
}

/** Lines that fit beside the indent; a word that is longer stays whole. */
function wrap(text: string): string[] {
	const lines: string[] = [];
	for (const word of printable(text).split(" ")) {
		const last = lines.at(-1);
		if (last === undefined || INDENT.length + last.length + 1 + word.length > COLUMNS) lines.push(word);
		else lines[lines.length - 1] = `${last} ${word}`;
	}
	return lines;
}
