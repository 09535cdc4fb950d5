import type { OperationId } from "../../../library/catalogue/index.ts";
import type { Diagnosis } from "../../doctor/calls/diagnosis.ts";
import type { ShapeComparison } from "../../doctor/shapes/comparison.ts";
import { printable, printableLines } from "../printable.ts";
import type { Terminal } from "../terminal.ts";
import { describeFinding } from "./describe-diagnosis.ts";

/** The result of `doctor --shapes`. It contains no number, text, id, URL or secret. */
export interface Survey {
	readonly comparisons: readonly ShapeComparison[];
	readonly skipped: readonly { readonly operation: OperationId; readonly reason: string }[];
	/** Operations that change the account. */
	readonly untried: readonly OperationId[];
	readonly hasSends: boolean;
	readonly profileSource: string | undefined;
}

/**
 * Whether signed calls are accepted, which comparing needs.
 * @param isSigningFound - whether they are in a form that the doctor found.
 */
export function describeSigningResult(
	terminal: Terminal,
	diagnosis: Diagnosis,
	isSigningFound: boolean,
): string {
	const { baseUrl, isHealthy, hasTestedBodies, findings } = diagnosis;
	const where = terminal.paint("bold", baseUrl);
	if (isHealthy !== false) {
		const scope = hasTestedBodies ? "with and without a body" : "without a body";
		return `${where}: signed calls ${scope} are accepted.\n`;
	}
	if (isSigningFound) {
		return `${where}: signed calls are accepted in another form than that of your profile; this comparison uses it.\n`;
	}
	const causes = findings.filter(({ isBlocking }) => isBlocking);
	const lines = causes.map((finding) => describeFinding(terminal, finding));
	return `${where}: the doctor found this:\n${lines.join("\n")}\n`;
}

const STYLES = { fits: "green", differs: "red", unseen: "yellow" } as const;

/** One call, and what differs. */
export function describeComparison(terminal: Terminal, comparison: ShapeComparison): string {
	const { verdict, operation, detail, method, path, status, provenance, differences } = comparison;
	const name = detail === undefined ? operation : `${operation} (${detail})`;
	const source = provenance === "documented" ? "" : terminal.paint("dim", " assumed");
	const lines = [
		`${terminal.paint(STYLES[verdict], verdict.padEnd(7))} ${name}: ${method} ${printable(path)} ${status ?? ""}${source}`,
	];
	for (const { isBreaking, message } of differences) {
		lines.push(`          ${isBreaking ? "" : "note: "}${printable(message)}`);
	}
	return lines.join("\n");
}

/** What was not tried, the profile, and what to do next. */
export function describeResult(terminal: Terminal, survey: Survey, file: string | undefined): string {
	const { comparisons, skipped, untried, hasSends, profileSource } = survey;
	const lines: string[] = [];
	if (skipped.length > 0) {
		lines.push("", "Not tried:");
		for (const { operation, reason } of skipped) lines.push(`  ${operation}: ${reason}`);
	}
	if (untried.length > 0) {
		lines.push("", `Never tried here, since they change the account: ${untried.join(", ")}.`);
	}
	const differing = comparisons.filter(({ verdict }) => verdict === "differs");
	const fixed = differing.filter(({ isFixedByProfile }) => isFixedByProfile).length;
	if (profileSource !== undefined) {
		lines.push(
			"",
			`The profile for this gateway. With it, ${fixed} of the ${differing.length} responses that differ have the assumed shape:`,
			"",
			printableLines(profileSource),
		);
	}
	if (fixed < differing.length) {
		lines.push(
			"",
			"What else differs in fields needs codecs, which you write: request.encode and response.decode of the operation in the profile. Ask the gateway's operator about the rest.",
		);
	}
	if (file !== undefined) {
		lines.push("", `${printable(file)} has the responses without numbers, texts, ids, URLs and secrets.`);
	}
	lines.push("", describeVerdict(terminal, comparisons, hasSends));
	return lines.join("\n");
}

function describeVerdict(
	terminal: Terminal,
	comparisons: readonly ShapeComparison[],
	hasSends: boolean,
): string {
	const count = (verdict: ShapeComparison["verdict"]) =>
		comparisons.filter((comparison) => comparison.verdict === verdict).length;
	const counts = `${count("fits")} fit, ${count("differs")} differ, ${count("unseen")} unseen.`;
	const next = hasSends
		? "Webhooks are not compared: `messaging-gateway listen` shows real events."
		: "No send was tried: --to NUMBER sends real messages to a number of yours.";
	return `${terminal.paint(count("differs") === 0 ? "green" : "red", counts)} ${next}`;
}
