import { basename } from "node:path";
import type { Command } from "commander";
import { guessMediaType } from "../../../library/client/media-types.ts";
import type { AttachedFile } from "../../control/action.ts";
import type { ActionMaker } from "../action.ts";
import { examples } from "../examples.ts";
import { usageError } from "../failure.ts";
import { type ControlOptions, connectTo, withControlOptions } from "../local/control-options.ts";
import { printable } from "../printable.ts";
import { readInput } from "../read-input.ts";

interface ReplyOptions extends ControlOptions {
	from: string;
	text?: string;
	attach?: string[];
	to?: string;
	group?: string;
}

interface ReactOptions extends ControlOptions {
	from: string;
	messageGuid?: string;
}

interface ReadOptions extends ControlOptions {
	from: string;
}

/** Adds the verbs that play a contact of the local gateway. */
export function addContactCommands(program: Command, action: ActionMaker): void {
	withControlOptions(program.command("reply"))
		.description("Write a message as a contact of the local gateway.")
		.requiredOption("--from <number>", "the contact, in E.164")
		.option("--text <text>", "the text")
		.option("--attach <file...>", "files to attach")
		.option("--to <number>", "the agent (default: that of the chat)")
		.option("--group <id>", "the group to write in")
		.addHelpText(
			"after",
			examples(
				"messaging-gateway reply --from +15551234567 --text 'Is anybody there?'",
				"messaging-gateway reply --from +15551234567 --attach photo.jpg",
			),
		)
		.action(
			action(async (terminal, options: ReplyOptions) => {
				const { from, text = "", attach = [], to, group: groupId } = options;
				if (text === "" && attach.length === 0) throw usageError("give --text or --attach");
				const attachments = await Promise.all(attach.map(readAttachment));
				const local = await connectTo(options);
				const message = await local.contact(from).reply(text, { to, groupId, attachments });
				terminal.show(message, () => printable(`${message.messageId} to ${message.to}`));
				return undefined;
			}),
		);
	withControlOptions(program.command("react <reaction>"))
		.description("React to a message as a contact of the local gateway.")
		.requiredOption("--from <number>", "the contact, in E.164")
		.option("--message-guid <guid>", "the message (default: the last one that the contact got)")
		.addHelpText("after", examples("messaging-gateway react love --from +15551234567"))
		.action(
			action(async (terminal, reaction: string, options: ReactOptions) => {
				const { from, messageGuid } = options;
				await (await connectTo(options)).contact(from).react(reaction, { messageGuid });
				terminal.show({ ok: true }, () => printable(`reacted with ${reaction}`));
				return undefined;
			}),
		);
	withControlOptions(program.command("read"))
		.description("Read the chat as a contact of the local gateway.")
		.requiredOption("--from <number>", "the contact, in E.164")
		.addHelpText(
			"after",
			`${examples("messaging-gateway read --from +15551234567")}

\`mark-read\` is the other side: your application reads what the contact wrote.`,
		)
		.action(
			action(async (terminal, options: ReadOptions) => {
				await (await connectTo(options)).contact(options.from).read();
				terminal.show({ ok: true }, () => "read");
				return undefined;
			}),
		);
}

async function readAttachment(file: string): Promise<AttachedFile> {
	const data = (await readInput(file)).toString("base64");
	const name = basename(file);
	return { name, mimeType: guessMediaType(name) ?? "application/octet-stream", data };
}
