import type { CallToolResult } from "@modelcontextprotocol/server";
import { createErrorReport } from "../failure.ts";
import { printable } from "../printable.ts";

/** Runs a tool: what it returns as JSON, or what it throws as an error that the model reads. */
export async function toToolResult(run: () => Promise<unknown>): Promise<CallToolResult> {
	try {
		return { content: [{ type: "text", text: JSON.stringify((await run()) ?? { ok: true }) }] };
	} catch (error) {
		const { message, details } = createErrorReport(error);
		const text = JSON.stringify({ ...details, message: printable(message) });
		return { content: [{ type: "text", text }], isError: true };
	}
}
