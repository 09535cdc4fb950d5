import process from "node:process";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const MAIN = fileURLToPath(new URL("../../dist/cli/messaging-gateway.js", import.meta.url));

/** `messaging-gateway mcp` in another process, as a coding agent has it. */
export type RunningMcp = Awaited<ReturnType<typeof startMcp>>;

/** Starts it on a machine. */
export async function startMcp(env: Readonly<Record<string, string>>, ...args: string[]) {
	const client = new Client({ name: "a-coding-agent", version: "1.0.0" });
	await client.connect(
		new StdioClientTransport({ command: process.execPath, args: [MAIN, "mcp", ...args], env: { ...env } }),
	);
	return {
		client,
		/** Calls a tool, and reads the JSON of its result. */
		async use(name: string, input: object = {}) {
			const { content, isError = false } = await client.callTool({ name, arguments: { ...input } });
			const [part] = content;
			if (part?.type !== "text") throw new Error("no text");
			return { isError, value: JSON.parse(part.text) };
		},
		[Symbol.asyncDispose]: () => client.close(),
	};
}
