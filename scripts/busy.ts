/**
 * `npm run busy -- npm test`: runs a command while processes beside it keep the machine busy. A test that passes only
 * where the machine is fast, or where nothing else runs, fails here.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import process from "node:process";
import { parseArgs } from "node:util";

const HELP = `npm run busy -- [--processes 8] -- COMMAND [ARGUMENT…]

Runs a command while processes beside it keep the machine busy, and ends with the command's exit code. A test that
depends on how fast the machine is fails sooner or later:

  npm run busy -- npm test
  npm run busy -- --processes 4 -- npx vitest run test/unit --sequence.shuffle`;

/** Never sleeps, and ends with this process, even if that is killed. */
const LOOP = `for (let n = 0; n % 1e6 !== 0 || process.ppid === ${process.pid}; n++);`;

process.exitCode = await main().catch((error: Error) => {
	console.error(`${error.message}\n\n${HELP}`);
	return 2;
});

async function main(): Promise<number> {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: {
			processes: { type: "string", default: "8" },
			help: { type: "boolean", default: false },
		},
	});
	if (values.help) {
		console.log(HELP);
		return 0;
	}
	const count = Number(values.processes);
	if (!(Number.isSafeInteger(count) && count >= 1))
		throw new Error("--processes must be an integer of at least 1");
	const [file, ...args] = positionals;
	if (file === undefined) throw new Error("there is no command to run");
	return runBeside(count, file, args);
}

/** @returns the exit code of the command, or that of a shell if a signal ended it. */
async function runBeside(count: number, file: string, args: readonly string[]): Promise<number> {
	const loops = Array.from({ length: count }, () =>
		spawn(process.execPath, ["--eval", LOOP], { stdio: "ignore" }),
	);
	try {
		const child = spawn(file, args, { stdio: "inherit" });
		// Ctrl+C reaches the command directly, which then decides when to end.
		process.on("SIGINT", () => undefined);
		process.on("SIGTERM", () => child.kill("SIGTERM"));
		await once(child, "exit");
		const { exitCode, signalCode } = child;
		return exitCode ?? 128 + (signalCode === null ? 0 : constants.signals[signalCode]);
	} finally {
		for (const loop of loops) loop.kill("SIGKILL");
	}
}
