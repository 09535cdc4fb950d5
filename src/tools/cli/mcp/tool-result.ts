import type { CallToolResult } from "@modelcontextprotocol/server";
import { createErrorReport } from "../failure.ts";
import { printable, printableLines } from "../printable.ts";

/**
 * Runs a tool: what it returns as JSON, or what it throws as an error that the model reads. Characters that change the
 * text's direction are escapes: a reader would see another text than the model.
 */
export async function toToolResult(run: () => Promise<unknown>): Promise<CallToolResult> {
	try {
		const text = printableLines(JSON.stringify((await run()) ?? { ok: true }));
		return { content: [{ type: "text", text }] };
	} catch (error) {
		const { message, details } = createErrorReport(error);
		const text = JSON.stringify({ ...details, message: printable(message) });
		return { content: [{ type: "text", text }], isError: true };
	}
}
