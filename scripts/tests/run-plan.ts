import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync } from "node:fs";
import process from "node:process";
import { readCpuSeconds } from "./cpu-seconds.ts";
import type { Plan, Step } from "./plan.ts";

/** How the tests of a plan run. */
export interface RunOptions {
	/** Of all random cases, and of the order of files and tests. */
	readonly seed: number;
	/** The servers whose tests are left out, by their names in `TEST_WITHOUT`. */
	readonly without: readonly string[];
}

/** How many of a failed step's last lines are shown. */
const SHOWN_LINES = 400;

/** Runs all steps, with a line for each, and then shows what the failed ones have printed. @returns their names. */
export async function runPlan(plan: Plan, { seed, without }: RunOptions): Promise<string[]> {
	const environment = {
		TEST_SEED: String(seed),
		TEST_WITHOUT: without.join(","),
		...(plan.hasAllCases && { TEST_ALL_CASES: "1" }),
	};
	const failures = new Map<string, string>();

	async function pass({ name, command }: Step): Promise<boolean> {
		const { code, output, seconds } = await runShell(command, environment, name);
		console.log(`${code === 0 ? "✓" : "✗"} ${name}${describeCounts(output)} (${seconds.toFixed(1)} s)`);
		if (code !== 0) failures.set(name, output);
		return code === 0;
	}

	async function passInTurn(steps: readonly Step[]): Promise<void> {
		for (const step of steps) await pass(step);
	}

	async function prepareAndTest(): Promise<void> {
		for (const step of plan.before) if (!(await pass(step))) return;
		await pass(plan.tests);
	}

	await Promise.all([passInTurn(plan.beside), prepareAndTest()]);
	for (const [name, output] of failures) {
		console.log(`\n✗ ${name}\n${output.trimEnd().split("\n").slice(-SHOWN_LINES).join("\n")}\n`);
	}
	return [...failures.keys()];
}

async function runShell(command: string, environment: Readonly<Record<string, string>>, name: string) {
	const startedAt = performance.now();
	const env = { ...process.env, NO_COLOR: "1", ...environment };
	const child = spawn(command, { shell: true, stdio: ["ignore", "pipe", "pipe"], env });
	let output = "";
	for (const stream of [child.stdout, child.stderr]) {
		stream.setEncoding("utf8").on("data", (text: string) => {
			output += text;
		});
	}
	child.once("exit", () => noteCost(name));
	const [code] = await once(child, "close");
	return { code, output, seconds: (performance.now() - startedAt) / 1_000 };
}

let cpuSecondsBefore = 0;

/** Adds what the child that has just ended has cost to the file that TEST_COSTS names, if it is set. */
function noteCost(name: string): void {
	const file = process.env["TEST_COSTS"];
	if (file === undefined) return;
	const now = readCpuSeconds();
	appendFileSync(file, `${JSON.stringify({ step: name, cpuSeconds: now - cpuSecondsBefore })}\n`);
	cpuSecondsBefore = now;
}

/** How many tests there were, and the lines that they cover, where the output says it. */
function describeCounts(output: string): string {
	const [, counts] = /^\s*Tests\s+(.*?)(?: \(\d+\))?$/m.exec(output) ?? [];
	const [, lines] = /^Lines\s*: ([\d.]+%)/m.exec(output) ?? [];
	return [counts && `: ${counts}`, lines && `, ${lines} of the lines`].filter(Boolean).join("");
}
