import type { CallToolResult, McpServer, StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import * as z from "zod/mini";
import type { MessagingGateway } from "../../../library/messaging-gateway.ts";
import type { ConnectedGateway } from "../../control/client/connect.ts";
import { createErrorReport } from "../failure.ts";
import { KINDS } from "../local/items.ts";
import { printable, printableLines } from "../printable.ts";

const READS = { readOnlyHint: true, openWorldHint: false } as const;
const ACTS = { readOnlyHint: false, destructiveHint: false, openWorldHint: false } as const;

/** A tool: what it does in words, the fields of its input, and what it does. */
interface Tool<Fields extends Readonly<Record<string, z.ZodMiniType>>> {
	readonly description: string;
	readonly fields: Fields;
	/** Whether it changes nothing. */
	readonly isRead?: boolean;
	readonly run: (
		input: z.output<z.ZodMiniObject<Fields, z.core.$strip>>,
		context: ToolContext,
	) => PromiseLike<unknown>;
}

/** What the tools work on. */
export interface ToolContext {
	/** The local gateway, as its contacts and its operator see it. */
	readonly local: ConnectedGateway;
	/** A client of the local gateway, such as the application has. */
	readonly gateway: MessagingGateway;
}

/** Connects to the local gateway that runs now: it may be started, or started again, after its agent. */
export type Connect = () => Promise<ToolContext>;

/** Adds a tool to a server. */
export function addTool<Fields extends Readonly<Record<string, z.ZodMiniType>>>(
	{ server, connect }: { readonly server: McpServer; readonly connect: Connect },
	name: string,
	{ description, fields, isRead = false, run }: Tool<Fields>,
): void {
	const inputSchema = toolInput(z.object(fields));
	const config = { description, inputSchema, annotations: isRead ? READS : ACTS };
	server.registerTool(name, config, (input) => toToolResult(async () => run(input, await connect())));
}

/** The input of a tool, with the JSON Schema that a model reads. zod/mini does not include it by itself. */
function toolInput<Schema extends z.ZodMiniType>(
	schema: Schema,
): StandardSchemaWithJSON<z.input<Schema>, z.output<Schema>> {
	const toJson = (io: "input" | "output") => () => ({ ...z.toJSONSchema(schema, { io }) });
	const { validate, vendor, version } = schema["~standard"];
	return {
		"~standard": {
			validate,
			vendor,
			version,
			jsonSchema: { input: toJson("input"), output: toJson("output") },
		},
	};
}

/**
 * Runs a tool: what it returns as JSON, or what it throws as an error that the model reads. Characters that change the
 * text's direction are escapes: a reader would see another text than the model.
 */
async function toToolResult(run: () => PromiseLike<unknown>): Promise<CallToolResult> {
	try {
		const text = printableLines(JSON.stringify((await run()) ?? { ok: true }));
		return { content: [{ type: "text", text }] };
	} catch (error) {
		const { message, hint, details } = createErrorReport(error);
		const sentences = [message, ...(hint === undefined ? [] : [hint])].map(printable);
		const text = JSON.stringify({ ...details, message: sentences.join(". ") });
		return { content: [{ type: "text", text }], isError: true };
	}
}

/** A string with a description. */
export function described(text: string): z.ZodMiniString {
	return z.string().check(z.describe(text));
}

/** An integer with a description. */
function integer(text: string): z.ZodMiniNumber {
	return z.number().check(z.int(), z.minimum(0), z.describe(text));
}

/** What selects items, in a list and in a wait. */
export const FILTER = {
	search: z.optional(described("Only with this in an id, a number, a text or a body.")),
	failed: z.optional(z.boolean().check(z.describe("Only what failed."))),
	after: z.optional(integer("Only what is newer: `after` of an earlier result.")),
};

/** The fields of a list. */
export const LIST = {
	...FILTER,
	conversation: z.optional(described("Only of this contact, or of the group with this id.")),
	limit: z.optional(
		z
			.number()
			.check(z.int(), z.minimum(1), z.maximum(100), z.describe("How many of the newest. Default: 20.")),
	),
	before: z.optional(integer("Only what is older: `older.before` of a list.")),
};

/** The kinds of items. */
export const kind = z.enum(KINDS);
