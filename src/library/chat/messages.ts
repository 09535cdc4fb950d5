import type {
	AdapterPostableMessage,
	Attachment,
	Author,
	EmojiValue,
	PostableMarkdown,
	StreamChunk,
} from "chat";
import * as sdk from "chat";
import type { InboundMessage, InboundReaction } from "../catalogue/events.ts";
import type { Message } from "../catalogue/message.ts";
import type { SendTextInput } from "../catalogue/sends.ts";
import type { Reaction } from "../catalogue/shared.ts";
import type {
	SendAttachmentsInput,
	SendVoiceNoteInput,
	Attachment as SentAttachment,
} from "../client/attachments.ts";
import { InputError, SendError } from "../errors.ts";
import { isJsonObject } from "../is-object.ts";
import type { SignedFields } from "../webhooks/events.ts";
import { isFilled } from "../webhooks/fill-nothing.ts";
import { renderCard, renderText } from "./plain-text.ts";
import type { ReadMessage } from "./read-event.ts";
import type { GatewayThread } from "./threads.ts";

const SENT = "sent:";
const UNKNOWN = "unknown:";

/** The id of a message that has no guid yet. */
export function toId(messageId: string): string {
	return `${SENT}${messageId}`;
}

/** The id of a post that may not have been accepted. */
export function toUnknownId(key: string): string {
	return `${UNKNOWN}${key}`;
}

/**
 * The `messageId` in an id of {@link toId}; any other id is a guid.
 * @throws SendError for an id of {@link toUnknownId}.
 */
export function findMessageId(id: string): string | undefined {
	if (id.startsWith(UNKNOWN))
		throw new SendError(
			"too_early",
			"the post may not have been accepted, so nobody can react or reply to it yet",
		);
	return id.startsWith(SENT) ? id.slice(SENT.length) : undefined;
}

/** What a contact wrote, or a message of the conversation, as Chat SDK shows it. */
export function toMessage(
	data: ReadMessage | Message,
	threadId: string,
	{ eventId = "", timestamp = 0 }: Partial<SignedFields> = {},
): sdk.Message<ReadMessage | Message> {
	const { text: written = "", messageGuid, messageId, timestamp_ms, attachments = [] } = data;
	// U+FFFC alone stands for a picture.
	const text = isFilled(written) ? written : "";
	return new sdk.Message({
		// Some gateways write an empty text for none.
		id: messageGuid || (messageId ? toId(messageId) : eventId),
		threadId,
		text,
		// What people type is no Markdown.
		formatted: sdk.root([sdk.paragraph([sdk.text(text)])]),
		raw: data,
		author: authorOf(data),
		metadata: { dateSent: toDate(timestamp_ms, timestamp), edited: false },
		attachments: attachments.map(toAttachment),
	});
}

/** Seconds are told by their size, which is that of a day before 1974, and microseconds, of one after the year 5000. */
function toDate(time: number | undefined, receivedSeconds: number): Date {
	if (time === undefined || time <= 0) return new Date(receivedSeconds * 1_000);
	return new Date(time < 1e11 ? time * 1_000 : time > 1e14 ? time / 1_000 : time);
}

export function authorOf({ from, outbound }: Pick<InboundMessage, "from" | "outbound">): Author {
	return { userId: from, userName: from, fullName: from, isBot: outbound, isMe: outbound };
}

/** The shape of a received item is not shown (specification, section 6.2): what has the name of such a field is one. */
function toAttachment(item: unknown): Attachment {
	const fields = isJsonObject(item) ? item : { url: item };
	const values = new Map<string, unknown>();
	for (const [name, value] of Object.entries(fields))
		values.set(name.replaceAll("_", "").toLowerCase(), value);
	const find = (...names: string[]): string | undefined =>
		names.map((name) => values.get(name)).find((value) => typeof value === "string");
	const [url, name] = [find("url"), find("name", "filename", "transfername")];
	const mimeType = find("mimetype", "contenttype");
	const size = values.get("size") ?? values.get("totalbytes");
	const [kind] = mimeType?.split("/") ?? [];
	return {
		type: kind === "image" || kind === "video" || kind === "audio" ? kind : "file",
		...(url !== undefined && /^[a-z][a-z\d+.-]*:/i.test(url) && { url }),
		...(name !== undefined && { name }),
		...(mimeType !== undefined && { mimeType }),
		...(typeof size === "number" && { size }),
	};
}

export async function readStream(stream: AsyncIterable<string | StreamChunk>): Promise<PostableMarkdown> {
	let markdown = "";
	for await (const chunk of stream) {
		if (typeof chunk === "string") markdown += chunk;
		else if (chunk.type === "markdown_text") markdown += chunk.text;
	}
	return { markdown };
}

/** What `thread.mentionUser` writes, of a number, a short code or an e-mail address. */
const MENTION = /<(@(?:\+?\d{3,15}|[^\s<>@]+@[^\s<>@.]+(?:\.[^\s<>@.]+)+))>/g;

/** What a post may become. */
export type PostedInput = SendTextInput | SendAttachmentsInput | SendVoiceNoteInput;

/** Half of a character, as a model leaves it that is cut off, cannot be in a request. A bot without types may give anything. */
function repair(text: string): string {
	return typeof text === "string" ? text.toWellFormed() : text;
}

/** The send that a post becomes. An audio attachment alone is a voice note. */
export async function toSendInput(
	target: GatewayThread,
	message: AdapterPostableMessage,
	replyToGuid: string | undefined,
): Promise<PostedInput> {
	const text = repair(sdk.convertEmojiPlaceholders(toText(message), "whatsapp").replace(MENTION, "$1"));
	const base = { ...target, replyToGuid };
	const files = typeof message === "object" && "files" in message ? (message.files ?? []) : [];
	const given = typeof message === "object" && "attachments" in message ? (message.attachments ?? []) : [];
	const attachments: SentAttachment[] = [
		...files.map(({ data, filename, mimeType }) => ({ data, name: repair(filename), mimeType })),
		...(await Promise.all(given.map(toSentAttachment))),
	];
	const [first] = attachments;
	if (first === undefined) return { ...base, text };
	if (text === "" && attachments.length === 1 && given[0]?.type === "audio")
		return { ...base, attachment: first };
	return { ...base, attachments, ...(text !== "" && { text }) };
}

async function toSentAttachment({
	type,
	data,
	fetchData,
	url,
	name,
	mimeType,
}: Attachment): Promise<SentAttachment> {
	const bytes = data ?? (await fetchData?.());
	if (bytes !== undefined) return { data: bytes, name: repair(name ?? type), mimeType };
	if (url) return { url: repair(url), name: name && repair(name), mimeType };
	throw new InputError(
		"An attachment of a post needs data, fetchData or url: one that a contact has sent may have none of them",
	);
}

/** @throws InputError for what is no text: a bot without types may post anything, and each run would fail. */
function toText(message: AdapterPostableMessage): string {
	let text: unknown;
	try {
		text = findText(message);
	} catch {
		// What Chat SDK cannot read. Its error may show the text.
	}
	if (typeof text === "string") return text;
	throw new InputError("A post must be a string, a card, or an object with raw, markdown, ast or card");
}

function findText(message: AdapterPostableMessage): string | undefined {
	if (typeof message === "string") return message;
	if (typeof message === "object" && message !== null) {
		if ("raw" in message && typeof message.raw === "string") return message.raw;
		if ("markdown" in message) return renderText(sdk.parseMarkdown(message.markdown));
		if ("ast" in message && isJsonObject(message.ast)) return renderText(message.ast);
		const { card, fallbackText }: { card: unknown; fallbackText?: string } =
			"card" in message ? message : { card: message };
		if (sdk.isCardElement(card)) return fallbackText ?? renderCard(card);
	}
	return undefined;
}

/** The tapbacks that Chat SDK has under another name. */
const EMOJI: readonly (readonly [reaction: string, emoji: string])[] = [
	["love", "heart"],
	["like", "thumbs_up"],
	["dislike", "thumbs_down"],
	["laugh", "laugh"],
	["emphasize", "exclamation"],
	["question", "question"],
];

/** A tapback that was added, or taken back, as gateways write it: in its name, or in a field beside it. */
export function readTapback({ reaction, ...fields }: Pick<InboundReaction, "reaction">): {
	readonly reaction: Reaction;
	readonly added: boolean;
} {
	const [, name = reaction] = /^(?:-|removed?[ _:-])(.+)$/i.exec(reaction) ?? [];
	const added = name === reaction && !Object.entries(fields).some(isRemoval);
	// An emoji has no capitals.
	return { reaction: name.toLowerCase(), added };
}

/** Flags come as booleans, as numbers, as texts, and as the time at which it happened. */
function isRemoval([name, value]: [name: string, value: unknown]): boolean {
	const text = typeof value === "object" ? "" : String(value);
	const isNo = /^(?:false|no|0)$/i.test(text);
	if (/removed$/i.test(name)) return text !== "" && !isNo;
	if (/added$/i.test(name)) return isNo;
	return /^(?:action|operation)$/.test(name) && /^(?:remove|delete)/i.test(text);
}

export function toEmoji(reaction: Reaction): EmojiValue {
	const [, name] = EMOJI.find(([known]) => known === reaction) ?? [];
	return name === undefined ? sdk.defaultEmojiResolver.fromGChat(reaction) : sdk.getEmoji(name);
}

export function toReaction(emoji: EmojiValue | string): Reaction {
	const name = typeof emoji === "string" ? emoji : emoji.name;
	const [reaction] = EMOJI.find((names) => names.includes(name)) ?? [];
	return reaction ?? sdk.defaultEmojiResolver.toGChat(name);
}
