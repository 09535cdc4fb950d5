import { SHELLS, writeCompletion } from "../completion/write-completion.ts";
import { usageError } from "../failure.ts";
import { type AddVerb, declareVerb } from "../verb.ts";

/** Writes the script that completes this command in a shell. */
export const addCompletionVerb: AddVerb = (program, start) =>
	declareVerb({
		usage: "completion <shell>",
		words: SHELLS,
		summary: "Write the script that completes verbs and flags in a shell.",
		flags: {},
		examples: ["npx messaging-gateway completion bash"],
		notes: `Append it to ~/.bashrc or ~/.zshrc, or save it as ~/.config/fish/completions/messaging-gateway.fish. It completes \`messaging-gateway\` itself: install the package globally, or put node_modules/.bin on the PATH.`,
		async run(terminal, _options, given) {
			const shell = SHELLS.find((one) => one === given);
			if (shell === undefined) throw usageError(`the shell must be one of ${SHELLS.join(", ")}`);
			terminal.write(writeCompletion(program, shell));
		},
	})(program, start);
