import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { VERSION } from "../version.ts";
import { addTools, type ToolContext } from "./tools.ts";

const INSTRUCTIONS = `Tools for an application that uses the messaging-gateway SDK, on its local gateway: nothing
leaves this machine. Write as a contact, then see in list_deliveries how the application's webhook handler responded,
and in list_requests what it sent back and why a request was rejected. Faults and the clock show how it copes.`;

/** Serves the tools on standard input and output, until the client closes them. */
export function serveMcp(context: ToolContext): { close(): Promise<void> } {
	return serveStdio(() => {
		const server = new McpServer(
			{ name: "messaging-gateway", version: VERSION },
			{ instructions: INSTRUCTIONS },
		);
		addTools(server, context);
		return server;
	});
}
