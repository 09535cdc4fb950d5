/** `npm run test:chaos`: events, keyed sends and turns, while processes are killed and servers are stopped. */
import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runChaos } from "./chaos.ts";
import { runInboxChaos } from "./inbox-chaos.ts";
import { type ChaosCommand, commandFor, HELP, readCommand, type StoreName, UsageError } from "./options.ts";
import { type ChaosReport, formatJudgement, type Verdict, verdictOf } from "./report.ts";
import { runSendsChaos } from "./sends/sends-chaos.ts";
import { playTurns } from "./turns/play.ts";

type Run = (command: ChaosCommand) => Promise<ChaosReport>;

const RUNS: Readonly<Record<StoreName, Readonly<Record<string, Run>>>> = {
	redis: { redis: (command) => runChaos("redis", command) },
	postgres: { postgres: (command) => runChaos("postgres", command) },
	sqlite: { sqlite: (command) => runChaos("sqlite", command) },
	inbox: {
		inbox: (command) => runInboxChaos(false, command),
		"inbox over PgBouncer": (command) => runInboxChaos(true, command),
	},
	"sends-postgres": { "sends-postgres": (command) => runSendsChaos("postgres", command) },
	"sends-sqlite": { "sends-sqlite": (command) => runSendsChaos("sqlite", command) },
	turns: { turns: playTurns },
};

try {
	const command = readCommand(process.argv.slice(2));
	if (command.stores.length === 0) console.log(HELP);
	else if ((await runAll(command)).includes("failed")) process.exitCode = 1;
} catch (error) {
	if (!(error instanceof UsageError)) throw error;
	console.error(error.message);
	process.exitCode = 2;
}

/** Runs each store, and prints the verdicts below everything else. */
async function runAll(command: ChaosCommand): Promise<Verdict[]> {
	const verdicts: Verdict[] = [];
	const lines: string[] = [];
	for (const store of command.stores) {
		for (const [name, run] of Object.entries(RUNS[store])) {
			console.log(`\n${name}, seed ${command.seed}`);
			const report = await run(command).catch(describeBreakdown);
			const verdict = verdictOf(report);
			console.log(formatJudgement(report));
			if (verdict !== "held")
				console.log(`seed ${command.seed}, journal ${keepJournal(name, command.seed, report)}`);
			verdicts.push(verdict);
			lines.push(`${verdict.toUpperCase()} ${name}, seed ${command.seed}: ${commandFor(store, command)}`);
		}
	}
	console.log(`\n${lines.join("\n")}`);
	return verdicts;
}

/** A server that cannot be started, for example. */
function describeBreakdown(error: unknown): ChaosReport {
	const reason = error instanceof Error ? error.message : String(error);
	return { counts: {}, failures: [`the run did not begin: ${reason}`], inconclusive: [], journal: undefined };
}

/** Writes down what a run was judged by. @returns the file's path. */
function keepJournal(name: string, seed: number, { journal, ...judgement }: ChaosReport): string {
	const folder = join(tmpdir(), "messaging-gateway-chaos");
	mkdirSync(folder, { recursive: true });
	const path = join(folder, `${name.replaceAll(" ", "-")}-${seed}.json`);
	writeFileSync(path, JSON.stringify({ ...judgement, journal }, undefined, "\t"));
	return path;
}
