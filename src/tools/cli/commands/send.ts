import type { Message, MessageData } from "../../../library/catalogue/message.ts";
import type { GatewayCall } from "../../../library/client/gateway-call.ts";
import { InputError } from "../../../library/errors.ts";
import type { MessagingGateway } from "../../../library/messaging-gateway.ts";
import { attachmentFromFile } from "../../../library/node/attachment-from-file.ts";
import { callExplained } from "../doctor/examine.ts";
import { usageError } from "../failure.ts";
import { GATEWAY_FLAGS } from "../gateway-options.ts";
import { printable } from "../printable.ts";
import { readTextInput } from "../read-input.ts";
import { declareVerb, type OptionsOf } from "../verb.ts";

const FLAGS = {
	"--to <contact>": "the contact: a number such as +15551234567, an e-mail address or a short code",
	"--group <id>": "the group",
	"--participants <contacts>": "the contacts of a group, separated by commas",
	"--group-name <name>": "a name for that group",
	"--text <text>": "the text",
	"--text-file <file>": "a file with the text, - for standard input",
	"--attach <file...>": "files to attach",
	"--voice <file>": "an audio file to send as a voice note",
	"--from <number>": "the agent that sends",
	"--effect <effect>": "an effect of the native network",
	"--reply-to <guid>": "the messageGuid of the message to reply to",
	"--status-callback <url>": "the URL for this message's status events",
	...GATEWAY_FLAGS,
} as const;

type SendFlags = OptionsOf<typeof FLAGS>;

/** The flag of each field. */
const FLAG_OF: ReadonlyMap<string, string> = new Map([
	...["to", "participants", "text", "from", "effect"].map((name) => [name, `--${name}`] as const),
	["groupId", "--group"],
	["groupName", "--group-name"],
	["replyToGuid", "--reply-to"],
	["statusCallback", "--status-callback"],
]);

/** Sends a text, attachments or a voice note. */
export const addSendVerb = declareVerb({
	usage: "send",
	summary: "Send a text, attachments or a voice note.",
	flags: FLAGS,
	examples: [
		"npx messaging-gateway send --to +15551234567 --text Hello",
		"npx messaging-gateway send --to +15551234567 --attach photo.jpg --text Look",
		"npx messaging-gateway send --participants +15551234567,88022 --text Hi",
		"echo Hello | npx messaging-gateway send --to +15551234567 --text-file -",
	],
	notes: `It prints the messageId, and the messageGuid if the response has one already. \`npx messaging-gateway log MESSAGE_ID\` shows the messageGuid of a message of the local gateway once it is sent, and \`call messages.get\` that of any gateway. A reply and a reaction need it.`,
	async run(terminal, options) {
		const { message } = await callExplained(options, (gateway) => send(gateway, options)).catch(nameFlags);
		// Its shape is assumed: an empty response has none.
		const { messageId = "accepted", status, messageGuid }: Partial<Message> = message ?? {};
		const words = [printable(String(messageId))];
		if (status !== undefined) words.push(terminal.paint("bold", printable(String(status))));
		if (typeof messageGuid === "string") words.push(`messageGuid ${printable(messageGuid)}`);
		terminal.show(message ?? null, () => words.join(" "));
	},
});

async function send(gateway: MessagingGateway, options: SendFlags): Promise<MessageData> {
	const { attach, voice, from, effect, replyTo: replyToGuid, statusCallback } = options;
	const text = await readText(options);
	const common = { ...targetOf(options), from, effect, replyToGuid, statusCallback };
	const { messages } = gateway;
	let call: GatewayCall<MessageData>;
	if (voice !== undefined) {
		if (text !== undefined || attach !== undefined)
			throw usageError("--voice can't be combined with a text or other files");
		call = messages.sendVoiceNote({ ...common, attachment: await attachmentFromFile(voice) });
	} else if (attach !== undefined) {
		const attachments = await Promise.all(attach.map((file) => attachmentFromFile(file)));
		call = messages.sendAttachments({ ...common, attachments, text });
	} else if (text !== undefined) call = messages.sendText({ ...common, text });
	else throw usageError("there is nothing to send", "Give --text, --text-file, --attach or --voice.");
	return call;
}

/** Names the flags of invalid fields. */
function nameFlags(error: unknown): never {
	if (!(error instanceof InputError)) throw error;
	const sentences = error.issues.flatMap(({ path, message }) => {
		const flag = FLAG_OF.get(path.split(/[.[]/, 1)[0] ?? "");
		return flag === undefined ? [] : `${flag} ${message}`;
	});
	throw sentences.length === 0 ? error : usageError([...new Set(sentences)].join("; "));
}

async function readText({ text, textFile }: SendFlags): Promise<string | undefined> {
	if (text !== undefined && textFile !== undefined) throw usageError("give --text or --text-file, not both");
	if (textFile === undefined) return text;
	const content = await readTextInput(textFile);
	return content.replace(/\r?\n$/, "");
}

/** The one recipient of the options. */
function targetOf({ to, group, participants, groupName }: SendFlags) {
	const given = [to, group, participants].filter((value) => value !== undefined);
	if (given.length !== 1) throw usageError("give exactly one of --to, --group and --participants");
	if (to !== undefined) return { to };
	if (group !== undefined) return { groupId: group };
	return { participants: (participants ?? "").split(",").map((number) => number.trim()), groupName };
}
