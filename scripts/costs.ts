/** `npm run costs`: measures what `npm test` costs, on Linux, and writes it to `test/costs.json`. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { sumCosts, type TestCosts } from "./tests/test-costs.ts";

const HELP = `npm run costs -- [--compare]

Runs npm test, and records the CPU-seconds of each step and of each test file in test/costs.json; a test compares their
sum with the budget. --compare records nothing, and lists what costs twice as much as it did.`;

const RECORD = new URL("../test/costs.json", import.meta.url);

/** What costs less may double by the noise of the machine. */
const NOTABLE = 2;

const { values } = parseArgs({
	options: { compare: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
});
if (values.help) console.log(HELP);
else if (process.platform !== "linux") {
	console.error("CPU-seconds are read from /proc, which only Linux has");
	process.exitCode = 2;
} else if (values.compare) compare(JSON.parse(readFileSync(RECORD, "utf8")), measure());
else {
	const costs = measure();
	writeFileSync(RECORD, `${JSON.stringify(costs, undefined, "\t")}\n`);
	console.log(`npm test costs ${sumCosts(costs).toFixed(0)} CPU-seconds`);
}

function measure(): TestCosts {
	const folder = mkdtempSync(join(tmpdir(), "messaging-gateway-costs-"));
	const path = join(folder, "costs.jsonl");
	const env = { ...process.env, TEST_COSTS: path };
	const { status } = spawnSync(process.execPath, ["scripts/test.ts"], { stdio: "inherit", env });
	if (status !== 0) throw new Error("npm test failed, so what it costs is not known");
	const steps: Record<string, number> = {};
	const files: Record<string, number> = {};
	for (const line of readFileSync(path, "utf8").trim().split("\n")) {
		const { step, file, cpuSeconds }: { step?: string; file?: string; cpuSeconds: number } = JSON.parse(line);
		if (step !== undefined) steps[step] = cpuSeconds;
		if (file !== undefined) files[file] = cpuSeconds;
	}
	rmSync(folder, { recursive: true });
	steps["tests"] = (steps["tests"] ?? 0) - Object.values(files).reduce((sum, each) => sum + each, 0);
	return { steps: sorted(steps), files: sorted(files) };
}

function sorted(costs: Readonly<Record<string, number>>): Record<string, number> {
	const entries = Object.entries(costs).sort(([one], [other]) => (one < other ? -1 : 1));
	return Object.fromEntries(entries.map(([name, cost]) => [name, Math.round(10 * cost) / 10]));
}

function compare(recorded: TestCosts, measured: TestCosts): void {
	for (const kind of ["steps", "files"] as const) {
		for (const [name, cost] of Object.entries(measured[kind])) {
			const before = recorded[kind][name] ?? 0;
			if (cost >= Math.max(NOTABLE, 2 * before)) console.log(`${name}: ${before} before, ${cost} now`);
		}
	}
	console.log(`npm test: ${sumCosts(recorded).toFixed(0)} before, ${sumCosts(measured).toFixed(0)} now`);
}
