import type { Command } from "commander";
import { MessagingGateway } from "../../../library/messaging-gateway.ts";
import type { ActionMaker } from "../action.ts";
import { examples } from "../examples.ts";
import { CommandFailure } from "../failure.ts";
import { type ControlOptions, connectTo, withControlOptions } from "../local/control-options.ts";

/** Adds the verb that serves the local gateway to a coding agent. */
export function addMcpCommand(program: Command, action: ActionMaker): void {
	withControlOptions(program.command("mcp"))
		.description(
			"Serve the running local gateway to a coding agent: Model Context Protocol on stdin and stdout.",
		)
		.addHelpText(
			"after",
			`${examples("messaging-gateway mcp")}

Start \`messaging-gateway dev\` first, and name this command in the agent's configuration:

  { "mcpServers": { "messaging-gateway": { "command": "npx", "args": ["messaging-gateway", "mcp"] } } }

Eight tools: send as the application, act as the contact, list messages, requests and
deliveries, redeliver, inject faults, and move the clock.`,
		)
		.action(
			action(async (_terminal, options: ControlOptions) => {
				const local = await connectTo(options);
				const gateway = new MessagingGateway({ ...local.clientOptions, logLevel: "off" });
				const { serveMcp } = await import("#mcp");
				const reason = await serveMcp({ local, gateway });
				if (reason !== undefined) throw new CommandFailure(reason);
				return undefined;
			}),
		);
}
