import type {
	Diagnosis,
	DiagnosisCheck,
	DiagnosisFinding,
	DiagnosisProbe,
} from "../../doctor/calls/diagnosis.ts";
import { describeDuration } from "../../local-gateway/duration.ts";
import { indented, printable, printableLines } from "../printable.ts";
import type { Terminal } from "../terminal.ts";
import { inOurWords } from "../words.ts";

/** What distinguishes the requests. */
const PROBES: Readonly<Record<DiagnosisProbe, string>> = {
	health: "",
	health_without_proxy: "without the proxy",
	health_of_parent: "at a shorter path",
	signed: "",
	wrongly_signed: "wrong on purpose",
	signed_with_space: "with a space",
	signed_unknown_path: "an unknown path",
	signed_with_query: "with a query",
	signed_body: "with a body",
	wrongly_signed_body: "wrong on purpose",
};

/** The whole diagnosis, for people. */
export function describeDiagnosis(terminal: Terminal, diagnosis: Diagnosis): string {
	const { baseUrl, isReachable, latencyMs, clockOffsetMs, checks, findings, untested } = diagnosis;
	const reached = isReachable
		? `reached in ${latencyMs ?? "?"} ms; its clock is ${describeOffset(clockOffsetMs)}`
		: "not reached";
	const lines = [`${terminal.paint("bold", baseUrl)}: ${reached}`, ...describeChecks(terminal, checks)];
	for (const finding of findings) lines.push("", describeFinding(terminal, finding));
	if (diagnosis.profileSource !== undefined)
		lines.push("", "The profile that this gateway accepts:", "", printableLines(diagnosis.profileSource));
	if (untested.length > 0)
		lines.push("", "Not tested:", ...untested.map((sentence) => indented(inOurWords(sentence))));
	return [...lines, "", describeVerdict(terminal, diagnosis)].join("\n");
}

/** A finding, and below it what to do. */
export function describeFinding(
	terminal: Terminal,
	{ certainty, isBlocking, message, fix }: DiagnosisFinding,
): string {
	const title = terminal.paint(isBlocking ? "red" : "yellow", isBlocking ? certainty : "note");
	return `${title}: ${printable(inOurWords(message))}\n${indented(inOurWords(fix))}`;
}

/** The requests in columns; the same one in a row is one line. */
function describeChecks(terminal: Terminal, checks: readonly DiagnosisCheck[]): string[] {
	const lines: { text: string; times: number }[] = [];
	for (const { method, path, outcome, status, probe, signing } of checks) {
		const meant = probe.startsWith("wrongly") ? "rejected" : "accepted";
		const isAsMeant = outcome === meant;
		const style = isAsMeant ? "green" : "yellow";
		const what = `${signing === undefined ? "" : "signature "}${outcome.replace("_", " ")}`;
		const result = terminal.paint(style, `${status ?? "---"} ${what}`.padEnd(22));
		const detail = PROBES[probe] === "" ? "" : terminal.paint("dim", ` (${PROBES[probe]})`);
		const why = isAsMeant ? "" : terminal.paint("yellow", `: it should be ${meant}`);
		const text = `  ${result}  ${method} ${printable(path)}${detail}${why}`;
		const last = lines.at(-1);
		if (last?.text === text) last.times++;
		else lines.push({ text, times: 1 });
	}
	return lines.map(({ text, times }) => (times === 1 ? text : `${text}, ${times} times`));
}

function describeVerdict(terminal: Terminal, { isHealthy, hasTestedBodies, signing }: Diagnosis): string {
	const isAnyAccepted = signing !== undefined;
	if (isHealthy) {
		return terminal.paint("green", "Healthy: signed calls are accepted, with and without a body.");
	}
	if (isHealthy === null) {
		const proven = hasTestedBodies
			? "Signed calls work; escapes in a path are unproven, so calls that name a contact may still fail."
			: isAnyAccepted
				? "Signed GETs work; bodies are unproven, so sends may still fail."
				: "Calls are accepted with any signature; the signing is unproven.";
		return terminal.paint("yellow", proven);
	}
	const failing = isAnyAccepted
		? "Not healthy: calls of this client fail, as the findings say."
		: "Not healthy: no signed call was accepted.";
	return terminal.paint("red", failing);
}

function describeOffset(offsetMs: number | undefined): string {
	if (offsetMs === undefined) return "unknown";
	const ms = Math.round(offsetMs / 1000) * 1000;
	if (ms === 0) return "right";
	return `${describeDuration(Math.abs(ms))} ${ms > 0 ? "ahead" : "behind"}`;
}
