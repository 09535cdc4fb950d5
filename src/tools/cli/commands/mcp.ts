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
	examples: ["npx messaging-gateway mcp"],
	notes: `Name this command in the agent's configuration. Its tools find the \`npx messaging-gateway dev\` that runs, whenever it starts:

  { "mcpServers": { "messaging-gateway":
      { "command": "npx", "args": ["messaging-gateway", "mcp"] } } }

Its tools send as the application, act as the contact, list messages, requests and deliveries, redeliver, inject faults, and move the clock.`,
	async run(_terminal, options) {
		const { serveMcp } = await import("#mcp");
		const reason = await serveMcp(async () => {
			const local = await connectTo(options);
			const gateway = new MessagingGateway({ ...local.clientOptions, fetch: toolFetch, logLevel: "off" });
			return { local, gateway };
		});
		if (reason !== undefined) throw new CommandFailure(reason);
	},
});
