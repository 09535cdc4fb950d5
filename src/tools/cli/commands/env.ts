import { clientVariables, describeReplaced, writeEnvironmentFile } from "../dev/write-env.ts";
import { CONTROL_FLAGS, connectTo } from "../local/connect-to.ts";
import { declareVerb } from "../verb.ts";

/** Writes what a client of the running gateway needs. */
export const addEnvVerb = declareVerb({
	usage: "env [file]",
	summary: "Write the variables of the running local gateway to a file.",
	flags: { "--force": "replace existing values; they stay as comments", ...CONTROL_FLAGS },
	examples: ["npx messaging-gateway env", "npx messaging-gateway env .env.local --force"],
	notes: "The file is .env by default. Its other lines stay as they are, and only you can read it.",
	async run(terminal, { force: isForced = false, ...options }, file = ".env") {
		const { clientOptions, webhookSecret } = await connectTo(options);
		const variables = clientVariables({ ...clientOptions, webhookSecret });
		const replaced = writeEnvironmentFile(file, variables, { isForced });
		const names = Object.keys(variables);
		terminal.show({ file, names, replaced }, () =>
			[`${names.join(", ")} are in ${file}.`, ...describeReplaced(replaced)].join(" "),
		);
	},
});
