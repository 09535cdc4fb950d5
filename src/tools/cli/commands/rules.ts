import { CONTROL_FLAGS, connectTo } from "../local/connect-to.ts";
import { declareVerb } from "../verb.ts";

/** Switches the rules of the running gateway. */
export const addRulesVerb = declareVerb({
	usage: "rules <state>",
	words: ["on", "off"],
	summary: "Turn the local gateway's rules on what may be sent on or off.",
	flags: CONTROL_FLAGS,
	examples: ["npx messaging-gateway rules off", "npx messaging-gateway rules on"],
	notes: "The rules are the duplicate windows and the limit on consecutive messages.",
	async run(terminal, options, state) {
		const local = await connectTo(options);
		await local.act({ type: "rules", areOn: state === "on" });
		terminal.show({ rules: state }, () => `the rules are ${state}`);
	},
});
