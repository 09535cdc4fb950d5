import { MessagingGateway } from "../../../library/messaging-gateway.ts";
import { toolFetch } from "../../tool-fetch.ts";
import { CommandFailure } from "../failure.ts";
import { CONTROL_FLAGS, connectTo } from "../local/connect-to.ts";
import { declareVerb } from "../verb.ts";

/** Serves the local gateway to a coding agent. */
export const addMcpVerb = declareVerb({
	usage: "mcp",
	summary: "Serve the running local gateway to a coding agent (MCP, on stdio).",
	flags: CONTROL_FLAGS,
	examples: ["messaging-gateway mcp"],
	notes: `Start \`messaging-gateway dev\` first, and name this command in the agent's configuration:

  { "mcpServers": { "messaging-gateway":
      { "command": "npx", "args": ["messaging-gateway", "mcp"] } } }

Its tools send as the application, act as the contact, list messages, requests and deliveries, redeliver, inject faults, and move the clock.`,
	async run(_terminal, options) {
		const local = await connectTo(options);
		const gateway = new MessagingGateway({ ...local.clientOptions, fetch: toolFetch, logLevel: "off" });
		const { serveMcp } = await import("#mcp");
		const reason = await serveMcp({ local, gateway });
		if (reason !== undefined) throw new CommandFailure(reason);
	},
});
