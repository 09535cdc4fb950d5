import type { McpServer } from "@modelcontextprotocol/server";
import * as z from "zod/mini";
import type { MessagingGateway } from "../../../library/messaging-gateway.ts";
import type { ConnectedGateway } from "../../control/client/connect.ts";
import { operationId, times } from "../../control/schemas/actions.ts";
import { requestFaultChoice, webhookFaultChoice } from "../../control/schemas/faults.ts";
import { CommandFailure } from "../failure.ts";
import { described, listFields, toolInput } from "./tool-input.ts";
import { toToolResult } from "./tool-result.ts";

/** What the tools work on. */
export interface ToolContext {
	/** The local gateway, as its contacts and its operator see it. */
	readonly local: ConnectedGateway;
	/** A client of the local gateway, such as the application has. */
	readonly gateway: MessagingGateway;
}

/** The default of a list's `limit`; small, because a model reads every item. */
const LIMIT = 20;

const READS = { readOnlyHint: true, openWorldHint: false } as const;
const ACTS = { readOnlyHint: false, destructiveHint: false, openWorldHint: false } as const;

/** Adds the tools: what the application does, what its contact does, what happened, and what fails. */
export function addTools(server: McpServer, { local, gateway }: ToolContext): void {
	server.registerTool(
		"send_message",
		{
			description:
				"Send a text as the application, through the SDK. The result has the messageId, or the error with its code and its outcome.",
			inputSchema: toolInput(
				z.object({
					to: described("The contact's number in E.164, such as +15551234567."),
					text: described("The text."),
				}),
			),
			annotations: ACTS,
		},
		(input) => toToolResult(() => gateway.messages.sendText(input)),
	);
	server.registerTool(
		"act_as_contact",
		{
			description:
				"Be the person on the other side: write a message, react to the last one, or read the chat. The gateway then delivers a webhook to the application: see list_deliveries.",
			inputSchema: toolInput(
				z.object({
					from: described("The contact's number in E.164."),
					write: z.optional(described("The text to write.")),
					react: z.optional(described("The reaction, such as love.")),
					read: z.optional(z.boolean().check(z.describe("Whether to read the chat."))),
					groupId: z.optional(described("The group to write in.")),
				}),
			),
			annotations: ACTS,
		},
		({ from, write, react, read, groupId }) =>
			toToolResult(async () => {
				if (write === undefined && react === undefined && read !== true)
					throw new CommandFailure("nothing to do: give write, react or read");
				const contact = local.contact(from);
				if (read === true) await contact.read();
				if (react !== undefined) await contact.react(react);
				return write === undefined ? undefined : contact.reply(write, { groupId });
			}),
	);
	server.registerTool(
		"list_messages",
		{
			description: "List messages in both directions with their statuses and tapbacks, the newest last.",
			inputSchema: toolInput(
				z.object({
					...listFields,
					conversation: z.optional(described("Only those of a contact's number or a group's id.")),
				}),
			),
			annotations: READS,
		},
		(query) => toToolResult(() => local.messages({ limit: LIMIT, ...query })),
	);
	server.registerTool(
		"list_requests",
		{
			description:
				"List what the application sent to the gateway, with the status and why a request was rejected. With requestId: one request with its headers and bodies.",
			inputSchema: toolInput(
				z.object({ ...listFields, requestId: z.optional(described("Show this request.")) }),
			),
			annotations: READS,
		},
		({ requestId, ...query }) =>
			toToolResult(() =>
				requestId === undefined ? local.requests({ limit: LIMIT, ...query }) : local.request(requestId),
			),
	);
	server.registerTool(
		"list_deliveries",
		{
			description:
				"List the webhooks to the application: the payload, and for each attempt the status, headers and body with which its handler responded, or why it did not.",
			inputSchema: toolInput(
				z.object({
					...listFields,
					conversation: z.optional(described("Only those of a contact's number or a group's id.")),
				}),
			),
			annotations: READS,
		},
		(query) => toToolResult(() => local.deliveries({ limit: LIMIT, ...query })),
	);
	server.registerTool(
		"redeliver",
		{
			description: "Deliver a webhook once more, with the same event id: after a fix, or to see it ignored.",
			inputSchema: toolInput(z.object({ eventId: described("The eventId of list_deliveries.") })),
			annotations: ACTS,
		},
		({ eventId }) => toToolResult(() => local.redeliver(eventId)),
	);
	server.registerTool(
		"inject_faults",
		{
			description:
				"Make the gateway fail for the next requests or webhooks, or end all faults. The result lists the active ones.",
			inputSchema: toolInput(
				z.object({
					requests: z.optional(
						z.object({
							fault: requestFaultChoice,
							times: z.optional(times),
							operationId: z.optional(operationId),
						}),
					),
					webhooks: z.optional(z.object({ fault: webhookFaultChoice, times: z.optional(times) })),
					clear: z.optional(z.boolean().check(z.describe("Whether to end all faults first."))),
				}),
			),
			annotations: ACTS,
		},
		({ requests, webhooks, clear }) =>
			toToolResult(async () => {
				if (clear === true) await local.faults.clear();
				if (requests !== undefined) await local.act({ type: "request_fault", ...requests });
				if (webhooks !== undefined) await local.act({ type: "webhook_fault", ...webhooks });
				return { active: await local.faults.active() };
			}),
	);
	server.registerTool(
		"move_clock",
		{
			description:
				"Move the gateway's time forward, for example past a retry or a duplicate window. Without seconds: until nothing is left to do.",
			inputSchema: toolInput(
				z.object({
					seconds: z.optional(
						z.number().check(z.minimum(0), z.maximum(31_622_400), z.describe("How far, in seconds.")),
					),
				}),
			),
			annotations: ACTS,
		},
		({ seconds }) =>
			toToolResult(async () => {
				await (seconds === undefined ? local.settled() : local.clock.advance(seconds * 1_000));
				return { now: new Date(await local.clock.now()).toISOString() };
			}),
	);
}
