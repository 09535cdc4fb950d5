import type { Command } from "commander";
import type { Message, MessageData } from "../../../library/catalogue/message.ts";
import type { GatewayCall } from "../../../library/client/gateway-call.ts";
import type { MessagingGateway } from "../../../library/messaging-gateway.ts";
import { attachmentFromFile } from "../../../library/node/attachment-from-file.ts";
import type { ActionMaker } from "../action.ts";
import { examples } from "../examples.ts";
import { usageError } from "../failure.ts";
import { createClient, type GatewayOptions, withGatewayOptions } from "../gateway-options.ts";
import { printable } from "../printable.ts";
import { readTextInput } from "../read-input.ts";

interface SendOptions extends GatewayOptions {
	to?: string;
	group?: string;
	participants?: string;
	groupName?: string;
	text?: string;
	textFile?: string;
	attach?: string[];
	voice?: string;
	from?: string;
	effect?: string;
	replyTo?: string;
	statusCallback?: string;
}

/** Adds the verb that sends a text, attachments or a voice note. */
export function addSendCommand(program: Command, action: ActionMaker): void {
	const command = program
		.command("send")
		.description("Send a text, attachments or a voice note.")
		.option("--text <text>", "the text")
		.option("--text-file <file>", "a file with the text, - for standard input")
		.option("--attach <file...>", "files to attach")
		.option("--voice <file>", "an audio file to send as a voice note")
		.option("--from <number>", "the agent that sends")
		.option("--effect <effect>", "an effect of the native network")
		.option("--reply-to <guid>", "the messageGuid of the message to reply to")
		.option("--status-callback <url>", "the URL for this message's status events")
		.option("--to <number>", "the contact, in E.164")
		.option("--group <id>", "the group")
		.option("--participants <numbers>", "the contacts of a group, separated by commas")
		.option("--group-name <name>", "a name for that group");
	withGatewayOptions(command)
		.addHelpText(
			"after",
			`${examples(
				"messaging-gateway send --to +15551234567 --text Hello",
				"messaging-gateway send --participants +15551234567,+15557654321 --text 'Hello, both'",
				"messaging-gateway send --to +15551234567 --attach photo.jpg --text 'See for yourself'",
				"echo Hello | messaging-gateway send --to +15551234567 --text-file -",
			)}

It prints the messageId, and the messageGuid if the response has one already.
\`messaging-gateway message MESSAGE_ID\` shows the messageGuid once the message is sent;
\`tapback\` and --reply-to need it.`,
		)
		.action(
			action(async (terminal, options: SendOptions) => {
				const gateway = await createClient(options);
				const { message } = await send(gateway, options);
				// Its shape is assumed: an empty response has none.
				const { messageId = "accepted", status, messageGuid }: Partial<Message> = message ?? {};
				const words = [printable(String(messageId))];
				if (status !== undefined) words.push(terminal.paint("bold", printable(String(status))));
				if (typeof messageGuid === "string") words.push(`messageGuid ${printable(messageGuid)}`);
				terminal.show(message ?? null, () => words.join(" "));
				return undefined;
			}),
		);
}

async function send(gateway: MessagingGateway, options: SendOptions): Promise<MessageData> {
	const { attach, voice, from, effect, replyTo: replyToGuid, statusCallback } = options;
	const text = await readText(options);
	const common = { ...targetOf(options), from, effect, replyToGuid, statusCallback };
	const { messages } = gateway;
	let call: GatewayCall<MessageData>;
	if (voice !== undefined) {
		if (text !== undefined || attach !== undefined)
			throw usageError("--voice cannot be combined with a text or other files");
		call = messages.sendVoiceNote({ ...common, attachment: await attachmentFromFile(voice) });
	} else if (attach !== undefined) {
		const attachments = await Promise.all(attach.map((file) => attachmentFromFile(file)));
		call = messages.sendAttachments({ ...common, attachments, text });
	} else if (text !== undefined) call = messages.sendText({ ...common, text });
	else throw usageError("there is nothing to send", "Give --text, --text-file, --attach or --voice.");
	return call;
}

async function readText({ text, textFile }: SendOptions): Promise<string | undefined> {
	if (text !== undefined && textFile !== undefined) throw usageError("give --text or --text-file, not both");
	if (textFile === undefined) return text;
	const content = await readTextInput(textFile);
	return content.replace(/\r?\n$/, "");
}

/** The one recipient of the options. */
function targetOf({ to, group, participants, groupName }: SendOptions) {
	const given = [to, group, participants].filter((value) => value !== undefined);
	if (given.length !== 1) throw usageError("give exactly one of --to, --group and --participants");
	if (to !== undefined) return { to };
	if (group !== undefined) return { groupId: group };
	return { participants: (participants ?? "").split(",").map((number) => number.trim()), groupName };
}
