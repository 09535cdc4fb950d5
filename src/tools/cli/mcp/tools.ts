import { setTimeout as sleep } from "node:timers/promises";
import type { McpServer } from "@modelcontextprotocol/server";
import * as z from "zod/mini";
import type { ConnectedGateway } from "../../control/client/connect.ts";
import { operationId, times } from "../../control/schemas/actions.ts";
import { requestFaultChoice, webhookFaultChoice } from "../../control/schemas/faults.ts";
import { CommandFailure } from "../failure.ts";
import { ACTIVITY, findItem, listActivity } from "../local/items.ts";
import { redeliver, waitFor } from "../local/wait-for.ts";
import { summarizePage } from "./summary.ts";
import { addTool, type Connect, described, FILTER, kind, LIST } from "./tool.ts";

/** The default of a list's `limit`; small, because a model reads every item. */
const LIMIT = 20;

/** Adds the tools: what the application does, what its contact does, what happened, and what fails. */
export function addTools(server: McpServer, connect: Connect): void {
	const target = { server, connect };
	addTool(target, "send_message", {
		description:
			"Send a text as the application, through the SDK. The result has the messageId, or the error with its code and its outcome.",
		fields: {
			to: described(
				"The contact: a number in E.164, such as +15551234567, an e-mail address, or a short code.",
			),
			text: described("The text."),
		},
		run: (input, { gateway }) => gateway.messages.sendText(input),
	});
	addTool(target, "act_as_contact", {
		description:
			"Be the person on the other side: write a message, react to the last one, or read the chat. The gateway then delivers a webhook to the application: see list_activity.",
		fields: {
			from: described("The contact: a number in E.164, an e-mail address, or a short code."),
			write: z.optional(described("The text to write.")),
			react: z.optional(described("The reaction, such as love.")),
			remove: z.optional(z.boolean().check(z.describe("Whether to take the reaction back."))),
			read: z.optional(z.boolean().check(z.describe("Whether to read the chat."))),
			groupId: z.optional(described("The group to write in.")),
		},
		async run({ from, write, react, remove, read, groupId }, { local }) {
			if (write === undefined && react === undefined && read !== true)
				throw new CommandFailure("nothing to do: give write, react or read");
			const contact = local.contact(from);
			if (read === true) await contact.read();
			if (react !== undefined) await contact.react(react, { action: remove === true ? "remove" : "add" });
			return write === undefined ? undefined : contact.reply(write, { groupId });
		},
	});
	addTool(target, "list_activity", {
		description:
			"List what the application requested (←), the webhooks that it got (→) or the messages: a line for each, with its id, result and, if it failed, the cause; `failures` has the reason and the fix of each cause.",
		fields: { kind: z.optional(kind), ...LIST },
		isRead: true,
		async run({ kind, limit = LIMIT, ...query }, { local }) {
			const kinds = kind === undefined ? ACTIVITY : [kind];
			return summarizePage(await listActivity(local, kinds, { ...query, limit, probe: false }));
		},
	});
	addTool(target, "show_item", {
		description:
			"Show everything about one request, webhook or message: headers, bodies, each attempt with the receiver's response, and why it failed.",
		fields: { id: described("The id of a line, or the beginning of one.") },
		isRead: true,
		run: ({ id }, { local }) => findItem(local, id),
	});
	addTool(target, "wait_for", {
		description:
			"Wait until the application has made a request, a webhook is delivered or given up, or a message has a status; or until all is done, which moves the gateway's time to each next task.",
		fields: {
			what: z.union([kind, z.literal("settled")]),
			...FILTER,
			status: z.optional(described("With this status: of the message, or of the response.")),
			seconds: z.optional(
				z.number().check(z.minimum(0), z.maximum(120), z.describe("How long at most. Default: 30.")),
			),
		},
		async run({ what, seconds = 30, ...query }, { local }) {
			const timeoutMs = seconds * 1_000;
			if (what === "settled") return settleWithin(local, timeoutMs);
			const item = await waitFor(local, what, { ...query, timeoutMs });
			return summarizePage({ items: [item], older: 0 });
		},
	});
	addTool(target, "redeliver", {
		description:
			"Deliver a webhook now, with the same event id, and see how the application responds: after a fix, before a retry is due, or to see a repeat ignored.",
		fields: { id: described("The id of its line, or the beginning of it.") },
		run: async ({ id }, { local }) => summarizePage({ items: [await redeliver(local, id)], older: 0 }),
	});
	addTool(target, "inject_faults", {
		description:
			"Make the gateway fail for the next requests or webhooks, or end all faults. The result lists the active ones.",
		fields: {
			requests: z.optional(
				z.object({
					fault: requestFaultChoice,
					times: z.optional(times),
					operationId: z.optional(operationId),
				}),
			),
			webhooks: z.optional(z.object({ fault: webhookFaultChoice, times: z.optional(times) })),
			clear: z.optional(z.boolean().check(z.describe("Whether to end all faults first."))),
		},
		async run({ requests, webhooks, clear }, { local }) {
			if (clear === true) await local.faults.clear();
			if (requests !== undefined) await local.act({ type: "request_fault", ...requests });
			if (webhooks !== undefined) await local.act({ type: "webhook_fault", ...webhooks });
			return { active: await local.faults.active() };
		},
	});
	addTool(target, "move_clock", {
		description:
			"Move the gateway's time forward, for example past a retry or a duplicate window. Without seconds: until nothing is left to do.",
		fields: {
			seconds: z.optional(
				z.number().check(z.minimum(0), z.maximum(31_622_400), z.describe("How far, in seconds.")),
			),
		},
		async run({ seconds }, { local }) {
			await (seconds === undefined ? local.settled() : local.clock.advance(seconds * 1_000));
			return { now: new Date(await local.clock.now()).toISOString() };
		},
	});
}

/** @throws CommandFailure when the time is up; the gateway goes on. */
async function settleWithin(local: ConnectedGateway, timeoutMs: number): Promise<{ settled: true }> {
	const timeIsUp = sleep(timeoutMs, undefined, { ref: false }).then(() => {
		throw new CommandFailure(
			"not everything was done in this time: a receiver that doesn't respond takes 10 s",
		);
	});
	await Promise.race([local.settled(), timeIsUp]);
	return { settled: true };
}
