import type { Command } from "commander";

/** The shells that a script can be written for. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

export type Shell = (typeof SHELLS)[number];

/** What can follow the words of a command: its verbs, the values of its argument, and its flags. */
interface CompletedCommand {
	/** The verbs up to here, joined by spaces; empty for the command itself. */
	readonly path: string;
	readonly words: readonly string[];
	readonly flags: readonly string[];
	/** The flags that take a value. */
	readonly taking: readonly string[];
}

/** Writes the script that completes the verbs and flags of a program in a shell. */
export function writeCompletion(program: Command, shell: Shell): string {
	const places = placesOf(program);
	const name = program.name();
	return shell === "fish" ? writeFish(name, places) : writeBash(name, places, shell);
}

function placesOf(
	command: Command,
	path: readonly string[] = [],
	inherited: readonly CompletedFlag[] = [],
): CompletedCommand[] {
	const own = command.options.map(
		({ long, required }): CompletedFlag => ({ name: long ?? "", takesValue: required }),
	);
	const flags = [...own, ...inherited];
	const { commands } = command;
	const visible = command.createHelp().visibleCommands(command);
	const place = {
		path: path.join(" "),
		words: [
			...visible.map((part) => part.name()).filter((part) => part !== "help"),
			...command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
		],
		flags: [...flags.map((flag) => flag.name), "--help"],
		taking: flags.filter((flag) => flag.takesValue).map((flag) => flag.name),
	};
	const globals = path.length === 0 ? own.filter(({ name }) => name !== "--version") : inherited;
	return [place, ...commands.flatMap((part) => placesOf(part, [...path, part.name()], globals))];
}

interface CompletedFlag {
	readonly name: string;
	readonly takesValue: boolean;
}

/** Zsh runs the script of bash; `path` and `words` are its own. After a flag with a value the shell completes files. */
function writeBash(name: string, places: readonly CompletedCommand[], shell: Shell): string {
	const cases = places.map(
		({ path, words, flags, taking }) =>
			`    '${path}') offered='${words.join(" ")}' flags='${flags.join(" ")}' taking=' ${taking.join(" ")} ' ;;`,
	);
	const zsh =
		shell === "zsh"
			? "autoload -U +X compinit && compinit -u\nautoload -U +X bashcompinit && bashcompinit\n"
			: "";
	return `${zsh}_messaging_gateway() {
  local verb='' offered='' flags='' taking='' word next at
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  _messaging_gateway_at ''
  for ((at = 1; at < COMP_CWORD; at++)); do
    word="\${COMP_WORDS[at]}"
    next="\${verb:+$verb }$word"
    case " $offered " in *" $word "*) _messaging_gateway_at "$next" && verb="$next" ;; esac
  done
  COMPREPLY=()
  case "$taking" in *" $previous "*) COMPREPLY=($(compgen -f -- "$current")); return ;; esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$offered" -- "$current")) ;;
  esac
}
_messaging_gateway_at() {
  case "$1" in
${cases.join("\n")}
    *) return 1 ;;
  esac
}
complete -o filenames -F _messaging_gateway ${name}
`;
}

function writeFish(name: string, places: readonly CompletedCommand[]): string {
	const lines = places.flatMap(({ path, words, flags, taking }) => {
		const condition = `-n '__messaging_gateway_at "${path}"'`;
		return [
			...(words.length === 0 ? [] : [`complete -c ${name} -f ${condition} -a '${words.join(" ")}'`]),
			...flags.map(
				(flag) => `complete -c ${name} ${condition} -l ${flag.slice(2)}${taking.includes(flag) ? " -r" : ""}`,
			),
		];
	});
	const paths = places.filter(({ path }) => path !== "").map(({ path }) => `'${path}'`);
	return `set -g __messaging_gateway_paths ${paths.join(" ")}
function __messaging_gateway_at
  set -l path ''
  for word in (commandline -opc)[2..]
    set -l next (string trim "$path $word")
    contains -- $next $__messaging_gateway_paths; and set path $next
  end
  test "$path" = "$argv[1]"
end
${lines.join("\n")}
`;
}
