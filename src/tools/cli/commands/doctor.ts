import type { Command } from "commander";
import { diagnose } from "../../doctor/calls/diagnose.ts";
import type { Diagnosis } from "../../doctor/calls/diagnosis.ts";
import type { ActionMaker } from "../action.ts";
import { examples } from "../examples.ts";
import { EXIT } from "../failure.ts";
import { createClient, type GatewayOptions, withGatewayOptions } from "../gateway-options.ts";
import { indented, printable, printableLines } from "../printable.ts";
import type { Terminal } from "../terminal.ts";

interface DoctorOptions extends GatewayOptions {
	probeBody?: boolean;
	probeNumber?: string;
}

/** Adds the verb that finds out why calls fail. */
export function addDoctorCommand(program: Command, action: ActionMaker): void {
	withGatewayOptions(program.command("doctor"))
		.description("Find out why calls fail. It only reads, unless --probe-body is given.")
		.option("--probe-body", "also find out how bodies are signed, by posting unknown fields")
		.option("--probe-number <number>", "the number whose mapping is requested")
		.addHelpText(
			"after",
			examples("messaging-gateway doctor", "messaging-gateway doctor --probe-body --json"),
		)
		.action(
			action(async (terminal, options: DoctorOptions) => {
				const { probeBody, probeNumber } = options;
				const gateway = await createClient(options);
				const diagnosis = await diagnose(gateway, { probeBody, probeNumber });
				terminal.show(diagnosis, () => describe(terminal, diagnosis));
				if (diagnosis.isHealthy === null) return EXIT.untested;
				return diagnosis.isHealthy ? EXIT.done : EXIT.failed;
			}),
		);
}

function describe(terminal: Terminal, diagnosis: Diagnosis): string {
	const { baseUrl, isReachable, latencyMs, clockOffsetMs, checks, findings, untested, profileSource } =
		diagnosis;
	const reached = isReachable
		? `reached in ${latencyMs ?? "?"} ms, its clock is ${describeOffset(clockOffsetMs)}`
		: "not reached";
	const lines = [`${terminal.paint("bold", baseUrl)}: ${reached}`];
	for (const { method, path, outcome, status, probe } of checks) {
		const style = outcome === "accepted" ? "green" : "yellow";
		lines.push(
			`  ${method} ${printable(path)} ${terminal.paint(style, outcome)} ${status ?? ""} ${terminal.paint("dim", probe)}`,
		);
	}
	for (const { certainty, isBlocking, message, fix } of findings) {
		const title = terminal.paint(isBlocking ? "red" : "yellow", certainty);
		lines.push("", `${title}: ${printable(message)}`, indented(fix));
	}
	for (const sentence of untested) lines.push("", terminal.paint("dim", `Not tested: ${sentence}`));
	if (profileSource !== undefined)
		lines.push("", "The profile that this gateway accepts:", "", printableLines(profileSource));
	return [...lines, "", describeResult(terminal, diagnosis)].join("\n");
}

function describeResult(terminal: Terminal, { isHealthy }: Diagnosis): string {
	if (isHealthy) return terminal.paint("green", "The tested calls succeed, with and without a body.");
	return isHealthy === null
		? terminal.paint(
				"yellow",
				"The tested reads succeed. No call with a body was tested: --probe-body tests one.",
			)
		: terminal.paint("red", "Not healthy: no signed call was seen to work without a problem.");
}

function describeOffset(offsetMs: number | undefined): string {
	if (offsetMs === undefined) return "unknown";
	const seconds = Math.round(offsetMs / 1000);
	if (seconds === 0) return "correct";
	return `${Math.abs(seconds)} s ${seconds > 0 ? "ahead" : "behind"}`;
}
