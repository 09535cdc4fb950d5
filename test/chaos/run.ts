/** `npm run test:chaos`: events, keyed sends and turns, while processes are killed and servers are stopped. */
import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { playChat } from "./chat/play.ts";
import { driveEvents } from "./events/drive.ts";
import { type ChaosCommand, commandFor, HELP, readCommand, type StoreName, UsageError } from "./options.ts";
import { type ChaosReport, formatJudgement, type Verdict, verdictOf } from "./report.ts";
import { driveSends } from "./sends/drive.ts";
import { startPooledStore, startPostgresStore, startRedisStore, startSqliteStore } from "./servers.ts";
import { playTurns } from "./turns/play.ts";

type Run = (command: ChaosCommand) => Promise<ChaosReport>;

const RUNS: Readonly<Record<StoreName, Readonly<Record<string, Run>>>> = {
	redis: { redis: (command) => driveEvents(startRedisStore, command) },
	postgres: { postgres: (command) => driveEvents(startPostgresStore, command) },
	sqlite: { sqlite: (command) => driveEvents(startSqliteStore, command) },
	inbox: {
		inbox: (command) => driveEvents(startPostgresStore, command, true),
		"inbox over PgBouncer": (command) => driveEvents(startPooledStore, command, true),
	},
	"sends-postgres": { "sends-postgres": (command) => driveSends(startPostgresStore, command) },
	"sends-sqlite": { "sends-sqlite": (command) => driveSends(startSqliteStore, command) },
	turns: { turns: playTurns },
	chat: { chat: playChat },
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
