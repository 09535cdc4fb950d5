import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";

/** What can be struck, each by a run of its own. */
export const STORES = [
	"redis",
	"postgres",
	"sqlite",
	"inbox",
	"sends-postgres",
	"sends-sqlite",
	"turns",
	"chat",
] as const;
export type StoreName = (typeof STORES)[number];

/** The options that are numbers, with their defaults and lowest values. */
const NUMBERS = {
	events: { standard: 3_000, lowest: 1 },
	receivers: { standard: 4, lowest: 2 },
	sends: { standard: 300, lowest: 1 },
	workers: { standard: 4, lowest: 2 },
	// With fewer, not all workers have turns at once.
	conversations: { standard: 300, lowest: 15 },
	bursts: { standard: 1_000, lowest: 10 },
	kills: { standard: 16, lowest: 1 },
} as const;
type NumberName = keyof typeof NUMBERS;
const NUMBER_NAMES = Object.keys(NUMBERS) as NumberName[];

export const HELP = `npm run test:chaos -- [--store ${STORES.join("|")}]...
                      [--events 3000] [--receivers 4] [--sends 300] [--workers 4]
                      [--conversations 300] [--bursts 1000] [--kills 16] [--seed N]

Kills processes and takes away servers in the middle of their work: all stores by default, one after the other, with one
new seed, in about twenty minutes on two cores. The last lines are a verdict on each, with the command that
repeats it.

  held          every fault struck, and the product kept its promises
  inconclusive  it kept them, but a fault never struck, however often it was tried: exit code 0
  failed        something was lost, doubled, torn, out of order or falsely accepted, or a process crashed: exit code 1

What an inconclusive or a failed run was judged by is kept in a file. A run in which nothing moves for minutes is ended.

redis, postgres, sqlite: --events go to --receivers behind one store. Receivers are killed, connections are cut at the
  server, and the store is stopped, killed and hangs: each receiver must report it, and work again afterwards.
inbox: the same with an inbox, whose handlers write in its transactions: over PostgreSQL, and again over PgBouncer, which
  is killed as well.
sends-postgres, sends-sqlite: --sends are made once by --workers, half of them with callbacks, under the same faults.
turns: two bursts from --conversations, while workers of the example are killed.
chat: --bursts of three lines from a tenth as many contacts to a bot on Chat SDK, whose posts wait in a queue within its
  process, while its workers are killed; then the same bursts to adapters of the usual shape, for comparison.

What no real server shows is in test/simulation: each statement, lost responses, pauses past a lease and clocks.`;

/** Bad input: what to do is its message. */
export class UsageError extends Error {}

/** What a command asks for. */
export interface ChaosCommand extends Readonly<Record<NumberName, number>> {
	/** Empty if it asks for help. */
	readonly stores: readonly StoreName[];
	readonly seed: number;
}

/** Reads a command line. @throws UsageError */
export function readCommand(args: readonly string[]): ChaosCommand {
	const values = parse(args);
	const numbers = NUMBER_NAMES.map((name) => {
		const { standard, lowest } = NUMBERS[name];
		return [name, readNumber(name, values[name] ?? String(standard), lowest)];
	});
	return {
		...(Object.fromEntries(numbers) as Record<NumberName, number>),
		seed: values.seed === undefined ? randomInt(2 ** 31) : readNumber("seed", values.seed, 0),
		stores: values.help ? [] : (values.store ?? STORES).map((name) => readName("store", name, STORES)),
	};
}

/** Which numbers decide a run. */
function numbersOf(store: StoreName): NumberName[] {
	if (store === "turns") return ["conversations", "kills"];
	if (store === "chat") return ["bursts", "kills"];
	return store.startsWith("sends-") ? ["sends", "workers"] : ["events", "receivers"];
}

/** The command that runs one store again, with the same choices; when things happen depends on the machine. */
export function commandFor(store: StoreName, command: ChaosCommand): string {
	const numbers = numbersOf(store).filter((name) => command[name] !== NUMBERS[name].standard);
	return [
		`npm run test:chaos -- --store ${store} --seed ${command.seed}`,
		...numbers.map((name) => `--${name} ${command[name]}`),
	].join(" ");
}

function parse(args: readonly string[]) {
	const text = { type: "string" } as const;
	const numbers = {
		events: text,
		receivers: text,
		sends: text,
		workers: text,
		conversations: text,
		bursts: text,
		kills: text,
	};
	const store = { type: "string", multiple: true } as const;
	const options = { ...numbers, seed: text, store, help: { type: "boolean" } } as const;
	try {
		return parseArgs({ args: [...args], options }).values;
	} catch (error) {
		throw new UsageError(`${error instanceof Error ? error.message : error}; --help lists the options`);
	}
}

function readNumber(name: string, value: string, lowest: number): number {
	const number = Number(value);
	if (/^\d+$/.test(value) && Number.isSafeInteger(number) && number >= lowest) return number;
	throw new UsageError(`--${name} must be an integer of at least ${lowest}, not ${JSON.stringify(value)}`);
}

function readName<Name extends string>(option: string, value: string, names: readonly Name[]): Name {
	const found = names.find((name) => name === value);
	if (found !== undefined) return found;
	throw new UsageError(`--${option} must be one of ${names.join(", ")}, not ${JSON.stringify(value)}`);
}
