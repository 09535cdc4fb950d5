import { Argument, type Command, Option } from "commander";
import type { Terminal } from "./terminal.ts";

/** What a flag means. One of a verb that cannot do without it is required, or has a value if it is not given. */
type Flag = string | { readonly meaning: string; readonly preset?: string };

/** Flags as the help shows them, such as `--to <number>`. */
export type Flags = Readonly<Record<`--${string}`, Flag>>;

type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
	? `${Head}${Capitalize<CamelCase<Tail>>}`
	: Name;

type NameOf<Text> = Text extends `--no-${infer Name}`
	? CamelCase<Name>
	: Text extends `--${infer Name} <${string}` | `--${infer Name}`
		? CamelCase<Name>
		: never;

type ValueOf<Text> = Text extends `${string}...>` ? string[] : Text extends `${string}>` ? string : boolean;

/** The options that flags give. */
export type OptionsOf<Table extends Flags> = {
	-readonly [Text in keyof Table as Table[Text] extends string ? NameOf<Text> : never]?: ValueOf<Text>;
} & { -readonly [Text in keyof Table as Table[Text] extends string ? never : NameOf<Text>]: ValueOf<Text> };

type ArgumentOf<Usage, Word> = Usage extends `${string}<${string}` ? Word : Word | undefined;

/** Runs a verb and resolves to its exit code; without one it is 0. */
type RunVerb<Options, Given> = (
	terminal: Terminal,
	options: Options,
	given: Given,
) => Promise<void> | Promise<number>;

/** Connects a verb to the terminal: its result is what commander calls. */
export type Starter = <Options, Given>(
	run: RunVerb<Options, Given>,
) => (options: Options, given: Given) => Promise<void>;

/** A verb, declared once: its help, its flags and what it does. */
interface Verb<Table extends Flags, Usage extends string, Word extends string> {
	/** Its name, and its argument if it has one, such as `log [id]`. Words of an argument with dots are joined. */
	readonly usage: Usage;
	/** Whether the argument may begin with a hyphen, as `-love` does. */
	readonly isHyphenOk?: true;
	/** The only values of the argument. */
	readonly words?: readonly Word[];
	readonly summary: string;
	readonly flags: Table;
	readonly examples?: readonly string[];
	/** Paragraphs at the end of the help. */
	readonly notes?: string;
	readonly run: RunVerb<OptionsOf<Table>, ArgumentOf<Usage, Word>>;
}

/** Adds a verb to a command. */
export type AddVerb = (parent: Command, start: Starter) => Command;

/** Declares a verb. */
export function declareVerb<
	const Table extends Flags,
	const Usage extends string,
	const Word extends string = string,
>({ usage, isHyphenOk, words, summary, flags, examples, notes, run }: Verb<Table, Usage, Word>): AddVerb {
	return (parent, start) => {
		const [name = "", ...rest] = usage.split(" ");
		const command = withHelp(parent.command(name), { summary, examples, notes });
		for (const text of rest) {
			const argument = new Argument(text);
			command.addArgument(words === undefined ? argument : argument.choices(words));
		}
		for (const [text, flag] of Object.entries<Flag>(flags)) {
			const { meaning, preset } = typeof flag === "string" ? { meaning: flag } : flag;
			command.addOption(
				new Option(text, meaning).default(preset, preset).makeOptionMandatory(typeof flag !== "string"),
			);
		}
		if (isHyphenOk) acceptHyphen(command);
		const started = start(run);
		return command.action(() => {
			const [given] = command.processedArgs;
			const joined = Array.isArray(given) ? given.join(" ") || undefined : given;
			return started(command.opts(), joined);
		});
	};
}

/** One hyphen before a word is no option: those have two, or one letter. */
const HYPHENATED = /^-[^-]./;

/** Lets an argument of a command begin with a hyphen, wherever it stands. */
function acceptHyphen(command: Command): void {
	const parseOptions = command.parseOptions.bind(command);
	command.parseOptions = (args) => {
		const [word] = args.includes("--") ? [] : args.filter((arg) => HYPHENATED.test(arg));
		if (word === undefined) return parseOptions(args);
		return parseOptions([...args.filter((arg) => arg !== word), "--", word]);
	};
}

/** What a command's help says beside its flags. */
interface Help {
	readonly summary: string;
	readonly examples?: readonly string[] | undefined;
	readonly notes?: string | undefined;
}

/** Declares a verb of several parts. */
export function declareGroup(name: string, help: Help, parts: readonly AddVerb[]): AddVerb {
	return (parent, start) => {
		const command = withHelp(parent.command(name), help);
		for (const add of parts) add(command, start);
		return command;
	};
}

/** Gives a command its description, its examples and its notes. */
export function withHelp(command: Command, { summary, examples = [], notes }: Help): Command {
	const lines = examples.map((line) => `\n  $ ${line}`).join("");
	if (lines !== "") command.addHelpText("after", `\nExamples:${lines}`);
	if (notes !== undefined) command.addHelpText("after", () => `\n${wrap(command, notes)}`);
	return command.description(summary);
}

function wrap(command: Command, text: string): string {
	const help = command.createHelp();
	return help.boxWrap(text, command.configureOutput().getOutHelpWidth?.() ?? 80);
}
