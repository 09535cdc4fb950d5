import { basename } from "node:path";
import { guessMediaType } from "../../../library/client/media-types.ts";
import type { AttachedFile } from "../../control/action.ts";
import { usageError } from "../failure.ts";
import { CONTROL_FLAGS, connectTo } from "../local/connect-to.ts";
import { printable } from "../printable.ts";
import { readInputFile } from "../read-input.ts";
import { declareGroup, declareVerb } from "../verb.ts";

const CONTACT_FLAGS = {
	"--from <contact>": {
		meaning: "the contact: a number such as +15551234567, an e-mail address or a short code",
	},
	...CONTROL_FLAGS,
} as const;

const addReply = declareVerb({
	usage: "reply",
	summary: "Write a message as the contact.",
	flags: {
		...CONTACT_FLAGS,
		"--text <text>": "the text",
		"--attach <file...>": "files to attach",
		"--to <number>": "the agent (default: that of the chat)",
		"--group <id>": "the group to write in",
	},
	examples: [
		"npx messaging-gateway contact reply --from +15551234567 --text 'Hi there'",
		"npx messaging-gateway contact reply --from +15551234567 --attach photo.jpg",
	],
	async run(terminal, { from, text = "", attach = [], to, group: groupId, ...options }) {
		if (text === "" && attach.length === 0) throw usageError("give --text or --attach");
		const attachments = await Promise.all(attach.map(readAttachment));
		const local = await connectTo(options);
		const message = await local.contact(from).reply(text, { to, groupId, attachments });
		terminal.show(message, () => printable(`${message.messageId} to ${message.to}`));
	},
});

const addReact = declareVerb({
	usage: "react <reaction>",
	isHyphenOk: true,
	summary: "React to a message as the contact.",
	flags: {
		...CONTACT_FLAGS,
		"--message-guid <guid>": "the message (default: the last one that the contact got)",
		"--remove": "take the reaction back",
	},
	examples: ["npx messaging-gateway contact react love --from +15551234567"],
	async run(terminal, { from, messageGuid, remove, ...options }, reaction) {
		const action = remove ? "remove" : "add";
		await (await connectTo(options)).contact(from).react(reaction, { messageGuid, action });
		terminal.show({ ok: true }, () => printable(`${remove ? "took back" : "reacted with"} ${reaction}`));
	},
});

const addRead = declareVerb({
	usage: "read",
	summary: "Read the chat as the contact.",
	flags: CONTACT_FLAGS,
	examples: ["npx messaging-gateway contact read --from +15551234567"],
	notes: "The other side, your application, reads with `call messages.markRead`.",
	async run(terminal, { from, ...options }) {
		await (await connectTo(options)).contact(from).read();
		terminal.show({ ok: true }, () => "read");
	},
});

/** Acts as a contact of the local gateway. */
export const addContactVerbs = declareGroup(
	"contact",
	{
		summary: "Write, react or read as a contact of the local gateway.",
		examples: ["npx messaging-gateway contact reply --from +15551234567 --text Hi"],
	},
	[addReply, addReact, addRead],
);

async function readAttachment(file: string): Promise<AttachedFile> {
	const data = (await readInputFile(file)).toString("base64");
	const name = basename(file);
	return { name, mimeType: guessMediaType(name) ?? "application/octet-stream", data };
}
