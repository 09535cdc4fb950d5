import { once } from "node:events";
import process from "node:process";
import type { Command } from "commander";
import { MessagingGateway } from "../../../library/messaging-gateway.ts";
import type { ActionMaker } from "../action.ts";
import { examples } from "../examples.ts";
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
				const ended = once(process.stdin, "close");
				const server = serveMcp({ local, gateway });
				await ended;
				await server.close();
				return undefined;
			}),
		);
}
