/**
 * `npm run busy -- npm test`: runs a command while processes beside it keep the machine busy. A test that passes only
 * where the machine is fast, or where nothing else runs, fails here.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import process from "node:process";
import { parseArgs } from "node:util";

const HELP = `npm run busy -- [--processes 8] COMMAND [ARGUMENT…]

Runs a command while processes beside it keep the machine busy, and ends with the command's exit code. A test that
depends on how fast the machine is fails sooner or later:

  npm run busy -- npm test
  npm run busy -- npx vitest run test/unit --sequence.shuffle
  npm run busy -- --processes 4 npm test`;

/** Never sleeps, and ends with this process, even if that is killed. */
const LOOP = `for (let n = 0; n % 1e6 !== 0 || process.ppid === ${process.pid}; n++);`;

const OPTIONS = {
	processes: { type: "string", default: "8" },
	help: { type: "boolean", default: false },
} as const;

process.exitCode = await main().catch((error: Error) => {
	console.error(`${error.message}\n\n${HELP}`);
	return 2;
});

/** Splits at the first argument that is no option: npm drops the `--` before a command whose options are its own. */
function splitArguments(args: readonly string[]): { own: string[]; command: string[] } {
	const { tokens } = parseArgs({
		args,
		options: OPTIONS,
		strict: false,
		allowPositionals: true,
		tokens: true,
	});
	const end = tokens.find(({ kind }) => kind !== "option");
	if (end === undefined) return { own: [...args], command: [] };
	const commandAt = end.kind === "option-terminator" ? end.index + 1 : end.index;
	return { own: args.slice(0, end.index), command: args.slice(commandAt) };
}

async function main(): Promise<number> {
	const { own, command } = splitArguments(process.argv.slice(2));
	const { values } = parseArgs({ args: own, options: OPTIONS });
	if (values.help) {
		console.log(HELP);
		return 0;
	}
	const count = Number(values.processes);
	if (!(Number.isSafeInteger(count) && count >= 1))
		throw new Error("--processes must be an integer of at least 1");
	const [file, ...args] = command;
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
